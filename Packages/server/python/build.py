"""Generates the client from an OpenAPI document, adds what is written by hand, and builds the wheel.

script/packages runs it, in an environment with the tools of requirements.txt.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TOOLS = pathlib.Path(sys.executable).parent
#: Operations whose body is a file that is sent as it is read, which the generator does not write; clients.py has them.
BY_HAND = {"importDevices"}


def run(*command, folder):
    environment = {**os.environ, "PATH": f"{TOOLS}:{os.environ['PATH']}"}
    environment |= {"PYTHONHASHSEED": "0", "SOURCE_DATE_EPOCH": "1577836800", "NO_COLOR": "1", "COLUMNS": "200"}
    result = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"packages: {command[0]} failed:\n{result.stdout}{result.stderr}")
    return result.stdout + result.stderr


def operations(document):
    """The ids of the document's operations, with their methods and paths."""
    return {
        operation["operationId"]: f"{method.upper()} {path}"
        for path, item in document["paths"].items()
        for method, operation in item.items()
    }


def without_files(document):
    """The document without the operations that are written by hand; what they answer with has a schema of its own."""
    document = json.loads(json.dumps(document))
    for item in document["paths"].values():
        for method, operation in list(item.items()):
            if operation["operationId"] in BY_HAND:
                del item[method]
    return document


def generate(document, package):
    """The generator's part: models, one module for each operation, and the methods of the clients."""
    given = package.parent.parent / "openapi.json"
    given.write_text(json.dumps(without_files(document)))
    said = run(
        str(TOOLS / "openapi-python-client"), "generate", "--path", str(given), "--meta", "none", "--fail-on-warning",
        "--config", str(HERE / "generator.yaml"), "--custom-template-path", str(HERE / "templates"),
        "--output-path", str(package), folder=given.parent,
    )
    if "warning" in said.lower():
        sys.exit(f"packages: the generator does not understand a part of the document:\n{said}")


def main():
    options = argparse.ArgumentParser()
    for name in ("document", "work", "out"):
        options.add_argument(f"--{name}", type=pathlib.Path, required=True)
    given = options.parse_args()
    document = json.loads(given.document.read_text())
    work, out = given.work.resolve(), given.out.resolve()
    missing = BY_HAND - operations(document).keys()
    if missing:
        sys.exit(f"packages: the document has no operation {', '.join(sorted(missing))}, which clients.py calls")

    package = work / "src" / "postrider_client"
    package.parent.mkdir(parents=True)
    generate(document, package)
    shutil.copytree(HERE / "src" / "postrider_client", package, dirs_exist_ok=True,
                    ignore=shutil.ignore_patterns("__pycache__"))
    (package / "py.typed").write_text("")
    shutil.copy(HERE / "pyproject.toml", work)
    shutil.copy(HERE / "README.md", work)
    shutil.copy(HERE.parents[2] / "LICENSE", work)
    (work / "VERSION").write_text(document["info"]["version"] + "\n")

    run(str(TOOLS / "hatchling"), "build", "-t", "wheel", "-d", str(work / "wheel"), folder=work)
    [wheel] = (work / "wheel").glob("*.whl")
    out.mkdir(exist_ok=True)
    shutil.copy(wheel, out / wheel.name)
    print(f"packages: {os.path.relpath(out / wheel.name)}, {wheel.stat().st_size // 1024} KiB, "
          f"{len(operations(document))} operations")


main()
