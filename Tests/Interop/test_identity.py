"""The functions of docs/identity.md that sign tokens, run as the page has them, against a server that requires tokens."""

import hashlib
import json
import re
import shutil
import subprocess
import sys
import unicodedata

import pytest

from conftest import ROOT, command
from serving import Server

PAGE = ROOT / "docs" / "identity.md"
# Names that need care in JSON, in UTF-8, and in base64url.
USERS = ["ann", 'a "quoted" \\ name', "Žofie Ångström", "名前 🐎", "tab\tand\nline", "??>>~~", "Rene\u0301"]

# What calls the page's function: arguments are user, app, kid and the name of a file with the secret.
PYTHON = """
import pathlib, sys
print(identity_token(*sys.argv[1:4], pathlib.Path(sys.argv[4]).read_text()))
"""
NODE = """
const [user, app, kid, file] = process.argv.slice(2);
console.log(identityToken(user, app, kid, require("node:fs").readFileSync(file, "utf8")));
"""
JAVA = """
public class Main {
  public static void main(String[] words) throws Exception {
    String secret = java.nio.file.Files.readString(java.nio.file.Path.of(words[0]));
    for (String user : java.nio.file.Files.readString(java.nio.file.Path.of(words[3])).split("\\0")) {
      System.out.println(IdentityToken.sign(user, words[1], words[2], secret, 600));
    }
  }
}
"""


def snippet(language):
    found = re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    assert len(found) == 1, f"{len(found)} functions in {language}"
    return found[0]


def test_the_page_has_five_languages():
    for language in ("python", "js", "java", "go", "swift"):
        text = snippet(language)
        assert "ids_" in text and "ES256" in text and "HS256" in text, language


def run(arguments, folder):
    done = subprocess.run(arguments, cwd=folder, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().split()


def python(folder, kid, secret):
    (folder / "sign_token.py").write_text(snippet("python") + PYTHON)
    return [run([sys.executable, "sign_token.py", user, "demo", kid, secret], folder)[0] for user in USERS]


def node(folder, kid, secret):
    (folder / "sign_token.js").write_text(snippet("js") + NODE)
    return [run(["node", "sign_token.js", user, "demo", kid, secret], folder)[0] for user in USERS]


def java(folder, kid, secret):
    (folder / "IdentityToken.java").write_text(snippet("java"))
    (folder / "Main.java").write_text(JAVA)
    # Arguments of a process are in the locale's encoding, so that names come from a file.
    (folder / "users").write_text("\0".join(USERS), encoding="utf-8", newline="")
    if not (folder / "Main.class").exists():
        run(["javac", "-encoding", "UTF-8", "IdentityToken.java", "Main.java"], folder)
    return run(["java", "-cp", ".", "Main", secret, "demo", kid, "users"], folder)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    started = Server(tmp_path_factory.mktemp("identity"))
    started.done("POST", "/v1/apps", {"name": "demo", "contract": "native"})
    yield started
    started.stop()


def keys(server, folder):
    """A key of each kind, by name: its id, and the file with what signs."""
    made = {}
    subprocess.run(["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", folder / "own.pem"],
                   check=True, capture_output=True)
    subprocess.run(["openssl", "pkey", "-in", folder / "own.pem", "-pubout", "-out", folder / "public.pem"], check=True)
    # As the page has it: the command takes the public key, and refuses the private one.
    ask = [command(), "identity", "create-key", "--app", "demo", "--url", server.origin, "--json"]
    environment = {"PATH": "/usr/bin:/bin", "POSTRIDER_KEY": server.key, "HOME": str(folder)}
    refused = subprocess.run([*ask, "own.pem"], cwd=folder, env=environment, capture_output=True, text=True, timeout=60)
    assert refused.returncode != 0 and "private key" in refused.stderr
    done = subprocess.run([*ask, "public.pem"], cwd=folder, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    made["own pair"] = (json.loads(done.stdout)["id"], "own.pem")
    for name, algorithm in (("server's pair", "ES256"), ("shared", "HS256")):
        answer = server.done("POST", "/v1/apps/demo/identity/keys", {"algorithm": algorithm})
        (folder / f"{algorithm}.secret").write_text(answer["secret"], newline="")
        made[name] = (answer["id"], f"{algorithm}.secret")
    return made


TOOLS = {python: ["python3"], node: ["node"], java: ["java", "javac"]}


@pytest.mark.parametrize("sign", [python, node, java])
def test_the_page_makes_tokens_that_the_server_takes(server, tmp_path, sign):
    for tool in TOOLS[sign]:
        assert shutil.which(tool), f"{tool} is not installed; script/bootstrap --interop installs it"
    for key in server.done("GET", "/v1/apps/demo/identity")["keys"]:
        server.done("DELETE", f"/v1/apps/demo/identity/keys/{key['id']}")
    made = keys(server, tmp_path)
    server.done("PUT", "/v1/apps/demo/identity", {"mode": "required"})
    client = server.done("POST", "/v1/keys", {"name": "app", "scopes": ["client"], "app": "demo"})["key"]

    def register(user, token):
        device = {"type": "ios", "token": hashlib.sha256(f"{sign.__name__} {user}".encode()).hexdigest(), "user": user}
        headers = [("Postrider-Identity", token)] if token else []
        return server.ask("POST", "/v1/apps/demo/devices", device, key=client, headers=headers)

    alikes = 0
    for name, (kid, secret) in made.items():
        tokens = sign(tmp_path, kid, secret)
        assert len(tokens) == len(USERS)
        for user, token in zip(USERS, tokens):
            assert register(user, token).status in (200, 201), (name, user, register(user, token))
            assert register(user + "x", token).status == 403
            # Texts that look alike are different users.
            other = "NFC" if unicodedata.is_normalized("NFD", user) else "NFD"
            if (alike := unicodedata.normalize(other, user)) != user:
                assert register(alike, token).status == 403
                alikes += 1
            assert register(user, None).status == 401
            header, claims, signature = token.split(".")
            changed = header + "." + claims + "." + ("A" if signature[0] != "A" else "B") + signature[1:]
            assert register(user, changed).status == 401
    assert alikes == 2 * len(made)
    found = {row["user"] for row in server.done("GET", "/v1/apps/demo/devices?limit=1000")["devices"]}
    assert found >= set(USERS)
    # A deleted key is not believed any more.
    kid, secret = made["shared"]
    token = sign(tmp_path, kid, secret)[0]
    server.done("DELETE", f"/v1/apps/demo/identity/keys/{kid}")
    assert register(USERS[0], token).status == 401
