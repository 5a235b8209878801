"""Calls into an instance, and its memory.

A call by `wasmtime.Func` looks at the types of the function and makes objects for every value: for a small payload that takes longer
than the payload itself. `QuickCalls` calls the same library by its C interface instead, as wasmtime's own Python code does; where
that code is no longer as it is expected here, `PlainCalls` is used.
"""

from __future__ import annotations

import ctypes
from typing import Any, Callable, Protocol

import wasmtime


class Calls(Protocol):
    """How functions of an instance are called, and where its memory is."""

    def function(self, function: wasmtime.Func) -> Callable[..., int]:
        """The exported function: whole numbers of 32 bits in, one or none out."""

    def base(self) -> int:
        """The address of the memory. It moves when the memory grows, so it is asked for each time."""


class PlainCalls:
    """Calls by what wasmtime documents for Python."""

    def __init__(self, store: wasmtime.Store, memory: wasmtime.Memory) -> None:
        self._store = store
        self._memory = memory

    def function(self, function: wasmtime.Func) -> Callable[..., int]:
        """The exported function: whole numbers of 32 bits in, one or none out."""
        store = self._store

        def call(*values: int) -> int:
            return (function(store, *values) or 0) & 0xFFFFFFFF

        return call

    def base(self) -> int:
        """The address of the memory. It moves when the memory grows, so it is asked for each time."""
        return ctypes.addressof(self._memory.data_ptr(self._store).contents)


class QuickCalls:
    """Calls by wasmtime's C interface."""

    # `wasmtime_func_call_unchecked` has values of 16 bytes in an array, first the arguments and then the result.
    _VALUES = 6
    _TYPES = ("LP_wasmtime_context", "LP_wasmtime_func", "LP_wasmtime_val_raw", ctypes.c_size_t.__name__, "LP_LP_wasm_trap_t")

    def __init__(self, store: wasmtime.Store, memory: wasmtime.Memory) -> None:
        from wasmtime import _ffi

        expected = _ffi.dll.wasmtime_func_call_unchecked.argtypes
        if tuple(kind.__name__ for kind in expected) != self._TYPES or ctypes.sizeof(_ffi.wasmtime_val_raw_t) != 16:
            raise TypeError("wasmtime's C interface is another one")
        pointer, size = ctypes.c_void_p, ctypes.c_size_t
        self._call = ctypes.CFUNCTYPE(pointer, pointer, pointer, pointer, size, pointer)(
            ("wasmtime_func_call_unchecked", _ffi.dll))
        self._data = ctypes.CFUNCTYPE(pointer, pointer, pointer)(("wasmtime_memory_data", _ffi.dll))
        # Not documented, and so without types.
        error: Any = wasmtime.WasmtimeError
        trap: Any = wasmtime.Trap
        self._error: Callable[[int], Exception] = lambda found: error._from_ptr(
            ctypes.cast(found, ctypes.POINTER(_ffi.wasmtime_error_t)))
        self._trapped: Callable[[int], Exception] = lambda found: trap._from_ptr(
            ctypes.cast(found, ctypes.POINTER(_ffi.wasm_trap_t)))
        # What the addresses below belong to.
        self._owners = (store, memory)
        self._context = ctypes.cast(store._context(), pointer).value
        self._memory = ctypes.addressof(memory._memory)
        self._values = (ctypes.c_uint64 * (2 * self._VALUES))()
        self._values_address = ctypes.addressof(self._values)
        self._trap = ctypes.c_void_p()
        self._trap_address = ctypes.addressof(self._trap)

    def function(self, function: wasmtime.Func) -> Callable[..., int]:
        """The exported function: whole numbers of 32 bits in, one or none out."""
        owned, address = function._func, ctypes.addressof(function._func)
        call, context, trap = self._call, self._context, self._trap
        values, values_address, trap_address = self._values, self._values_address, self._trap_address
        count = self._VALUES

        def called(*arguments: int, _owner: object = owned) -> int:
            index = 0
            for value in arguments:
                values[index] = value
                index += 2
            error = call(context, address, values_address, count, trap_address)
            if error or trap.value:
                self._fail(error)
            return values[0] & 0xFFFFFFFF

        return called

    def _fail(self, error: int | None) -> None:
        if error:
            raise self._error(error)
        trap, self._trap.value = self._trap.value or 0, None
        raise self._trapped(trap)

    def base(self) -> int:
        """The address of the memory. It moves when the memory grows, so it is asked for each time."""
        address: int = self._data(self._context, self._memory)
        return address


def calls(store: wasmtime.Store, memory: wasmtime.Memory) -> Calls:
    """The quick calls where this wasmtime has them."""
    try:
        return QuickCalls(store, memory)
    except (ImportError, AttributeError, TypeError):
        return PlainCalls(store, memory)
