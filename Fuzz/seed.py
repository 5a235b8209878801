#!/usr/bin/env python3
"""Writes the corpus of each target anew from Vectors: a few small inputs of each kind. Run it when vectors change."""

import hashlib
import json
import pathlib

HERE = pathlib.Path(__file__).resolve().parent
VECTORS = HERE.parent / "Vectors"
CONTRACTS = ["adobe", "amba", "imkit", "native", "onesignal", "powerauth"]
BYTES_MAX = 1500


def minified(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def vectors(folder):
    for path in sorted((VECTORS / folder).glob("*.json")):
        yield json.loads(path.read_text(encoding="utf-8"))


def spread(inputs, count):
    """Some of the inputs, evenly spread; each once, none of them long."""
    unique = sorted({i for i in inputs if 0 < len(i) <= BYTES_MAX})
    step = max(1, len(unique) // count)
    return unique[::step][:count]


def write(name, inputs):
    folder = HERE / "Corpus" / name
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        if old.name.startswith("seed-"):
            old.unlink()
    for content in inputs:
        (folder / f"seed-{hashlib.sha256(content).hexdigest()[:12]}").write_bytes(content)


def rule_inputs():
    for vector in vectors("rules"):
        for case in (vector["breaks"], vector["inside"]):
            yield case["text"].encode() if "text" in case else minified(case["input"])


def written(contract, member, part):
    for vector in vectors(contract):
        expect = vector.get("expect", {})
        if member in expect:
            yield minified(expect[member] if part is None else expect[member][part])


def raw(contract, platform):
    for vector in vectors(contract):
        if vector.get("platform") == platform and "raw" in vector:
            yield minified(vector["raw"])


def messages(contract):
    for vector in vectors(contract):
        if "message" in vector:
            yield minified(vector["message"])


def json_texts():
    for name in ("accepted", "refused"):
        for case in json.loads((VECTORS / "wirejson" / f"{name}.json").read_text(encoding="utf-8")):
            if "text" in case:
                yield case["text"].encode("utf-8", "surrogatepass")
            elif "hex" in case:
                yield bytes.fromhex(case["hex"])


def main():
    ios = [spread([*raw(c, "ios"), *written(c, "apns", "payload")], 8) for c in CONTRACTS]
    android = [spread([*raw(c, "android"), *written(c, "fcm", None)], 8) for c in CONTRACTS]
    ios, android = sum(ios, []), sum(android, [])
    requests = spread(sum((list(written(c, "apns", None)) for c in CONTRACTS), []), 12)
    rules = spread(rule_inputs(), 60)
    texts = spread(json_texts(), 60)
    write("json", texts + ios[:6])
    write("payloads", spread(ios + android + rules, 40))
    write("rules", rules + requests)
    write("fitting", [bytes([n % 3, 40 * n % 256]) + text for n, text in enumerate(ios[:12] + android[:12])])
    write("read-ios", ios)
    write("read-android", android)
    write("write", sum((spread(messages(c), 8) for c in CONTRACTS), []))
    apns = [{"reason": "Unregistered", "timestamp": 1770000000123}, {"reason": "BadDeviceToken"}, {"reason": "Nobody knows"}]
    name = {"name": "projects/p/messages/0:1"}
    fcm_type, bad_type = "type.googleapis.com/google.firebase.fcm.v1.FcmError", "type.googleapis.com/google.rpc.BadRequest"
    error = {"error": {"code": 400, "message": "m", "status": "INVALID_ARGUMENT", "details": [
        {"@type": bad_type, "fieldViolations": [{"field": "message.token", "description": "d"}]},
        {"@type": fcm_type, "errorCode": "INVALID_ARGUMENT"}]}}
    write("answers", [bytes([n]) + minified(body) for n, body in enumerate([name, *apns, error])]
          + [b"\x00", b"\x07<html>502</html>", b"\x00 { \"name\" : \"x\" } "])
    csv = 'id,name,a.b\r\n1,"Ann ""A"" é",x\n2,,"two\nlines"\n\n3,👩‍👩‍👧\n'.encode()
    ndjson = '{"id":1,"name":"Ann \\"A\\"","a":{"b":"x"}}\n\n{"user_id":"u","a.b":2}\r\n{"name":null}'.encode()
    write("audience", [bytes([n]) + f for n, f in enumerate([csv, ndjson, b"\xef\xbb\xbf" + csv, ndjson[:-1]])])
    write("places", [t.encode() for t in (
        "aps.alert.title", 'message.data["a.b"]', "android.vibrate_timings[2]", "3.500000000s", "-0.5s",
        "2027-01-15T08:00:00Z", "2027-01-15T08:00:00.123+02:00", "123e4567-e89b-12d3-a456-426655440000", "#ff000a",
        "1700000000", "<0123abcd 0123abcd>", "apns-unknown-key=off", "BadDeviceToken")])
    formats = [".strings", ".stringsdict", ".xcstrings", ".xml"]
    tables = {bytes([formats.index(pathlib.Path(path).suffix)]) + text.encode()
              for vector in vectors("devicetext") for path, text in vector["files"].items()}
    write("strings", sum((spread([t for t in tables if t[0] == n], 12) for n in range(len(formats))), []))
    goaway = bytes.fromhex("00001d0700000000000000000000000000") + b'{"reason":"Shutdown"}'
    settings = bytes.fromhex("0000060400000000000003000003e8")
    write("tunnel", [b"\x01" + goaway, b"\x02" + settings, b"\x03HTTP/1.1 200 OK\r\nVia: p\r\n\r\n", b"\x04HTTP/1.0 407 No\n\n"])


if __name__ == "__main__":
    main()
