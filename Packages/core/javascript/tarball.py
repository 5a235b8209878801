#!/usr/bin/env python3
"""Writes the package as npm packs it, the same bytes each time: tarball.py MODULE FOLDER. Standard library only."""

import gzip
import io
import json
import os
import pathlib
import sys
import tarfile

HERE = pathlib.Path(__file__).resolve().parent


def main() -> None:
    module, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    package = json.loads((HERE / "package.json").read_text(encoding="utf-8"))
    files = {"package.json": HERE / "package.json", "README.md": HERE / "README.md", "LICENSE": HERE.parents[2] / "LICENSE"}
    files |= {name: HERE / name for name in package["files"]}
    files["postrider.wasm"] = module
    date = int(os.environ.get("SOURCE_DATE_EPOCH", "315532800"))
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, path in sorted(files.items()):
            content = path.read_bytes()
            entry = tarfile.TarInfo(f"package/{name}")
            entry.size, entry.mode, entry.mtime = len(content), 0o644, date
            tar.addfile(entry, io.BytesIO(content))
    path = folder / f"{package['name']}-{package['version']}.tgz"
    with open(path, "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=date) as stream:
        stream.write(archive.getvalue())
    print(path)


if __name__ == "__main__":
    main()
