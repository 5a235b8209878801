"""Every command of the documentation is run: the pages about jobs and those of reference, each followed from its first line to its
last on a machine of its own, and what a page shows that a command prints is what it prints.

    RECORD_SNAPSHOTS=1 pytest Tests/Interop/test_pages.py      writes what was printed into the pages
"""

import os
import re

import pytest

import pages
from conftest import ROOT
from presumed import DEMO, PRESUMED

FOLLOWED = sorted({str(page.relative_to(ROOT)) for page in (ROOT / "docs" / "jobs").glob("*.md")} | set(PRESUMED))
# Pages whose commands other tests run.
ELSEWHERE = {
    "Packages/core/go/README.md": "test_core_go.py",
    "Benchmarks/README.md": "test_bench.py",
}

possible = pytest.mark.skipif(not pages.is_possible(), reason="namespaces cannot be made here")


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def before(name):
    """What the reader of a page has done before, mostly started a server to try it on."""
    has_demo, more = PRESUMED.get(name, (name != DEMO, ""))
    return (pages.steps(text(DEMO)) if has_demo else []) + ([pages.Step(0, more, None)] if more else [])


def ends(every, number):
    """How the command after a step shows that it failed, `echo $?`; None where it is not shown."""
    following = every[number + 1] if number + 1 < len(every) else None
    return int(following.shown) if following and following.commands.strip() == "echo $?" and following.shown else None


@possible
@pytest.mark.parametrize("name", FOLLOWED)
def test_a_page_is_followed(name, tmp_path):
    page = text(name)
    first, own = before(name), pages.steps(page)
    every = first + own
    results = pages.run(every, {**pages.files(text(DEMO)), **pages.files(page)}, tmp_path)
    faults = []
    for number, (step, (said, status)) in enumerate(zip(every, results)):
        where = f"{name if number >= len(first) else DEMO}:{step.line}: {step.commands.strip()}"
        if status != (ends(every, number) or 0):
            faults.append(f"{where}\nended with {status} and printed\n{said}")
        elif not pages.agrees(step.shown, said):
            faults.append(f"{where}\nprinted\n{said}\nand the page shows\n{step.shown}")
    if faults and os.environ.get("RECORD_SNAPSHOTS"):
        (ROOT / name).write_text(recorded(page, own, results[len(first):]), encoding="utf-8")
    assert not faults, "\n\n".join(faults)


def recorded(page, own, results):
    """The page with what its commands at a prompt printed, where it shows something else."""
    lines = page.splitlines()
    for step, (said, _) in reversed(list(zip(own, results))):
        begin = step.line - 1 + step.commands.count("\n") + 1
        if not lines[step.line - 1].lstrip().startswith("$ ") or pages.agrees(step.shown, said):
            continue
        indent = re.match(" *", lines[step.line - 1])[0]
        lines[begin:begin + step.shown.count("\n")] = [f"{indent}{line}".rstrip() for line in pages.clean(said).splitlines()]
    return "\n".join(lines) + "\n"


def test_every_page_with_commands_is_run():
    """A page of the site, or a block that is added to one, is run or says that it is not."""
    site = re.findall(r"[\w./-]+\.md", text("docs/site/mkdocs.yml"))
    assert set(FOLLOWED) <= set(site)
    missing = []
    for name in site:
        if name in FOLLOWED or name in ELSEWHERE:
            continue
        for block in pages.blocks(text(name)):
            if (block.language in ("sh", "console") or re.search(r"^\$ ", block.text, re.M)) and not is_elsewhere(block):
                missing.append(f"{name}:{block.line}")
    assert not missing, "no test runs these, and they do not say `shown`: " + ", ".join(missing)
    for name, test in ELSEWHERE.items():
        assert name in site and (ROOT / "Tests" / "Interop" / test).exists(), name


def is_elsewhere(block):
    return block.word in ("shown", "machine") or (block.word or "").startswith("test_")


def test_a_block_that_another_test_takes_is_taken_there():
    for name in sorted(str(page.relative_to(ROOT)) for page in [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]):
        for block in pages.blocks(text(name)):
            if (block.word or "").startswith("test_"):
                # Or by what several tests share.
                takes = text(f"Tests/Interop/{block.word}") + text("Tests/Interop/conftest.py")
                assert f'pages.taken(text("{name}"), "{block.word}")' in takes, f"{name}:{block.line}"


# What no test can do: more of these is a decision.
READ_ONLY = 8


def test_what_is_only_read_says_why(capsys):
    reasons, missing = [], []
    for page in [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md"]:
        name = str(page.relative_to(ROOT))
        for block in pages.blocks(text(name)):
            if block.word == "shown":
                why = pages.reason(text(name), block)
                (reasons if why else missing).append(f"{name}:{block.line}: {why}")
    with capsys.disabled():
        print("\nblocks that no test runs:", *reasons, sep="\n  ")
    assert not missing, missing
    assert len(reasons) <= READ_ONLY, reasons


# ---- What the comparison itself does


def test_what_changes_is_compared_by_its_form():
    assert pages.agrees("at  2026-11-21T08:42:07Z\n", "at\t2027-01-01T00:00:00Z\r\n")
    assert not pages.agrees("at  2026-11-21T08:42:07Z\n", "at  yesterday\n")
    assert pages.agrees("id    user\n 1  ann\n", "id  user\n  1      ann   \n")
    assert not pages.agrees("id  user\n 1  ann\n", "id  user\n 1  bob\n")
    assert pages.agrees('{"id":"…"}\n…\nend\n', '{"id":"7"}\n1\n2\nend\n')
    assert not pages.agrees('{"id":"…"}\n', '{"id":"7"}\nmore\n')
    assert not pages.agrees("", "more\n")
    assert pages.agrees(None, "anything")


def test_a_page_is_cut_into_steps():
    page = "```sh\necho 1\n# 1\n```\n\n```sh\ncat\n```\n```\n2\n```\n   ```console\n   $ one \\\n     two\n   3\n   $ four\n   ```\n```sh shown\nx\n```\n```json a.json\n{}\n```\n"
    assert [(step.line, step.commands, step.shown) for step in pages.steps(page)] == [
        (2, "echo 1\n# 1\n", "1"), (7, "cat\n", "2\n"), (13, "one \\\n  two", "3\n"), (16, "four", "")]
    assert pages.files(page) == {"a.json": "{}\n"}


@possible
def test_a_page_that_is_false_fails(tmp_path):
    every = [pages.Step(1, "true", "yes\n"), pages.Step(2, "false", ""), pages.Step(3, "echo $?", "1\n"), pages.Step(4, "ip=127.0.0.1", None),
             pages.Step(5, "echo $ip; echo no >&2", "127.0.0.1\nno\n"), pages.Step(6, "test -t 1 && ! test -w /etc && cat a/b", "x\n")]
    results = pages.run(every, {"a/b": "x\n"}, tmp_path, seconds=60)
    assert [status for _, status in results] == [0, 1, 0, 0, 0, 0]
    assert [bool(pages.agrees(step.shown, said)) for step, (said, _) in zip(every, results)] == [False, True, True, True, True, True]
    assert ends(every, 1) == 1 and ends(every, 0) is None
