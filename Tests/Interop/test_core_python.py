"""The Python package of the core, as a person installs it: the wheel in dist/, in an environment of its own.

`script/core` builds what is tested here; `script/test --interop` runs it first. The tests inside the environment are
`core_python_checks.py`.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import venv
import zipfile

import pytest

from conftest import ROOT, command

DIST = ROOT / "dist"
CHECKS = pathlib.Path(__file__).with_name("core_python_checks.py")


def wheel():
    found = sorted(DIST.glob("postrider-*.whl"))
    assert len(found) == 1, f"{DIST} has {len(found)} wheels; run script/core"
    return found[0]


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """The interpreter of an environment that has the wheel and what it requires."""
    folder = tmp_path_factory.mktemp("core") / "venv"
    venv.create(folder, with_pip=True)
    interpreter = folder / "bin" / "python"
    # wasmtime is the one that the tests of this folder have installed, so that nothing is downloaded twice.
    import wasmtime

    site = subprocess.run([interpreter, "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])"], check=True,
                          capture_output=True, text=True).stdout.strip()
    packages = pathlib.Path(wasmtime.__file__).parents[1]
    for path in packages.glob("wasmtime*"):
        shutil.copytree(path, pathlib.Path(site) / path.name)
    subprocess.run([interpreter, "-m", "pip", "install", "--quiet", "--no-index", "--disable-pip-version-check", wheel()],
                   check=True)
    return interpreter


def run(python, *arguments, timeout=600):
    environment = os.environ | {"POSTRIDER": command(), "PYTHONPATH": ""}
    environment.pop("PYTHONPATH")
    return subprocess.run([python, CHECKS, *arguments], env=environment, timeout=timeout, capture_output=True, text=True)


@pytest.mark.parametrize(
    "check",
    ["vectors", "agreement", "mutations", "calls", "content", "typed", "errors", "megabyte", "threads", "nested", "documentation", "memory"])
def test_package(python, check):
    result = run(python, check, timeout=7200)
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-4000:]
    print(result.stdout)


def test_the_wheel_names_its_files_and_has_types():
    with zipfile.ZipFile(wheel()) as archive:
        names = archive.namelist()
        assert "postrider/py.typed" in names and "postrider/postrider.wasm" in names
        assert archive.read("postrider/postrider.wasm") == (DIST / "postrider.wasm").read_bytes()
        assert archive.testzip() is None
        record = archive.read(next(name for name in names if name.endswith("RECORD"))).decode()
        assert [line.split(",")[0] for line in record.splitlines()] == names


def test_the_types_hold(python, tmp_path):
    """The annotations are ones that Python can resolve, on every public function."""
    script = "import postrider, postrider.typed as t, typing\n" + "\n".join([
        "for module in (postrider, t):",
        "  for name in module.__all__:",
        "    value = getattr(module, name)",
        "    if callable(value) and not isinstance(value, type): assert 'return' in typing.get_type_hints(value), name",
    ])
    result = subprocess.run([python, "-c", script], capture_output=True, text=True, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert sys.version_info >= (3, 10)


def test_the_types_are_checked(python, tmp_path):
    """As mypy sees the installed package: it has no mistake of its own, and finds those of a caller."""
    mypy = [sys.executable, "-m", "mypy", "--strict", "--python-executable", python]
    of_itself = subprocess.run([*mypy, "-p", "postrider"], capture_output=True, text=True, cwd=tmp_path)
    assert of_itself.returncode == 0, of_itself.stdout
    right = tmp_path / "right.py"
    right.write_text(
        "from postrider import typed\nbadge: int | None = typed.parse(b'{}', 'ios', badge=1).badge\n"
        "headers: dict[str, str] = (typed.render({}, 'amba', topic='a').apns or typed.APNsRequest({}, {})).headers\n")
    wrong = tmp_path / "wrong.py"
    wrong.write_text(
        "from postrider import typed\ntyped.render({}, 'amba', nonsense=3)\ntyped.parse(b'{}', 'windows')\n"
        "typed.check(b'{}').missing\ntyped.preview({}, svg='yes')\n")
    assert subprocess.run([*mypy, right], capture_output=True, text=True, cwd=tmp_path).returncode == 0
    found = subprocess.run([*mypy, wrong], capture_output=True, text=True, cwd=tmp_path).stdout
    assert [line.split(":")[1] for line in found.splitlines() if ": error:" in line] == ["2", "3", "4", "5"], found


def test_the_example(python, tmp_path):
    """The program that the package's page names, as it is and with a file."""
    example = ROOT / "Packages/core/python/examples/preview.py"
    shown = subprocess.run([python, example], timeout=600, capture_output=True, text=True)
    assert shown.returncode == 0, shown.stderr
    assert "field-unknown" in shown.stdout and "ios / Parcel on its way / It arrives today." in shown.stdout
    broken = tmp_path / "broken.json"
    broken.write_text("{")
    refused = subprocess.run([python, example, broken], timeout=600, capture_output=True, text=True)
    assert refused.returncode == 1 and "JSON" in refused.stderr and "Traceback" not in refused.stderr
