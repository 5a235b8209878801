"""Pages followed as a reader would: their commands, pasted into one shell that has a home folder, a network and ports of its own.

A page's blocks of `console` (commands behind `$`, with what they print) and `sh` (commands, with what they print behind `#` or in
the block below) run from top to bottom, in a terminal of 140 columns. A block whose second word is the name of a file is that
file, saved before the first command. One with the second word `machine` needs root, and is run by machine.py; one with the name of a
test is taken from the page by that test. A block with the second word `shown` is only read, for the reason in the comment above it.
"""

import dataclasses
import os
import pathlib
import pty
import re
import shutil
import subprocess
import termios
import threading

from conftest import command

FENCE = re.compile(r"^( *)```(\S*)(?: +(\S+))?\n(.*?)^\1```$", re.M | re.S)
HOME = "/home/ann"
MARK = "::: step"
# What is different each time, and what it looks like.
CHANGES = [r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z", r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"]


@dataclasses.dataclass
class Step:
    """Commands of a page, and what it shows that they print; None when it shows nothing."""

    line: int
    commands: str
    shown: str | None


@dataclasses.dataclass
class Block:
    """A fenced block: `line` is that of its first line, `start` and `end` are where its text is in the page."""

    language: str
    word: str | None
    text: str
    line: int
    start: int
    end: int


def blocks(page):
    """The fenced blocks of a page, without what indents them in a list."""
    for found in FENCE.finditer(page):
        indent, language, word, text = found.groups()
        text = re.sub(rf"^{indent}", "", text, flags=re.M)
        yield Block(language, word, text, page.count("\n", 0, found.start(4)) + 1, found.start(), found.end())


def files(page):
    """The files that a page has its reader save."""
    return {block.word: block.text for block in blocks(page) if block.word and "." in block.word and not block.word.startswith("test_")}


def taken(page, test):
    """The blocks of a page that a test of another file takes from it, in their order."""
    return [block for block in blocks(page) if block.word == test]


def reason(page, block):
    """Why a block is only read: the comment in the line above it; None without one."""
    found = re.search(r"<!-- shown: (.+?) -->\n$", page[:block.start])
    return found and found[1]


def steps(page):
    """The steps of a page, in its order."""
    found, last = [], None
    for block in blocks(page):
        if block.language == "console" and not block.word:
            found += console(block)
        elif block.language == "sh" and not block.word:
            said = [line[2:] for line in block.text.splitlines() if line.startswith("# ")]
            found.append(Step(block.line, block.text, "\n".join(said) if said else None))
        elif block.language in ("", "json") and not block.word and last and last.language == "sh" and not last.word and page[last.end:block.start].strip() == "":
            found[-1].shown = block.text
        last = block
    return found


def console(block):
    """The steps of a block that shows a terminal: a command may go on behind a backslash, or in lines that begin with `> `."""
    found, is_open = [], False
    for offset, line in enumerate(block.text.splitlines()):
        if is_open:
            found[-1].commands += "\n" + line
        elif line.startswith("> ") and found and not found[-1].shown:
            found[-1].commands += "\n" + line[2:]
            continue
        elif line.startswith("$ "):
            found.append(Step(block.line + offset, line[2:], ""))
        else:
            assert found, f"line {block.line + offset}: a block of console begins with a command"
            found[-1].shown += line + "\n"
            continue
        is_open = line.endswith("\\")
    return found


def clean(text):
    """What a page shows of what was printed: tabs and escapes are not in it."""
    text = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", text.replace("\r\n", "\n").replace("\t", "  "))
    return "".join(line.rstrip() + "\n" for line in text.splitlines()).strip("\n")


def plain(text):
    """The columns of a table two spaces apart, and no empty lines."""
    lines = [re.sub(r"(?<=\S) {2,}", "  ", line) for line in clean(text).splitlines()]
    return "\n".join(line for line in lines if line)


def pattern(shown):
    """What matches a shown output: `…` is anything within a line, alone on a line any lines; times and UUIDs are any."""
    change = re.compile("|".join(f"(?:{one})" for one in CHANGES))
    lines = []
    for line in plain(shown).splitlines():
        if line.strip() == "…":
            lines.append("(?:.*\n)*?")
            continue
        parts, at = [], 0
        for found in change.finditer(line):
            parts += [re.escape(line[at:found.start()]), next(one for one in CHANGES if re.fullmatch(one, found[0]))]
            at = found.end()
        parts.append(re.escape(line[at:]))
        # The columns of a table are as wide as what is in them: a number may have one more digit.
        lines.append(re.sub(r"^(?:\\ )+", r"\\ *", "".join(parts)).replace("…", ".*") + "\n")
    return re.compile("".join(lines))


def agrees(shown, said):
    """Whether a page shows what was printed; what is not shown may be anything."""
    said = plain(said)
    return shown is None or pattern(shown).fullmatch(said + "\n" if said else "") is not None


def script(every):
    """The steps as one script, which marks on both outputs where each begins, and whether a command of the one before failed."""
    lines = ["trap '__seen=$?; [[ $BASH_COMMAND == mark\\ * || $BASH_COMMAND == return\\ * ]] || __failed=$__seen' ERR", "__failed=0",
             f"mark() {{ __status=$?; printf '\\n{MARK} %s %s\\n' $1 $__failed; printf '\\n{MARK} %s %s\\n' $1 $__failed >&2; "
             "__failed=0; return $__status; }"]
    for number, step in enumerate(every):
        lines += [f"mark {number}", step.commands]
    return "\n".join([*lines, f"mark {len(every)}", "exit 0", ""])


def parts(text, count):
    """What each step wrote on one output, and its exit status."""
    found = re.split(rf"^{MARK} \d+ (\d+)\n", text.replace("\r\n", "\n"), flags=re.M)
    # Between two marks is what a step wrote; the mark behind it has its status.
    outputs, statuses = found[2::2], [int(one) for one in found[3::2]]
    return [(outputs[number] if number < len(outputs) else "", statuses[number] if number < len(statuses) else None)
            for number in range(count)]


def sandbox(folder):
    """A machine of its own: the file system is only read, but for the home folder and /tmp, and no port is anybody else's."""
    home = folder / "home"
    (home / "bin").mkdir(parents=True)
    words = ["bwrap", "--unshare-net", "--unshare-pid", "--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc",
             "--tmpfs", "/tmp", "--tmpfs", "/home", "--bind", str(home), HOME, "--ro-bind", str(pathlib.Path(command()).resolve()), f"{HOME}/bin/postrider",
             "--chdir", HOME, "--clearenv"]
    for name, value in {"HOME": HOME, "USER": "ann", "PATH": f"{HOME}/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "TERM": "xterm",
                        "NO_COLOR": "1", "SWIFT_BACKTRACE": "enable=no"}.items():
        words += ["--setenv", name, value]
    return home, words


def is_possible():
    """Whether namespaces can be made here."""
    return shutil.which("bwrap") and subprocess.run(
        ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"], capture_output=True).returncode == 0


def run(every, saved, folder, seconds=600):
    """Runs the steps; gives what each printed (standard error behind standard output), and its exit status."""
    home, words = sandbox(folder)
    for name, text in saved.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (folder / "script").write_text(script(every))
    return performed(every, [*words, "--ro-bind", str(folder / "script"), "/tmp/.script", "bash", "/tmp/.script"], folder, seconds)


def performed(every, words, folder, seconds=600):
    """What each step of a script printed, which these words run, and its exit status."""
    with open(folder / "stderr", "w+b") as errors:
        said = terminal(words, errors, seconds)
        errors.seek(0)
        complaints = errors.read().decode(errors="replace")
    count = len(every)
    return [(out + err, status) for (out, status), (err, _) in zip(parts(said, count), parts(complaints, count))]


def terminal(words, errors, seconds):
    """Runs a program whose standard output is a terminal, and gives what it wrote."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (50, 140))
    written = bytearray()

    def read():
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:
                # Nobody has the other end any more.
                return
            if not piece:
                return
            written.extend(piece)

    reader = threading.Thread(target=read, daemon=True)
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=theirs, stderr=errors)
    os.close(theirs)
    reader.start()
    try:
        process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        written.extend(f"\n(stopped after {seconds} s)\n".encode())
        process.kill()
        process.wait()
    reader.join(timeout=30)
    os.close(ours)
    return written.decode(errors="replace")
