"""`preview --png` with librsvg and Poppler, as Debian has them: what a picture shows is looked at pixel by pixel."""

import json
import shutil
import struct
import subprocess
import zlib

import pytest

from conftest import command

RENDERER = shutil.which("rsvg-convert")
PAGES = shutil.which("pdftocairo")

pytestmark = pytest.mark.skipif(not RENDERER, reason="librsvg2-bin is not installed; script/bootstrap --interop installs it")


def preview(folder, body, *more, path=None):
    push = folder / "push.json"
    push.write_text(json.dumps({"aps": {"alert": {"title": "A parcel", "body": body}}}))
    picture = folder / "picture.png"
    done = subprocess.run(
        [command(), "preview", "--platform", "ios", "--surface", "expanded", "--png", picture, *more, push],
        capture_output=True, text=True, timeout=300, env=path and {"PATH": path})
    assert done.returncode == 0, done.stderr
    return pixels(picture.read_bytes()), done.stderr


def pixels(data):
    """Width, height and the (red, green, blue) of a PNG without interlacing, by its specification."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    place, packed, head = 8, b"", None
    while place < len(data):
        length, kind = struct.unpack(">I4s", data[place:place + 8])
        content = data[place + 8:place + 8 + length]
        head = struct.unpack(">IIBBBBB", content) if kind == b"IHDR" else head
        packed += content if kind == b"IDAT" else b""
        place += length + 12
    width, height, depth, colors, *_, interlaced = head
    assert (depth, interlaced) == (8, 0) and colors in (2, 6)
    size = 3 if colors == 2 else 4
    raw, before, rows = zlib.decompress(packed), bytes(width * size), []
    for start in range(0, len(raw), width * size + 1):
        before = unfiltered(raw[start], bytearray(raw[start + 1:start + 1 + width * size]), before, size)
        rows += [tuple(before[at:at + 3]) for at in range(0, len(before), size)]
    return width, height, rows


def unfiltered(kind, row, above, size):
    for at in range(len(row)):
        left = row[at - size] if at >= size else 0
        corner = above[at - size] if at >= size else 0
        guess = [0, left, above[at], (left + above[at]) // 2, 0][kind]
        if kind == 4:
            whole = left + above[at] - corner
            guess = min((left, above[at], corner), key=lambda one: abs(whole - one))
        row[at] = (row[at] + guess) & 255
    return row


def greens(picture):
    """How many pixels have the green of 🟩, which nothing else in a picture has."""
    return sum(green > 110 and red < green - 40 and blue < green - 40 for red, green, blue in picture[2])


@pytest.mark.skipif(not PAGES, reason="poppler-utils is not installed; script/bootstrap --interop installs it")
@pytest.mark.parametrize("appearance", ["light", "dark"])
def test_draws_emoji_in_their_colours(tmp_path, appearance):
    plain, _ = preview(tmp_path, "It is here.", "--appearance", appearance)
    picture, said = preview(tmp_path, "It is here 🟩🟩🟩", "--appearance", appearance)
    assert said == ""
    assert picture[:2] == plain[:2], "the same size, whichever way it was drawn"
    assert greens(plain) == 0
    assert greens(picture) > 500


def test_says_that_emoji_have_one_colour_without_poppler(tmp_path):
    only = tmp_path / "bin"
    only.mkdir()
    (only / "rsvg-convert").symlink_to(RENDERER)
    picture, said = preview(tmp_path, "It is here 🟩🟩🟩", path=str(only))
    assert said == "postrider: preview: the emoji are drawn in one color; in theirs with pdftocairo (poppler-utils)\n"
    assert greens(picture) == 0
    assert preview(tmp_path, "It is here.", path=str(only))[1] == ""
