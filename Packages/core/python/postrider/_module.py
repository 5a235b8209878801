"""The WebAssembly module, and one instance of it for each thread."""

from __future__ import annotations

import ctypes
import os
import pathlib
import threading
from typing import Any, Callable

import wasmtime

from ._calls import Calls, calls

INTERFACE_VERSION = 1

# The most bytes of an input, and of options, that the core reads.
_BYTES_MAX = 16 << 20
# An input of this size or less is copied to memory that the instance keeps.
_BUFFER = 64 * 1024
# The memory of an instance only grows; one that a huge input has made larger than this is replaced.
_MEMORY_MAX = 256 * 1024 * 1024


class _Compiled:
    """The compiled module, shared by all threads; compiled when it is first used and kept in wasmtime's cache of the user."""

    def __init__(self) -> None:
        path = pathlib.Path(__file__).with_name("postrider.wasm")
        try:
            self.engine = self._engine(cached=True)
        except wasmtime.WasmtimeError:  # There is no folder that can be written.
            self.engine = self._engine(cached=False)
        self.module = wasmtime.Module(self.engine, path.read_bytes())

    @staticmethod
    def _engine(cached: bool) -> wasmtime.Engine:
        config = wasmtime.Config()
        if cached:
            config.cache = True
        return wasmtime.Engine(config)


class Instance:
    """An instance of the module. It is for one thread, and has no state between calls."""

    def __init__(self, compiled: _Compiled, calls: Callable[[wasmtime.Store, wasmtime.Memory], Calls] = calls) -> None:
        self._store = wasmtime.Store(compiled.engine)
        # What each export is, its name says; wasmtime's types leave it open.
        exports: Any = wasmtime.Instance(self._store, compiled.module, []).exports(self._store)
        self._memory: wasmtime.Memory = exports["memory"]
        self._calls = calls(self._store, self._memory)
        self._base = self._calls.base
        found = exports["postrider_interface_version"](self._store)
        if found != INTERFACE_VERSION:
            raise ImportError(f"postrider.wasm has interface {found}, and this package is for {INTERFACE_VERSION}")

        def function(name: str) -> Callable[..., int]:
            return self._calls.function(exports["postrider_" + name])

        self._free, self._given, self._used = function("free"), function("alloc"), function("memory_used")
        self._operations = {
            name: function(name) for name in ("parse", "render", "check", "explain", "preview", "contracts")
        }
        self._buffer = self._alloc(_BUFFER)
        self._length = self._alloc(4)
        self._options_bytes = b""
        self._options = 0
        seed = os.urandom(16)
        self._write(self._buffer, seed)
        function("seed")(self._buffer, len(seed))

    def _alloc(self, size: int) -> int:
        address = self._given(size)
        if address == 0:
            raise MemoryError(f"the module has no memory for {size} bytes")
        return address

    def _write(self, address: int, content: bytes) -> None:
        ctypes.memmove(self._base() + address, content, len(content))

    def _set_options(self, options: bytes) -> None:
        if options == self._options_bytes:
            return
        self._free(self._options)
        self._options, self._options_bytes = 0, b""
        if options:
            self._options = self._alloc(len(options))
            self._write(self._options, options)
            self._options_bytes = options

    def answer(self, operation: str, content: bytes, options: bytes) -> bytes:
        """The JSON that answers a request."""
        # Of too much only so much that the core sees it, and says so.
        content, options = content[: _BYTES_MAX + 1], options[: _BYTES_MAX + 1]
        self._set_options(options)
        address = self._buffer if len(content) <= _BUFFER else self._alloc(len(content))
        self._write(address, content)
        answer = self._operations[operation](address, len(content), self._options, len(options), self._length)
        base = self._base()
        length = ctypes.c_uint32.from_address(base + self._length).value
        result = ctypes.string_at(base + answer, length)
        self._free(answer)
        if address != self._buffer:
            self._free(address)
        return result

    @property
    def memory_size(self) -> int:
        """The bytes of the instance's memory."""
        return self._memory.data_len(self._store)

    @property
    def memory_used(self) -> int:
        """The bytes of it that are in use."""
        return self._used()


# A signal's handler may ask for an instance while its own thread makes the first one.
_lock = threading.RLock()
_compiled: _Compiled | None = None
_local = threading.local()


def instance() -> Instance:
    """This thread's instance."""
    global _compiled
    found: Instance | None = getattr(_local, "instance", None)
    if found is not None:
        return found
    with _lock:
        if _compiled is None:
            _compiled = _Compiled()
    made = _local.instance = Instance(_compiled)
    return made


def answer(operation: str, content: bytes, options: bytes) -> bytes:
    """The JSON that answers a request, by this thread's instance."""
    current = instance()
    # A call in the middle of this one, by a signal's handler or a finalizer, has an instance of its own; and one that was
    # interrupted is not used again.
    _local.instance = None
    result = current.answer(operation, content, options)
    if current.memory_size <= _MEMORY_MAX:
        _local.instance = current
    return result
