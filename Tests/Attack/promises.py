"""What the server has acknowledged, and must therefore keep; and what was asked without an answer, and may exist."""

import collections
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
        self.owners = collections.defaultdict(list)  # token → (asked, acknowledged, user) in their order, ns since 1970
        self.users_of = {}  # marker → the users that a push names
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

    def hand_over(self, app, device, user, asked, acknowledged):
        """A device belongs to somebody else; callers take devices at random, so two may hand over one at once."""
        with self.lock:
            known = self.owners[device["token"]]
            if not known:
                known.append((0, 0, device["user"]))
            known.append((asked, acknowledged, user))
            device["user"] = user

    def owners_at(self, token, at, slack):
        """Who may have owned a device at a time: nobody whose successor was acknowledged `slack` before it."""
        known = self.owners[token]
        return {user for index, (asked, _, user) in enumerate(known)
                if asked <= at and not any(later[1] < at - slack and later[0] > known[index][1] for later in known)}

    def push(self, pushed):
        with self.lock:
            known = self.pushes.get((pushed.app, pushed.id))
            if known is not None and known.marker != pushed.marker:
                self.faults.append(
                    f"push {pushed.id} of {pushed.app} was acknowledged twice, for {known.marker} and {pushed.marker}")
            self.pushes[pushed.app, pushed.id] = pushed
            if users := pushed.body.get("to", {}).get("users"):
                self.users_of[pushed.marker] = set(users)
        return pushed

    def all_pushes(self):
        with self.lock:
            return list(self.pushes.values())
