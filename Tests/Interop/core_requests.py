"""Requests to the core out of `Vectors`, and the module as a host of WebAssembly calls it, without the Python package."""

import functools
import json

import wasmtime

from conftest import ROOT

OTHER = {"api", "browser", "devicetext", "fcm-tokens", "fcm-v1", "hms", "liquid", "live", "rules", "wirejson"}


def minified(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


@functools.cache
def requests():
    """(operation, input, options) of every vector of a contract, of every rule, and of what is wrong."""
    found = []
    for path in sorted((ROOT / "Vectors").glob("*/*.json")):
        if path.parent.name in OTHER:
            continue
        vector = json.loads(path.read_text(encoding="utf-8"))
        if "raw" in vector or "raw_text" in vector:
            text = vector["raw_text"].encode() if "raw_text" in vector else minified(vector["raw"])
            given = {"platform": vector["platform"], "contract": vector.get("contract")}
            options = minified({name: value for name, value in given.items() if value is not None})
            found += [("parse", text, options), ("preview", text, options), ("check", text, b"")]
        else:
            given = {"contract": vector["contract"], "platform": vector.get("platform")} | vector.get("context", {})
            text = minified(vector["message"])
            found.append(("render", text, minified({name: value for name, value in given.items() if value is not None})))
            found.append(("check", text, minified({"contract": vector["contract"]})))
            found.append(("contracts", text, minified({"diff": [vector["contract"], "native"]})))
    for path in sorted((ROOT / "Vectors" / "rules").glob("*.json")):
        # The module does not judge requests to Push Kit.
        if path.name.startswith("hms-"):
            continue
        vector = json.loads(path.read_text(encoding="utf-8"))
        for case in (vector["breaks"], vector["inside"]):
            text = case["text"].encode("utf-8", "surrogatepass") if "text" in case else minified(case["input"])
            found += [("check", text, b""), ("parse", text, b"")]
    for path in sorted((ROOT / "Vectors" / "wirejson").glob("*.json")):
        for case in json.loads(path.read_text(encoding="utf-8")):
            text = bytes.fromhex(case["hex"]) if "hex" in case else case.get("text", "").encode("utf-8", "surrogatepass")
            found += [("parse", text, b'{"platform":"ios"}'), ("check", b"{}", text), ("explain", text, b"")]
    found += [("contracts", b"", b""), ("explain", b"410", b""), ("parse", b"", b"")]
    return found


class Module:
    """An instance of the module."""

    def __init__(self, path):
        engine = wasmtime.Engine()
        self.store = wasmtime.Store(engine)
        module = wasmtime.Module(engine, path.read_bytes())
        self.exports = wasmtime.Instance(self.store, module, []).exports(self.store)
        self.memory = self.exports["memory"]

    def put(self, content):
        address = self.exports["postrider_alloc"](self.store, max(len(content), 4))
        self.memory.write(self.store, content, address)
        return address

    def answer(self, operation, content, options):
        addresses = [self.put(content), self.put(options), self.put(b"")]
        found = self.exports["postrider_" + operation](
            self.store, addresses[0], len(content), addresses[1], len(options), addresses[2])
        length = int.from_bytes(self.memory.read(self.store, addresses[2], addresses[2] + 4), "little")
        result = bytes(self.memory.read(self.store, found, found + length))
        for address in [found, *addresses]:
            self.exports["postrider_free"](self.store, address)
        return result
