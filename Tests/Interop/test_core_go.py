"""The Go package of the core, as a person installs it: the archive of dist/, unpacked beside a module that requires it.

`script/core` builds what is tested here; `script/test --interop` runs it first. The package's own tests are in
`Packages/core/go`.
"""

import os
import re
import shutil
import subprocess
import tarfile

import pytest

from conftest import ROOT
from core_vectors import DIST, REQUESTS, check, write_requests

PACKAGE = ROOT / "Packages/core/go"
GO = shutil.which("go")

pytestmark = pytest.mark.skipif(not GO, reason="golang-go is not installed; script/bootstrap --interop installs it")


def archive():
    found = sorted(DIST.glob("postrider-go-*.tar.gz"))
    assert len(found) == 1, f"{DIST} has {len(found)} archives of the package; run script/core"
    return found[0]


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """Nothing is downloaded: neither modules nor another Go."""
    cache = tmp_path_factory.mktemp("go-cache")
    return {"GOPROXY": "off", "GOTOOLCHAIN": "local", "GOFLAGS": "-mod=mod", "GOCACHE": str(cache / "build"),
            "GOPATH": str(cache / "path"), "CGO_ENABLED": "1"}


def run(arguments, folder, environment, stdin=None, timeout=3600):
    result = subprocess.run(
        arguments, cwd=folder, stdin=stdin, capture_output=True, timeout=timeout, env=os.environ | environment)
    assert result.returncode == 0, (result.stdout[-6000:] + result.stderr[-6000:]).decode()
    return result.stdout.decode()


@pytest.fixture(scope="module")
def module(tmp_path_factory, environment):
    """A module that requires the package as its README says."""
    folder = tmp_path_factory.mktemp("go")
    (folder / "third_party").mkdir()
    readme = (PACKAGE / "README.md").read_text()
    commands = re.search(r"```sh\n(.*?)```", readme, re.DOTALL)[1].replace("tar xzf ", f"tar xzf {DIST}/")
    run([GO, "mod", "init", "example.com/sender"], folder, environment)
    run(["sh", "-ec", commands], folder, environment)
    shutil.copytree(PACKAGE / "answers", folder / "answers")
    return folder


def test_the_archive_is_the_same_each_time(tmp_path, environment):
    first = archive().read_bytes()
    for name in ("include", "x86_64-linux", "aarch64-linux"):
        (tmp_path / name).symlink_to(DIST / name)
    run(["sh", "-c", f'umask 077; exec python3 "{PACKAGE}/archive.py" "{tmp_path}"'], tmp_path, environment | {"TZ": "Asia/Tokyo"})
    assert next(tmp_path.glob("*.tar.gz")).read_bytes() == first
    with tarfile.open(archive()) as tar:
        names = {name.split("/")[1] for name in tar.getnames()}
    assert {"go.mod", "LICENSE", "README.md", "postrider.h", "libpostrider_linux_amd64.a", "libpostrider_linux_arm64.a"} < names
    assert {path.name for path in PACKAGE.glob("*.go")} < names


def test_every_vector(module, environment, tmp_path):
    """Each answer is also read as its type, which must have every member."""
    run([GO, "build", "-o", "answer", "./answers"], module, environment)
    with open(write_requests(tmp_path)) as requests:
        answers = check(run([module / "answer"], module, environment, requests))
    assert len(answers) == len(REQUESTS) > 1500
    needed = run(["ldd", module / "answer"], module, environment)
    assert "libc.so" in needed and "swift" not in needed and "libpostrider" not in needed


def test_the_packages_own_tests(module, environment):
    """With the examples of its documentation. A million calls: POSTRIDER_CALLS=1000000."""
    run([GO, "vet", "postrider"], module, environment)
    said = run([GO, "test", "-count=1", "-v", "-timeout=50m", "postrider"], module, environment)
    for name in ("ExampleParse", "ExampleRender", "ExampleError", "TestErrorsSayWhatIsWrong"):
        assert f"--- PASS: {name}" in said, said


def test_the_first_lines_of_the_readme(module, environment):
    readme = (PACKAGE / "README.md").read_text()
    lines = re.match(r"# postrider\n\n```go\n(.*?)```", readme, re.DOTALL)[1]
    assert lines.count("\n") == 5
    (module / "readme").mkdir()
    (module / "readme/main.go").write_text(
        f'package main\n\nimport (\n\t"fmt"\n\n\t"postrider"\n)\n\nfunc main() {{\n{lines}}}\n')
    said = run([GO, "run", "./readme"], module, environment)
    assert said.startswith("Hi <nil> The device token is malformed") and '"mutable-content":1' in said


def test_everything_exported_is_documented(module, environment):
    assert not run(["gofmt", "-l", "."], PACKAGE, environment)
    said = run([GO, "doc", "-all", "postrider"], module, environment)
    functions = re.findall(r"^func .*\n(.*)\n", said, re.MULTILINE)
    assert len(functions) >= 12 and all(line.startswith("    ") for line in functions), functions


def test_vendored(module, environment):
    """`go mod vendor` copies the header and the libraries, too."""
    run([GO, "mod", "vendor"], module, environment)
    run([GO, "build", "-o", "vendored", "./answers"], module, environment | {"GOFLAGS": "-mod=vendor"})
    shutil.rmtree(module / "vendor")


@pytest.mark.parametrize("other", [{"CGO_ENABLED": "0"}, {"GOOS": "darwin"}, {"GOARCH": "386", "CGO_ENABLED": "0"}])
def test_elsewhere_the_compiler_says_what_is_missing(module, environment, other):
    built = subprocess.run(
        [GO, "build", "-o", os.devnull, "./answers"], cwd=module, env=os.environ | environment | other, capture_output=True, text=True)
    assert built.returncode != 0 and "postriderNeedsCgoAndLinuxOnAMD64OrARM64" in built.stderr, built.stderr
