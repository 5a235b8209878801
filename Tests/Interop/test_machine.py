"""What the pages do as root: services, certificates, an identity provider, backups, each on a machine of its own (machine.py)."""

import pathlib

import pytest

import machine
import pages
from conftest import ROOT, command

possible = pytest.mark.skipif(not machine.is_possible(), reason="needs root, namespaces and the interop environment")

# A server in the background, as a reader has one already.
SERVER = """
serving() { "$@" > /tmp/serving.log 2>&1 & serving=$!; within 1200 grep -q 'listens on' /tmp/serving.log || { cat /tmp/serving.log; false; }; }
served() { kill $serving && wait $serving; serving=; }
as_service() { exec setpriv --reuid postrider --regid postrider --clear-groups "$@"; }
asked() { curl -sf -o /dev/null "$@"; }
# What the sign-in page asks first: where the provider is.
provider_is_asked() { curl -sf -X POST http://127.0.0.1:8787/session/oidc -H 'Content-Type: application/json' -H 'Origin: http://127.0.0.1:8787' -d '{}' | grep -q 'https://login.example.com/oauth2/authorize'; }
chown postrider:postrider /var/lib/postrider && chmod 700 /var/lib/postrider
"""

# Of each page by a text that a block has: what the reader has done before it, and what must be so after it.
HOOKS = {
    "docs/cli.md": {
        "--at-local": ("serving postrider serve --demo --emulator-port 0; within 600 grep -q 'Ctrl-C stops' /tmp/serving.log\n"
                       "export POSTRIDER_APP=demo POSTRIDER_KEY=$(grep -o 'prk_[A-Za-z0-9_-]*' /tmp/serving.log | head -n 1)\n"
                       "echo '{\"message\": {\"title\": \"Hello\", \"body\": \"World\"}}' > request.json",
                       "postrider push list --json > list.json; served; grep -q '\"state\":\"scheduled\"' list.json"),
    },
    "docs/operations.md": {
        "journalctl": ("serving as_service postrider serve --data /var/lib/postrider; served; cp /tmp/serving.log /var/log/postrider.log; "
                       "POSTRIDER_KEY=$(grep -o 'prk_[A-Za-z0-9_-]*' /var/log/postrider.log)", ""),
        "basenc": ("", """
[ "$(stat -c '%a %U' /etc/postrider /etc/postrider/admin-key | tr '\\n' ' ')" = '700 root 600 root ' ]
serving postrider serve --data /tmp/chosen --admin-key-file /etc/postrider/admin-key
asked http://127.0.0.1:8787/v1/apps -H "Authorization: Bearer $(cat /etc/postrider/admin-key)" && ! grep prk_ /tmp/serving.log
served"""),
        "--tls-certificate /etc": (machine.CERTIFICATES + "chown -R postrider: /etc/letsencrypt", "asked https://push.example.com/readyz"),
        "oidc-secret-file oidc-secret": ("$PYTHON /opt/tools/provider.py > /tmp/provider.log 2>&1 &\n"
                                         "within 100 asked https://login.example.com/.well-known/openid-configuration || { cat /tmp/provider.log; false; }\n"
                                         "exec < <(echo secret-of-the-client)", "[ \"$(cat oidc-secret)\" = secret-of-the-client ] && provider_is_asked"),
        "POSTRIDER_OIDC_SECRET=paste": ("", "provider_is_asked"),
        "LoadCredential=oidc": ("sed -i /SECRET=/d /etc/postrider/environment; exec < <(echo secret-of-the-client)",
                                "[ \"$(stat -c %U /run/credentials/postrider.service/oidc-secret)\" = postrider ] && provider_is_asked; "
                                "kill $(cat /run/postrider.pid); gone() { ! kill -0 $(cat /run/postrider.pid) 2>/dev/null; }; within 600 gone"),
        "--proxy proxy.example": ("mkdir -p /run/credentials/postrider.service; echo proxy.example.com:3128 > /run/credentials/postrider.service/proxy", ""),
        "--otlp http": ("rm -rf postrider-data; serving postrider serve --demo --emulator-port 0; within 600 grep -q 'Ctrl-C stops' /tmp/serving.log; POSTRIDER_KEY=$(grep -o 'prk_[A-Za-z0-9_-]*' /tmp/serving.log | head -n 1); served; COLLECTOR_KEY=k",
                        "asked 'http://127.0.0.1:8787/v1/apps/demo/pushes?number=1' -H \"Authorization: Bearer $POSTRIDER_KEY\""),
        "postrider backup": ("cp -a postrider-data/. /var/lib/postrider/; chown -R postrider: /var/lib/postrider; serving as_service postrider serve --data /var/lib/postrider\n"
                             "export POSTRIDER_KEY POSTRIDER_APP=demo; later() { postrider push send --all --title Later --body B --at 2031-01-01T0$1:00:00Z --json | jq -r .id; }\n"
                             "first=$(later 1) second=$(later 2)\n"
                             "curl -sf http://127.0.0.1:8787/v1/apps/demo/schedules -H \"Authorization: Bearer $POSTRIDER_KEY\" -o schedule.json "
                             "-d '{\"to\":{\"all\":true},\"message\":{\"title\":\"T\",\"body\":\"B\"},\"repeat\":{\"every\":\"day\",\"start\":\"2031-01-01T09:00:00\",\"timezone\":\"UTC\"}}'\n"
                             "postrider webhooks create https://example.com/hooks --type push.finished > /dev/null",
                             "served; [ -s /backups/$(date +%F)/postrider.sqlite ] && [ ! -e /backups/$(date +%F)/sealing.key ]"),
        "postrider restore": ("mv /backups/$(date +%F) /backups/2026-11-21; cp /var/lib/postrider/sealing.key .; mv /var/lib/postrider /var/lib/before; chown postrider /var/lib", ""),
        "held list": ("serving as_service postrider serve --data /var/lib/postrider\n"
                      "# The ids of the page are those that are held here.\n"
                      "postrider() { local words=(\"$@\"); case \"$1 $2 $3\" in 'push cancel 57') words[2]=$first ;; 'push resume 58') words[2]=$second ;; "
                      "'schedules resume 3') words[2]=$(jq -r .id schedule.json) ;; 'webhooks update 2') words[2]=1 ;; esac; command postrider \"${words[@]}\"; }",
                      "[ \"$(command postrider held list --json | jq '.held | length')\" = 0 ]"),
        "postrider doctor --data": ("", ""),
    },
    "docs/scale.md": {
        # The password of the page is what is typed for the role.
        "createuser": (machine.DATABASE + "exec < <(printf '…\\n…\\n'); chown root: /var/lib/postrider", """
asked http://127.0.0.1:8787/readyz
# All connections are encrypted, and the tables are there.
[ "$(sudo -u postgres psql -qAt -c "SELECT bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE usename = 'postrider'")" = t ]
[ "$(sudo -u postgres psql -qAt -d postrider -c 'SELECT count(*) FROM pushes')" = 0 ]"""),
        "--node b": ("", """
asked http://127.0.0.1:8787/readyz
[ "$(sudo -u postgres psql -qAt -d postrider -c "SELECT count(*) FROM nodes WHERE name = 'b'")" = 1 ]
# Nothing is said to a server that is not the one that is meant.
refused() {
  local status=0 said
  said=$(POSTRIDER_STORE_PASSWORD=… postrider ledger check --data /var/lib/postrider --store "postgresql://postrider@$1" 2>&1) || status=$?
  [ $status = 3 ] && [[ $said == *"$2"* && $said == *"$3"* ]] || { echo "$status: $said"; false; }
}
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout other.key -out other.pem -days 30 -subj /CN=other 2>&1
refused "db1.example.com/postrider?sslrootcert=$PWD/other.pem" "certificate verify failed" "name the authority of its certificate in sslrootcert"
echo '127.0.0.1 other.example.com' >> /etc/hosts
refused other.example.com/postrider "does not match host name" sslrootcert"""),
    },
}


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


@possible
@pytest.mark.parametrize("name", sorted(HOOKS))
def test_a_page_is_followed_on_a_machine(name, tmp_path):
    page = text(name)
    for part in HOOKS[name]:
        assert [block for block in pages.blocks(page) if block.word == "machine" and part in block.text], part
    every = [pages.Step(0, SERVER, None), *machine.steps(page, HOOKS[name])]
    results = machine.run(every, tmp_path, pathlib.Path(command()).resolve())
    faults = []
    for step, (said, status) in zip(every, results):
        where = f"{name}:{step.line}: {step.commands.strip()}"
        # Of the doctor's report, which names the machine and what it reaches, what is looked at; unreachable gateways are errors.
        if "postrider doctor" in step.commands:
            looked = {line[:9].strip() and line[9:41].strip() for line in (step.shown or "").splitlines() if line[:1] in "owse"}
            missing = [name for name in looked - {""} if name not in said]
            if missing or status not in (0, 1):
                faults.append(f"{where}\nsays nothing of {missing}, ended with {status}:\n{said}")
        elif status != 0:
            faults.append(f"{where}\nended with {status} and printed\n{said}")
        elif not pages.agrees(step.shown, said):
            faults.append(f"{where}\nprinted\n{said}\nand the page shows\n{step.shown}")
    assert not faults, "\n\n".join(faults)


def test_every_block_for_a_machine_is_run():
    for page in sorted({*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"}):
        name = str(page.relative_to(ROOT))
        assert name in HOOKS or not [block for block in pages.blocks(text(name)) if block.word == "machine"], name
