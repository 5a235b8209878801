"""The latency that a caller sees: from the request for a transactional push to its arrival at the gateway."""

import random
import threading
import time

from client import Gone
from promises import Pushed

# A push that no gateway has taken so long after it was asked for starves.
STARVED_SECONDS = 30


def percentile(values, share):
    values = sorted(values)
    return values[min(int(len(values) * share), len(values) - 1)] if values else None


class Pulse:
    """Transactional pushes of one app at a steady rate."""

    def __init__(self, workload, app, seed, rate=40, threads=2):
        self.workload, self.app, self.rate, self.threads = workload, app, rate, threads
        self.random = random.Random(f"{seed} pulse")
        self.sent, self.answered, self.errors = {}, [], []

    def beat(self, seconds):
        """Sends for so long."""
        end = time.monotonic() + seconds
        threads = [threading.Thread(target=self.run, args=(index, end)) for index in range(self.threads)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def run(self, index, end):
        pause = self.threads / self.rate
        due = time.monotonic() + index * pause / self.threads
        while time.monotonic() < end:
            time.sleep(max(due - time.monotonic(), 0))
            due = max(due + pause, time.monotonic() - 1)
            self.one()

    def one(self):
        marker = self.workload.fresh("pulse")
        token = f"a0{self.random.getrandbits(248):062x}"
        body = {"message": {"title": marker, "body": "P"}, "to": {"tokens": [{"type": "ios", "token": token}]}}
        at = time.time_ns()
        try:
            status, answer = self.workload.client.ask(
                "POST", f"/v1/apps/{self.app}/pushes", body, {"Idempotency-Key": f"key-{marker}"})
        except Gone as error:
            return self.errors.append(str(error))
        if status != 202:
            return self.errors.append(f"{status} {answer}")
        self.answered.append((time.time_ns() - at) / 1e6)
        self.sent[marker, token] = at
        self.workload.promises.push(Pushed(self.app, answer["id"], marker, body, tokens=[token]))

    def figures(self, takes):
        """Waits until all have arrived, or starve; milliseconds, and how many starved."""
        deadline = time.monotonic() + STARVED_SECONDS
        while True:
            takes.refresh()
            missing = [address for address in self.sent if address not in takes.by_address]
            if not missing or time.monotonic() > deadline:
                break
            time.sleep(0.1)
        waits = [(takes.by_address[address][0].at - at) / 1e6 for address, at in self.sent.items() if address in takes.by_address]
        round_ = lambda value: None if value is None else round(value, 1)  # noqa: E731
        return {"pushes": len(self.sent), "p50_ms": round_(percentile(waits, 0.5)), "p99_ms": round_(percentile(waits, 0.99)),
                "max_ms": round_(max(waits, default=None)), "answer_p99_ms": round_(percentile(self.answered, 0.99)),
                "starved": len(missing), "errors": len(self.errors)}
