"""The wall clock jumps a day ahead and back while the server runs, and once by generations; `libfaketime` moves it."""

import contextlib
import glob
import json
import time

from client import Gone
from stage import Stage

DAY = 86_400
JUMPS = [DAY, 0, -DAY, 0, 83 * 365 * DAY, 0]


def library():
    found = glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")
    if not found:
        raise PermissionError("libfaketime is not installed: apt-get install libfaketime")
    return found[0]


@contextlib.contextmanager
def faked(folder, identity, seed, devices):
    """A stage whose server has a clock of its own, and what sets it: seconds ahead of ours."""
    stamp = folder.with_name(folder.name + "-clock.txt")
    set_clock(stamp, 0)
    environment = {
        # With the allocator of the C library: ours asks for the time while it starts, which this library answers by allocating.
        "LD_PRELOAD": f"{library()}:libc.so.6", "FAKETIME_TIMESTAMP_FILE": str(stamp), "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
    # Through `env`: the library adds a variable when a process starts, and Swift looks for its arguments beside them.
    with Stage(folder, identity, seed, environment=environment, wrapper=["env"], devices=devices) as stage:
        yield stage, lambda seconds: set_clock(stamp, seconds)


def jumps(folder, identity, seed):
    """Rows stay true, schedules count what they made, and when the clock is right again everything goes on as before."""
    with faked(folder, identity, seed, devices=200) as (stage, set_to):
        stage.workload.start(callers=3)
        time.sleep(1.5)
        for offset in JUMPS:
            set_to(offset)
            time.sleep(2)
            if not stage.server.alive():
                stage.findings.append(f"died: the clock at {offset} s ended it with {stage.server.process.returncode}: "
                                      f"{stage.server.tail()}")
                return stage.findings, stage.figures
        stage.figures.update(jumps=len(JUMPS), sends_again_seconds=sends_again(stage))
        time.sleep(2)
        check_schedules(stage)
        check_waits(stage)
        stage.settle(patience=90)
        stage.verify(clock_is_right=False)
        return stage.findings, stage.figures


def outage(folder, identity, seed):
    """The clock is a day behind, and a day ahead, for seconds while no gateway can be reached: nothing is given up for it."""
    with faked(folder, identity, seed, devices=300) as (stage, set_to):
        stage.gateway.kill()
        work = stage.workload
        for app in work.apps:
            work.create(app, work.fresh("campaign"), {"to": {"all": True}})
            for _ in range(40):
                work.transactional(work.rng, app)
        time.sleep(2)
        for offset in (-DAY, 0, DAY, 0):
            set_to(offset)
            time.sleep(2)
        stage.gateway.start()
        stage.settle(grace=5, patience=150)
        stage.verify(clock_is_right=False)
        if stage.figures.get("accepted", 0) < 300:
            stage.findings.append(f"lost: fewer than 300 were accepted after the outage: {stage.figures}")
        return stage.findings, stage.figures


def set_clock(path, seconds):
    """Replaces the file at once, so that nobody reads half of it."""
    fresh = path.with_suffix(".new")
    fresh.write_text(f"{seconds:+d}s\n")
    fresh.rename(path)


def sends_again(stage, limit=30):
    """How long until a new push is at the gateway, beside everything else; the gateway breaks a connection now and then."""
    started = time.monotonic()
    app = stage.workload.apps[0]
    token = f"a0{stage.workload.rng.getrandbits(248):062x}"
    marker = stage.workload.fresh("after")
    push = stage.workload.create(app, marker, {"to": {"tokens": [{"type": "ios", "token": token}]}}, tokens=[token])
    while time.monotonic() - started < limit:
        if (marker, token) in stage.takes.refresh().by_address:
            return round(time.monotonic() - started, 2)
        time.sleep(0.05)
    path = f"/v1/apps/{app}/pushes/{push.id}"
    shown, rows = stage.client.done("GET", path), stage.client.done("GET", f"{path}/deliveries/export")
    stage.findings.append(f"starved: {limit} s after the clock was right again a new push is not sent: {push}, {shown}, {rows}, "
                          f"{stage.client.done('GET', f'/v1/apps/{app}')}")
    return None


def check_waits(stage):
    """Nothing that waits was put off by the clock that was ahead: no wait is longer than two hours."""
    latest = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(time.time() + 7_200))
    for app, push in stage.unfinished():
        content = stage.client.done("GET", f"/v1/apps/{app}/pushes/{push}/deliveries/export")
        for row in map(json.loads, content.splitlines()):
            if row.get("not_before", "") > latest:
                stage.findings.append(f"late: delivery {row['id']} of push {push} of {app} waits until {row['not_before']}")


def check_schedules(stage):
    """Every daily schedule comes tomorrow, or the day after when tomorrow's run was made while the clock was a day ahead."""
    latest = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(time.time() + 2 * DAY + 2))
    for (app, number), marker in list(stage.workload.promises.schedules.items()):
        try:
            shown = stage.client.done("GET", f"/v1/apps/{app}/schedules/{number}")
        except Gone:
            return
        if "ended_at" not in shown and "paused_at" not in shown and not (shown["next"] and shown["next"][0] <= latest):
            stage.findings.append(f"occurrence: schedule {number} of {app} ({marker}) comes next at {shown['next'][:1]}, "
                                  f"later than {latest}")
