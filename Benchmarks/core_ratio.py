#!/usr/bin/env python3
"""The time of `parse` through the WebAssembly module, as a multiple of the C library's: core_ratio.py [PAYLOADS]

With wasmtime both are in this process and take turns, payload by payload; with Node they are two processes that take turns with
all payloads of Vectors. So other work on the machine slows down both. What a call costs, with the copies of input and answer, is
measured with it. Needs what script/core has built, the package wasmtime, and Node. Prints ratios only.
"""

import ctypes
import json
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
OTHER = {"api", "browser", "devicetext", "fcm-tokens", "fcm-v1", "liquid", "rules", "wirejson"}


class Native:
    """The C library, called as C would."""

    def __init__(self):
        library = ctypes.CDLL(str(ROOT / f"dist/{platform.machine()}-linux/libpostrider.so"))
        self.parse = library.postrider_parse
        self.parse.restype = ctypes.c_void_p
        self.parse.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_void_p]
        self.free = library.postrider_free
        self.free.argtypes = [ctypes.c_void_p]
        self.free.restype = None
        self.length = ctypes.c_size_t()

    def answer(self, content, options):
        length = self.length
        memory = self.parse(content, len(content), options, len(options), ctypes.byref(length))
        result = ctypes.string_at(memory, length.value)
        self.free(memory)
        return result


def payloads():
    for path in sorted((ROOT / "Vectors").glob("*/*.json")):
        if path.parent.name in OTHER:
            continue
        vector = json.loads(path.read_text(encoding="utf-8"))
        if "raw" in vector:
            content = json.dumps(vector["raw"], ensure_ascii=False, separators=(",", ":"))
            yield content.encode("utf-8", "surrogatepass"), json.dumps({"platform": vector["platform"]}).encode()


def in_this_process(cases, count):
    """The times of both, payload by payload."""
    from postrider import _module

    native, module = Native(), _module.instance()
    for content, options in cases:
        assert native.answer(content, options) == module.answer("parse", content, options)
    times = ([], [])
    clock = time.perf_counter_ns
    for index in range(count):
        content, options = cases[index % len(cases)]
        start = clock()
        native.answer(content, options)
        middle = clock()
        module.answer("parse", content, options)
        times[0].append(middle - start)
        times[1].append(clock() - middle)
    return times


def in_node(cases, count, folder):
    """The times of both, round by round, and how long Node took to compile the module and to answer once."""
    requests = folder / "requests"
    requests.write_bytes(b"".join(f"parse {len(c)} {len(o)}\n".encode() + c + o for c, o in cases))
    timing = folder / "timing"
    subprocess.run(["gcc", "-O2", ROOT / "Packages/core/c/timing.c", "-I", ROOT / "dist/include",
                    ROOT / f"dist/{platform.machine()}-linux/libpostrider.a", "-o", timing], check=True)
    words = [[timing, requests], ["node", ROOT / "Benchmarks/core_timing.mjs", ROOT / "dist/postrider.wasm", requests]]
    both = [subprocess.Popen(list(map(str, each)), stdin=subprocess.PIPE, stdout=subprocess.PIPE) for each in words]
    start = int(both[1].stdout.readline())
    times = ([], [])
    for turn in range(-2, max(count // len(cases), 1)):
        for process, found in zip(both, times):
            process.stdin.write(b"\n")
            process.stdin.flush()
            elapsed = int(process.stdout.readline())
            # The first rounds are those in which Node compiles what is used most.
            if turn >= 0:
                found.append(elapsed / len(cases))
    for process in both:
        process.stdin.close()
        process.wait()
    return times, start


def show(host, times, count):
    sums = [sum(each) for each in times]
    medians = [statistics.median(each) for each in times]
    print(f"{host}: {count} payloads, module / native = {sums[1] / sums[0]:.2f} of the sums, "
          f"{medians[1] / medians[0]:.2f} of the medians")


def main():
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(next(ROOT.glob("dist/postrider-*.whl"))) as wheel:
            wheel.extractall(folder)
        sys.path.insert(0, folder)
        measure(pathlib.Path(folder))


def measure(folder):
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    cases = list(payloads())
    show("wasmtime", in_this_process(cases, count), count)
    if not shutil.which("node"):
        return
    times, start = in_node(cases, count, folder)
    show("Node", times, count)
    print(f"Node: {start / 1e6:.0f} ms to compile the module and to answer once")


if __name__ == "__main__":
    main()
