"""What is paused, or belongs to a stopped app, waits without cost."""

import time

import gateway
from stage import Stage
from tokens import Tokens

WAITING = 6_000
# Far above what an idle server writes, far below what looking at each waiting delivery again and again would.
BYTES_A_SECOND_MAX = 1 << 20


def held(folder, identity, seed):
    """Thousands of sends that wait for another try, whose push is then paused: for as long as it is, nothing is written."""
    with Stage(folder, identity, seed, apps=("good",), devices=20) as stage:
        tokens = Tokens(stage.workload.rng)
        listed = [tokens.one("android", gateway.TROUBLE) for _ in range(WAITING)]
        push = stage.workload.create("good", stage.workload.fresh("held"), {"to": {"tokens": listed}, "campaign": "c"},
                                     tokens=[one["token"] for one in listed])
        tried = all_tried(stage)
        push.paused = stage.workload.control(push, "pause")
        # FCM in trouble is tried again after 10 to 15 seconds: then all of them are due.
        time.sleep(16)
        written, cpu = stage.server.written_bytes(), stage.server.cpu_seconds()
        time.sleep(6)
        figures = {"tried": tried, "bytes_a_second": round((stage.server.written_bytes() - written) / 6),
                   "cpu_share": round((stage.server.cpu_seconds() - cpu) / 6, 3)}
        if figures["bytes_a_second"] > BYTES_A_SECOND_MAX:
            stage.findings.append(f"held: paused pushes write to the disk: {figures}")
        stage.figures.update(figures)
        stage.settle()
        stage.verify()
        return stage.findings, stage.figures


def all_tried(stage, limit=9):
    """Waits until each has been tried once, at most until the first are due again; how many were."""
    deadline = time.monotonic() + limit
    while (tried := stage.takes.refresh().count) < WAITING and time.monotonic() < deadline:
        time.sleep(0.05)
    return tried
