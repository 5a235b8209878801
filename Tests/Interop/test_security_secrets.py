"""Secrets: where they may be, and that they are nowhere else.

The server is worked with every secret that it knows; then its folder, its log, its numbers, its answers, its process entry and
its memory file are searched for each of them, in every form that it might take there.
"""

import base64
import hashlib
import hmac
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import stat
import subprocess
import threading
import time

import pytest

from conftest import command
from serving import Server, credentials, wait

# A signed token of a provider: two parts of JSON in base64url.
JWT = re.compile(rb"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}")


def forms(secret):
    """A secret as bytes, in hexadecimal, base64 and escaped for JSON and URLs."""
    raw = secret if isinstance(secret, bytes) else secret.encode()
    found = {raw, raw.hex().encode(), raw.hex().upper().encode(), raw[::-1]}
    # Without the ends, which depend on what stands beside them.
    for encoded in (base64.b64encode(raw), base64.urlsafe_b64encode(raw)):
        found.add(encoded.rstrip(b"=")[:-1])
    if re.fullmatch(rb"([0-9a-f]{2}){16,}", raw):
        found.add(bytes.fromhex(raw.decode()))
    return {one for one in found if len(one) >= 12}


def private_parts(pem):
    """Lines of a private key, and the bytes at its end, where the private number is."""
    lines = [line for line in pem.splitlines() if line and "-----" not in line]
    return [lines[0][:48], lines[-2], base64.b64decode("".join(lines))[-40:]]


def signed(claims, key):
    """A token of HS256."""
    encoded = lambda content: base64.urlsafe_b64encode(content).rstrip(b"=").decode()  # noqa: E731
    head = encoded(json.dumps({"alg": "HS256", "kid": key["id"]}).encode()) + "." + encoded(json.dumps(claims).encode())
    return head + "." + encoded(hmac.new(key["secret"].encode(), head.encode(), hashlib.sha256).digest())


class Receiver:
    """Takes webhooks: the first is refused, the others are accepted."""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.heads = []
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            try:
                line, _ = self.socket.accept()
            except OSError:
                return
            with line:
                line.settimeout(5)
                self.heads.append(line.recv(65536))
                status = b"500 Error" if len(self.heads) == 1 else b"204 No Content"
                line.sendall(b"HTTP/1.1 " + status + b"\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")


def work(server, running, receiver):
    """Uses every secret, rightly and wrongly; returns them by name, and the device tokens."""
    secrets = {"first key": server.key}
    whole = credentials(running)
    secrets |= {f"APNs key {number}": part for number, part in enumerate(private_parts(whole["apns"]["key"]))}
    account = whole["fcm"]["service_account"]
    secrets |= {f"service account's key {number}": part for number, part in enumerate(private_parts(account["private_key"]))}
    server.done("POST", "/v1/apps", {"name": "shop", "contract": "native"})
    server.done("PUT", "/v1/apps/shop/credentials?check=true", whole)
    # Other keys than the provider knows, and a token endpoint that refuses and breaks off.
    other = subprocess.run(["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"], capture_output=True, check=True).stdout.decode()
    secrets |= {f"a wrong APNs key {number}": part for number, part in enumerate(private_parts(other))}
    assert server.ask("PUT", "/v1/apps/shop/credentials?check=true", {"apns": {**whole["apns"], "key": other}}).status == 422
    for effect in ({"refuse": "invalid_grant"}, "silence"):
        if effect != "silence":
            running.scenario(rules=[{"name": "no", "provider": "oauth", "effect": effect}])
            server.ask("POST", "/v1/apps/shop/credentials/check", {"fcm": whole["fcm"]})
    running.scenario()
    for broken in ({"apns": {**whole["apns"], "key_id": whole["apns"]["key"]}}, {"apns": {**whole["apns"], "key": whole["apns"]["key"][:-60]}},
                   {"fcm": {"service_account": {**account, "private_key": account["private_key"][40:]}}}, {"fcm": {"service_account": account["private_key"]}}):
        assert server.ask("PUT", "/v1/apps/shop/credentials", broken).status in (400, 422)
    server.ask("PUT", "/v1/apps/shop/credentials", json.dumps(whole).encode()[:-1])
    # Keys: made, used, rotated, revoked, put where they do not belong.
    made = server.done("POST", "/v1/keys", {"name": "k", "scopes": ["send"]})
    turned = server.done("POST", f"/v1/keys/{made['id']}/rotate", {"overlap_seconds": 0})
    secrets |= {"a rotated key": made["key"], "its successor": turned["key"]}
    server.ask("GET", "/v1/apps", key=made["key"])
    server.done("GET", "/v1/apps", key=turned["key"])
    server.done("DELETE", f"/v1/keys/{turned['id']}")
    for path in (f"/v1/apps/{server.key}", f"/{server.key}", f"/v1/apps?key={server.key}", f"/v1/apps/shop/devices/{turned['key']}"):
        server.ask("GET", path)
        server.ask("GET", path, key=None)
    server.ask("GET", "/v1/apps", key=None, headers=[("Authorization", f"Basic {server.key}")])
    server.ask("POST", "/session", {"key": server.key + "x"}, key=None)
    # A session, used and ended.
    answer = server.ask("POST", "/session", {"key": server.key}, key=None)
    cookie = answer.headers["Set-Cookie"].split(";")[0]
    secrets |= {"session's id": cookie.split("=")[1], "session's token": answer.json["write_token"]}
    server.ask("GET", "/v1/apps", key=None, headers=[("Cookie", cookie)])
    server.ask("POST", "/v1/apps", {"name": "x"}, key=None, headers=[("Cookie", cookie), ("X-CSRF-Token", "wrong")])
    # Webhooks: one that fails once, one that cannot be reached.
    hook = server.done("POST", "/v1/apps/shop/webhooks", {"url": f"http://127.0.0.1:{receiver.port}/", "types": ["push.finished"]})
    gone = server.done("POST", "/v1/apps/shop/webhooks", {"url": "http://127.0.0.1:9/", "types": ["push.finished"]})
    again = server.done("POST", f"/v1/apps/shop/webhooks/{hook['id']}/rotate", {})
    secrets |= {"webhook's secret": hook["secret"], "webhook's new secret": again["secret"], "secret of one that is gone": gone["secret"]}
    # Identity: keys of both kinds, and a token that an app on a phone sends, rightly and wrongly.
    shared = server.done("POST", "/v1/apps/shop/identity/keys", {"algorithm": "HS256"}, headers=[("Idempotency-Key", "shared")])
    pair = server.done("POST", "/v1/apps/shop/identity/keys", {"algorithm": "ES256"}, headers=[("Idempotency-Key", "pair")])
    secrets |= {"identity secret": shared["secret"]}
    secrets |= {f"identity key {number}": part for number, part in enumerate(private_parts(pair["secret"]))}
    server.done("PUT", "/v1/apps/shop/identity", {"mode": "required"})
    client = server.done("POST", "/v1/keys", {"name": "c", "scopes": ["client"], "app": "shop"})["key"]
    token = signed({"sub": "carl-the-cautious", "aud": "shop", "exp": int(time.time()) + 600}, shared)
    secrets |= {"identity token": token, "its claims": token.split(".")[1], "its signature": token.split(".")[2]}
    phone = {"type": "ios", "token": hashlib.sha256(b"phone").hexdigest(), "user": "carl-the-cautious"}
    for sent, status in ((token, 201), (token + "A", 401), (token[:-9], 401), (f"Bearer {token}", 401)):
        assert server.ask("POST", "/v1/apps/shop/devices", phone, key=client, headers=[("Postrider-Identity", sent)]).status == status
    server.done("PUT", "/v1/apps/shop/identity", {"mode": "off"})
    # Devices: registered, sent to, refused by the provider, named wrongly.
    tokens = [hashlib.sha256(f"device {number}".encode()).hexdigest() for number in range(3)]
    android = "bk3RNwTe3H0:CI2k_HHwgIpoDKCIZvvDMExUdFQ3P1" + tokens[0][:20]
    for token, kind in ((tokens[0], "ios"), (tokens[1], "ios"), (android, "android")):
        server.done("POST", "/v1/apps/shop/devices", {"type": kind, "token": token, "user": "ann"})
    for effect in (None, "Unregistered", "InternalServerError"):
        running.scenario(rules=[{"name": "r", "provider": "apns", "effect": effect}] if effect else [])
        to = {"tokens": [{"token": tokens[2], "type": "ios"}, {"token": android + "x", "type": "android"}]} if effect == "Unregistered" else {"users": ["ann"]}
        push = server.done("POST", "/v1/apps/shop/pushes", {"to": to, "message": {"title": "T", "body": "B"}, "expires_in_seconds": 60})["id"]
        if effect != "InternalServerError":
            wait(lambda: "finished_at" in server.done("GET", f"/v1/apps/shop/pushes/{push}"), "the push")  # noqa: B023
    running.scenario()
    server.ask("GET", f"/v1/apps/shop/devices/{tokens[0]}")
    server.ask("POST", "/v1/apps/shop/devices", {"type": "ios", "token": tokens[0] + "zz"})
    wait(lambda: receiver.heads, "the webhook")
    return secrets, [*tokens, android]


def places(server):
    """What others can see of the server, by name."""
    found = {"log": server.log, "metrics": server.ask("GET", "/metrics").content}
    process = pathlib.Path(f"/proc/{server.process.pid}")
    found |= {f"/proc/{name}": (process / name).read_bytes() for name in ("cmdline", "environ", "status", "maps")}
    # Of the server and what it has started: other tests have keys in their environments at the same time.
    pid = str(server.process.pid)
    shown = subprocess.run(["ps", "eww", "-p", pid, "--ppid", pid], capture_output=True, timeout=30) if shutil.which("ps") else None
    assert shown is None or pid.encode() in shown.stdout
    found["ps"] = shown.stdout if shown else b""
    for thread in (process / "task").iterdir():
        found["thread names"] = found.get("thread names", b"") + (thread / "comm").read_bytes()
    for path in ("/v1/apps", "/v1/apps/shop", "/v1/apps/shop/credentials", "/v1/apps/shop/overview", "/v1/keys", "/v1/audit", "/v1/apps/shop/audit", "/v1/apps/shop/webhooks", "/v1/apps/shop/identity",
                 "/v1/apps/shop/webhooks/1", "/v1/apps/shop/webhooks/1/dead", "/v1/apps/shop/pushes", "/v1/apps/shop/pushes/1/deliveries", "/healthz", "/readyz", "/openapi.json"):
        found[f"answer of {path}"] = server.ask("GET", path).whole
    return found


def files(folder):
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def receiver():
    made = Receiver()
    yield made
    made.socket.close()


def search(secrets, searched):
    for name, secret in secrets.items():
        for form in forms(secret):
            for place, content in searched.items():
                assert form not in content, f"{name} is in {place}, as {form[:12]!r}…"


def test_secrets_are_only_where_they_belong(tmp_path, emulator, receiver):
    """Not in files, log, metrics, process list, environment, answers, backups; the sealing key is in its own file alone."""
    server = Server(tmp_path / "server", "--allow-private-webhooks")
    try:
        sealing = (server.data / "sealing.key").read_bytes().strip()
        assert stat.S_IMODE((server.data / "sealing.key").stat().st_mode) == 0o600
        assert stat.S_IMODE(server.data.stat().st_mode) == 0o700
        secrets, tokens = work(server, emulator, receiver)
        backup = tmp_path / "backup"
        done = subprocess.run([command(), "backup", "--data", str(server.data), str(backup)], capture_output=True, timeout=120)
        assert done.returncode == 0, done.stderr
        searched = {**places(server), "backup's words": done.stdout + done.stderr}
        searched |= files(backup) | files(server.data)
        sealed_file = searched.pop(str(server.data / "sealing.key"))
        assert sealed_file.strip() == sealing
        search({**secrets, "sealing key": sealing}, searched)
        # Tokens of providers are made when they are needed and written nowhere.
        for place, content in searched.items():
            assert not JWT.search(content) and b"ya29." not in content, f"a provider's token is in {place}"
            assert b"Bearer prk_" not in content and b"PRIVATE KEY" not in content.replace(b"BEGIN PRIVATE KEY-----\\n\\u2026", b"").replace(
                "BEGIN PRIVATE KEY-----\\n…\\n-----END PRIVATE KEY".encode(), b""), place
        # Tokens of devices are in the database, which shows them to those who may see devices, and in no log and no number.
        for token in tokens:
            for place in ("log", "metrics", "/proc/cmdline", "/proc/environ", "thread names", "answer of /v1/audit"):
                assert token.encode() not in searched[place] and token[8:40].encode() not in searched[place], (token, place)
        # The search finds what is there.
        assert any(tokens[0].encode() in content or bytes.fromhex(tokens[0]) in content for content in files(server.data).values())
        with pytest.raises(AssertionError, match="sealing key is in"):
            search({"sealing key": sealing}, {"its file": sealed_file})
        # Of keys the first characters are shown; the document has an example.
        examples = set(re.findall(rb"prk_[A-Za-z0-9_-]+", searched["answer of /openapi.json"]))
        for place, content in searched.items():
            # In the database a prefix stands beside the bytes of the next column.
            most = 16 if place.startswith("/") and "proc" not in place else 10
            for key in set(re.findall(rb"prk_[A-Za-z0-9_-]+", content)) - examples:
                assert len(key) <= most, f"more of a key than its prefix is in {place}: {key[:12]}"
        print(f"\nsecrets: {len(secrets)} secrets, {len(searched)} places, {sum(map(len, searched.values()))} bytes")
    finally:
        server.stop()
    search(secrets | {"sealing key": sealing}, {name: content for name, content in files(server.data).items() if not name.endswith("/sealing.key")})


def test_errors_repeat_no_secret_of_others(tmp_path, emulator):
    """What a refused request said is not shown to the next one, nor in the answer that refuses it, when it is a credential."""
    server = Server(tmp_path / "server")
    try:
        server.done("POST", "/v1/apps", {"name": "shop", "contract": "native"})
        whole = credentials(emulator)
        pem, account = whole["apns"]["key"], whole["fcm"]["service_account"]
        bodies = [{"apns": {**whole["apns"], **change}} for change in
                  ({"key": pem[:100]}, {"key": pem + "x"}, {"key": pem.replace("A", "B")}, {"key_id": pem[28:38]}, {"team_id": pem}, {"topic": pem}, {"password": pem},
                   {"certificate_pem": pem}, {"certificate_p12": pem}, {pem[30:90].strip(): 1}, {"gateway": {"host": pem[30:90], "port": 1}})]
        bodies += [{"fcm": {**whole["fcm"], "service_account": {**account, **change}}} for change in
                   ({"private_key": account["private_key"][:400]}, {"token_uri": account["private_key"]}, {"project_id": account["private_key"]},
                    {"client_email": 7}, {"type": account["private_key"]}, {"private_key_id": account["private_key"]})]
        parts = {f"{name} {number}": part for name, text in (("APNs key", pem), ("service account", account["private_key"])) for number, part in enumerate(private_parts(text))}
        for body in bodies:
            for method, path in (("PUT", ""), ("POST", ""), ("POST", "/check")):
                answer = server.ask(method, f"/v1/apps/shop/credentials{path}", body)
                search(parts, {f"the answer to {method} {path}": answer.whole})
        search(parts, {"log": server.log})
    finally:
        server.stop()


def test_the_sealing_key_leaves_the_environment(tmp_path):
    """Given in the environment, it is in no file and, once the server runs, in the environment of the process no more."""
    key = hashlib.sha256(b"a sealing key of its own").hexdigest()
    server = Server(tmp_path / "server", environment={"POSTRIDER_SEALING_KEY": key, "POSTRIDER_PROOF": "is read"})
    try:
        environment = pathlib.Path(f"/proc/{server.process.pid}/environ").read_bytes()
        assert b"POSTRIDER_PROOF=is read" in environment
        server.done("POST", "/v1/apps", {"name": "shop", "contract": "native"})
        assert not (server.data / "sealing.key").exists()
        search({"sealing key": key}, {**files(server.data), "log": server.log, "environment": environment, "metrics": server.ask("GET", "/metrics").content})
    finally:
        server.stop()


# --- Memory

def as_another(*words):
    """Runs a program as a user without privileges, which the server runs as too."""
    return ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", *words] if os.geteuid() == 0 else list(words)


def readable(pid):
    """Which of a process's secrets another process of its user reads."""
    found = []
    for name in ("environ", "mem", "maps", "auxv", "fd"):
        script = f"import os,sys; os.listdir('/proc/{pid}/fd') if '{name}' == 'fd' else open('/proc/{pid}/{name}', 'rb')"
        if subprocess.run(as_another("/usr/bin/python3", "-c", script), capture_output=True, timeout=30).returncode == 0:
            found.append(name)
    return found


@pytest.fixture
def open_folder(tmp_path):
    """A folder that the other user reaches and may write."""
    folder = pathlib.Path("/tmp") / f"postrider-memory-{os.getpid()}-{time.monotonic_ns()}"
    folder.mkdir(mode=0o777)
    folder.chmod(0o777)
    yield folder
    shutil.rmtree(folder)


def test_no_other_process_of_the_user_reads_the_memory(open_folder):
    """Not its memory, its environment, its descriptors; a process that does not protect itself is read."""
    binary = open_folder / "postrider"
    shutil.copy(command(), binary)
    binary.chmod(0o755)
    other = subprocess.Popen(as_another("/bin/sleep", "60"))
    process = subprocess.Popen(
        as_another(str(binary), "serve", "--data", str(open_folder / "data"), "--port", "0"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=open_folder,
        env={**os.environ, "HOME": str(open_folder)})
    try:
        said = b""
        while b"prk_" not in said:
            line = process.stdout.readline()
            assert line, process.stderr.read()
            said += line
        wait(lambda: "environ" in readable(other.pid), "what is not protected is read", 10)
        assert readable(process.pid) == []
    finally:
        other.kill()
        other.wait()
        process.terminate()
        assert process.wait(timeout=60) == 0


def dumps(words, folder):
    """Whether a process that is killed by a fault leaves a core file."""
    import resource

    process = subprocess.Popen(
        words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={**os.environ, "SWIFT_BACKTRACE": "enable=no"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)))
    if "serve" in words:
        while b"prk_" not in process.stdout.readline():
            assert process.poll() is None
    else:
        time.sleep(0.2)
    process.send_signal(signal.SIGABRT)
    status = os.waitpid(process.pid, 0)[1]
    process.returncode = -os.WTERMSIG(status)
    process.stdout.close()
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGABRT
    return os.WCOREDUMP(status)


def test_a_crash_leaves_no_core_file(tmp_path):
    """The kernel says of each process that it killed whether it dumped it."""
    import resource

    if resource.getrlimit(resource.RLIMIT_CORE)[1] == 0:
        pytest.skip("this machine lets no process dump core")
    if not dumps(["/bin/sleep", "60"], tmp_path):
        pytest.skip("this machine dumps no process")
    assert not dumps([command(), "serve", "--data", str(tmp_path / "data"), "--port", "0"], tmp_path)
    assert not [path for path in tmp_path.iterdir() if path.name.startswith("core") and path.stat().st_size > 1_000_000]
