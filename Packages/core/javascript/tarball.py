#!/usr/bin/env python3
"""Writes the package as npm packs it, the same bytes each time: tarball.py MODULE FOLDER. Standard library only."""

import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import reproducible_tar  # noqa: E402


def main() -> None:
    module, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    package = json.loads((HERE / "package.json").read_text(encoding="utf-8"))
    files = {"package.json": HERE / "package.json", "README.md": HERE / "README.md", "LICENSE": HERE.parents[2] / "LICENSE"}
    files |= {name: HERE / name for name in package["files"]}
    files["postrider.wasm"] = module
    path = folder / f"{package['name']}-{package['version']}.tgz"
    reproducible_tar.write(path, "package", files)
    print(path)


if __name__ == "__main__":
    main()
