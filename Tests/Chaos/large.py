"""The callers of an app whose audience is several chunks long, so that faults meet what only such a campaign has: an audience that is
half written, leases of thousands of deliveries, full send windows."""

import math
import threading
import time

from workload import Workload

#: More than four chunks (5000), and more than a node's send window and what a campaign has ready ahead of it (20 000 each).
DEVICES = 22_000
#: Between two campaigns. What is compared afterwards, and the memory for it, grows with their number: a longer run has them less often.
EVERY_SECONDS, CAMPAIGNS_MAX = 60, 40
#: How long the gateways take to answer, so that thousands of its deliveries are on the wire whenever a fault begins.
ANSWER_MS = [500, 4000]
#: A minute; None is as fast as the nodes and the gateways can.
THROTTLES = [None, None, None, 60_000]


class LargeAudience(Workload):
    def __init__(self, *words, minutes, **more):
        super().__init__(*words, **more)
        self.devices_count = DEVICES
        self.every = max(EVERY_SECONDS, minutes * 60 / CAMPAIGNS_MAX)
        self.latest, self.is_due = -math.inf, threading.Event()
        #: The names of all devices: none is registered later, so that all campaigns share them.
        self.everyone = frozenset()

    def prepare(self):
        super().prepare()
        self.everyone = frozenset(self.devices)
        for prefix in self.prefixes:
            self.cluster.control("POST", "/rules", {"name": "large", "token_prefix": prefix, "latency": {"uniform": ANSWER_MS}})

    def callers(self):
        return [self.campaign]

    def begin(self, is_ahead=False):
        """Has the caller send a campaign at once, unless it did so only lately; whether it does. For who is ahead that is twice as long."""
        now = time.monotonic()
        if now < self.latest + self.every * (2 if is_ahead else 1):
            return False
        self.latest = now
        self.is_due.set()
        return True

    def campaign(self, dice):
        if not self.is_due.wait(0.5):
            return
        self.is_due.clear()
        self.send_to_all(self.everyone, dice.choice(THROTTLES), dice)
