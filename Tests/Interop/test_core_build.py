"""What `script/core` has built in dist/: the module without imports, C libraries that need nothing of Swift, the same bytes
each time."""

import hashlib
import os
import platform
import re
import shutil
import subprocess

import pytest
import wasmtime

from conftest import ROOT, command
from core_requests import requests

DIST = ROOT / "dist"
CORE = ROOT / "Packages" / "core"
ARM = "aarch64-linux-gnu-"
EXPORTS = {"postrider_" + name for name in (
    "interface_version", "alloc", "free", "parse", "render", "check", "explain", "preview", "contracts")}
# What a program that links the library has anyway: the C library.
LIBC = {"posix_memalign", "free", "memcpy", "memmove", "memset", "memcmp", "bcmp", "strlen", "getentropy", "getpid",
        "__stack_chk_fail", "__stack_chk_guard"}


def run(*words, **options):
    result = subprocess.run([str(word) for word in words], capture_output=True, **options)
    assert result.returncode == 0, result.stderr.decode()[-4000:]
    return result.stdout


def module():
    return wasmtime.Module(wasmtime.Engine(), (DIST / "postrider.wasm").read_bytes())


def test_the_module_imports_nothing_and_exports_the_interface():
    found = module()
    assert found.imports == []
    names = {export.name for export in found.exports}
    assert names == EXPORTS | {"memory", "postrider_seed", "postrider_memory_used", "postrider_memory_size"}


def test_the_header_declares_what_is_exported():
    header = (DIST / "include" / "postrider.h").read_text()
    declared = set(re.findall(r"^\S.*?\b(postrider_\w+)\(", header, re.M))
    assert declared == {export.name for export in module().exports} - {"memory"}
    run("g++", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-x", "c++", DIST / "include" / "postrider.h")


def test_the_module_is_small():
    brotli = shutil.which("brotli")
    assert brotli, "brotli is not installed; run script/bootstrap --interop"
    size = len(run(brotli, "-q", "11", "-c", DIST / "postrider.wasm"))
    assert size <= 700_000, f"{size} bytes compressed"


@pytest.mark.parametrize("name, prefix", [("x86_64-linux", ""), ("aarch64-linux", ARM)])
def test_the_libraries_show_the_interface_only(name, prefix):
    for file, kind in (("libpostrider.a", []), ("libpostrider.so", ["-D"])):
        lines = run(prefix + "nm", *kind, DIST / name / file).decode().splitlines()
        rows = [line.split() for line in lines if line.strip() and not line.endswith(":")]
        defined = {row[-1].split("@")[0] for row in rows if row[-2] in "TDBRVW"}
        undefined = {row[-1].split("@")[0] for row in rows if row[-2] == "U"}
        assert defined == EXPORTS, file
        assert undefined <= LIBC, undefined - LIBC


@pytest.fixture(scope="module")
def answered():
    """The answers of the module to every request of the corpus."""
    from core_requests import Module

    instance = Module(DIST / "postrider.wasm")
    return [instance.answer(*request) for request in requests()]


def built(tmp_path, name, prefix, *flags):
    program = tmp_path / "answers"
    run(prefix + "gcc", "-O1", "-Wall", "-Wextra", "-Werror", CORE / "c" / "answers.c", "-I", DIST / "include", *flags, "-o",
        program, "-pthread")
    return program


def answers_of(words, chosen):
    content = b"".join(
        f"{operation} {len(text)} {len(options)}\n".encode() + text + options for operation, text, options in chosen)
    output = run(*words, input=content, timeout=1200)
    found = []
    while output:
        length, _, output = output.partition(b"\n")
        found.append(output[:int(length)])
        output = output[int(length):]
    return found


NATIVE = f"{platform.machine()}-linux"


@pytest.mark.parametrize("kind", ["static", "shared"])
def test_the_c_library_has_the_answers_of_the_module(tmp_path, answered, kind):
    # The shared library is started from the folder as it is delivered.
    flags = [DIST / NATIVE / "libpostrider.a"] if kind == "static" else [
        "-L", DIST / NATIVE, "-lpostrider", f"-Wl,-rpath,{DIST / NATIVE}"]
    assert answers_of([built(tmp_path, NATIVE, "", *flags)], requests()) == answered


def test_the_library_for_aarch64_has_them_too(tmp_path, answered):
    program = built(tmp_path, "aarch64-linux", ARM, "-static", DIST / "aarch64-linux" / "libpostrider.a")
    assert answers_of(["qemu-aarch64-static", program], requests()) == answered
    shared = built(tmp_path, "aarch64-linux", ARM, "-L", DIST / "aarch64-linux", "-lpostrider")
    words = [
        "qemu-aarch64-static", "-L", "/usr/aarch64-linux-gnu", "-E", f"LD_LIBRARY_PATH={DIST / 'aarch64-linux'}", shared]
    assert answers_of(words, requests()[::20]) == answered[::20]


def test_threads_have_the_same_answers(tmp_path, answered):
    program = built(tmp_path, NATIVE, "", DIST / NATIVE / "libpostrider.a")
    # The tables are made at the first call, so each process has a race of its own.
    for start in range(30):
        chosen = slice(start, None, 97)
        assert answers_of([program, "--threads", "8"], requests()[chosen]) == answered[chosen]


def test_the_c_library_needs_no_memory_for_long(tmp_path):
    """A hundred thousand calls in one process, by the C library's own count of what is in use."""
    source = tmp_path / "flat.c"
    source.write_text("""
        #include <malloc.h>
        #include <stdio.h>
        #include <string.h>
        #include "postrider.h"
        int main(void) {
          const char *payload = "{\\"aps\\":{\\"alert\\":\\"Hi\\",\\"badge\\":3},\\"deep_link\\":\\"/home\\"}";
          size_t length, before = 0;
          for (int i = 0; i < 100000; i++) {
            postrider_free(postrider_parse((const uint8_t *)payload, strlen(payload), NULL, 0, &length));
            postrider_free(postrider_check((const uint8_t *)payload, strlen(payload), NULL, 0, &length));
            if (i == 1000) before = mallinfo2().uordblks;
          }
          printf("%zu %zu\\n", before, mallinfo2().uordblks);
          return 0;
        }""")
    program = tmp_path / "flat"
    run("gcc", source, "-I", DIST / "include", DIST / NATIVE / "libpostrider.a", "-o", program)
    before, after = run(program).split()
    assert before == after


def test_the_example_of_c(tmp_path):
    program = tmp_path / "example"
    run("gcc", CORE / "c" / "example.c", "-I", DIST / "include", DIST / NATIVE / "libpostrider.a", "-o", program)
    payload = '{"aps":{"alert":"Hi"},"deep_link":"/home"}'
    assert run(program, payload) == run(command(), "parse", input=payload.encode())


@pytest.mark.parametrize("name", ["heap", "decimal"])
def test_the_runtime(tmp_path, name):
    """The module's own memory and reader of numbers, natively, with sanitizers, over random work."""
    program = tmp_path / name
    folder = CORE / "runtime"
    run("gcc", "-O1", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined", "-fno-sanitize-recover=all",
        folder / f"{name}.c", folder / f"{name}_test.c", "-o", program)
    for seed in (1, 2):
        run(program, seed, 20000, timeout=600)


def digests(folder):
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.mark.skipif("POSTRIDER_CORE_REBUILD" not in os.environ, reason="POSTRIDER_CORE_REBUILD=1 compiles everything again")
def test_another_build_has_the_same_bytes(tmp_path):
    """Everything, from nothing, in another folder."""
    copy = tmp_path / "elsewhere" / "checkout"
    copy.mkdir(parents=True)
    listed = run("git", "ls-files", "-z", "Sources", "Packages", "script", "Package.swift", "LICENSE", cwd=ROOT)
    for name in listed.decode().split("\0"):
        if name and (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy / name)
    run("bash", copy / "script" / "core", timeout=3600, env=os.environ | {"POSTRIDER_CORE_CACHE": ""})
    # The folder also has what other scripts build: the server's client and the jar.
    mine, other = digests(DIST), digests(copy / "dist")
    assert {name: mine.get(name) for name in other} == other
    assert {"postrider.wasm", "x86_64-linux/libpostrider.so.1", "aarch64-linux/libpostrider.a"} < other.keys()


def test_linking_again_has_the_same_bytes():
    """Without compiling again: what the linker, the optimizer and the archiver make is the same each time."""
    before = digests(DIST)
    run("bash", ROOT / "script" / "core", timeout=3600, env=os.environ | {"TZ": "Pacific/Apia", "LC_ALL": "C"})
    assert digests(DIST) == before
    assert len(before) >= 7
