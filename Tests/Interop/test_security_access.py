"""Who may do what: every operation of the served OpenAPI document, with every kind of key, on own and on others' apps.

What each key may do is read from the table "Who may do what" of `docs/security.md`, which people write; the document that
the server serves has to agree with it, and the server with both. A refusal must change nothing, and must not say
anything of another app.
"""

import itertools
import json
import re
import urllib.parse

import pytest

from conftest import ROOT
from serving import Server, credentials, wait

SCOPES = ("admin", "send", "read", "client")
# A refused request changes nothing. These change by themselves: a key is in use, a webhook is tried again, the time is noted.
TOUCHED = ("api_keys.last_used_at", "outbox.attempts", "outbox.not_before", "outbox.failure", "outbox.dead", "webhooks.queued",
           "webhooks.failed_at", "webhooks.failure", "clock.latest", "clock.trusted", "sessions.used_at")


def table():
    """The scopes of each operation, and the operations that a key of one app may use outside of apps."""
    text = (ROOT / "docs/security.md").read_text(encoding="utf-8")
    part = text.split("## Who may do what")[1].split("\n## ")[0]
    scopes, free = {}, set()
    for line in part.splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) != 4 or cells[1] in ("key", "---"):
            continue
        names = re.findall(r"`(\w+)`", cells[2])
        if cells[1] == "any app's key, also outside of its app":
            free |= set(names)
            continue
        who = frozenset() if cells[1] == "nobody's" else frozenset(re.findall(r"`(\w+)`", cells[1]))
        for name in names:
            assert name not in scopes, f"{name} has two rows"
            scopes[name] = who
    return scopes, free


class Operation:
    """One operation of the document."""

    def __init__(self, method, path, description):
        self.method, self.path, self.description = method.upper(), path, description
        self.name = description["operationId"]
        self.parameters = re.findall(r"\{(\w+)\}", path)
        self.is_open = description.get("security") == []
        content = description.get("requestBody", {}).get("content", {})
        self.content_type, media = next(iter(content.items()), (None, {}))
        self.example = media.get("example")

    def fill(self, values):
        """The path with ids."""
        pattern = self.path + QUERIES.get(self.name, "")
        return re.sub(r"\{(\w+)\}", lambda found: urllib.parse.quote(str(values[found[1]]), safe=""), pattern)

    def said_scopes(self):
        """The scopes as the served document says them."""
        said = re.search(r"Needs a key with one of these scopes: ([a-z, ]+)\.", self.description.get("description", ""))
        return frozenset(said[1].split(", ")) if said else frozenset()


def operations(document):
    return [Operation(method, path, one) for path, item in document["paths"].items() for method, one in item.items()]


# --- An app with one of everything

MESSAGE = {"title": "Spring sale", "body": "Half price"}


class World:
    """An app with one of everything that an operation can name; every text of it holds `mark`."""

    def __init__(self, server, running, name, mark):
        self.server, self.name, self.mark = server, name, mark
        base = f"/v1/apps/{name}"
        done = server.done
        done("POST", "/v1/apps", {"name": name, "title": f"{mark} title", "contract": "native"})
        done("PUT", f"{base}/credentials", {**credentials(running), "web": {"subject": "mailto:ops@example.com"}})
        self.token = f"{sum(mark.encode()):04x}" * 16
        user = f"user-{mark}"
        device = done("POST", f"{base}/devices", {
            "type": "ios", "token": self.token, "user": user, "name": f"{mark} phone", "tags": [mark],
            "properties": {"note": f"{mark} note"}})["id"]
        done("PATCH", f"{base}/users/{user}", {"email": f"{mark}@example.com", "properties": {"note": mark}})
        everyone = {"operator": "AND", "conditions": [{"field": "tags", "op": "eq", "value": mark}]}
        done("POST", f"{base}/segments", {"name": f"seg-{mark}", "title": f"{mark} segment", "filter": everyone})
        message = {"title": f"{mark} {MESSAGE['title']}", "body": f"{mark} {MESSAGE['body']}"}
        done("PUT", f"{base}/templates/name-{mark}", {"message": message})
        done("PUT", f"{base}/views/name-{mark}", {"query": {"query": mark}})
        later = {"send_at": "2030-01-31T09:00:00Z"}
        sent = done("POST", f"{base}/pushes", {"to": {"users": [user]}, "message": message, "campaign": f"{mark}-sent"})["id"]
        push = done("POST", f"{base}/pushes", {"to": {"users": [user]}, "message": message, "campaign": mark, **later})["id"]
        # Each of these ends the waiting of its push, so that each has a push to itself.
        self.waiting = {
            name: done("POST", f"{base}/pushes", {"to": {"users": [user]}, "message": message, **later})["id"]
            for name in ("sendPush", "unschedulePush", "cancelPush")}
        self.draft = done("POST", f"{base}/pushes", {"to": {"users": [user]}, "message": message, "draft": True})["id"]
        schedule = done("POST", f"{base}/schedules", {
            "to": {"users": [user]}, "message": message, "campaign": mark,
            "repeat": {"every": "week", "start": "2030-02-04T09:00:00", "timezone": "Europe/Vienna"}})["id"]
        done("PUT", f"{base}/users/{user}/scheduled/name-{mark}", {"message": message, **later})
        channel = done("POST", f"{base}/channels", {"name": f"{mark} channel"})["id"]
        done("POST", f"{base}/devices", {"type": "ios-live-activity-start", "token": self.token + "aa", "user": user})
        activity = {"to": {"user": user}, "attributes_type": mark, "attributes": {}, "content_state": {}, "alert": message}
        done("POST", f"{base}/activities", {"id": f"act-{mark}", **activity})
        done("POST", f"{base}/activities/act-{mark}/tokens", {"token": self.token + "bb"})
        done("POST", f"{base}/users/{user}/inbox", {"id": f"msg-{mark}", "title": f"{mark} title", "body": f"{mark} body"})
        webhook = done("POST", f"{base}/webhooks", {
            "url": f"https://{mark}.example.com/hook", "types": ["delivery.rejected"]})["id"]
        key = done("POST", "/v1/keys", {"name": f"{mark} key", "scopes": ["read"]})["id"]
        person = done("POST", "/v1/people", {"email": f"{mark}@example.com", "name": f"{mark} person", "roles": [f"sender:{name}"]})["id"]
        # A session to be ended by itself.
        signed_in(server, done("POST", "/v1/keys", {"name": f"{mark} guest", "scopes": ["read"]})["key"])
        session = next(one["id"] for one in done("GET", "/v1/sessions")["sessions"] if one["holder"].get("name") == f"{mark} guest")
        kid = done("POST", f"{base}/identity/keys", {"algorithm": "HS256"})["id"]
        wait(lambda: "finished_at" in done("GET", f"{base}/pushes/{sent}"), "the push")
        done("PATCH", base, {"compat": {"onesignal": {}}})
        done("PUT", f"{base}/compat/onesignal/shadow", {"mode": "observe"})
        compat = done("POST", "/v1/keys", {"name": f"{mark} shadow", "scopes": ["compat"], "app": name})["key"]
        answer = server.ask("POST", "/compat/onesignal/notifications",
                            {"include_external_user_ids": [user], "contents": {"en": mark}}, key=compat)
        assert answer.status == 200, answer.text
        wait(lambda: done("GET", f"{base}/shadow/requests")["requests"], "the record of the request")
        request = done("GET", f"{base}/shadow/requests")["requests"][0]["id"]
        self.sent = sent
        self.delivery = done("GET", f"{base}/pushes/{sent}/deliveries")["deliveries"][0]
        self.ids = {"app": name, "device": device, "user": user, "segment": f"seg-{mark}", "push": push,
                    "name": f"name-{mark}", "schedule": schedule, "channel": channel, "activity": f"act-{mark}", "message": f"msg-{mark}", "webhook": webhook, "key": key, "person": person, "session": session, "passkey": "1", "kid": kid, "contract": "amba",
                    "request": request, "vendor": "onesignal"}

    def values(self, operation):
        """The ids that an operation names: what was sent for reading, what waits for changes."""
        values = dict(self.ids)
        if operation.name in READS_SENT:
            values["push"] = self.sent
        elif operation.name in CHANGES_DRAFT:
            values["push"] = self.draft
        elif operation.name in self.waiting:
            values["push"] = self.waiting[operation.name]
        return values


READS_SENT = {"getPush", "watchPush", "listDeliveries", "exportDeliveries", "getFunnel", "getPushSeries", "resendPush", "resendFailed"}
CHANGES_DRAFT = {"schedulePush", "deletePush"}
QUERIES = {"findDeliveries": "?user={user}", "getResults": "?pushes={push}", "exportResults": "?pushes={push}"}
# Bodies that succeed, where the document's example names what is not there; {mark}, {user} and others are filled in.
BODIES = {
    "saveView": {"query": {"query": "{mark}"}},
    "createApp": {"name": "{fresh}", "contract": "native"},
    "registerDevice": {"type": "ios", "token": "{token}", "user": "{user}"},
    "createSegment": {"name": "{fresh}", "title": "T", "filter": {"field": "tags", "op": "eq", "value": "x"}},
    "createPush": {"to": {"users": ["{user}"]}, "message": MESSAGE, "send_at": "2030-01-31T09:00:00Z"},
    "updatePush": {"campaign": "changed"},
    "testPush": {"to": {"user": "{user}"}, "message": MESSAGE},
    "previewPush": {"to": {"user": "{user}"}, "message": MESSAGE},
    "countAudience": {"to": {"segment": "{segment}"}},
    "createSchedule": {"to": {"users": ["{user}"]}, "message": MESSAGE,
                       "repeat": {"every": "week", "start": "2030-02-04T09:00:00", "timezone": "Europe/Vienna"}},
    "reportEvents": {"events": [{"type": "opened", "delivery": "{delivery}"}]},
    "replayWebhook": {},
    "createChannel": {"name": "{fresh}"},
    "startActivity": {"id": "{fresh}", "to": {"user": "{user}"}, "attributes_type": "T", "attributes": {}, "content_state": {},
                      "alert": MESSAGE},
    "leaveInboxMessage": {"title": "T", "body": "B"},
    "invitePerson": {"email": "{fresh}@example.com", "name": "N", "roles": ["sender"]},
    "createKey": {"name": "{fresh}", "scopes": ["read"]},
    "checkCredentials": {},
    "resendPush": {},
    "resendFailed": {"states": ["cancelled"], "preview": True},
}
# These end what others need, so that they come last, in this order.
LAST = ["cancelForUser", "cancelPush", "deletePush", "endSchedule", "deleteChannel", "deleteActivity", "deleteWebhook", "deleteTemplate", "deleteView", "deleteSegment",
        "deleteIdentityKey",
        "deleteDevice", "deleteInboxMessage", "deleteUser", "clearShadow", "revokeInvitation", "removePerson", "endSession", "revokeKey"]
# What is neither sending nor paused conflicts, which is an answer and no refusal.
# So does what waits for no approval.
MAY_CONFLICT = {"resumePush": (409,), "pausePush": (409,), "approvePush": (409,), "declinePush": (409,)}

INBOX = {"listInbox", "getInboxMessage", "readInbox", "updateInboxMessage", "deleteInboxMessage"}

fresh = itertools.count(1)


def body(operation, world):
    if operation.content_type is None:
        return None
    if operation.content_type != "application/json":
        return operation.example.encode()
    if operation.name in ("putCredentials", "postCredentials"):
        return {"fcm": world.credentials, "web": {"subject": "mailto:ops@example.com"}}
    values = {**world.ids, "mark": world.mark, "token": world.token, "delivery": world.delivery["id"], "fresh": f"fresh-{next(fresh)}"}
    text = json.dumps(BODIES.get(operation.name, operation.example))
    return json.loads(re.sub(r"\{(%s)\}" % "|".join(values), lambda found: str(values[found[1]]), text))


# --- The kinds of callers

class Caller:
    """A way of sending requests, and the scopes and app that it ought to have."""

    def __init__(self, kind, headers, scopes=(), app=None, refused=None, refused_writes=False):
        self.kind, self.headers, self.scopes, self.app = kind, headers, frozenset(scopes), app
        # The status of every request that needs a key; of every one that is no GET.
        self.refused, self.refused_writes = refused, refused_writes

    def verdict(self, operation, app, scopes, free):
        """The status of a refusal, or None when the request is to be obeyed."""
        wanted = scopes[operation.name]
        if not wanted:
            return None
        if self.refused == 401 or (self.refused_writes and operation.method != "GET"):
            return self.refused or 403
        if "admin" not in self.scopes and not self.scopes & wanted:
            return 403
        if self.refused:
            return self.refused
        if self.app is not None and operation.name not in free and ("app" not in operation.parameters or app != self.app):
            return 403
        # An inbox is its user's: whatever the app requires elsewhere, an app's key needs a token of that user.
        if operation.name in INBOX and "client" in self.scopes and not {"admin", "send"} & self.scopes and app != "missing":
            return 401
        return None


def bearer(key):
    return [("Authorization", f"Bearer {key}")]


def made(server, **more):
    return server.done("POST", "/v1/keys", {"name": "matrix", **more})


def signed_in(server, key):
    """The cookie and write token of a fresh session."""
    answer = server.ask("POST", "/session", {"key": key}, key=None)
    assert answer.status == 200, answer
    return answer.headers["Set-Cookie"].split(";")[0], answer.json["write_token"]


def callers(server, own, other):
    """Every kind of key, whatever can be had without one, and sessions."""
    found = [Caller("none", [], refused=401)]
    valid = made(server, scopes=["admin"])["key"]
    changed = valid[:-1] + ("A" if valid[-1] != "A" else "B")
    malformed = {
        "empty": "", "no scheme": valid, "basic": f"Basic {valid}", "scheme only": "Bearer", "space only": "Bearer ",
        "short": f"Bearer {valid[:-1]}", "long": f"Bearer {valid}A", "one character": f"Bearer {changed}",
        "case": f"Bearer {valid.swapcase()}", "prefix": f"Bearer prx_{valid[4:]}", "two spaces": f"Bearer  {valid}",
        "comma": f"Bearer {valid}, Bearer {valid}", "quoted": f'Bearer "{valid}"', "null": f"Bearer {'prk_' + 'A' * 43}",
        "wildcard": f"Bearer prk_{'%' * 43}", "like": f"Bearer prk_{'_' * 43}", "hash": f"Bearer {'0' * 64}",
        "accents": "Bearer prk_\xe9\xe8".encode("latin-1") + b"A" * 41,
    }
    found += [Caller(f"malformed: {name}", [("Authorization", text)], refused=401) for name, text in malformed.items()]
    found += [Caller("in another header", [("X-API-Key", valid), ("Proxy-Authorization", f"Bearer {valid}")], refused=401)]
    for scope in SCOPES:
        found.append(Caller(scope, bearer(made(server, scopes=[scope])["key"]), [scope]))
        for app in (own, other):
            key = made(server, scopes=[scope], app=app)["key"]
            found.append(Caller(f"{scope} of {app}", bearer(key), [scope], app))
    for several in (("send", "read"), ("read", "client"), ("send", "client")):
        found.append(Caller("+".join(several), bearer(made(server, scopes=list(several))["key"]), several))
    revoked = made(server, scopes=["admin"])
    server.done("GET", "/v1/apps", key=revoked["key"])
    server.done("DELETE", f"/v1/keys/{revoked['id']}")
    found.append(Caller("revoked", bearer(revoked["key"]), refused=401))
    rotated = made(server, scopes=["admin"])
    new = server.done("POST", f"/v1/keys/{rotated['id']}/rotate", {"overlap_seconds": 0})
    found.append(Caller("rotated, without overlap", bearer(rotated["key"]), refused=401))
    found.append(Caller("the successor of a rotated one", bearer(new["key"]), ["admin"]))
    overlapping = made(server, scopes=["send"], app=own)
    server.done("POST", f"/v1/keys/{overlapping['id']}/rotate", {"overlap_seconds": 3600})
    found.append(Caller("rotated, with overlap", bearer(overlapping["key"]), ["send"], own))
    # One request a minute, which is spent here.
    limited = made(server, scopes=["admin"], rate_per_minute=1)["key"]
    server.done("GET", "/v1/apps", key=limited)
    found.append(Caller("rate-limited", bearer(limited), ["admin"], refused=429))
    sessions = {"admin": None, "send": None, "read": None, "send of own": own, "read of other": other}
    for kind, app in sessions.items():
        scope = kind.split(" ")[0]
        key = made(server, scopes=[scope], **({"app": app} if app else {}))["key"]
        cookie, token = signed_in(server, key)
        headers = [("Cookie", cookie), ("X-CSRF-Token", token), ("Sec-Fetch-Site", "same-origin")]
        found.append(Caller(f"session {kind}", headers, [scope], app))
    cookie, token = signed_in(server, valid)
    _, another = signed_in(server, valid)
    for kind, headers in {
        "without its token": [], "with an empty token": [("X-CSRF-Token", "")],
        "with another session's token": [("X-CSRF-Token", another)],
        "from another site": [("X-CSRF-Token", token), ("Sec-Fetch-Site", "cross-site")],
        "from a sibling site": [("X-CSRF-Token", token), ("Sec-Fetch-Site", "same-site")],
        "from another origin": [("X-CSRF-Token", token), ("Origin", "https://evil.example")],
        "from a sandboxed page": [("X-CSRF-Token", token), ("Origin", "null")],
    }.items():
        found.append(Caller(f"session {kind}", [("Cookie", cookie), *headers], ["admin"], refused_writes=True))
    gone, token = signed_in(server, valid)
    assert server.ask("DELETE", "/session", key=None, headers=[("Cookie", gone), ("X-CSRF-Token", token)]).status == 204
    found.append(Caller("session that was ended", [("Cookie", gone), ("X-CSRF-Token", token)], refused=401))
    ended = made(server, scopes=["admin"])
    cookie, token = signed_in(server, ended["key"])
    server.done("DELETE", f"/v1/keys/{ended['id']}")
    found.append(Caller("session of a revoked key", [("Cookie", cookie), ("X-CSRF-Token", token)], refused=401))
    planted = "postrider_session=" + "A" * 43
    found.append(Caller("session that was planted", [("Cookie", planted), ("X-CSRF-Token", "A" * 43)], refused=401))
    return found


# --- The tests

@pytest.fixture(scope="module")
def server(tmp_path_factory):
    started = Server(tmp_path_factory.mktemp("access"))
    yield started
    print(f"\n{started.requests} requests")
    started.stop()


@pytest.fixture(scope="module")
def world(server, running):
    """Makes apps with one of everything."""
    running.scenario()

    def make(name, mark):
        made = World(server, running, name, mark)
        made.credentials = credentials(running)["fcm"]
        return made

    return make


@pytest.fixture(scope="module")
def own(world):
    return world("own", "kanariown")


@pytest.fixture(scope="module")
def other(world):
    return world("other", "kanariother")


@pytest.fixture(scope="module")
def known(server):
    return operations(server.ask("GET", "/openapi.json", key=None).json)


def test_the_served_document_says_what_the_table_says(server, known):
    scopes, free = table()
    names = [operation.name for operation in known]
    assert len(names) == len(set(names)) and set(names) == set(scopes), set(names) ^ set(scopes)
    assert free < set(names)
    for operation in known:
        assert operation.said_scopes() == scopes[operation.name], operation.name
        assert operation.is_open == (not scopes[operation.name]), operation.name
        # A key of one app may leave it only for what belongs to no app.
        assert operation.name not in free or "{app}" not in operation.path, operation.name
    assert server.ask("GET", "/openapi.json", key=None).json["security"] == [{"bearer": []}, {"session": []}]


def without_request_id(answer):
    return re.sub(rb'"request_id":"[0-9a-f]+"', b"", answer.content)


def test_every_refusal_of_the_matrix(server, known, own, other, request):
    """Nothing is done, nothing is said of the apps, and an app that is not there looks like one of others."""
    scopes, free = table()
    kinds = callers(server, "own", "other")
    before = server.rows(TOUCHED)
    missing = {**own.ids, "app": "missing"}

    def probe(caller):
        for operation in known:
            targets = {"own": own.values(operation), "other": other.values(operation)}
            # Who is refused everywhere learns nothing from where.
            if not caller.refused:
                targets["missing"] = missing
            for app, values in targets.items() if "app" in operation.parameters else [("own", own.values(operation))]:
                expected = caller.verdict(operation, app, scopes, free)
                if expected is None:
                    continue
                answer = server.ask(
                    operation.method, operation.fill(values), body(operation, own), key=None, headers=caller.headers,
                    content_type=operation.content_type or "application/json")
                what = f"{operation.name} of {app} with {caller.kind}: {answer}"
                assert answer.status == expected, what
                assert answer.headers["Content-Type"] == "application/problem+json", what
                assert b"kanari" not in answer.whole, what
                assert answer.json["status"] == expected, what
                if expected == 401:
                    wants = "Postrider-Identity " if operation.name in INBOX and caller.refused is None else "Bearer "
                    assert answer.headers["WWW-Authenticate"].startswith(wants), what
                if expected == 429:
                    assert 1 <= int(answer.headers["Retry-After"]) <= 60, what
                yield operation.name, app, without_request_id(answer)

    def whole(caller):
        said = list(probe(caller))
        # Who may not see an app does not learn whether it is there.
        answers = {(name, app): text for name, app, text in said}
        for (name, app), text in answers.items():
            if app == "missing" and (name, "other") in answers and name not in INBOX:
                assert text == answers[name, "other"], (caller.kind, name, text, answers[name, "other"])
        return len(said)

    # The key with a rate comes first, while its minute lasts.
    kinds.sort(key=lambda caller: caller.refused != 429)
    refused = sum(whole(caller) for caller in kinds)
    assert server.rows(TOUCHED) == before
    assert refused > 40 * len(known)
    print(f"\nmatrix: {len(known)} operations, {len(kinds)} kinds of callers, {refused} refusals")
    assert server.process.poll() is None


ALLOWED = [("admin", False), ("send", False), ("read", False), ("client", False),
           ("admin", True), ("send", True), ("read", True), ("client", True)]


@pytest.mark.parametrize("by", ["key", "session"])
@pytest.mark.parametrize("scope,bound", ALLOWED)
def test_every_permission_of_the_matrix(server, known, world, other, scope, bound, by):
    """What a key may do succeeds, with one of everything in its app; nothing of another app is in any answer."""
    if (scope, by) == ("client", "session"):
        return refuses_to_sign_in(server)
    scopes, free = table()
    name = f"{scope}-{'bound' if bound else 'free'}-{by}"
    mine = world(name, f"kanari{name}".replace("-", ""))
    key = made(server, scopes=[scope], **({"app": name} if bound else {}))["key"]
    headers = bearer(key)
    if by == "session":
        cookie, token = signed_in(server, key)
        headers = [("Cookie", cookie), ("X-CSRF-Token", token)]
    caller = Caller(name, headers, [scope], name if bound else None)
    done = 0
    for operation in sorted(known, key=lambda one: LAST.index(one.name) + 1 if one.name in LAST else 0):
        if caller.verdict(operation, name, scopes, free) is not None or operation.is_open:
            continue
        answer = server.ask(
            operation.method, operation.fill(mine.values(operation)), body(operation, mine), key=None, headers=headers,
            content_type=operation.content_type or "application/json")
        what = f"{operation.name} with {name}: {answer}"
        assert answer.status < 300 or answer.status in MAY_CONFLICT.get(operation.name, ()), what
        if bound:
            assert b"kanariother" not in answer.whole, what
        if by == "session":
            assert answer.headers.get("Cache-Control") in ("no-store",) or answer.status == 204, what
            assert answer.headers.get("X-Content-Type-Options") == "nosniff", what
        done += 1
    assert done == sum(1 for operation in known if scopes[operation.name] and caller.verdict(operation, name, scopes, free) is None)
    assert done >= 2


def refuses_to_sign_in(server):
    key = made(server, scopes=["client"])["key"]
    answer = server.ask("POST", "/session", {"key": key}, key=None)
    assert answer.status == 403 and "Set-Cookie" not in answer.headers


def state(server, world):
    """What an administrator sees of an app."""
    base = f"/v1/apps/{world.name}"
    paths = ["", "/devices", "/users", f"/users/{world.ids['user']}", "/segments", "/templates", "/pushes", "/schedules", "/webhooks",
             "/suppression", f"/users/{world.ids['user']}/scheduled", "/credentials", "/identity", "/retention", "/audit",
             f"/pushes/{world.sent}/deliveries", f"/pushes/{world.sent}/funnel", f"/segments/{world.ids['segment']}"]
    return {path: server.done("GET", base + path) for path in paths}


NOBODY = {"device": "999999999", "user": "user-nobodys", "segment": "seg-nobodys", "push": "999999999", "name": "name-nobodys",
          "schedule": "999999999", "channel": "999999999", "activity": "nobodys", "message": "nobodys", "webhook": "999999999", "key": "999999999", "person": "999999999", "session": "999999999", "passkey": "999999999", "kid": "0123456789abcdef", "request": "999999999", "vendor": "onesignal", "mark": "nobodys", "delivery": "999999999",
          "apns_id": "a1b2c3d4-e5f6-8788-8000-00000000002a"}


def comparable(answer, values):
    """An answer without what the caller wrote, and without what differs from one request to the next."""
    text = without_request_id(answer)
    for value in sorted({str(value) for value in values.values()}, key=len, reverse=True):
        text = re.sub(rb"(?<![0-9A-Za-z])%s(?![0-9A-Za-z])" % re.escape(value.encode()), b"GIVEN", text)
    text = re.sub(rb'"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z"', b"TIME", text)
    text = re.sub(rb'"id":"(?:[0-9]+|[0-9a-f-]{36})"', b"ID", text)
    text = re.sub(rb'"number":[0-9]+', b"NUMBER", text)
    return answer.status, re.sub(rb"erased-[A-Za-z0-9_-]+", b"PSEUDONYM", text)


def test_ids_of_another_app_lead_nowhere(server, known, own, other):
    """Own app in the path, another's id behind it: the same answer as for an id that nobody has."""
    before = state(server, other)
    tried = 0
    for scope in ("admin", "send", "read"):
        key = made(server, scopes=[scope], app="own")["key"]
        for operation in known:
            if "app" not in operation.parameters or len(operation.parameters) < 2:
                continue
            answers = []
            for ids in (other.values(operation), NOBODY):
                values = {**ids, "app": "own"}
                answer = server.ask(
                    operation.method, operation.fill(values), body(operation, own), key=key,
                    content_type=operation.content_type or "application/json")
                assert b"kanariother " not in answer.whole and answer.status < 500, (operation.name, answer)
                answers.append(comparable(answer, {name: values[name] for name in operation.parameters[1:]}))
            assert answers[0] == answers[1], (operation.name, scope, answers)
            tried += 1
    assert tried > 80
    assert state(server, other) == before


REFERENCES = [
    ("POST", "/pushes", {"to": {"devices": ["{device}"]}, "message": MESSAGE, "draft": True}),
    ("POST", "/pushes", {"to": {"segment": "{segment}"}, "message": MESSAGE, "draft": True}),
    ("POST", "/pushes", {"to": {"users": ["{user}"]}, "message": MESSAGE, "draft": True}),
    ("POST", "/pushes", {"to": {"users": ["{user}"]}, "template": "{name}", "draft": True}),
    ("POST", "/pushes/check", {"to": {"devices": ["{device}"]}, "message": MESSAGE}),
    ("POST", "/pushes/check", {"to": {"segment": "{segment}"}, "message": MESSAGE}),
    ("POST", "/pushes/preview", {"to": {"device": "{device}"}, "message": MESSAGE}),
    ("POST", "/pushes/preview", {"to": {"user": "{user}"}, "message": MESSAGE}),
    ("POST", "/pushes/preview", {"template": "{name}"}),
    ("POST", "/test-pushes", {"to": {"device": "{device}"}, "message": MESSAGE}),
    ("POST", "/test-pushes", {"to": {"user": "{user}"}, "message": MESSAGE}),
    ("POST", "/audience", {"to": {"devices": ["{device}"]}}),
    ("POST", "/audience", {"to": {"segment": "{segment}"}}),
    ("POST", "/audience", {"to": {"users": ["{user}"]}}),
    ("POST", "/events", {"events": [{"type": "opened", "delivery": "{delivery}"}]}),
    ("POST", "/events", {"events": [{"type": "opened", "apns_id": "{apns_id}"}]}),
    ("POST", "/webhooks/{webhook}/replay", {"batches": ["1"]}),
    ("POST", "/segments/count", {"filter": {"field": "tags", "op": "eq", "value": "{mark}"}, "sample": 5}),
    ("GET", "/deliveries?user={user}", None),
    ("GET", "/deliveries?device={device}", None),
    ("GET", "/devices?user={user}", None),
]


@pytest.mark.parametrize("method,path,content", REFERENCES, ids=lambda value: value if isinstance(value, str) else None)
def test_bodies_and_queries_that_name_what_another_app_has(server, own, other, method, path, content):
    before = state(server, other)
    key = made(server, scopes=["admin"], app="own")["key"]
    values = {**other.ids, "mark": other.mark, "delivery": other.delivery["id"], "apns_id": other.delivery["apns_id"]}
    answers = []
    for given in (values, NOBODY):
        fill = lambda text: re.sub(r"\{(%s)\}" % "|".join(given), lambda found: str(given[found[1]]), text)  # noqa: B023, E731
        answer = server.ask(method, "/v1/apps/own" + fill(path), content and json.loads(fill(json.dumps(content))), key=key)
        assert answer.status < 500
        used = re.findall(r"\{(\w+)\}", path + json.dumps(content))
        answers.append(comparable(answer, {name: given[name] for name in used}))
        assert other.token.encode() not in answer.whole
    assert answers[0] == answers[1] and b"kanariother" not in answers[0][1]
    assert state(server, other) == before


def test_other_methods_and_spellings_of_a_path_open_nothing(server, known, own, other):
    """No other method, case, slash, dot or escape makes a path that wants a key one that does not."""
    key = made(server, scopes=["admin"], app="own")["key"]
    before = server.rows(TOUCHED)
    open_paths = {operation.path for operation in known if operation.is_open}
    tried = 0
    for path in sorted({operation.path for operation in known} - open_paths):
        plain = Operation("get", path, {"operationId": ""}).fill(other.ids)
        spellings = [plain, plain + "/", "/" + plain, plain.replace("/v1/", "/V1/"), plain.replace("/v1/", "/v1//"),
                     plain.replace("/v1/", "/v1/./"), plain.replace("/v1/", "/healthz/../v1/"), plain + "?key=" + server.key,
                     plain + "?access_token=" + server.key, plain + ";a=b", plain.replace("v1", "%76%31"), plain + "%00",
                     plain + "%2e%2e", "http://127.0.0.1" + plain, plain + ".json"]
        for spelling in spellings:
            for method in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "get", "PROPFIND"):
                if spelling != plain and method not in ("GET", "DELETE"):
                    continue
                answer = server.ask(method, spelling, key=None, headers=[("X-HTTP-Method-Override", "GET")])
                assert answer.status in (400, 401, 404, 405, 501), (method, spelling, answer)
                assert b"kanari" not in answer.whole.replace(spelling.encode(), b""), (method, spelling, answer)
                tried += 1
    for spelling in ["/v1/apps/own/../other/pushes", "/v1/apps/own%2f..%2fother/pushes", "/v1/apps/own/%2e%2e/other/pushes",
                     "/v1/apps/own\\..\\other/pushes", "/v1/apps/other%00own/pushes", "/v1/apps/other/pushes?app=own",
                     "/v1/apps//other/pushes", "/v1/apps/own;other/pushes", "/v1/apps/OTHER/pushes", "/v1/apps/other%20/pushes"]:
        answer = server.ask("GET", spelling, key=key)
        assert answer.status in (200, 400, 403, 404), (spelling, answer)
        assert b"kanariother" not in answer.whole, (spelling, answer)
    assert server.rows(TOUCHED) == before
    assert tried > 1_000


def test_the_lab_takes_the_callers_of_the_api_only(tmp_path):
    """The demo's virtual devices, which the document does not list: reading and writing by scope, and nothing else of the emulator."""
    server = Server(tmp_path / "lab", "--demo", "--emulator-port", "0")
    try:
        keys = {scope: made(server, scopes=[scope])["key"] for scope in SCOPES}
        keys["admin of demo"] = made(server, scopes=["admin"], app="demo")["key"]
        cookie, token = signed_in(server, keys["send"])
        of = {name: bearer(key) for name, key in keys.items()} | {
            "none": [], "malformed": [("Authorization", "Bearer x")], "session": [("Cookie", cookie), ("X-CSRF-Token", token)],
            "session without its token": [("Cookie", cookie)], "session from another site": [
                ("Cookie", cookie), ("X-CSRF-Token", token), ("Sec-Fetch-Site", "cross-site")]}
        expected = {"admin": (200, 201), "send": (200, 201), "read": (200, 403), "client": (403, 403), "admin of demo": (403, 403), "none": (401, 401),
                    "malformed": (401, 401), "session": (200, 201), "session without its token": (200, 403), "session from another site": (200, 403)}
        assert set(of) == set(expected)
        for name, headers in of.items():
            reading, writing = expected[name]
            answer = server.ask("GET", "/lab/devices/phones", key=None, headers=headers)
            assert answer.status == reading, (name, answer)
            answer = server.ask("POST", "/lab/devices", {"provider": "apns"}, key=None, headers=headers)
            assert answer.status == writing or (writing == 201 and answer.status == 200), (name, answer)
        for rest in ("", "/", "/credentials", "/keys", "/scenario", "/rules", "/devices/../credentials", "/devices/%2e%2e/credentials", "/devices%2f..%2fcredentials",
                     "//credentials", "/control/credentials", "/devices/../../control/credentials"):
            for method in ("GET", "POST", "PUT", "DELETE"):
                answer = server.ask(method, f"/lab{rest}", {} if method in ("POST", "PUT") else None)
                assert answer.status in (400, 404, 405) and b"PRIVATE KEY" not in answer.content, (method, rest, answer)
    finally:
        server.stop()
