#!/usr/bin/env python3
"""Writes the module as an archive, the same bytes each time: archive.py DIST. Standard library only.

DIST has what script/core builds: the C libraries and their header.
"""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import reproducible_tar  # noqa: E402
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
    path = dist / f"postrider-go-{VERSION}.tar.gz"
    reproducible_tar.write(path, f"postrider-go-{VERSION}", files)
    print(path)


if __name__ == "__main__":
    main()
