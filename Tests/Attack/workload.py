"""The work: many callers at once, each doing at random what the API offers, and keeping note of what was acknowledged."""

import json
import random
import threading
import time

from acts import WEIGHTS, Acts
from client import Client, Gone
from identity import GOOD_KEYS
from promises import Promises, Pushed
from tokens import Tokens


class Workload(Acts):
    """Callers on threads; `stop` ends them after the request under way, which is repeated until it is answered."""

    def __init__(self, server, identity, gateway_process, receiver, seed, apps=("one", "two"), devices=400):
        self.server, self.identity, self.gateway, self.receiver = server, identity, gateway_process, receiver
        self.seed, self.apps, self.device_count = seed, apps, devices
        self.client, self.promises = Client(server), Promises()
        self.rng = random.Random(f"{seed} work")
        self.registered = {app: [] for app in apps}  # {"type", "token", "user"} and, once known, "id"
        self.number, self.lock = 0, threading.Lock()
        self.stopping = threading.Event()
        self.appointing, self.rotating = set(), False
        self.app_of = {}  # marker → app, of pushes that the callers made
        self.threads = []
        self.weights = dict(WEIGHTS)

    # MARK: - Setting the scene

    def prepare(self):
        """Apps with credentials, devices and webhooks; the server does not die meanwhile."""
        for index, app in enumerate(self.apps):
            self.client.done("POST", "/v1/apps", {"name": app, "contract": "native"})
            self.save_credentials(app, GOOD_KEYS[0], all_parts=True)
            tokens = Tokens(self.rng)
            devices = []
            for number in range(self.device_count if index == 0 else self.device_count // 4):
                device = {**tokens.one(), "user": f"user-{number // 2}", "name": f"device-{number}"}
                if device["type"] == "ios" and self.rng.random() < 0.2:
                    device["environment"] = "development"
                devices.append(device)
            self.import_devices(app, devices)
            self.add_webhook(app, ["delivery.accepted", "delivery.rejected", "delivery.expired", "delivery.cancelled",
                                   "delivery.unknown", "push.finished"])
        self.learn_ids()

    def learn_ids(self):
        for app in self.apps:
            ids = {row["token"]: row["id"] for row in self.exported_devices(app)}
            for device in self.registered[app]:
                device["id"] = ids.get(device["token"])

    def exported_devices(self, app):
        content = self.client.done("GET", f"/v1/apps/{app}/devices/export")
        return [json.loads(line) for line in content.splitlines()]

    def add_webhook(self, app, types):
        path = f"/hooks/{app}/{len(self.promises.webhooks)}"
        self.receiver.rotating.add(path)
        made = self.client.done("POST", f"/v1/apps/{app}/webhooks", {
            "url": f"http://127.0.0.1:{self.receiver.port}{path}", "types": types})
        self.receiver.secrets[path].append(made["secret"])
        self.receiver.rotating.discard(path)
        self.promises.webhooks[app, made["id"]] = path

    # MARK: - Running

    def start(self, callers=4):
        for number in range(callers):
            rng = random.Random(f"{self.seed} caller {number}")
            thread = threading.Thread(target=self.run, args=(rng, number), daemon=True)
            thread.start()
            self.threads.append(thread)

    def stop(self, seconds=120):
        self.stopping.set()
        deadline = time.monotonic() + seconds
        for thread in self.threads:
            thread.join(max(deadline - time.monotonic(), 0))
            if thread.is_alive():
                self.promises.fault(f"a caller was not answered within {seconds} s")
        self.threads.clear()

    def run(self, rng, number):
        acts, weights = list(self.weights), list(self.weights.values())
        while not self.stopping.is_set():
            act = rng.choices(acts, weights)[0]
            app = self.apps[0] if len(self.apps) == 1 or rng.random() < 0.75 else self.apps[1]
            try:
                getattr(self, act)(rng, app)
            except (Gone, TimeoutError) as error:
                if not self.stopping.is_set():
                    self.promises.fault(f"{act}: {error}")
            except Exception as error:  # noqa: BLE001 - a bug in a caller is a finding, not the end of the thread
                self.promises.fault(f"{act}: {type(error).__name__}: {error}")
            time.sleep(rng.random() * 0.02)

    def fresh(self, prefix):
        with self.lock:
            self.number += 1
            marker = f"{prefix}-{self.number}"
            self.promises.markers.add(marker)
        return marker

    def ask(self, method, path, body=None, headers=()):
        with self.lock:
            self.promises.asked += 1
        status, answer, sent = self.client.persist(method, path, body, headers)
        with self.lock:
            if status < 300:
                self.promises.acknowledged += 1
            else:
                self.promises.refused += 1
        if status >= 500:
            self.promises.fault(f"{method} {path}: {status} {answer}")
        return status, answer, sent

    def create(self, app, marker, body, path=None, tokens=None):
        """One push, whatever happens meanwhile: the same key until there is an answer."""
        path, key = path or f"/v1/apps/{app}/pushes", f"key-{marker}"
        self.app_of[marker] = app
        if "template" not in body:
            body = {"message": {"title": marker, "body": "B"}, **body}
        status, answer, _ = self.ask("POST", path, body, {"Idempotency-Key": key})
        if status == 422 and "is in the past" in answer["detail"]:
            # Late, or repeated after its time: right if the server never had it; if it had, the oracle finds a push
            # that nobody was promised.
            return None
        if status >= 300:
            self.promises.fault(f"creating {marker}: {status} {answer}")
            return None
        return self.promises.push(Pushed(
            app, answer["id"], marker, body, path, key, tokens, body.get("unknown", "resend")))

    def some(self, rng, app, recent=12):
        """One of the pushes acknowledged last, but none that a fault measures by (`after`)."""
        pushes = [push for push in self.promises.all_pushes()[-3 * recent:]
                  if push.app == app and not push.deleted and not push.marker.startswith("after")]
        return rng.choice(pushes[-recent:]) if pushes else None
