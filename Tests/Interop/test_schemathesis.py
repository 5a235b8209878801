"""PyPI schemathesis, an independent reader of OpenAPI, against the server: requests by the document and beside it."""

import json
import os
import re
import select
import signal
import subprocess
import sys
import urllib.request

import pytest
from conftest import command

# A request may fit the shape and still not be legal: an unknown contract, a token that is none, an empty audience.
# The document says so (422), and a tag need not be the current one (412) and may be any (304); everything else that schemathesis
# checks is left as it is.
CONFIG = """
[parameters]
"path.app" = "demo"
"path.push" = "{push}"
"path.device" = "{device}"
"path.key" = "4711"
"path.contract" = "amba"

[checks.positive_data_acceptance]
expected-statuses = ["2xx", "304", "404", "409", "412", "422"]

# A body that is both wrong and too long is refused for its length, before it is looked at (413).
[checks.negative_data_rejection]
expected-statuses = ["400", "401", "403", "404", "405", "406", "409", "412", "413", "415", "422", "428", "429", "5xx"]

# Where an earlier request has switched them on, an identity token must be one that the app's backend has signed.
[[operations]]
include-operation-id = ["registerDevice", "reportEvents"]
[operations.checks.positive_data_acceptance]
expected-statuses = ["2xx", "401", "404", "409", "422"]

# A key, password or invitation may have the right form and not exist; whoever tries too many waits. A sign-in names a key or
# an email, which the document cannot say, and the others need the cookie of a session.
# At an address of numbers there are no passkeys.
[[operations]]
include-operation-id = [
  "signIn", "getSession", "signOut", "showInvitation", "join", "changePassword", "listOwnSessions", "endOtherSessions", "endOwnSession",
  "preparePasskeySignIn", "signInWithPasskey", "preparePasskey", "addPasskey", "listPasskeys", "renamePasskey", "removePasskey",
  "showOIDC", "beginOIDC", "finishOIDC", "unlinkOIDC",
]
[operations.checks.positive_data_acceptance]
expected-statuses = ["2xx", "401", "404", "409", "412", "422", "429"]
"""


class Server:
    """A running server with the demo app."""

    def __init__(self, folder):
        arguments = [command(), "serve", "--demo", "--port", "0", "--emulator-port", "0", "--data", str(folder)]
        self.log = open(folder.parent / "log", "wb")
        self.process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=self.log)
        self.hello = ""
        while "Ctrl-C" not in self.hello:
            ready, _, _ = select.select([self.process.stdout], [], [], 30)
            text = os.read(self.process.stdout.fileno(), 65536).decode() if ready else ""
            assert text, "the server said nothing: " + (folder.parent / "log").read_text()
            self.hello += text
        self.url = re.search(r"http://[0-9.]+:[0-9]+", self.hello)[0]
        self.key = re.search(r"prk_[A-Za-z0-9_-]+", self.hello)[0]

    def call(self, method, path, body=None):
        request = urllib.request.Request(
            self.url + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.key}"},
        )
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.loads(answer.read())

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        status = self.process.wait(timeout=30)
        self.log.close()
        return status


@pytest.fixture
def server(tmp_path):
    server = Server(tmp_path / "data")
    yield server
    if server.process.poll() is None:
        server.stop()


def test_every_answer_is_as_documented(server, tmp_path):
    push = server.call(
        "POST", "/v1/apps/demo/pushes", {"message": {"title": "T", "body": "B"}, "to": {"users": ["alice"]}}
    )["id"]
    device = server.call("GET", "/v1/apps/demo/devices")["devices"][0]["id"]
    (tmp_path / "schemathesis.toml").write_text(CONFIG.format(push=push, device=device))
    result = subprocess.run(
        [
            os.path.join(os.path.dirname(sys.executable), "schemathesis"),
            "--config-file", str(tmp_path / "schemathesis.toml"),
            "run", f"{server.url}/openapi.json",
            "-H", f"Authorization: Bearer {server.key}",
            "--phases", "examples,coverage,fuzzing",
            "--max-examples", os.environ.get("SCHEMATHESIS_EXAMPLES", "20"),
            "--seed", os.environ.get("POSTRIDER_SEED", "1"),
            # Its answer ends when the push does, not when the client has seen enough.
            "--exclude-operation-id", "watchPush",
            # Its body is a file of NDJSON or CSV, which schemathesis does not write.
            "--exclude-operation-id", "importDevices",
            "--no-color",
        ],
        capture_output=True, text=True, timeout=600, cwd=tmp_path,
    )
    assert result.returncode == 0, result.stdout[-8000:] + result.stderr[-2000:]
    assert server.call("GET", "/readyz") == {"status": "ok"}
    assert server.stop() == 0
    faults = [line for line in (tmp_path / "log").read_text().splitlines() if '"problem":"internal"' in line]
    assert faults == []
