#!/usr/bin/env python3
"""Writes the wheel of the package, the same bytes each time: wheel.py MODULE FOLDER. Standard library only."""

import base64
import hashlib
import os
import pathlib
import re
import sys
import time
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
METADATA = """\
Metadata-Version: 2.1
Name: postrider
Version: {version}
Summary: Reads, writes, checks, explains and previews push payloads of APNs and FCM.
License: {license}
Requires-Python: >=3.10
Requires-Dist: wasmtime>=20
Classifier: Typing :: Typed
Description-Content-Type: text/markdown

{readme}"""
WHEEL = "Wheel-Version: 1.0\nGenerator: postrider\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def main() -> None:
    module, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    init = (HERE / "postrider/__init__.py").read_text(encoding="utf-8")
    version = re.search(r'__version__ = "(.+)"', init)[1]
    license_file = HERE.parents[2] / "LICENSE"
    license_name = license_file.read_text(encoding="utf-8").splitlines()[0].strip()
    info = f"postrider-{version}.dist-info"
    files = {f"postrider/{path.name}": path.read_bytes() for path in sorted((HERE / "postrider").iterdir())
             if path.suffix in (".py", ".typed") or path.name == "py.typed"}
    files["postrider/postrider.wasm"] = module.read_bytes()
    readme = (HERE / "README.md").read_text(encoding="utf-8")
    files[f"{info}/METADATA"] = METADATA.format(version=version, license=license_name, readme=readme).encode()
    files[f"{info}/WHEEL"] = WHEEL.encode()
    files[f"{info}/licenses/LICENSE"] = license_file.read_bytes()
    record = ""
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(content)}\n"
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    date = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", "315532800")))[:6]
    wheel = folder / f"postrider-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, date)
            entry.external_attr = 0o644 << 16
            entry.create_system = 3
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    print(wheel)


if __name__ == "__main__":
    main()
