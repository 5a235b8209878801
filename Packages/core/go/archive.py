#!/usr/bin/env python3
"""Writes the module as an archive, the same bytes each time: archive.py DIST. Standard library only.

DIST has what script/core builds: the C libraries and their header.
"""

import gzip
import io
import os
import pathlib
import sys
import tarfile

HERE = pathlib.Path(__file__).resolve().parent
VERSION = "0.1.0"
LIBRARIES = {"amd64": "x86_64-linux", "arm64": "aarch64-linux"}


def main() -> None:
    dist = pathlib.Path(sys.argv[1])
    files = {path.name: path for path in HERE.iterdir() if path.suffix == ".go" or path.name in ("go.mod", "README.md")}
    files["LICENSE"] = HERE.parents[2] / "LICENSE"
    files["postrider.h"] = dist / "include/postrider.h"
    # Beside the sources: `go mod vendor` copies no folder without Go in it.
    for architecture, folder in LIBRARIES.items():
        files[f"libpostrider_linux_{architecture}.a"] = dist / folder / "libpostrider.a"
    date = int(os.environ.get("SOURCE_DATE_EPOCH", "315532800"))
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, path in sorted(files.items()):
            content = path.read_bytes()
            entry = tarfile.TarInfo(f"postrider-go-{VERSION}/{name}")
            entry.size, entry.mode, entry.mtime = len(content), 0o644, date
            tar.addfile(entry, io.BytesIO(content))
    path = dist / f"postrider-go-{VERSION}.tar.gz"
    with open(path, "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=date) as stream:
        stream.write(archive.getvalue())
    print(path)


if __name__ == "__main__":
    main()
