"""A receiver of webhooks that fails now and then, and remembers every batch, how often it came, and in which order."""

import dataclasses
import json
import random

from shared import Hooks, is_signed


@dataclasses.dataclass
class Batch:
    """One batch: its body, the order of its first arrival, and the order in which it was first acknowledged."""

    push: str
    notices: list
    body: bytes
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
        super().__init__(host)
        self.trouble = 0.05
        self.url = f"http://{host}:{self.port}/hooks"

    def take(self, _, headers, body):
        """Checks and remembers one batch; the status to answer, or None to hang up after it was taken."""
        with self.lock:
            number = headers["Postrider-Batch"]
            if self.secret is not None and not is_signed(headers, body, [self.secret]):
                self.faults.append(f"webhook: batch {number} is not signed with the webhook's secret")
            content = json.loads(body)
            self.clock += 1
            batch = self.batches.get(number)
            if batch is None:
                batch = self.batches[number] = Batch(content["push"], content["notices"], body, self.clock)
                self.check_order(number, batch)
            elif batch.body != body:
                self.faults.append(f"webhook: batch {number} came with two contents")
            batch.times += 1
            status = self.luck(batch.times == 1)
            if status == 200 and batch.acknowledged is None:
                batch.acknowledged = self.clock
            return status

    def check_order(self, number, batch):
        """A batch of a push comes after those before it were acknowledged."""
        earlier = self.by_push.setdefault(batch.push, [])
        for other in earlier:
            if int(other) > int(number):
                self.faults.append(f"webhook: batch {number} of push {batch.push} came after batch {other}")
            elif self.batches[other].acknowledged is None:
                self.faults.append(f"webhook: batch {number} of push {batch.push} came before batch {other} was acknowledged")
        earlier.append(number)
