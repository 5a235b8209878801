"""A receiver of webhooks that fails now and then, and remembers every batch, how often it came, and in which order."""

import dataclasses
import hashlib
import json
import random
import sys

from shared import Hooks, is_signed


@dataclasses.dataclass(slots=True)
class Batch:
    """One batch: the digest of its body, the order of its first arrival, and the order in which it was first acknowledged.

    Hundreds of thousands are remembered, so each is as little as the comparison needs."""

    push: str
    #: Of each notice its type, and its delivery if it has one.
    notices: tuple
    digest: bytes
    came: int
    acknowledged: int | None = None
    times: int = 0


class Receiver(Hooks):
    def __init__(self, seed, host="127.0.0.1"):
        self.random = random.Random(f"{seed} receiver")
        self.batches = {}
        self.by_push = {}
        self.secret = None
        self.clock = 0
        #: The highest number that was acknowledged.
        self.latest = 0
        #: Batches that came again although a later one was acknowledged: of the webhook, and those among them of the same push.
        self.late = self.late_of_push = 0
        super().__init__(host)
        self.trouble = 0.05
        self.url = f"http://{host}:{self.port}/hooks"

    def take(self, _, headers, body):
        """Checks and remembers one batch; the status to answer, or None to hang up after it was taken."""
        with self.lock:
            number = headers["Postrider-Batch"]
            if self.secret is not None and not is_signed(headers, body, [self.secret]):
                self.faults.append(f"webhook: batch {number} is not signed with the webhook's secret")
            digest = hashlib.sha256(body).digest()
            self.clock += 1
            batch = self.batches.get(number)
            if batch is None:
                content = json.loads(body)
                notices = tuple((sys.intern(notice["type"]), notice.get("delivery")) for notice in content["notices"])
                batch = self.batches[number] = Batch(content["push"], notices, digest, self.clock)
                self.check_order(number, batch)
            elif batch.digest != digest:
                self.faults.append(f"webhook: batch {number} came with two contents")
            self.note_late(int(number), batch)
            batch.times += 1
            status = self.luck(batch.times == 1)
            if status == 200 and batch.acknowledged is None:
                batch.acknowledged = self.clock
                self.latest = max(self.latest, int(number))
            return status

    def note_late(self, number, batch):
        """Counts a batch that comes again after it and a later one were acknowledged: most likely from a node whose duty has passed to another.

        No finding: a node that is stopped between its last look at the clock and the write sends what it was about to send once it
        continues, and one that is killed has not noted every answer. But a node notes a batch of a push before it sends the next one of it."""
        if batch.acknowledged is None or self.latest <= number:
            return
        self.late += 1
        self.late_of_push += any(int(other) > number and self.batches[other].acknowledged is not None for other in self.by_push[batch.push])

    def check_order(self, number, batch):
        """A batch of a push comes after those before it were acknowledged."""
        earlier = self.by_push.setdefault(batch.push, [])
        for other in earlier:
            if int(other) > int(number):
                self.faults.append(f"webhook: batch {number} of push {batch.push} came after batch {other}")
            elif self.batches[other].acknowledged is None:
                self.faults.append(f"webhook: batch {number} of push {batch.push} came before batch {other} was acknowledged")
        earlier.append(number)
