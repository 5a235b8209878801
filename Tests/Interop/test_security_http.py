"""HTTP as an attacker writes it: requests that two readers would read differently, injected headers, cookies, guessed keys.

The table of shapes follows RFC 9112; whoever is in front of the server may have read a request another way, so that anything
that is not plain is refused with the connection closed, and nothing behind it is read as a request.
"""

import json
import re
import socket
import threading
import urllib.parse

import pytest

from serving import Server, credentials, wait


@pytest.fixture(scope="module")
def server(tmp_path_factory, running):
    running.scenario()
    started = Server(tmp_path_factory.mktemp("http"), "--allow-private-webhooks")
    started.done("POST", "/v1/apps", {"name": "shop", "contract": "native"})
    started.done("PUT", "/v1/apps/shop/credentials", credentials(running))
    yield started
    started.stop()


def talk(port, content, seconds=2):
    """Everything that the server answers to these bytes, and whether it closed the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=seconds) as line:
        line.sendall(content)
        said = b""
        try:
            while piece := line.recv(65536):
                said += piece
            return said, True
        except ConnectionResetError:
            return said, True
        except TimeoutError:
            return said, False


def statuses(said):
    return [int(number) for number in re.findall(rb"HTTP/1\.[01] (\d{3}) ", said)]


# What stands behind each bad request: a request of its own, if the bad one was read wrongly.
BEHIND = b"GET /healthz HTTP/1.1\r\nHost: smuggled\r\n\r\n"


def get(*lines, target=b"/healthz", version=b"HTTP/1.1", host=b"Host: a\r\n", end=b"\r\n"):
    return b"GET " + target + b" " + version + b"\r\n" + host + b"".join(line + end for line in lines) + b"\r\n"


def post(*lines, body=b"", version=b"HTTP/1.1"):
    head = b"POST /v1/explain " + version + b"\r\nHost: a\r\nAuthorization: Bearer KEY\r\nContent-Type: application/json\r\n"
    return head + b"".join(line + b"\r\n" for line in lines) + b"\r\n" + body


JSON = b'{"reason":"Unregistered"}'
CHUNKED = b"19\r\n" + JSON + b"\r\n0\r\n\r\n"
CL = b"Content-Length: 25"
TE = b"Transfer-Encoding: chunked"
BAD = {
    # Two lengths, or a length that two readers take for two (RFC 9112 section 6.3).
    "length and coding": post(CL, TE, body=CHUNKED),
    "coding and length": post(TE, CL, body=CHUNKED),
    "two lengths": post(CL, b"Content-Length: 0", body=JSON),
    "the same length twice": post(CL, CL, body=JSON),
    "lengths in a list": post(b"Content-Length: 25, 25", body=JSON),
    "length with a sign": post(b"Content-Length: +25", body=JSON),
    "negative length": post(b"Content-Length: -1", body=JSON),
    "hexadecimal length": post(b"Content-Length: 0x19", body=JSON),
    "length with a letter": post(b"Content-Length: 25a", body=JSON),
    "length with a space inside": post(b"Content-Length: 2 5", body=JSON),
    "empty length": post(b"Content-Length:", body=JSON),
    "length beyond 64 bits": post(b"Content-Length: 18446744073709551641", body=JSON),
    "length with another digit": post("Content-Length: ٢٥".encode(), body=JSON),
    "length with a fraction": post(b"Content-Length: 25.0", body=JSON),
    "space before the colon of the length": post(b"Content-Length : 25", body=JSON),
    "tab before the colon of the length": post(b"Content-Length\t: 25", body=JSON),
    "folded length": post(b"Content-Length:", b" 25", body=JSON),
    # Codings that one reader knows and another does not (section 6.1, 7).
    "space before the colon of the coding": post(b"Transfer-Encoding : chunked", body=CHUNKED),
    "unknown coding": post(b"Transfer-Encoding: xchunked", body=CHUNKED),
    "identity": post(b"Transfer-Encoding: identity", body=JSON),
    "chunked and identity": post(b"Transfer-Encoding: chunked, identity", body=CHUNKED),
    "chunked twice": post(b"Transfer-Encoding: chunked, chunked", body=CHUNKED),
    "two codings": post(TE, b"Transfer-Encoding: identity", body=CHUNKED),
    "the coding twice": post(TE, TE, body=CHUNKED),
    "coding with a vertical tab": post(b"Transfer-Encoding:\x0bchunked", body=CHUNKED),
    "quoted coding": post(b'Transfer-Encoding: "chunked"', body=CHUNKED),
    "folded coding": post(b"Transfer-Encoding:", b" chunked", body=CHUNKED),
    "empty coding": post(b"Transfer-Encoding:", body=CHUNKED),
    "coding in HTTP/1.0": post(TE, body=CHUNKED, version=b"HTTP/1.0"),
    # Chunks (section 7.1).
    "chunk size with 0x": post(TE, body=b"0x19\r\n" + JSON + b"\r\n0\r\n\r\n"),
    "chunk size with a sign": post(TE, body=b"+19\r\n" + JSON + b"\r\n0\r\n\r\n"),
    "negative chunk size": post(TE, body=b"-1\r\n" + JSON + b"\r\n0\r\n\r\n"),
    "no chunk size": post(TE, body=b"\r\n" + JSON + b"\r\n0\r\n\r\n"),
    "chunk size that is no number": post(TE, body=b"xyz\r\n" + JSON + b"\r\n0\r\n\r\n"),
    "chunk size beyond 64 bits": post(TE, body=b"10000000000000019\r\n" + JSON + b"\r\n0\r\n\r\n"),
    "chunk size with a bare line feed": post(TE, body=b"19\n" + JSON + b"\r\n0\r\n\r\n"),
    "chunk longer than its size": post(TE, body=b"18\r\n" + JSON + b"\r\n0\r\n\r\n"),
    "chunk without its end": post(TE, body=b"19\r\n" + JSON + b"0\r\n\r\n"),
    "chunk with a bare line feed at its end": post(TE, body=b"19\r\n" + JSON + b"\n0\r\n\r\n"),
    "space before the chunk size": post(TE, body=b" 19\r\n" + JSON + b"\r\n0\r\n\r\n"),
    "bare line feed in a chunk extension": post(TE, body=b"19;a\nb\r\n" + JSON + b"\r\n0\r\n\r\n"),
    # Lines (sections 2.2, 5).
    "folded header": get(b"X-A: b", b" c: d"),
    "folded first header": get(b" X-A: b", host=b"", target=b"/healthz"),
    "space in front of a header": get(b" X-A: b"),
    "space before a colon": get(b"X-A : b"),
    "no colon": get(b"X-A b"),
    "no name": get(b": b"),
    "space in a name": get(b"X A: b"),
    "bracket in a name": get(b"X(A): b"),
    "NUL in a name": get(b"X\0A: b"),
    "NUL in a value": get(b"X-A: b\0c"),
    "letter beyond ASCII in a name": get("X-Ä: b".encode()),
    "bare carriage return in a value": get(b"X-A: b\rX-B: c"),
    "bare carriage return in a name": get(b"X\rA: b"),
    "bare line feed at the end of a header": get(b"X-A: b", end=b"\n"),
    "bare line feeds everywhere": b"GET /healthz HTTP/1.1\nHost: a\n\n",
    "bare line feed after the request line": b"GET /healthz HTTP/1.1\nHost: a\r\n\r\n",
    "control character in a value": get(b"X-A: b\x01c"),
    # The host (section 3.2).
    "no host": get(host=b""),
    "two hosts": get(b"Host: b"),
    "the same host twice": get(b"Host: a"),
    "host with a space": get(host=b"Host: a b\r\n"),
    "host with a path": get(host=b"Host: a/b\r\n"),
    "host with a user": get(host=b"Host: a@b\r\n"),
    "space before the colon of the host": get(host=b"Host : a\r\n"),
    # The request line (section 3).
    "space in the target": get(target=b"/healthz x"),
    "tab in the request line": b"GET\t/healthz\tHTTP/1.1\r\nHost: a\r\n\r\n",
    "two spaces in the request line": b"GET  /healthz HTTP/1.1\r\nHost: a\r\n\r\n",
    "space behind the version": b"GET /healthz HTTP/1.1 \r\nHost: a\r\n\r\n",
    "no version": b"GET /healthz\r\nHost: a\r\n\r\n",
    "lower-case version": get(version=b"http/1.1"),
    "version of one digit": get(version=b"HTTP/1"),
    "version of three digits": get(version=b"HTTP/1.10"),
    "another protocol": get(version=b"ICAP/1.0"),
    "NUL in the target": get(target=b"/health\0z"),
    "control character in the target": get(target=b"/health\x01z"),
    "bare carriage return in the target": get(target=b"/health\rz"),
    "fragment in the target": get(target=b"/healthz#a"),
    "backslash for a slash": get(target=b"\\healthz"),
    "NUL in the method": b"G\0T /healthz HTTP/1.1\r\nHost: a\r\n\r\n",
    "bracket in the method": b"G(T /healthz HTTP/1.1\r\nHost: a\r\n\r\n",
    "space in front of the method": b" GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n",
}
# Other statuses that fit a shape as well: 501 for a coding that is not known, 505 for a version, 413 for a length.
ALSO = {"unknown coding": {501}, "identity": {501}, "chunked and identity": {501}, "two codings": {501}, "quoted coding": {501}, "coding with a vertical tab": {501},
        "chunked twice": {501}, "empty coding": {501}, "version of one digit": {505}, "version of three digits": {505}, "another protocol": {505},
        "lower-case version": {505}, "no version": {505}, "length beyond 64 bits": {413}, "chunk size beyond 64 bits": {413}, "negative length": {413}}


@pytest.mark.parametrize("name", BAD)
def test_a_shape_that_two_readers_read_differently_is_refused(server, name):
    """400, or no answer at all; the connection is closed, and what stands behind is not answered."""
    content = BAD[name].replace(b"KEY", server.key.encode())
    said, closed = talk(server.port, content + BEHIND)
    assert set(statuses(said)) <= {400} | ALSO.get(name, set()), said[:300]
    assert len(statuses(said)) <= 1, f"what stands behind was answered, or the head was sent twice: {said[:600]}"
    assert closed, "the connection was left open"
    head, _, body = said.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
    assert length is None or len(body) == int(length[1]), f"the answer is not one whole message: {said[:600]}"


GOOD = {
    "two requests in one piece": (get() + get(), [200, 200]),
    "a body with a length": (post(CL, body=JSON) + get(), [200, 200]),
    "a body in chunks": (post(TE, body=CHUNKED) + get(), [200, 200]),
    "chunks with an extension and capital digits": (post(TE, body=b"C;a=b\r\n" + JSON[:12] + b"\r\nD\r\n" + JSON[12:] + b"\r\n0\r\n\r\n") + get(), [200, 200]),
    "a name in capitals": (post(b"TRANSFER-ENCODING: CHUNKED", body=CHUNKED) + get(), [200, 200]),
    "a whole address as target": (get(target=b"http://a/healthz"), [200]),
    "an empty value": (get(b"X-A:") + get(), [200, 200]),
    "spaces around a value": (get(b"X-A: \t b \t") + get(), [200, 200]),
}


@pytest.mark.parametrize("name", GOOD)
def test_plain_requests_are_served(server, name):
    content, expected = GOOD[name]
    # The last one ends the connection, so that nobody has to wait.
    last = content.rindex(b"GET ")
    content = content[:last] + content[last:].replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
    said, closed = talk(server.port, content.replace(b"KEY", server.key.encode()), 30)
    assert statuses(said) == expected and closed, said


def test_a_trailer_is_no_header(server):
    """What comes behind the chunks neither signs in nor names another length."""
    content = (b"POST /v1/explain HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
               + CHUNKED[:-2] + b"Authorization: Bearer " + server.key.encode() + b"\r\nContent-Length: 0\r\n\r\n")
    said, _ = talk(server.port, content)
    assert statuses(said) in ([401], [400]), said


# --- Injection into headers

BREAKS = ["\r\nX-Injected: 1", "\nX-Injected: 1", "\rX-Injected: 1", "\r\n\r\nHTTP/1.1 200 OK\r\nX-Injected: 1\r\n\r\n", "\u010d\u010aX-Injected: 1", "\u0085X-Injected: 1",
          "\u2028X-Injected: 1", "\x00X-Injected: 1"]


def head_of(port, content):
    said, _ = talk(port, content)
    return said.partition(b"\r\n\r\n")[0]


def test_no_text_of_a_request_becomes_a_header_of_its_answer(server):
    """In paths, queries and headers, in every form of a line's end."""
    key = server.key.encode()
    paths = ["/v1/apps/{x}", "/v1/apps/shop/devices/{x}", "/v1/apps/shop/users/{x}", "/v1/apps/shop/pushes/{x}/deliveries/export", "/v1/apps/shop/templates/{x}",
             "/v1/apps/shop/devices/export?format={x}", "/v1/apps/shop/devices?cursor={x}", "/v1/contracts/{x}", "/dashboard/{x}", "/{x}", "/?{x}={x}"]
    tried = 0
    for text in BREAKS:
        # Latin-1 readers of UTF-8 see line ends in U+010D and U+010A.
        for quoted in (urllib.parse.quote(text), urllib.parse.quote(urllib.parse.quote(text)), "".join(f"%{byte:02X}" for byte in text.encode())):
            for path in paths:
                for method in (b"GET", b"POST", b"DELETE"):
                    content = (method + b" " + path.replace("{x}", quoted).encode() + b" HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " + key
                               + b"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                    head = head_of(server.port, content)
                    assert head.startswith(b"HTTP/1.1 ") and not re.search(rb"(?im)^x-injected", head.replace(b"\r", b"\n")), (path, head)
                    assert not head.startswith(b"HTTP/1.1 5"), (path, head)
                    tried += 1
    for name in ("Idempotency-Key", "If-Match", "If-None-Match", "Accept", "Accept-Encoding", "X-Request-Id", "Origin", "Cookie", "X-Forwarded-Proto", "X-Forwarded-For", "Authorization",
                 "Content-Type", "Referer", "User-Agent"):
        for text in ("%0d%0aX-Injected: 1", "\u010d\u010aX-Injected: 1", 'a"; X-Injected: 1', "a, b; c=d\tX-Injected: 1"):
            content = (b"POST /v1/apps/shop/pushes HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " + key + f"\r\n{name}: {text}".encode()
                       + b"\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}")
            head = head_of(server.port, content)
            assert head.startswith(b"HTTP/1.1 4") and b"X-Injected" not in head, (name, head)
            tried += 1
    assert tried > 700


def test_names_that_become_headers_hold_no_line_ends(server):
    """`Location`, `Content-Disposition`: made of ids and of names that are letters, digits and - _ . only."""
    for text in [*BREAKS, '"; filename="evil.html', "../../etc/passwd", "a/b", "a\\b", "é", "a b", ".", ".."]:
        for name in (text, f"shop{text}"):
            assert server.ask("POST", "/v1/apps", {"name": name, "contract": "native"}).status in (201, 422)
    names = [app["name"] for app in server.done("GET", "/v1/apps")["apps"]]
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+", name) and name not in (".", "..") for name in names), names
    for name in names:
        for path in ("/devices/export", "/devices/export?format=csv"):
            headers = server.ask("GET", f"/v1/apps/{name}{path}").headers
            assert re.fullmatch(r'attachment; filename="[A-Za-z0-9._-]+"', headers["Content-Disposition"])
    made = server.ask("POST", "/v1/apps/shop/pushes", {"to": {"tokens": [{"token": "ab" * 32, "type": "ios"}]}, "message": {"title": "T", "body": "B"}})
    assert re.fullmatch(r"/v1/apps/shop/pushes/[0-9]+", made.headers["Location"])


def test_no_text_becomes_a_header_at_a_provider(server, emulator):
    """Topics, collapse ids and whatever else a push names: refused, or sent as one header's value; never as two."""
    native = {row["field"]: row for row in server.done("GET", "/v1/contracts/native")["fields"] if "field" in row}
    headers = [name for name, row in native.items() if any("headers" in str(one) or "apns-" in str(one) for one in row.get("apns", []))]
    tried, accepted = 0, []
    for text in BREAKS:
        bodies = [{"topic": f"com.example.app{text}"}, {"campaign": f"spring{text}"}]
        bodies += [{"message": {"title": "T", "body": "B", name: f"a{text}"}} for name in headers]
        for more in bodies:
            token = f"{tried + 1:064x}"
            content = {"message": {"title": "T", "body": "B"}, **more, "to": {"tokens": [{"token": token, "type": "ios"}]}}
            answer = server.ask("POST", "/v1/apps/shop/pushes", content)
            assert answer.status in (202, 400, 422), (more, answer)
            if answer.status == 202:
                accepted.append((answer.json["id"], token, more))
            tried += 1
        for slot, changed in (("apns", {"topic": f"com.example.app{text}"}), ("apns", {"key_id": f"AB{text}"[:10].ljust(10)}), ("fcm", {"project_id": f"demo{text}"})):
            whole = credentials(emulator)
            answer = server.ask("POST", "/v1/apps/shop/credentials/check", {slot: {**whole[slot], **changed}})
            assert answer.status in (400, 422) or answer.json[slot]["usable"] is False, (changed, answer)
            tried += 1
    for push, token, more in accepted:
        wait(lambda: "finished_at" in server.done("GET", f"/v1/apps/shop/pushes/{push}"), f"the push with {more}")
        for arrived in emulator.pushes("apns", token):
            assert "x-injected" not in {name.lower() for name in arrived.get("headers", {})}, (more, arrived)
    assert tried >= 40
    print(f"\nheaders at providers: {tried} texts, {len(accepted)} sent, fields {headers}")


def test_no_text_becomes_a_header_of_a_webhook(server):
    """The head that a receiver sees is ours, whatever the address says."""
    heads = []
    receiver = socket.create_server(("127.0.0.1", 0))

    def receive():
        while True:
            try:
                line, _ = receiver.accept()
            except OSError:
                return
            with line:
                line.settimeout(5)
                heads.append(line.recv(65536))
                line.sendall(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")

    threading.Thread(target=receive, daemon=True).start()
    origin = f"http://127.0.0.1:{receiver.getsockname()[1]}"
    made = []
    for text in [*BREAKS, "/a%0d%0aX-Injected:%201", "/a%0aX-Injected:%201", "/ HTTP/1.1%0d%0aX-Injected:%201", "/a?b=%0d%0aX-Injected:%201"]:
        answer = server.ask("POST", "/v1/apps/shop/webhooks", {"url": f"{origin}{text}", "types": ["push.finished"]})
        assert answer.status in (201, 400, 422), (text, answer)
        made += [answer.json["id"]] if answer.status == 201 else []
    assert 2 <= len(made) <= 4
    server.done("POST", "/v1/apps/shop/pushes", {"to": {"tokens": [{"token": "cd" * 32, "type": "ios"}]}, "message": {"title": "T", "body": "B\r\nX-Injected: 1"}})
    wait(lambda: len(heads) >= len(made), "the webhooks")
    receiver.close()
    for head in heads:
        lines = head.partition(b"\r\n\r\n")[0].split(b"\r\n")
        assert all(re.match(rb"(POST /|(Host|Accept|Content-Type|Content-Length|User-Agent|Postrider-[A-Za-z]+): )", line) for line in lines), head
        assert b"\n" not in b"".join(lines)
    for webhook in made:
        server.done("DELETE", f"/v1/apps/shop/webhooks/{webhook}")


def test_every_line_of_the_log_is_one_object(server):
    """Whatever requests said: no line of the log was forged."""
    head_of(server.port, b'GET /v1/apps/%0a{"level":"error","event":"forged"} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    head_of(server.port, b'{"event":"forged"} / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    server.ask("GET", "/healthz", headers=[("User-Agent", '","event":"forged')])
    lines = server.log.decode().splitlines()
    assert len(lines) > 1
    assert all(json.loads(line)["event"] != "forged" for line in lines)


# --- Cookies, sessions, guessing

def test_the_cookie_is_bound_to_the_browser_and_ends(server):
    answer = server.ask("POST", "/session", {"key": server.key}, key=None)
    name, *flags = answer.headers["Set-Cookie"].split("; ")
    assert re.fullmatch(r"postrider_session=[A-Za-z0-9_-]{43}", name)
    assert set(flags) == {"Path=/", "HttpOnly", "SameSite=Strict", "Max-Age=43200"}
    assert "Domain" not in answer.headers["Set-Cookie"] and answer.headers["Cache-Control"] == "no-store"
    value = name.split("=")[1]
    assert value.encode() not in answer.content and server.key.encode() not in answer.content
    behind_tls = server.ask("POST", "/session", {"key": server.key}, key=None, headers=[("X-Forwarded-Proto", "https")])
    named, *marks = behind_tls.headers["Set-Cookie"].split("; ")
    # RFC 6265bis 4.1.3.2: the prefix holds with Secure, Path=/ and without Domain.
    assert re.fullmatch(r"__Host-postrider_session=[A-Za-z0-9_-]{43}", named) and {"Secure", "Path=/"} <= set(marks)
    # Another sign-in has another id and another token; the id is not taken from the request.
    again = server.ask("POST", "/session", {"key": server.key}, key=None, headers=[("Cookie", "postrider_session=" + "A" * 43)])
    other = again.headers["Set-Cookie"].split(";")[0]
    assert other != name and "A" * 43 not in other and again.json["write_token"] != answer.json["write_token"]
    # Who signs in anew, loses the old session; who signs out, loses it at once, in this browser and in a copy of it.
    assert server.ask("GET", "/v1/apps", key=None, headers=[("Cookie", name)]).status == 200
    newer = server.ask("POST", "/session", {"key": server.key}, key=None, headers=[("Cookie", name)])
    assert server.ask("GET", "/v1/apps", key=None, headers=[("Cookie", name)]).status == 401
    newest = newer.headers["Set-Cookie"].split(";")[0]
    out = server.ask("DELETE", "/session", key=None, headers=[("Cookie", newest), ("X-CSRF-Token", newer.json["write_token"])])
    assert out.status == 204 and "Max-Age=0" in out.headers["Set-Cookie"]
    assert server.ask("GET", "/v1/apps", key=None, headers=[("Cookie", newest)]).status == 401
    # A session travels in its cookie only.
    for path in (f"/v1/apps?postrider_session={other.split('=')[1]}", f"/v1/apps;{other}"):
        assert server.ask("GET", path, key=None).status in (400, 401, 404)
    assert server.ask("GET", "/v1/apps", key=other.split("=")[1]).status == 401
    assert value.encode() not in server.log and answer.json["write_token"].encode() not in server.log


def test_another_site_cannot_write_with_the_session(server):
    """What a form or a script of another site can send: its cookie at most, never the token; nothing is done."""
    answer = server.ask("POST", "/session", {"key": server.key}, key=None)
    cookie = answer.headers["Set-Cookie"].split(";")[0]
    before = server.done("GET", "/v1/apps")
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/json"):
        for headers in ([], [("Origin", "https://evil.example")], [("Origin", "null")], [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate")], [("Referer", f"{server.origin}/")]):
            body = b'{"name":"forged","contract":"native"}'
            asked = server.ask("POST", "/v1/apps", body, key=None, headers=[("Cookie", cookie), *headers], content_type=kind)
            assert asked.status == 403, (kind, headers, asked)
            asked = server.ask("POST", f"/v1/apps?X-CSRF-Token={answer.json['write_token']}", body, key=None, headers=[("Cookie", cookie), *headers], content_type=kind)
            assert asked.status in (400, 403), (kind, headers, asked)
            # Nor can it sign the browser in to an account of its own.
            if headers and headers[0][0] != "Referer":
                asked = server.ask("POST", "/session", {"key": server.key}, key=None, headers=headers, content_type=kind)
                assert asked.status == 403 and "Set-Cookie" not in asked.headers, (kind, headers, asked)
    assert server.done("GET", "/v1/apps") == before


def test_guessing_at_the_door_is_slowed_down(tmp_path):
    """Ten failures of one network, whatever it says of itself; then nobody of it signs in for a while, and keys still work."""
    server = Server(tmp_path / "guessed")
    try:
        for number in range(10):
            forwarded = [("X-Forwarded-For", f"192.0.2.{number}"), ("Forwarded", f"for=192.0.2.{number}"), ("X-Real-IP", f"192.0.2.{number}")]
            answer = server.ask("POST", "/session", {"key": "prk_" + f"{number:043d}"}, key=None, headers=forwarded)
            assert answer.status == 401 and "Set-Cookie" not in answer.headers
        for forwarded in ([], [("X-Forwarded-For", "198.51.100.1")]):
            answer = server.ask("POST", "/session", {"key": server.key}, key=None, headers=forwarded)
            assert answer.status == 429 and 1 <= int(answer.headers["Retry-After"]) <= 60 and "Set-Cookie" not in answer.headers
        assert server.ask("GET", "/v1/apps").status == 200
        assert server.log.count(b"sign-in refused") == 10
    finally:
        server.stop()
