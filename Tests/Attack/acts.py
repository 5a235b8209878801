"""What callers do: each act is one thing that the API offers, done at random, with note of what was acknowledged."""

import datetime
import json
import time

from identity import BAD_KEY, GOOD_KEYS
from promises import Pushed
from tokens import Tokens

# How often each act happens, against the others.
WEIGHTS = {
    "campaign": 6, "transactional": 40, "named_twice": 3, "later": 8, "draft": 4, "template": 3, "segment": 2, "replay": 6,
    "cancel": 6, "pause": 3, "throttle": 3, "resend": 2, "appoint": 6, "schedule": 2, "more_devices": 1, "one_device": 3,
    "hand_over": 3,
    "person": 2, "credentials": 1, "report": 8, "rotate": 0.3,
}


def moment(seconds):
    """A time that many seconds from now, as RFC 3339."""
    at = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)
    return at.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def clock_time(at):
    """What a clock in UTC shows at a time in seconds since 1970."""
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at))


class Acts:
    """The acts, by the names of `WEIGHTS`; what they stand on is in `Workload`."""

    # MARK: - Pushes

    def campaign(self, rng, app):
        body = {"to": {"all": True}}
        if rng.random() < 0.7:
            body["campaign"] = f"c-{rng.randrange(20)}"
        if rng.random() < 0.3:
            body["throttle_per_minute"] = rng.choice([600, 3_000, 20_000])
        if rng.random() < 0.3:
            body["expires_in_seconds"] = rng.randint(1, 3)
        if rng.random() < 0.3:
            body["unknown"] = "leave"
        if rng.random() < 0.2:
            body["to"] = {"filter": {"field": "type", "op": "eq", "value": "ios"}}
        self.create(app, self.fresh("campaign"), body)

    def transactional(self, rng, app):
        body = {}
        choice = rng.random()
        tokens = None
        if choice < 0.5 or not self.registered[app]:
            listed = [Tokens(rng).one() for _ in range(rng.choice([1, 1, 1, 3, 12]))]
            tokens = [one["token"] for one in listed]
            body["to"] = {"tokens": listed}
        elif choice < 0.75:
            body["to"] = {"users": sorted({rng.choice(self.registered[app])["user"] for _ in range(2)})}
        else:
            known = [device["id"] for device in self.registered[app] if device.get("id")]
            body["to"] = {"devices": sorted({rng.choice(known) for _ in range(2)})}
        if rng.random() < 0.2:
            body["unknown"] = "leave"
        if rng.random() < 0.1:
            body["expires_in_seconds"] = rng.randint(1, 2)
        self.create(app, self.fresh("single"), body, tokens=tokens)

    def named_twice(self, rng, app):
        """A device that the request names twice; one notification is what its owner expects."""
        device = rng.choice(self.registered[app])
        if rng.random() < 0.4 and device["type"] == "ios":
            tokens = [{"type": "ios", "token": device["token"]}, {"type": "ios", "token": device["token"].upper()}]
            if "environment" in device:
                tokens = [{**one, "environment": device["environment"]} for one in tokens]
            to = {"tokens": tokens}
        elif rng.random() < 0.5:
            to = {"users": [device["user"], device["user"]]}
        elif device.get("id"):
            to = {"devices": [device["id"], device["id"]]}
        else:
            return
        tokens = [device["token"]] if "tokens" in to else None
        self.create(app, self.fresh("twice"), {"to": to}, tokens=tokens)

    def later(self, rng, app):
        listed = [Tokens(rng).one() for _ in range(2)]
        body = {"to": {"tokens": listed}}
        tokens = [one["token"] for one in listed]
        if rng.random() < 0.7:
            body["send_at"] = moment(rng.uniform(0.3, 2))
        else:
            body.update(send_at_local=clock_time(time.time() + rng.uniform(1, 2)), timezone="UTC")
        self.create(app, self.fresh("later"), body, tokens=tokens)

    def draft(self, rng, app):
        listed = [Tokens(rng).one()]
        push = self.create(app, self.fresh("draft"), {"to": {"tokens": listed}, "draft": True},
                           tokens=[listed[0]["token"]])
        if not push:
            return
        if rng.random() < 0.8:
            self.control(push, "send")
        elif rng.random() < 0.5:
            push.deleted = True
            status, answer, _ = self.ask("DELETE", f"/v1/apps/{app}/pushes/{push.id}")
            if status not in (204, 404):
                self.promises.fault(f"deleting draft {push.id}: {status} {answer}")

    def template(self, rng, app):
        """A push from a template that is deleted afterwards, and then the request for the push once more."""
        name = self.fresh("template")
        status, answer, _ = self.ask("PUT", f"/v1/apps/{app}/templates/{name}", {"message": {"title": name, "body": "T"}})
        if status >= 300:
            return self.promises.fault(f"saving {name}: {status} {answer}")
        self.promises.templates[app, name] = name
        listed = [Tokens(rng).one()]
        push = self.create(app, name, {"to": {"tokens": listed}, "template": name},
                           tokens=[listed[0]["token"]])
        if push and rng.random() < 0.6:
            self.promises.templates.pop((app, name))
            self.ask("DELETE", f"/v1/apps/{app}/templates/{name}")
            self.promises.templates[app, name] = None
            self.repeat(push)

    def segment(self, rng, app):
        name = self.fresh("segment")
        conditions = {"field": "id", "op": "eq", "value": rng.choice(self.registered[app])["user"]}
        status, answer, _ = self.ask("POST", f"/v1/apps/{app}/segments", {"name": name, "filter": conditions})
        if status >= 300 and status != 409:
            return self.promises.fault(f"saving {name}: {status} {answer}")
        self.promises.segments[app, name] = True
        push = self.create(app, name, {"to": {"segment": name}})
        if push and rng.random() < 0.5:
            self.promises.segments.pop((app, name))
            self.ask("DELETE", f"/v1/apps/{app}/segments/{name}")
            self.promises.segments[app, name] = None
            self.repeat(push)

    def replay(self, rng, app):
        push = self.some(rng, app, recent=40)
        if push:
            self.repeat(push)

    def repeat(self, push):
        """The same request under the same key, as a client does whose answer was lost: the first push, whatever has happened."""
        if push.deleted or not push.key:
            return
        status, answer, _ = self.ask("POST", push.path, push.body, {"Idempotency-Key": push.key})
        self.promises.replays += 1
        if status >= 300:
            self.promises.fault(f"replay of {push.marker} ({push.path.rsplit('/', 1)[1]}) was refused: {status} "
                                f"{answer.get('detail') if isinstance(answer, dict) else answer}")
        elif answer.get("id") != push.id:
            self.promises.fault(f"replay of {push.marker} made push {answer.get('id')} beside {push.id}")

    # MARK: - Changing what is under way

    def control(self, push, verb, headers=()):
        """Pause, resume, cancel, send …: 409 when it is not in a state for this, or when the lost answer was a success."""
        status, answer, _ = self.ask("POST", f"/v1/apps/{push.app}/pushes/{push.id}/{verb}", None, headers)
        if status == 404 and not push.deleted:
            self.promises.fault(f"{verb} of acknowledged push {push.id} of {push.app}: 404 {answer}")
        elif status >= 300 and status not in (404, 409):
            self.promises.fault(f"{verb} of push {push.id}: {status} {answer}")
        return status < 300

    def cancel(self, rng, app):
        push = self.some(rng, app)
        if push and self.control(push, "cancel"):
            push.cancelled = True

    def pause(self, rng, app):
        push = self.some(rng, app)
        if push and not push.cancelled and self.control(push, "pause"):
            push.paused = True
            if rng.random() < 0.8:
                time.sleep(rng.random() * 0.2)
                self.control(push, "resume")

    def throttle(self, rng, app):
        push = self.some(rng, app)
        if push and push.marker.startswith("campaign"):
            rate = rng.choice([1_200, 60_000, None])
            status, answer, _ = self.ask("PATCH", f"/v1/apps/{app}/pushes/{push.id}", {"throttle_per_minute": rate})
            if status not in (200, 409):
                self.promises.fault(f"throttle of push {push.id}: {status} {answer}")

    def resend(self, rng, app):
        push = self.some(rng, app)
        if push and "campaign" in push.body and not push.deleted:
            key = f"again-{push.marker}-{rng.randrange(1 << 30)}"
            path = f"/v1/apps/{app}/pushes/{push.id}/resend"
            status, answer, _ = self.ask("POST", path, None, {"Idempotency-Key": key})
            if status < 300:
                self.promises.push(Pushed(app, answer["id"], push.marker, push.body, path, "", None, push.policy))
            elif status not in (409, 404):
                self.promises.fault(f"resend of {push.id}: {status} {answer}")

    # MARK: - Waiting for one user; coming again

    def appoint(self, rng, app):
        user, name = rng.choice(self.registered[app])["user"], f"reminder-{rng.randrange(2)}"
        address = (app, user, name)
        with self.lock:
            if address in self.appointing:
                return
            self.appointing.add(address)
        try:
            self.appoint_at(address, rng)
        finally:
            self.appointing.discard(address)

    def appoint_at(self, address, rng):
        """One caller at a time for each name, so that what was acknowledged last is what counts."""
        app, user, name = address
        marker = self.fresh("reminder")
        path = f"/v1/apps/{app}/users/{user}/scheduled/{name}"
        body = {"message": {"title": marker, "body": "R"}, "send_at": moment(rng.uniform(0.5, 3))}
        status, answer, sent = self.ask("PUT", path, body)
        if status >= 300:
            # The moment passed while the server was away; what it is then answered is a matter of its own.
            return None if status == 422 else self.promises.fault(f"scheduling {marker}: {status} {answer}")
        push = self.promises.push(Pushed(app, answer["id"], marker, body, repeated=sent > 1))
        if rng.random() < 0.3:
            status, _, _ = self.ask("DELETE", path)
            push.cancelled = status == 204

    def schedule(self, rng, app):
        marker = self.fresh("schedule")
        first = int(time.time() + rng.uniform(1, 3))
        body = {"message": {"title": marker, "body": "S"}, "to": {"users": [rng.choice(self.registered[app])["user"]]},
                "repeat": {"every": "day", "start": clock_time(first), "timezone": "UTC"}}
        status, answer, _ = self.ask("POST", f"/v1/apps/{app}/schedules", body, {"Idempotency-Key": f"key-{marker}"})
        if status >= 300:
            return self.promises.fault(f"creating {marker}: {status} {answer}")
        if "id" not in answer:
            return self.promises.fault(f"creating {marker}: {status} {answer}, which does not say what was created")
        self.promises.schedules[app, answer["id"]] = marker
        if time.time() < first:
            self.promises.due[app, answer["id"]] = first
        if rng.random() < 0.2:
            self.promises.due.pop((app, answer["id"]), None)
            self.ask("POST", f"/v1/apps/{app}/schedules/{answer['id']}/pause")
            self.ask("POST", f"/v1/apps/{app}/schedules/{answer['id']}/resume")

    # MARK: - Reports of devices, webhooks

    def report(self, rng, app):
        """A device reports one of the notifications that the gateway took last, twice; what is recorded stays."""
        with open(self.gateway.log, "rb") as log:
            log.seek(max(log.seek(0, 2) - 20_000, 0))
            lines = [line.split("\t") for line in log.read().decode().splitlines()[1:]]
        taken = [line for line in lines if len(line) == 10 and line[1] == "apns" and line[7] == "200" and line[3] in self.app_of]
        if not taken:
            return
        line = rng.choice(taken)
        app, event = self.app_of[line[3]], {"type": rng.choice(["received", "opened"]), "apns_id": line[5]}
        for _ in range(2):
            status, answer, _ = self.ask("POST", f"/v1/apps/{app}/events", {"events": [event]})
            if status >= 300:
                return self.promises.fault(f"reporting {event}: {status} {answer}")
            if answer["results"][0] in ("recorded", "duplicate"):
                self.promises.reports[line[3], line[4]] = f"{event['type']}_at"

    def rotate(self, rng, app):
        """A new secret for a webhook; the old one signs beside it for a day."""
        hooks = [(number, path) for (of, number), path in list(self.promises.webhooks.items()) if of == app]
        if hooks:
            number, path = rng.choice(hooks)
            self.receiver.rotating.add(path)
            status, answer, _ = self.ask("POST", f"/v1/apps/{app}/webhooks/{number}/rotate", {})
            if status >= 300:
                return self.promises.fault(f"rotating {path}: {status} {answer}")
            self.receiver.secrets[path].append(answer["secret"])
            self.receiver.rotating.discard(path)

    # MARK: - People and credentials

    def import_devices(self, app, devices):
        """A file of devices; an import that broke off is run again, as its page says."""
        data = "\n".join(json.dumps(device) for device in devices).encode()
        status, answer, _ = self.ask("PUT", f"/v1/apps/{app}/devices/import", data, {"Content-Type": "application/x-ndjson"})
        if status >= 300 or answer["failed"]:
            return self.promises.fault(f"import: {status} {answer}")
        for device in devices:
            self.promises.devices[app, device["token"]] = None
        self.registered[app] += devices

    def more_devices(self, rng, app):
        tokens, number = Tokens(rng), self.fresh("import")
        names = [f"{number}-{index}" for index in range(20)]
        self.import_devices(app, [{**tokens.one(), "user": name, "name": name} for name in names])

    def one_device(self, rng, app):
        device = {**Tokens(rng).one(), "user": self.fresh("person")}
        status, answer, _ = self.ask("POST", f"/v1/apps/{app}/devices", device)
        if status >= 300:
            return self.promises.fault(f"registering: {status} {answer}")
        self.promises.devices[app, device["token"]] = None
        self.registered[app].append({**device, "id": answer["id"]})

    def hand_over(self, rng, app):
        """A device signs in as somebody else."""
        device = rng.choice(self.registered[app])
        heir, asked = self.fresh("heir"), time.time_ns()
        body = {name: device[name] for name in ("type", "token", "environment") if name in device}
        status, answer, _ = self.ask("POST", f"/v1/apps/{app}/devices", {**body, "user": heir})
        if status >= 300:
            return self.promises.fault(f"handing over: {status} {answer}")
        self.promises.hand_over(app, device, heir, asked, time.time_ns())

    def person(self, rng, app):
        user = f"numbered-{rng.randrange(1 << 30)}"
        for number in range(1, 4):
            status, answer, _ = self.ask("PATCH", f"/v1/apps/{app}/users/{user}", {"properties": {"number": number}})
            if status >= 300:
                return self.promises.fault(f"changing a user: {status} {answer}")
            self.promises.users[app, user] = number

    def save_credentials(self, app, key, all_parts=False):
        body = {"apns": self.identity.apns(self.gateway.ports["apns"], key)}
        if all_parts:
            body["apns_sandbox"] = self.identity.apns(self.gateway.ports["apns"])
            body["fcm"] = self.identity.fcm(self.gateway.ports["fcm"])
        status, answer, _ = self.ask("PUT", f"/v1/apps/{app}/credentials", body)
        if status >= 300:
            return self.promises.fault(f"saving credentials: {status} {answer}")
        self.promises.keys[app] = key

    def credentials(self, rng, app):
        """New keys; now and then first one that APNs refuses, which stops the app until the good one comes."""
        with self.lock:
            if self.rotating:
                return
            self.rotating = True
        try:
            if rng.random() < 0.3:
                self.save_credentials(app, BAD_KEY)
                time.sleep(rng.random() * 0.2)
            self.save_credentials(app, rng.choice(GOOD_KEYS), all_parts=rng.random() < 0.3)
        finally:
            self.rotating = False
