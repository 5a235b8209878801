"""What the server has acknowledged, and must therefore keep; and what was asked without an answer, and may exist."""

import dataclasses
import threading


@dataclasses.dataclass
class Pushed:
    """One acknowledged push, and what was acknowledged about it since."""

    app: str
    id: str
    marker: str
    body: dict
    path: str = ""
    key: str = ""  # its Idempotency-Key
    tokens: list | None = None  # the tokens it lists, in their order, each once
    policy: str = "resend"
    cancelled: bool = False
    paused: bool = False
    deleted: bool = False
    repeated: bool = False  # asked for more than once without a key that would make it one


class Promises:
    """Kept by the workload, read by the oracle. Locked, because many threads ask at once."""

    def __init__(self):
        self.lock = threading.Lock()
        self.pushes = {}  # (app, id) → Pushed
        self.markers = set()  # every marker that was ever asked for, acknowledged or not
        self.devices = {}  # (app, token) → None, acknowledged
        self.schedules = {}  # (app, id) → marker
        self.due = {}  # (app, id) → when a schedule comes first, acknowledged before that and never paused
        self.users = {}  # (app, user) → the last number acknowledged
        self.templates = {}  # (app, name) → the last title acknowledged, None when deleted
        self.segments = {}  # (app, name) → True, or None when deleted
        self.keys = {}  # app → key id of the credentials last acknowledged
        self.reports = {}  # (marker, token) → the member that a row must have
        self.webhooks = {}  # (app, id) → path
        self.faults = []
        self.asked = self.acknowledged = self.refused = self.replays = 0

    def fault(self, text):
        with self.lock:
            self.faults.append(text)

    def push(self, pushed):
        with self.lock:
            known = self.pushes.get((pushed.app, pushed.id))
            if known is not None and known.marker != pushed.marker:
                self.faults.append(
                    f"push {pushed.id} of {pushed.app} was acknowledged twice, for {known.marker} and {pushed.marker}")
            self.pushes[pushed.app, pushed.id] = pushed
        return pushed

    def all_pushes(self):
        with self.lock:
            return list(self.pushes.values())
