"""The callers of an app: each thread does one kind of work through HAProxy, and notes what was asked for and what was acknowledged.

Every push has a name of its own as its title (`shop-…`), by which the emulator's records are compared with the ledger.
"""

import dataclasses
import datetime
import json
import random
import threading
import time
import uuid

from client import Client, Gone
from cluster import TOPIC

DEVICES, LISTED_MAX = 120, 5
#: For how long a node may act by what another one has changed; when the news arrives it is less than a second.
STALE_SECONDS = 10
SCHEDULE_AHEAD = (3, 15)


@dataclasses.dataclass
class Promise:
    """A push that was asked for: `id` once it is acknowledged, `devices` when it names them."""

    marker: str
    kind: str
    id: str | None = None
    devices: list | None = None
    #: Names of devices whose registration was acknowledged before a push to all was asked for.
    known: frozenset = frozenset()
    cancelled: bool = False


@dataclasses.dataclass
class Planned:
    """A schedule that runs once within the run: `id` once it is acknowledged."""

    marker: str
    start: datetime.datetime
    id: str | None = None


#: What webhooks are told.
TOLD = ("delivery.accepted", "delivery.rejected", "delivery.unknown", "push.finished")


class Workload:
    def __init__(self, cluster, receiver, seed, app, told=TOLD, senders=3):
        self.client = Client(cluster.origin, cluster.key)
        #: Past HAProxy, which gives up a node that is not ready: how long the node itself takes to answer.
        self.direct_clients = [Client(node.origin, cluster.key) for node in cluster.nodes]
        self.told, self.senders = told, senders
        #: How the tokens of the app's devices begin, of iPhones and of Android.
        self.prefixes = (app.encode().hex(), f"{app}-android-")
        #: How many devices are registered before anything breaks.
        self.devices_count = DEVICES
        self.app, self.base, self.receiver, self.seed = app, f"/v1/apps/{app}", receiver, seed
        self.lock, self.stopping = threading.Lock(), threading.Event()
        self.pushes, self.schedules = {}, {}
        #: Name → id of every device whose registration was acknowledged.
        self.devices, self.faults = {}, []
        #: When pushes were acknowledged for the first time, and how many requests were sent in all.
        self.accepted_at, self.requests, self.replayed = [], 0, 0
        self.threads, self.counter = [], 0
        self.cluster = cluster
        #: Of every change of a key, at every node: for how many seconds a request that was sent was still answered by what was before.
        self.stale = []

    # MARK: - Before

    def prepare(self):
        """Devices, and a webhook; nothing is broken yet."""
        self.upload([self.device() for _ in range(self.devices_count)])
        made = self.client.done("POST", f"{self.base}/webhooks", {
            "url": self.receiver.url, "types": list(self.told)})
        self.receiver.secret = made["secret"]

    def device(self):
        with self.lock:
            self.counter += 1
            number = self.counter
        name, (ios, android) = f"device-{number}", self.prefixes
        if number % 2:
            return {"name": name, "type": "ios", "token": f"{ios}{number:0{64 - len(ios)}x}", "user": f"user-{number % 50}"}
        return {"name": name, "type": "android", "token": f"{android}{number}", "user": f"user-{number % 50}"}

    def upload(self, devices):
        """An import, repeated whole until it is acknowledged: registering again changes nothing."""
        body = "".join(json.dumps(device) + "\n" for device in devices).encode()
        found = self.client.done("PUT", f"{self.base}/devices/import", body, headers=[("Content-Type", "application/x-ndjson")])
        if found["failed"] or found["lines"] != len(devices):
            self.fault(f"import: of {len(devices)} devices {found}")
        with self.lock:
            self.devices.update((device["name"], device["token"]) for device in devices)

    def fault(self, text):
        with self.lock:
            self.faults.append(text)

    # MARK: - The callers

    def callers(self):
        """What each thread does: `senders` send transactional pushes, and one does each of the others."""
        return [self.transactional] * self.senders + [self.campaign, self.schedule, self.enter, self.direct, self.configure]

    def start(self):
        for number, act in enumerate(self.callers()):
            thread = threading.Thread(target=self.run, args=(act, random.Random(f"{self.seed} {self.app} caller {number}")), daemon=True)
            thread.start()
            self.threads.append(thread)

    def run(self, act, dice):
        while not self.stopping.is_set():
            try:
                act(dice)
            except (TimeoutError, AssertionError) as error:
                self.fault(f"caller: {error}")
            except Exception as error:  # noqa: BLE001: a caller that ends quietly would make the run say less than it seems to
                self.fault(f"caller: {type(error).__name__}: {error}")

    def stop(self):
        """No further request is begun; those under way are repeated until they are answered."""
        self.stopping.set()
        for thread in self.threads:
            thread.join(240)
            if thread.is_alive():
                self.fault("caller: a request was not answered within four minutes")

    def marker(self):
        return f"{self.app}-{uuid.uuid4().hex[:12]}"

    def promise(self, kind, **more):
        promise = Promise(self.marker(), kind, **more)
        with self.lock:
            self.pushes[promise.marker] = promise
        return promise

    def send(self, promise, body, dice, client=None):
        """Sends a push under a key until it is acknowledged, and sometimes once more, as a caller does who missed the answer."""
        key = [("Idempotency-Key", promise.marker)]
        body = {"message": {"title": promise.marker, "body": "chaos"}, "unknown": dice.choice(["resend", "resend", "leave"]), **body}
        for again in range(2 if dice.random() < 0.15 else 1):
            status, found, sent = (client or self.client).persist("POST", f"{self.base}/pushes", body, key, again=(409, 429, 502, 503, 504))
            with self.lock:
                self.requests += sent
                self.replayed += bool(again)
            if status != 202:
                return self.fault(f"caller: a push was answered {status} {found}")
            if promise.id is None:
                self.accepted_at.append(time.monotonic())
            if promise.id not in (None, found["id"]):
                self.fault(f"idempotency: {promise.marker} is push {promise.id} and push {found['id']}")
            promise.id = found["id"]

    def direct(self, dice):
        self.transactional(dice, dice.choice(self.direct_clients))

    def transactional(self, dice, client=None):
        with self.lock:
            names = dice.sample(sorted(self.devices), dice.randint(1, LISTED_MAX))
            tokens = [{"type": "android" if self.devices[name].startswith(self.app) else "ios", "token": self.devices[name]} for name in names]
        promise = self.promise("transactional", devices=names)
        self.send(promise, {"to": {"tokens": tokens}, "topic": TOPIC}, dice, client)
        self.stopping.wait(dice.uniform(0.02, 0.2))

    def campaign(self, dice):
        with self.lock:
            known = frozenset(self.devices)
        self.send_to_all(known, dice.choice([2400, 6000, 60000]), dice)
        self.stopping.wait(dice.uniform(2, 5))

    def send_to_all(self, known, throttle, dice):
        """A campaign, so many a minute or as fast as possible, which is now and then paused, resumed and cancelled."""
        promise = self.promise("campaign", known=known)
        limit = {} if throttle is None else {"throttle_per_minute": throttle}
        self.send(promise, {"to": {"all": True}, "campaign": promise.marker, **limit}, dice)
        if promise.id and dice.random() < 0.2:
            self.stopping.wait(dice.uniform(0, 3))
            self.act(promise, "pause")
            self.stopping.wait(dice.uniform(0, 3))
            self.act(promise, "resume")
            if dice.random() < 0.4:
                self.act(promise, "cancel")

    def act(self, promise, word):
        """Pauses, resumes or cancels; 409 says that the push has ended, or that an earlier attempt did it."""
        path = f"{self.base}/pushes/{promise.id}/{word}"
        status, found, _ = self.client.persist("POST", path, {}, [("Idempotency-Key", f"{promise.marker} {word}")])
        if status not in (200, 202, 204, 409):
            self.fault(f"caller: {path} was answered {status} {found}")
        promise.cancelled |= word == "cancel" and status < 300

    def schedule(self, dice):
        """One that runs for the first time in some seconds, and then tomorrow, which nobody waits for."""
        now = datetime.datetime.now(datetime.timezone.utc)
        start = (now + datetime.timedelta(seconds=dice.uniform(*SCHEDULE_AHEAD))).replace(microsecond=0)
        planned = Planned(self.marker(), start)
        with self.lock:
            self.schedules[planned.marker] = planned
            name = dice.choice(sorted(self.devices))
        token = self.devices[name]
        kind = "android" if token.startswith(self.app) else "ios"
        found = self.client.done(
            "POST", f"{self.base}/schedules",
            {"message": {"title": planned.marker, "body": "chaos"}, "to": {"tokens": [{"type": kind, "token": token}]},
             "repeat": {"every": "day", "start": start.strftime("%Y-%m-%dT%H:%M:%S"), "timezone": "UTC"}},
            headers=[("Idempotency-Key", planned.marker)], again=(409, 429, 502, 503, 504))
        planned.id = found["id"]
        self.stopping.wait(dice.uniform(1.5, 4))

    def enter(self, dice):
        self.upload([self.device() for _ in range(dice.randint(1, 8))])
        self.stopping.wait(dice.uniform(4, 8))

    def configure(self, dice):
        """A key that is made, works at every node, is revoked, and works at none; and the app's credentials, saved anew as they are."""
        marker = uuid.uuid4().hex
        made = self.client.done("POST", "/v1/keys", {"name": marker[:12], "scopes": ["read"], "app": self.app}, headers=[("Idempotency-Key", marker)],
                                again=(409, 429, 502, 503, 504))
        self.observe(made["key"], 200, 401)
        if dice.random() < 0.5:
            # 409: an attempt whose answer was lost is saving them.
            self.client.done("PUT", f"{self.base}/credentials", self.cluster.credentials, again=(409, 429, 502, 503, 504))
        # 404: an earlier attempt did it.
        status, found, _ = self.client.persist("DELETE", f"/v1/keys/{made['id']}")
        if status not in (204, 404):
            self.fault(f"caller: a key's end was answered {status} {found}")
        self.observe(made["key"], 401, 200)
        self.stopping.wait(dice.uniform(1, 3))

    def observe(self, key, wanted, before):
        """Asks every node with a key, just after it was changed, until the node knows."""
        changed = time.monotonic()
        for node in self.cluster.nodes:
            client, stale = Client(node.origin, key), 0.0
            while not self.stopping.is_set():
                sent = time.monotonic()
                try:
                    status, content = client.ask("GET", self.base)
                except Gone:
                    status = 503
                if status == wanted:
                    self.stale.append(stale)
                    break
                if status == before:
                    stale = sent - changed
                    if stale > STALE_SECONDS:
                        self.fault(f"stale: {node.name} answered {status} to a request {stale:.1f} s after its key was changed, and not {wanted}")
                        break
                elif status != 503:
                    self.fault(f"caller: {node.name} answered {status} {content[:200]!r} to a request under a key of its own")
                self.stopping.wait(0.05)

    # MARK: - Figures

    def first_acceptance(self, after):
        """How many seconds after an instant the first push was acknowledged; None when none was."""
        return next((at - after for at in list(self.accepted_at) if at > after), None)
