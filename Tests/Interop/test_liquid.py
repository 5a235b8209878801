"""Compares Liquid with python-liquid: the cases of Vectors/liquid, which our own tests run too, and random templates through
`postrider liquid --lines`."""

import json
import os
import random
import subprocess

import liquid
import pytest

from conftest import ROOT, command

TABLE = json.loads((ROOT / "Vectors" / "liquid" / "cases.json").read_text())
SEED = 20261124


@pytest.fixture(autouse=True)
def utc(monkeypatch):
    """python-liquid reads seconds since 1970 in the local time zone."""
    import time
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def judged(environment, template, values):
    """The text, or None when python-liquid fails."""
    try:
        return environment.from_string(template).render(**values)
    except Exception:  # whatever it raises is its error
        return None


def ours(cases):
    """The text of each case, or None for an error."""
    lines = "".join(json.dumps(case) + "\n" for case in cases)
    answer = subprocess.run([command(), "liquid", "--lines", "--undefined", "lax"], input=lines, capture_output=True, text=True,
                            timeout=120, env={**os.environ, "TZ": "UTC"})
    assert answer.returncode == 0, answer.stderr
    results = [json.loads(line).get("text") for line in answer.stdout.splitlines()]
    assert len(results) == len(cases)
    return results


def test_the_vectors_are_what_python_liquid_makes():
    environment = liquid.Environment()
    wrong = []
    for case in TABLE["cases"]:
        expected = case["python"] if "why" in case else case.get("text")
        found = judged(environment, case["template"], TABLE["values"])
        if found != expected:
            wrong.append((case["template"], expected, found))
    assert not wrong


def test_every_difference_has_a_reason_and_is_one():
    used = {case["why"] for case in TABLE["cases"] if "why" in case}
    assert used == set(TABLE["differences"])
    assert all(case["python"] != case.get("text") for case in TABLE["cases"] if "why" in case)
    # Most of the table is agreement.
    assert sum("why" in case for case in TABLE["cases"]) < len(TABLE["cases"]) / 10


def test_the_command_renders_the_vectors():
    results = ours([{"template": case["template"], "values": TABLE["values"]} for case in TABLE["cases"] if "now" not in case["template"]])
    expected = [case.get("text") for case in TABLE["cases"] if "now" not in case["template"]]
    assert [pair for pair in zip(results, expected) if pair[0] != pair[1]] == []


class Templates:
    """Random templates of what both have alike. (python-liquid takes a line break at the very end for white space behind -}}.)"""

    TEXTS = ["name", "words", "user.first_name", "'a,b,c'", "'  x '", "missing", "'Zoë'"]
    NUMBERS = ["n", "3", "-2", "f", "'7'", "1.25"]
    LISTS = ["list", "nums", "(1..4)", "empty_list"]

    def __init__(self, seed):
        self.random = random.Random(seed)

    def pick(self, *choices):
        return self.random.choice(choices)

    def text(self):
        filters = ["upcase", "downcase", "strip", "lstrip", "rstrip", "capitalize", "squish", "append: '!'", "prepend: name", "remove: 'n'",
                   "replace: 'e', 'E'", "replace_first: 'o', '0'", "remove_first: 'a'", "url_encode", "base64_encode", "default: 'none'",
                   "slice: 0, 3", "split: ',' | join: '+'", "split: '~' | join: '-'", "newline_to_br", "truncate: 90", "strip_newlines"]
        return " | ".join([self.pick(*self.TEXTS)] + self.random.sample(filters, self.random.randint(0, 4)))

    def number(self):
        filters = ["plus: 2", "minus: 5", "times: 3", "abs", "ceil", "floor", "at_least: 2", "at_most: 9", "plus: 0.5", "times: 1.5", "divided_by: 4",
                   "size", "plus: n"]
        return " | ".join([self.pick(*self.NUMBERS)] + self.random.sample(filters, self.random.randint(0, 3)))

    def condition(self):
        simple = lambda: self.pick("t", "no", "missing", "n > 3", "n == 5", "name == 'Ann'", "name contains 'n'", "list contains 'a'", "words != ''",
                                   "f <= 1.5", "missing == nil", "name == blank", "empty_list == empty")
        return self.pick(simple(), f"{simple()} and {simple()}", f"{simple()} or {simple()} and {simple()}")

    def block(self, depth):
        if depth == 0:
            return self.pick("x", " ", "\n", f"{{{{ {self.text()} }}}}", f"{{{{- {self.number()} -}}}}", f"{{{{ {self.text()} | size }}}}")
        inner = "".join(self.block(depth - 1) for _ in range(self.random.randint(1, 3)))
        other = "".join(self.block(depth - 1) for _ in range(self.random.randint(1, 2)))
        left, right = self.pick("", "-"), self.pick("", "-")
        return self.pick(
            inner,
            f"{{%{left} if {self.condition()} {right}%}}{inner}{{% else %}}{other}{{%{left} endif %}}",
            f"{{% unless {self.condition()} %}}{inner}{{% elsif {self.condition()} {right}%}}x{other}{{% endunless %}}",
            f"{{% for i in {self.pick(*self.LISTS)}{self.pick('', ' reversed', ' limit:2', ' offset:1')} {right}%}}{inner}{{{{ i }}}}"
            f"{{% unless forloop.last %}},{{% endunless %}}{{% else %}}{other}{{% endfor %}}",
            f"{{% case n %}}{{% when 1, 5 %}}{inner}{{% else %}}{other}{{% endcase %}}",
            f"{{% assign v = {self.text()} %}}{inner}{{{{ v }}}}",
            f"{{% capture c %}}{inner}{{% endcapture %}}[{{{{ c }}}}]",
            f"{{% comment %}}{inner}{{% endcomment %}}{other}",
        )


def test_random_templates_are_rendered_alike():
    values = {"name": "Ann", "words": "one two  three", "n": 5, "f": 1.5, "t": True, "no": False, "list": ["b", "a", "c"], "nums": [3, 1, 2],
              "empty_list": [], "user": {"first_name": "Eve"}}
    templates = Templates(SEED)
    sources = ["".join(templates.block(templates.random.randint(0, 3)) for _ in range(3)) + "." for _ in range(3_000)]
    environment = liquid.Environment()
    theirs = [judged(environment, source, values) for source in sources]
    assert sum(text is not None for text in theirs) > 2_900
    results = ours([{"template": source, "values": values} for source in sources])
    wrong = [(source, text, found) for source, text, found in zip(sources, theirs, results) if text != found]
    assert not wrong, f"seed {SEED}: {len(wrong)} of {len(sources)} differ, first {wrong[0]}"
