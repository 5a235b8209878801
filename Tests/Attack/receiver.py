"""A webhook receiver that remembers every batch, and now and then refuses one or hangs up after taking it."""

import collections
import json
import random
import threading

from shared import Hooks, is_signed


class Receiver(Hooks):
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.batches = {}  # (webhook path, batch id) → body
        self.times = collections.Counter()
        self.secrets = collections.defaultdict(list)  # webhook path → every secret it was ever given
        self.rotating = set()  # webhook paths whose next secret is on its way
        self.hanging = threading.Event()
        self.released = threading.Event()
        super().__init__()

    def take(self, path, headers, body):
        """Checks and remembers one batch; the status to answer, or None to hang up."""
        if self.hanging.is_set():
            self.released.wait(60)
            return None
        with self.lock:
            number = headers["Postrider-Batch"]
            self.check_signature(path, headers, body)
            known = self.batches.setdefault((path, number), body)
            if known != body:
                self.faults.append(f"webhook {path}: batch {number} came with two contents")
            self.times[path, number] += 1
            return self.luck(self.times[path, number] == 1)

    def check_signature(self, path, headers, body):
        if path not in self.rotating and not is_signed(headers, body, self.secrets[path]):
            self.faults.append(f"webhook {path}: batch {headers['Postrider-Batch']} is not signed with its secret")

    def notices(self, path):
        """Every notice once for each batch it came in: (batch, push, notice)."""
        with self.lock:
            found = [(number, json.loads(body)) for (at, number), body in self.batches.items() if at == path]
        for number, batch in found:
            for notice in batch["notices"]:
                yield number, batch["push"], notice

    def close(self):
        self.released.set()
        super().close()
