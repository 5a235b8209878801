#!/usr/bin/env python3
"""Writes the corpus of each target anew from Vectors: a few small inputs of each kind. Run it when vectors change."""

import base64
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
    write("records", [bytes([n]) + f for n, f in enumerate([csv, ndjson, b"a,\"open\n", b'5" phone,"x"y\n'])])
    cases = json.loads((pathlib.Path(__file__).parent.parent / "Vectors" / "liquid" / "cases.json").read_text())["cases"]
    write("liquid", [case["template"].encode() for case in cases[::20]])
    write("small-texts", [t.encode() for t in (
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
    core()
    identity()
    passkeys()
    requests_to_the_api()
    emulator()


def passkeys():
    """What authenticators say: the ceremony, then an attestation object, authenticator data, or any CBOR."""
    point = bytes.fromhex(
        "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
        "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5")
    keys = [
        b"\xa5\x01\x02\x03\x26\x20\x01\x21\x58\x20" + point[:32] + b"\x22\x58\x20" + point[32:],
        b"\xa4\x01\x01\x03\x27\x20\x06\x21\x58\x20" + bytes(range(32)),
        b"\xa4\x01\x03\x03\x39\x01\x00\x20\x59\x01\x00" + b"\xc3" * 256 + b"\x21\x43\x01\x00\x01"]
    host = hashlib.sha256(b"localhost").digest()
    inputs = []
    for key in keys:
        data = host + b"\x45\x00\x00\x00\x00" + bytes(16) + b"\x00\x10" + bytes(range(16)) + key
        size = b"\x58" + bytes([len(data)]) if len(data) < 256 else b"\x59" + len(data).to_bytes(2, "big")
        inputs.append(b"\x00\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData" + size + data)
    inputs += [b"\x01" + host + b"\x05\x00\x00\x00\x07", b"\x01" + host + b"\x85\x00\x00\x00\x07\xa1\x61a\xf5"]
    inputs += [b"\x00\x84\x00\x20\x63abc\x43abc", b"\x00\xa2\x01\x81\xf6\x61k\x1a\x00\x01\x00\x00"]
    write("passkeys", inputs)


def core():
    """Requests of the C interface: the operation, the length of the options, options and input."""
    operations = ["parse", "render", "check", "explain", "preview", "contracts"]

    def request(operation, options, text):
        given = minified(options) if options else b""
        return bytes([operations.index(operation)]) + len(given).to_bytes(2, "big") + given + text

    inputs = []
    for contract in CONTRACTS:
        for operation in ("parse", "check", "preview"):
            inputs += [request(operation, {"platform": p}, t) for p in ("ios", "android") for t in spread(raw(contract, p), 2)]
        every = {"contract": contract, "topic": "com.example.app", "now": 1790000000, "locales": ["de"]}
        for text in spread(messages(contract), 2):
            inputs.append(request("render", {k: v for k, v in every.items() if k != "locales"} | {"token": "t"}, text))
            inputs.append(request("preview", every | {"format": "text"}, text))
            inputs.append(request("check", {"contract": contract, "rules": ["apns-unknown-key=off"], "now": 1}, text))
            inputs.append(request("contracts", {"diff": [contract, "native"], "now": 1}, text))
        inputs.append(request("contracts", {"show": contract}, b""))
    strings = {"de.lproj/Localizable.strings": '"k" = "%d %@";'}
    inputs += [
        request("preview", {"strings": strings, "locales": ["de"], "age": 5},
                b'{"aps":{"alert":{"loc-key":"k","loc-args":["1","b"]}}}'),
        request("explain", None, b"BadDeviceToken"), request("explain", None, b'{"reason":"Unregistered","timestamp":1}'),
        request("parse", {"push_type": "liveactivity", "badge": 3}, b'{"aps":{"timestamp":1790000000000}}'),
        request("parse", {"platfrom": "ios"}, b"{}"), request("contracts", None, b""), b"\x00\x00\x01[{}",
    ]
    write("core", inputs)


def identity():
    """Identity tokens: a whole one, the claims of a signed one, and its header."""
    part = lambda text: base64.urlsafe_b64encode(text).rstrip(b"=")  # noqa: E731
    header = b'{"alg":"HS256","typ":"JWT","kid":"k"}'
    claims = b'{"sub":"ann","aud":"shop","exp":1790000600}'
    write("identity", [
        b"\x00" + b".".join([part(header), part(claims), part(bytes(32))]),
        b"\x00" + b".".join([part(b'{"alg":"none"}'), part(claims), b""]),
        b"\x01" + claims, b'\x01{"sub":"ann","aud":["other","shop"],"exp":1790000600,"iat":1790000000,"nbf":1790000000}',
        b'\x01{"sub":"ann","sub":"bob","aud":"shop","exp":1790000600}', b'\x01{"sub":"","aud":"shop","exp":1e9}',
        b"\x02" + header, b'\x02{"alg":"ES256","kid":"k","crit":["b64"]}', b'\x02{"alg":"HS256","kid":"' + b"k" * 65 + b'"}',
    ])


def requests_to_the_api():
    """Heads as clients and proxies send them, and bodies in chunks."""
    write("heads", [text.encode() for text in (
        "GET / HTTP/1.1\r\nHost: localhost:8080\r\n\r\n",
        "POST /v1/apps/shop/pushes?dry_run=true&a=%C3%A9+b HTTP/1.1\r\nHost: localhost\r\nContent-Length: 12\r\nConnection: close\r\n\r\n",
        "POST /v1/apps/a%2Fb/devices HTTP/1.1\r\nhost: [::1]:8080\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n",
        "GET http://push.example.com/v1/apps HTTP/1.1\r\nHost: push.example.com\r\nAuthorization: Bearer prk_x\r\n\r\n",
        "GET //v1//apps/ HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /v1/apps// HTTP/1.0\r\nX-Forwarded-For: 192.0.2.1, 2001:db8::1\r\n\r\n")])
    write("chunks", [bytes([n]) + text.encode() for n, text in enumerate((
        "5\r\nhello\r\n0\r\n\r\n", "A;name=\"v\"\r\n0123456789\r\n1\r\nx\r\n0\r\nTrailer: t\r\n\r\n", "00000\r\n\r\n",
        "fFfFfFfFfFfFfFf\r\nx"))])


def emulator():
    """Requests to the emulator's ports, head and body as text; scenarios as docs/emulator.md has them."""
    token, jwt = "00" * 32, "eyJhbGciOiJFUzI1NiIsImtpZCI6IksifQ.eyJpc3MiOiJUIiwiaWF0IjoxNzcwMDAwMDAwfQ." + "A" * 86
    head = (f"POST /3/device/{token}\napns-topic: com.example.app\napns-push-type: alert\napns-priority: 10\n"
            f"apns-expiration: 1800000000\napns-collapse-id: c\nauthorization: bearer {jwt}\n")
    alert = '\n{"aps":{"alert":{"title":"T","body":"B"},"badge":3,"mutable-content":1}}'
    channel = (f"POST /1/apps/com.example.app/channels\nauthorization: bearer {jwt}\n"
               '\n{"push-type":"LiveActivity","message-storage-policy":1}')
    write("emulator-apns", [bytes([n]) + text.encode() for n, text in enumerate(
        [head + alert, head + alert, "POST /3/device/\n\n{}", channel,
         channel.replace("POST", "GET").replace("channels", "all-channels"), head + "apns-id: x\n" + alert, "GET /\n\n",
         f"POST /4/broadcasts/apps/com.example.app\napns-channel-id: AAAA\nauthorization: bearer {jwt}\n" + alert])])
    send = "POST /v1/projects/emulated-project/messages:send\nauthorization: Bearer x\n\n"
    messages = ['{"message":{"token":"dev","notification":{"title":"T"},"android":{"ttl":"3600s","collapse_key":"k"}}}',
                '{"message":{"topic":"news","data":{"k":"v"}}}', '{"validate_only":true,"message":{"token":"dev"}}',
                '{"message":{"condition":"\'a\' in topics && !(\'b\' in topics)"}}', "{"]
    grant = "POST /token\n\ngrant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=" + jwt
    times = '{"iat":1770000000,"exp":1770003600}'
    write("emulator-google", [bytes([n]) + text.encode() for n, text in enumerate(
        [send + m for m in messages] + [grant, "POST /token\n\na=%4", times, '{"iat":-9223372036854775808,"exp":9223372036854775807}'])])
    phone = '{"provider":"fcm","token":"dev","phone":{"locales":["de"],"contract":"onesignal","strings":{"values/strings.xml":"<resources/>"}}}'
    calls = [["POST devices", phone, "POST devices/fcm/dev/phone/offline", "", "POST devices/fcm/dev/phone/online", "",
              "POST devices/fcm/dev/phone/items/1/tap", ""],
             ["POST clock", '{"advance_ms":9223372036854775807}', "GET", "", "POST clock", '{"advance_ms":-1}'],
             ["POST rules", '{"name":"r","effect":{"refuse":"Unregistered","timestamp_ms":1},"latency":{"uniform":[1,2]}}', "GET rules", "",
              "DELETE rules/r", ""],
             ["PUT devices/fcm/dev", '{"provider":"fcm","expired_since_ms":5}', "GET devices/fcm/dev/pushes/last", "", "DELETE devices/fcm/dev", "",
              "PUT devices/fcm/dev/script", '{"script":["silence",{"goaway":{"code":2}}],"repeat_last":true}'],
             ["POST access-tokens", '{"seconds":2147483647}', "POST keys", '{"key_id":"K","team_id":"T","public_key":"x"}', "GET credentials", ""],
             ["PUT scenario", '{"seed":1,"devices":[{"provider":"apns"}]}', "POST connections", '{"opening":"reset"}', "POST reset", ""]]
    write("emulator-control", [bytes([n]) + "\n".join(call).encode() for n, call in enumerate(calls)])
    documentation = (HERE.parent / "docs" / "emulator.md").read_text(encoding="utf-8")
    documented = documentation.split("```json scenario\n")[1].split("```")[0]
    write("scenarios", [minified(json.loads(documented))] + [text.encode() for text in (
        '{"seed":9223372036854775807,"apns":{"latency":9223372036854775807,"streams":0}}',
        '{"rules":[{"after":2147483647,"every":1,"times":0,"share":0.5,"from_ms":9223372036854775807,"effect":"pass","latency":{"normal":{"mean":1e308,"deviation":-1e308}}}]}',
        '{"fcm":{"messages_per_project_minute":1,"latency":{"percentiles":{"0":0,"100":1e300}}},"limits":{"recording":"none"}}',
        '{"devices":[{"provider":"apns","token":"00","script":["Unregistered",{"answer":{"status":599,"retry_after":2147483647}}],"phone":{}}]}')])


if __name__ == "__main__":
    main()
