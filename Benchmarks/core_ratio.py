#!/usr/bin/env python3
"""The time of `parse` through the WebAssembly module, as a multiple of the C library's: core_ratio.py [PAYLOADS]

Both are in this process and take turns, payload by payload, so that other work on the machine slows down both. The payloads are
those of Vectors. The time of a call through either interface of Python is measured with the call. Needs what script/core has
built, and the package wasmtime. Prints the ratio of the sums and of the medians.
"""

import ctypes
import json
import pathlib
import platform
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(next(ROOT.glob("dist/postrider-*.whl"))))
sys.path.insert(0, str(ROOT / "Packages/core/python"))
OTHER = {"api", "devicetext", "fcm-v1", "rules", "wirejson"}


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


def main():
    from postrider import _module

    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    native, module = Native(), _module.instance()
    cases = list(payloads())
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
    sums = [sum(each) for each in times]
    medians = [statistics.median(each) for each in times]
    print(f"{count} payloads: module / native = {sums[1] / sums[0]:.2f} of the sums, {medians[1] / medians[0]:.2f} of the "
          f"medians (here {medians[0] / 1000:.0f} and {medians[1] / 1000:.0f} us)")


if __name__ == "__main__":
    main()
