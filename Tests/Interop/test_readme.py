"""Every example of the README's tasks, pasted into one shell, prints what the page shows."""

import pathlib
import re
import subprocess

import pytest
from conftest import command

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# A block of commands, and the block right after it that shows their output, if there is one.
EXAMPLE = re.compile(r"^```sh\n(.*?)^```\n(?:```(?:json)?\n(.*?)^```\n)?", re.M | re.S)
MARK = "::: example"


def examples():
    """(commands, pattern of the output) of each example; the pattern is None where the page shows nothing."""
    page = (ROOT / "README.md").read_text().split("## One example of each task", 1)[1]
    for commands, output in EXAMPLE.findall(page):
        # What needs the server of the quick start and its printed key is the subject of MainJobTests.
        if "postrider push " in commands:
            continue
        shown = output or "".join(line[2:] + "\n" for line in commands.splitlines() if line.startswith("# "))
        yield commands, pattern(shown) if shown else None


def pattern(text):
    """The shown text, with `…` for anything and any time and rate."""
    escaped = re.escape(text.strip()).replace("…", ".*")
    return re.compile(re.sub(r"\\ [\d.\\]+\\ s,\\ [\d\\ ]+\\ a\\ second", r" [\\d.]+ s, [\\d ]+ a second", escaped), re.S)


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("readme")
    script = f"export PATH={pathlib.Path(command()).parent}:$PATH\n"
    for commands, _ in examples():
        script += f"echo '{MARK}'\n" + commands.replace("/tmp/emulator", str(folder / "emulator"))
    # What the emulator prints at its start goes to the same terminal.
    script = script.replace("&\nsleep 1", "> emulator.log &\nsleep 2") + "\nwait\n"
    result = subprocess.run(["bash", "-c", script], cwd=folder, text=True, timeout=120, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT)
    return result.stdout.split(MARK + "\n")[1:]


def test_each_example_prints_what_the_page_shows(outputs):
    found = list(examples())
    assert len(outputs) == len(found) > 8
    for (commands, shown), output in zip(found, outputs):
        if shown is None:
            continue
        assert shown.fullmatch(output.strip()), f"{commands}\nprinted\n{output}\nand the page shows\n{shown.pattern}"
    assert sum(shown is not None for _, shown in found) > 6
