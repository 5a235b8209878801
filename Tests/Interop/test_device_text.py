"""Holds `postrider strings` against aapt2 (strings.xml), Java's String.format and Babel (plural rules of CLDR)."""

import base64
import decimal
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
from xml.sax.saxutils import escape

import babel
import pytest
from babel.localedata import locale_identifiers

from conftest import ROOT, command

SEED = 20261121


def strings(*arguments):
    answer = subprocess.run([command(), "strings", *arguments], capture_output=True, text=True, timeout=60)
    assert answer.returncode in (0, 1), answer.stderr
    return json.loads(answer.stdout)


def entries(file):
    return {entry["key"]: entry for entry in file["tables"][0]["entries"]}


# strings.xml against aapt2


PIECES = [
    "a", "Bc", " ", "   ", "&#10;", "&#9;", "\\n", "\\t", "\\'", '\\"', '"', '"', "'", "\\@", "\\?", "\\#", "\\u0041",
    "\\u20ac", "\\u12", "\\uzz", "\\x", "\\\\", "%s", "%1$s", "%2$s", "%d", "%", "%%", "%n", "%-5s", "%&lt;s", "% D", "&lt;",
    "&amp;", "&#233;", "é", "\u00a0", "\u2003", "😀", "@", "?", "#", "<![CDATA[ x  'y' ]]>", "<![CDATA[<b>\"q  q\"</b>]]>",
    "<!-- c -->",
]  # fmt: skip
WRAPPERS = ["<b>{}</b>", "<i> {} </i>", '<xliff:g id="n">{}</xliff:g>', '<xliff:g id="n"> {} </xliff:g>']


def body(rng):
    text = "".join(rng.choice(PIECES) for _ in range(rng.randint(0, 7)))
    if rng.random() < 0.3:
        inner = "".join(rng.choice(PIECES) for _ in range(rng.randint(0, 3)))
        text += rng.choice(WRAPPERS).format(inner) + "".join(rng.choice(PIECES) for _ in range(rng.randint(0, 3)))
    # A leading ? or @ may be a reference, which only links when its target exists.
    return "z" + text if re.match(r"(\s|&#10;|&#9;|<!-- c -->|<[^!][^>]*>)*[?@]", text) else text


def resource_file(bodies):
    head = '<resources xmlns:xliff="urn:oasis:names:tc:xliff:document:1.2">\n'
    rows = "".join(f'<string name="s{index}"{attribute}>{text}</string>\n' for index, (attribute, text) in bodies.items())
    return head + rows + "</resources>\n"


def aapt2(folder, content):
    """The lines that aapt2 refuses, and the texts when it refuses none."""
    path = folder / "res" / "values" / "strings.xml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    compiled = subprocess.run(
        ["aapt2", "compile", "-o", str(folder), str(path)], capture_output=True, text=True, timeout=60)
    refused = {int(line) for line in re.findall(r"strings\.xml:(\d+): error", compiled.stderr)}
    if compiled.returncode != 0:
        return refused, {}
    manifest = folder / "AndroidManifest.xml"
    manifest.write_text('<manifest package="com.example.app"/>')
    flat, package = folder / "values_strings.arsc.flat", folder / "app.apk"
    subprocess.run(["aapt2", "link", "-o", package, "--manifest", manifest, flat], check=True, timeout=60)
    dump = subprocess.run(
        ["aapt2", "dump", "resources", package], check=True, capture_output=True, timeout=60).stdout.decode()
    found = re.findall(
        r'^    resource 0x[0-9a-f]+ string/(s\d+)\n      \(\) (?:\(styled string\) )?"(.*?)"(?: [a-z]+:[0-9,]+)*\n'
        r"(?=    resource |  type |\Z)",
        dump + "\n" if not dump.endswith("\n") else dump, re.S | re.M)
    return set(), {name: text.replace("\n      ", "\n") for name, text in found}


@pytest.mark.skipif(not shutil.which("aapt2"), reason="aapt2 is not installed; script/bootstrap --interop installs it")
@pytest.mark.parametrize("round", range(40))
def test_strings_xml_is_what_aapt2_makes_of_it(tmp_path, round):
    rng = random.Random(f"{SEED}-{round}")
    attributes = ["", "", "", ' formatted="false"', ' translatable="false"', ' formatted=" false "', ' formatted="no"']
    # aapt2 stops after some twenty errors.
    bodies = {index: (rng.choice(attributes), body(rng)) for index in range(15)}
    refused, texts = aapt2(tmp_path, resource_file(bodies))
    path = tmp_path / "res" / "values" / "strings.xml"
    ours = {p["line"] for p in strings(str(path))["files"][0]["problems"] if p["severity"] == "error"}
    lines = path.read_text().split("\n")
    assert {(line, lines[line - 1]) for line in ours} == {(line, lines[line - 1]) for line in refused}
    kept = {index: text for index, text in bodies.items() if index + 2 not in refused}
    if refused:
        refused, texts = aapt2(tmp_path, resource_file(kept))
    assert refused == set() and len(texts) == len(kept)
    mine = {key: entry["value"] for key, entry in entries(strings(str(path))["files"][0]).items()}
    assert {key: (bodies[int(key[1:])], mine[key]) for key in texts} == {
        key: (bodies[int(key[1:])], text) for key, text in texts.items()}  # fmt: skip


# Formats against Java


SPECIFIERS = [
    "%s", "%S", "%1$s", "%2$s", "%3$S", "%<s", "%%", "%n", "%d", "%z", "%", "%1$@", "%@", "%10s", "%-10s|", "%.2s", "%-5.1S",
    "%b", "%B", "%h", "%H", "%c", "%x", "%f", "%,d", "%e", "%tY", "%Tq", "%t", "%#s", "%-s", "%+s", "% s", "%05s", "%-%",
    "%5%", "%-5%", "%5n", "%0$s", "%01$s", "%99999999999s", "%--s", "%#b", "%.3%", "%1$%", "%1$n", "%(d", "%5", "%.s", "%$s",
    "%i", "%a", "%A", "%g", "%E", "%X", "%o", "%C", "%D", "%N", "%T", "%-05d", "%+ d", "%.1d", "%.1c", "%tB", "%-tB", "%.1tB",
    "%<S", "%1$<s", "%2$-8s|", "%é",
]  # fmt: skip
LETTERS = "%%%%0123456789$<-+# ,(.sSdxbhcefgatTnz@"


def formats(rng, count):
    for _ in range(count):
        if rng.random() < 0.5:
            yield "".join(rng.choice(SPECIFIERS + ["a", " ", "ß"] * 6) for _ in range(rng.randint(1, 4)))
        else:
            yield "%" + "".join(rng.choice(LETTERS) for _ in range(rng.randint(1, 5)))


def quoted(text):
    """A text as strings.xml writes it without any change."""
    for letter in "\\\"'":
        text = text.replace(letter, "\\" + letter)
    return '"' + escape(text) + '"'


@pytest.mark.skipif(not shutil.which("javac"), reason="Java is not installed; script/bootstrap --interop installs it")
@pytest.mark.parametrize("arguments", [[], ["Alice"], ["Alice", "straße i"], ["Ünï", "", "x y"]], ids=len)
def test_formats_are_what_java_makes_of_them(tmp_path, arguments):
    rng = random.Random(f"{SEED}-{len(arguments)}")
    wanted = sorted(set(formats(rng, 4000)))
    # Widths of many digits fill the memory of both; three digits show the rule.
    wanted = [text for text in wanted if not re.search(r"\d{4,10}(?!\d)", text)]
    lines = [
        " ".join("." + base64.b64encode(word.encode()).decode() for word in [text, *arguments]) for text in wanted]
    java = subprocess.run(
        ["java", str(ROOT / "Tests" / "Interop" / "FormatOracle.java")], input="\n".join(lines), capture_output=True,
        text=True, check=True, timeout=120).stdout.splitlines()
    path = tmp_path / "res" / "values" / "strings.xml"
    path.parent.mkdir(parents=True)
    rows = "".join(
        f'<string name="s{index}" formatted="false">{quoted(text)}</string>\n' for index, text in enumerate(wanted))
    path.write_text(f"<resources>\n{rows}</resources>\n")
    options = [word for argument in arguments for word in ("--format-with", argument)]
    ours = entries(strings(*(options or ["--format-with-nothing"]), str(path))["files"][0])
    assert len(java) == len(wanted) == len(ours)
    mine, theirs = {}, {}
    for index, (text, answer) in enumerate(zip(wanted, java)):
        push = ours[f"s{index}"]["push"]
        mine[text] = push.get("text", push.get("exception"))
        kind, value = answer.split(" ")
        theirs[text] = value if kind == "exception" else base64.b64decode(value).decode()
    assert mine == theirs


# Plurals against Babel


NUMBERS = [str(n) for n in [*range(0, 131), 200, 201, 211, 1000, 1001, 2000, 40000, 100000, 1000000, 2000000, 10**15]] + [
    "0.0", "0.1", "0.5", "1.0", "1.00", "1.1", "1.5", "1.10", "2.0", "2.3", "3.14", "5.01", "10.0", "11.11", "21.1", "1.011",
    "1.31", "100.21", "1000000.0", "12.12", "3.000",
]  # fmt: skip
# No 0.011: Babel 2.18 counts two digits behind the point there, since Decimal drops leading zeros.


def test_plural_rules_are_those_of_babel():
    names = sorted(locale_identifiers())
    assert len(names) > 800
    options = [word for name in names for word in ("--locale", name)]
    answer = strings("--plural", *options, *NUMBERS)
    assert answer["cldr"] == babel.core.get_cldr_version()
    mine, theirs = {}, {}
    for name in names:
        locale = babel.Locale.parse(name)
        tag = name.replace("_", "-")
        forms = {key.lower(): value for key, value in answer["plurals"].items()}[tag.lower()]
        mine[name] = forms
        theirs[name] = {text: locale.plural_form(decimal.Decimal(text)) for text in NUMBERS}
    assert mine == theirs


def test_the_tables_of_cldr_are_up_to_date():
    answer = subprocess.run(
        [sys.executable, str(ROOT / "script" / "cldr-tables"), "--check"], capture_output=True, text=True, timeout=60)
    assert (answer.returncode, answer.stdout) == (0, "")
