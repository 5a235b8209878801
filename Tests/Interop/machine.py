"""A machine of its own for blocks that need root: a file system of which /etc, /var and the home folder are its own, one network
with the host names of the pages, and stand-ins for what only a service manager does.

A block with the second word `machine` is run here, the blocks of a page in their order. A command that starts a server in the
foreground, `postrider serve`, runs until the next one or the end of its block, and must be listening before that.
"""

import re
import shutil
import subprocess
import sys

import pages
from conftest import ROOT

HOSTS = ["push.example.com", "login.example.com", "otel.example.com", "proxy.example.com", "db1.example.com", "db2.example.com"]
PYTHON = ROOT / ".build" / "interop-venv" / "bin" / "python"

# What the service manager does with the unit: reads the environment's file and the drop-ins, hands over credentials, starts the
# program as its user, and keeps what it writes.
SYSTEMCTL = r"""#!/usr/bin/python3
import glob, os, pathlib, re, subprocess, sys, time
if sys.argv[1] == "daemon-reload":
    sys.exit()
assert sys.argv[1:] == ["restart", "postrider"], sys.argv
pid, log = pathlib.Path("/run/postrider.pid"), pathlib.Path("/var/log/postrider.log")
if pid.exists():
    os.kill(int(pid.read_text()), 15)
    while os.path.exists(f"/proc/{pid.read_text()}") and open(f"/proc/{pid.read_text()}/stat").read().split(") ")[1][0] != "Z":
        time.sleep(0.05)
environment = {"PATH": os.environ["PATH"]}
lines = pathlib.Path("/etc/postrider/environment").read_text().splitlines()
for file in sorted(glob.glob("/etc/systemd/system/postrider.service.d/*.conf")):
    for name, value in re.findall(r"^(\w+)=(.*)$", pathlib.Path(file).read_text(), re.M):
        if name == "LoadCredential":
            credential, path = value.split(":")
            folder = pathlib.Path("/run/credentials/postrider.service")
            folder.mkdir(parents=True, exist_ok=True)
            (folder / credential).write_bytes(pathlib.Path(path).read_bytes())
            (folder / credential).chmod(0o400)
            os.chown(folder / credential, 20011, 20011)
        if name == "Environment":
            lines.append(value.replace("%d", "/run/credentials/postrider.service"))
environment |= dict(line.split("=", 1) for line in lines if line)
out = open(log, "ab")
start = log.stat().st_size if log.exists() else 0
server = subprocess.Popen(["setpriv", "--reuid", "20011", "--regid", "20011", "--clear-groups", "postrider", "serve", "--data", "/var/lib/postrider"],
                          stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=environment, start_new_session=True)
pid.write_text(str(server.pid))
while b"listens on" not in log.read_bytes()[start:]:
    assert server.poll() is None, log.read_text()
    time.sleep(0.05)
"""
JOURNALCTL = '#!/bin/sh\n[ "$1 $2" = "-u postrider" ] && exec cat /var/log/postrider.log\n'
SUDO = """#!/bin/sh
case "$1 $2" in '-u postrider' | '-u postgres') user=$2; shift 2; exec setpriv --reuid $user --regid $user --clear-groups "$@" ;; esac
exit 1
"""

# A provider at https://login.example.com, as people register Postrider there.
PROVIDER = """
import oidc_provider_mock, werkzeug.serving
app = oidc_provider_mock.app(require_client_registration=False, user_claims=[oidc_provider_mock.User(sub="ann", claims={"email": "ann@example.com", "email_verified": True})])
werkzeug.serving.make_server("127.0.0.1", 443, app, threaded=True, ssl_context=("/etc/letsencrypt/live/push.example.com/fullchain.pem", "/etc/letsencrypt/live/push.example.com/privkey.pem")).serve_forever()
"""

# An authority that everything on the machine trusts, and a certificate of all names.
CERTIFICATES = f"""
mkdir -p /etc/letsencrypt/live/push.example.com && cd /etc/letsencrypt/live/push.example.com
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -out ca.pem -days 30 -subj /CN=authority 2>&1
openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout privkey.pem -out request.pem -subj /CN=push.example.com 2>&1
printf 'subjectAltName={",".join(f"DNS:{name}" for name in HOSTS)}\\nextendedKeyUsage=serverAuth\\n' > extensions
openssl x509 -req -in request.pem -CA ca.pem -CAkey ca.key -CAcreateserial -days 30 -extfile extensions -out fullchain.pem 2>&1
cat ca.pem >> /etc/ssl/certs/ca-certificates.crt
cd - > /dev/null
"""

# A database server that is reached at two names by TLS, and takes passwords only: as on machines of its own.
DATABASE = CERTIFICATES + """
[ -e /var/run ] || ln -s /run /var/run
mkdir -p /run/postgresql /var/lib/postgresql && cp /etc/letsencrypt/live/push.example.com/*.pem /var/lib/postgresql
chown -R postgres: /run/postgresql /var/lib/postgresql && chmod 600 /var/lib/postgresql/privkey.pem && cd /var/lib/postgresql
programs=$(ls -d /usr/lib/postgresql/*/bin | tail -n 1)
sudo -u postgres $programs/initdb -D data -A peer -N > initdb.log
echo 'local all postgres peer' > data/pg_hba.conf; echo 'hostssl all all 127.0.0.1/32 scram-sha-256' >> data/pg_hba.conf
sudo -u postgres $programs/postgres -D data -c listen_addresses=127.0.0.1 -c unix_socket_directories=/run/postgresql -c fsync=off -c ssl=on \\
  -c ssl_cert_file=/var/lib/postgresql/fullchain.pem -c ssl_key_file=/var/lib/postgresql/privkey.pem > server.log 2>&1 &
cd - > /dev/null
within 600 pg_isready -q -h /run/postgresql || { cat /var/lib/postgresql/server.log; false; }
"""

# A function that fails ends with `false`: what `return` says is not looked at (pages.script).
SERVE = """
stop() { [ -z "$started" ] || { kill $started && wait $started; started=; }; }
# Tries a command as many tenths of a second as it says.
within() { for _ in $(seq $1); do "${@:2}" && return; sleep 0.1; done; false; }
listening() { within 1200 grep -q 'listens on' server.log || { cat server.log; kill $started; started=; false; }; }
started=
"""


def is_possible():
    return bool(pages.is_possible() and PYTHON.exists() and subprocess.run(["id", "-u"], capture_output=True, text=True).stdout == "0\n")


def commands(block):
    """The commands of a block; each start of a server in the foreground is one in the background that is waited for."""
    found = []
    for line in re.sub(r"\\\n", " ", block.text).splitlines():
        bare = re.sub(r"\s{2,}#.*$", "", line)
        if re.match(r"(\w+=\S+ )*postrider serve\b", bare.strip()) and not bare.rstrip().endswith("&"):
            found.append(f"stop; {bare} > server.log 2>&1 &\nstarted=$!; listening")
        else:
            found.append(line)
    return "\n".join(found) + "\nstop" if any("started=$!" in line for line in found) else block.text


def steps(page, hooks):
    """The blocks of a page, each between what is done before it and what it must have done; `hooks` are by a text that a block has."""
    found = []
    for block in pages.blocks(page):
        if block.word != "machine":
            continue
        before, after = next((hook for part, hook in hooks.items() if part in block.text), ("", ""))
        if before:
            found.append(pages.Step(0, before, None))
        if block.language == "console":
            found += pages.console(block)
        else:
            said = [line[2:] for line in block.text.splitlines() if line.startswith("# ")]
            words = commands(block)
            inner, end = (words[: -len("\nstop")], "\nstop") if words.endswith("\nstop") else (words, "")
            found.append(pages.Step(block.line, inner, "\n".join(said) if said else None))
            if after or end:
                found.append(pages.Step(0, f"{after}{end}", None))
            continue
        if after:
            found.append(pages.Step(0, after, None))
    return found


def box(folder, program):
    """The machine: what is in /usr is this one's, everything else its own."""
    etc, tools = folder / "etc", folder / "tools"
    shutil.copytree("/etc", etc, symlinks=True, ignore_dangling_symlinks=True, ignore=shutil.ignore_patterns("shadow*", "gshadow*", "ssl.*", "credentials*"))
    (etc / "hosts").write_text("127.0.0.1 localhost " + " ".join(HOSTS) + "\n")
    for name, line in (("passwd", "postrider:x:20011:20011::/var/lib/postrider:/usr/sbin/nologin\n"), ("group", "postrider:x:20011:\n")):
        (etc / name).write_text((etc / name).read_text() + line)
    tools.mkdir()
    for name, words in (("systemctl", SYSTEMCTL), ("journalctl", JOURNALCTL), ("sudo", SUDO), ("provider.py", PROVIDER)):
        (tools / name).write_text(words)
        (tools / name).chmod(0o755)
    words = ["bwrap", "--unshare-net", "--unshare-pid", "--die-with-parent", "--cap-add", "ALL", "--ro-bind", "/usr", "/usr"]
    for name in ("bin", "lib", "lib64", "sbin"):
        words += ["--symlink", f"usr/{name}", f"/{name}"]
    words += ["--bind", str(etc), "/etc", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--ro-bind", str(ROOT), str(ROOT)]
    for name in ("/root", "/run", "/var/lib/postrider", "/var/log", "/opt/tools"):
        words += ["--dir", name]
    # The interpreter of the environment, wherever it is installed.
    if not sys.base_prefix.startswith("/usr"):
        words += ["--ro-bind", sys.base_prefix, sys.base_prefix]
    words += ["--ro-bind", str(tools), "/opt/tools", "--ro-bind", str(program), "/opt/postrider/postrider", "--chdir", "/root", "--clearenv"]
    for name, value in {"HOME": "/root", "PATH": "/opt/tools:/opt/postrider:/usr/sbin:/usr/bin", "LANG": "C.UTF-8", "TERM": "xterm", "NO_COLOR": "1",
                        "SWIFT_BACKTRACE": "enable=no", "PYTHON": str(PYTHON)}.items():
        words += ["--setenv", name, value]
    return words


def run(every, folder, program):
    """Runs the steps; gives what each printed, and its exit status."""
    (folder / "script").write_text(SERVE + pages.script(every))
    words = [*box(folder, program), "--ro-bind", str(folder / "script"), "/tmp/.script", "bash", "/tmp/.script"]
    return pages.performed(every, words, folder)
