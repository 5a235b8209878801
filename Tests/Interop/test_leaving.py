"""The pages about leaving a service, followed as a reader would: their own commands, pasted into a shell with an empty home folder
and a new server, over made-up files of 20 000 rows, or as many as `LEAVING_ROWS` says. What each file becomes is counted by whoever writes it."""

import csv
import datetime
import gzip
import io
import json
import os
import pathlib
import re
import shlex
import subprocess
import urllib.request
import uuid

import pytest

from conftest import command
from serving import Server, credentials

ROWS = int(os.environ.get("LEAVING_ROWS", "20000"))
PAGES = pathlib.Path(__file__).parents[2] / "docs/leaving"
NOW = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
# In shares of a hundred rows: what a service has beside devices that can be sent to.
DEAD, SILENT, MAIL, RECENT = range(0, 10), range(10, 20), range(20, 25), range(25, 55)


class Made:
    """A file, and what must come of it."""

    def __init__(self, rows):
        self.rows, self.accepted, self.opted_out, self.recent = rows, 0, 0, 0

    def take(self, kind, opted_out):
        """Counts a row; gives when it was last seen."""
        self.accepted += 1
        self.opted_out += opted_out
        self.recent += kind in RECENT
        return NOW - datetime.timedelta(days=1 if kind in RECENT else 40)


def token(number):
    """An iPhone's token for even numbers, an Android phone's for odd ones."""
    return f"{number:064x}" if number % 2 == 0 else f"fMEO1bKqT0:APA91b{number:0120d}"


def onesignal(folder):
    made = Made(ROWS)
    text = io.StringIO()
    out = csv.writer(text)
    out.writerow(["id", "identifier", "device_type", "external_user_id", "onesignal_id", "language", "timezone_id", "tags", "notification_types",
                  "created_at", "last_active", "invalid_identifier"])
    for number in range(ROWS):
        kind = number % 100
        is_mail, is_dead, is_silent = kind in MAIL, kind in DEAD, kind in SILENT
        seen = NOW
        if not is_mail and not is_dead:
            seen = made.take(kind, is_silent)
        out.writerow([uuid.UUID(int=number + 1), f"user{number}@example.com" if is_mail else token(number), 11 if is_mail else number % 2,
                      f"user-{number}", uuid.UUID(int=(1 << 100) + number), "de" if number % 3 else "en", "Europe/Vienna",
                      json.dumps({"plan": "pro" if number % 4 else "free", "visits": str(number % 50)}), -2 if is_silent else 1,
                      "2025-05-01 10:00:00", seen.strftime("%Y-%m-%d %H:%M:%S"), "t" if is_dead else "f"])
    (folder / "users.csv.gz").write_bytes(gzip.compress(text.getvalue().encode(), 1))
    return made


def pinpoint(folder):
    made = Made(ROWS)
    lines = []
    for number in range(ROWS):
        kind = number % 100
        is_mail, is_dead, is_silent = kind in MAIL, kind in DEAD, kind in SILENT
        seen = NOW
        if not is_mail and not is_dead:
            seen = made.take(kind, is_silent)
        lines.append(json.dumps({
            "Id": f"e-{number}", "ChannelType": "EMAIL" if is_mail else "GCM" if number % 2 else "APNS",
            "Address": f"user{number}@example.com" if is_mail else token(number), "EndpointStatus": "INACTIVE" if is_dead else "ACTIVE",
            "OptOut": "ALL" if is_silent else "NONE", "EffectiveDate": seen.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
            "User": {"UserId": f"user-{number}", "UserAttributes": {"age": [str(number % 90)]}}, "Attributes": {"plan": ["pro"]},
            "Demographic": {"Locale": "de_AT", "Timezone": "Europe/Vienna"}}))
    (folder / "endpoints.ndjson.gz").write_bytes(gzip.compress("\n".join(lines).encode() + b"\n", 1))
    return made


def firebase(folder):
    made = Made(ROWS)
    with open(folder / "tokens.csv", "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["token", "uid", "platform", "last_seen", "opt_out"])
        for number in range(ROWS):
            seen = made.take(number % 100, number % 100 in SILENT)
            out.writerow([token(2 * number + 1), f"user-{number}", "android", seen.isoformat(), str(number % 100 in SILENT).lower()])
    return made


def powerauth(folder):
    made = Made(ROWS)
    with open(folder / "devices.csv", "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["id", "activation_id", "user_id", "app_id", "platform", "push_token", "environment", "timestamp_last_registered", "is_active"])
        for number in range(ROWS):
            is_dead = number % 100 in DEAD
            seen = NOW if is_dead else made.take(number % 100, False)
            out.writerow([number, uuid.UUID(int=number + 1), f"user-{number}", 1, "fcm" if number % 2 else "apns", token(number),
                          "" if number % 2 else "production", seen.strftime("%Y-%m-%d %H:%M:%S"), str(not is_dead).lower()])
    return made


def commands(vendor):
    """The lines of the page's steps that are our own program's, as they are pasted into a shell."""
    text = (PAGES / f"{vendor}.md").read_text().split("## What becomes what")[0]
    found = re.findall(r"^ *\$ (postrider (?:apps create|apps set-credentials|import) .*)$", text, re.M)
    # Browsers need the key that they subscribed for, which made-up files have not.
    return [line for line in found if "--web-key" not in line and "web.json" not in line]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("leaving"))
    yield server
    server.stop()


@pytest.fixture
def shell(server, running, tmp_path):
    """Runs a line as a person with an empty home folder would, and gives what it printed."""
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "postrider").symlink_to(command())
    for name in ("credentials.json", "service-account.json"):
        (tmp_path / name).write_text(json.dumps(credentials(running)))
    environment = {**os.environ, "HOME": str(tmp_path), "PATH": f"{programs}:{os.environ['PATH']}", "POSTRIDER_URL": server.origin,
                   "POSTRIDER_KEY": server.key}
    environment.pop("XDG_CONFIG_HOME", None)

    def run(line, **more):
        done = subprocess.run(["bash", "-eo", "pipefail", "-c", line], cwd=tmp_path, env={**environment, **more}, capture_output=True, text=True, timeout=540)
        assert done.returncode == 0, (line, done.stdout, done.stderr)
        return done.stdout

    run.folder = tmp_path
    return run


@pytest.mark.parametrize("vendor, generate", [("onesignal", onesignal), ("pinpoint", pinpoint), ("firebase", firebase), ("powerauth", powerauth)])
def test_a_page_is_followed(server, shell, vendor, generate):
    made = generate(shell.folder)
    app = f"{vendor}-shop"
    lines = commands(vendor)
    imports = [line for line in lines if line.startswith("postrider import")]
    assert imports, f"docs/leaving/{vendor}.md has no import to paste"
    # The page of one vendor has the app's creation on another page.
    if not any("apps create" in line for line in lines):
        lines = [f"postrider apps create {app} --contract native"] + lines
    for line in lines:
        words = [app if word in ("shop", "bank") else word for word in shlex.split(line.split(" | ")[0])]
        said = shell(shlex.join(words), POSTRIDER_APP=app)
        if "--dry-run" in words:
            assert re.search(rf"^accepted\s+{made.accepted}$", said, re.M), said
            assert re.search(rf"^opted_out\s+{made.opted_out}$", said, re.M), said
    total = lambda to: server.done("POST", f"/v1/apps/{app}/audience", {"to": to})["total"]  # noqa: E731
    assert total({"all": True}) == made.accepted
    assert total({"segment": "active_7d"}) == made.recent
    # Once more: nothing that the first import wrote is changed.
    file = shlex.split(imports[0])[3]
    before = digest(server, app)
    again = json.loads(shell(f"postrider import {vendor} {file} --app {app} --json"))
    assert (again["rows"], again["accepted"], again["server"]["created"], again["server"]["failed"]) == (made.rows, made.accepted, 0, 0)
    assert digest(server, app) == before
    if vendor == "onesignal":
        answers_the_vendors_calls(server, app, made)


def digest(server, app):
    """The devices of an app as a file of them has them, but for when each was written."""
    request = urllib.request.Request(f"{server.origin}/v1/apps/{app}/devices/export", headers={"Authorization": f"Bearer {server.key}"})
    with urllib.request.urlopen(request) as answer:
        return hash(answer.read())


def answers_the_vendors_calls(server, app, made):
    """Ids in the backend's own database go on working at the drop-in, and its export has everybody."""
    app_id = server.done("PATCH", f"/v1/apps/{app}", {"compat": {"onesignal": {}}})["compat"]["onesignal"]["app_id"]
    key = server.done("POST", "/v1/keys", {"name": app, "scopes": ["compat"], "app": app})["key"]
    ask = lambda method, path, body=None: server.done(method, f"/compat/onesignal{path}", body, key=key)  # noqa: E731
    number = ROWS - 1
    shown = ask("GET", f"/apps/{app_id}/users/by/onesignal_id/{uuid.UUID(int=(1 << 100) + number)}")
    assert shown["identity"]["external_id"] == f"user-{number}"
    assert [one["id"] for one in shown["subscriptions"]] == [str(uuid.UUID(int=number + 1))]
    link = ask("POST", f"/players/csv_export?app_id={app_id}", {"extra_fields": ["external_user_id", "onesignal_id", "notification_types"]})
    with urllib.request.urlopen(link["csv_file_url"]) as answer:
        rows = list(csv.DictReader(io.StringIO(gzip.decompress(answer.read()).decode())))
    assert len(rows) == made.accepted
    assert sum(row["notification_types"] == "-2" for row in rows) == made.opted_out
    assert all(row["onesignal_id"] == str(uuid.UUID(int=(1 << 100) + int(row["external_user_id"].split("-")[1]))) for row in rows)
