"""A good app beside bad neighbors in one server: evil gateways, evil token endpoints, a webhook that hangs, a crowd.

What fails a run are untrue rows, apps that stop without a provider's word, and pushes that starve. Latencies and rates are
reported beside those of a control: the same app, alone in a second server, measured in the same seconds. So both bear what the
machine bears, the work of the evil processes included, and they differ by what a neighbor in the server costs.
"""

import collections
import contextlib
import json
import select
import statistics
import subprocess
import sys
import threading
import time

from evil import DEAD_KINDS, GATEWAY_KINDS, TOKEN_KINDS
from processes import HERE, GatewayProcess, StartFailed, close, free_ports
from pulse import Pulse
from stage import Stage

WAITING_AT_DEAD = 3_000
WAITING_AT_OTHERS = 150
PULSE_SECONDS = 8
# A p99 needs its hundreds of samples.
COMPARED_SECONDS = 20
CAMPAIGNS = 3
# Devices in one import, so that a slow machine answers each in time.
FILE_OF_DEVICES = 30_000


class EvilProcess:
    """All evil gateways, each on its port."""

    def __init__(self, folder, identity, kinds):
        self.log = str(folder / "takes-evil.tsv")
        self.ports = dict(zip(kinds, free_ports(len(kinds))))
        self.process = subprocess.Popen([sys.executable, str(HERE / "evil.py")], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.say({"log": self.log, "certificate": str(identity.certificate), "key": str(identity.certificate_key),
                  "kinds": self.ports}, b"ready\n")

    def say(self, words, answer):
        self.process.stdin.write(json.dumps(words).encode() + b"\n")
        self.process.stdin.flush()
        if not select.select([self.process.stdout], [], [], 60)[0] or self.process.stdout.readline() != answer:
            raise StartFailed(f"the evil gateways did not say {answer}")

    def mend(self):
        self.say({"mended": True}, b"mended\n")

    def close(self):
        close(self.process)


def pulse(stage, name, app="good", seconds=PULSE_SECONDS):
    """The latencies of the good app for a while; starving and refusals are findings."""
    beat = Pulse(stage.workload, app, f"{stage.seed} {name}")
    beat.beat(seconds)
    return felt(stage, name, beat)


def felt(stage, name, beat):
    figures = beat.figures(stage.takes)
    if figures["starved"]:
        stage.findings.append(f"starved: {name}: {figures['starved']} of {figures['pushes']} pushes of the good app: {figures}")
    if beat.errors:
        stage.findings.append(f"refused: {name}: {len(beat.errors)} pushes of the good app: {beat.errors[0]}")
    return figures


def seconds_to_finish(stage, marker, count=1_500, app="good", limit=60):
    """How long a campaign of the good app takes."""
    tokens = [f"a0{stage.workload.rng.getrandbits(248):062x}" for _ in range(count)]
    body = {"to": {"tokens": [{"type": "ios", "token": token} for token in tokens]}, "campaign": marker}
    started = time.monotonic()
    push = stage.workload.create(app, stage.workload.fresh(marker), body, tokens=tokens)
    while time.monotonic() - started < limit:
        if "finished_at" in stage.client.done("GET", f"/v1/apps/{app}/pushes/{push.id}"):
            return round(time.monotonic() - started, 2)
        time.sleep(0.02)
    stage.findings.append(f"starved: the campaign {marker} of {count} devices is not finished after {limit} s")
    return None


@contextlib.contextmanager
def control_of(stage, folder, identity):
    """The good app alone in a server with a gateway of its own."""
    with Stage(folder / "control", identity, f"{stage.seed} control", apps=("good",), devices=40) as control:
        yield control
        control.settle(grace=1)
        stage.findings += control.verify()


def compare_pulses(stage, control):
    """Transactional pushes of both good apps in the same seconds."""
    beats = [(name, one, Pulse(one.workload, "good", f"{stage.seed} {name}"))
             for name, one in (("beside", stage), ("alone", control))]
    threads = [threading.Thread(target=beat.beat, args=(COMPARED_SECONDS,)) for _, _, beat in beats]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    figures = {name: felt(one, name, beat) for name, one, beat in beats}
    stage.figures.update(figures, p99_ratio=ratio(figures["beside"]["p99_ms"], figures["alone"]["p99_ms"]))


def compare_campaigns(stage, control):
    """Campaigns of both good apps by turns; the medians are compared."""
    seconds = {"beside": [], "alone": []}
    for number in range(CAMPAIGNS):
        for name, one in (("beside", stage), ("alone", control)):
            seconds[name].append(seconds_to_finish(one, f"{name}-{number}"))
    middle = {name: statistics.median(all_) if None not in all_ else None for name, all_ in seconds.items()}
    stage.figures.update(campaign_seconds=seconds, campaign_ratio=ratio(middle["alone"], middle["beside"]))


def settle_neighbors(stage, names):
    """Brings everything to rest and judges all apps, the good and the evil."""
    stage.workload.apps = (*stage.workload.apps, *names)
    stage.settle(grace=1)
    stage.verify()


def add_app(stage, name, credentials, tokens, kind):
    """An app with so many devices waiting; a campaign and some single pushes."""
    work = stage.workload
    work.client.done("POST", "/v1/apps", {"name": name, "contract": "native"})
    work.client.done("PUT", f"/v1/apps/{name}/credentials", credentials)
    work.create(name, work.fresh(name), {
        "to": {"tokens": [{"type": kind, "token": token} for token in tokens]}, "campaign": "c"}, tokens=tokens)
    for token in tokens[:3]:
        work.create(name, work.fresh(name), {"to": {"tokens": [{"type": kind, "token": token}]}}, tokens=[token])


def evil_gateways(folder, identity, seed):
    """Every kind of evil gateway at once, each with thousands waiting, beside one good app."""
    with Stage(folder, identity, seed, apps=("good",), devices=40) as stage:
        evil = EvilProcess(folder, identity, GATEWAY_KINDS)
        try:
            stage.takes.paths.append(evil.log)
            waiting = 0
            # The dead last: those who break the protocol shall have their turn before the dead fill what can be filled.
            for kind in sorted(evil.ports, key=lambda kind: kind in DEAD_KINDS):
                count = WAITING_AT_DEAD if kind in DEAD_KINDS else WAITING_AT_OTHERS
                tokens = [f"a0{stage.workload.rng.getrandbits(248):062x}" for _ in range(count)]
                add_app(stage, f"evil-{kind}", {"apns": identity.apns(evil.ports[kind])}, tokens, "ios")
                waiting += count
            with control_of(stage, folder, identity) as control:
                compare_pulses(stage, control)
                compare_campaigns(stage, control)
            outcomes = collections.Counter()
            for kind in evil.ports:
                expect_running(stage, f"evil-{kind}")
                for push in stage.client.rows(f"/v1/apps/evil-{kind}/pushes", "pushes"):
                    outcomes.update(push["counts"])
            stage.figures.update(
                kinds=len(evil.ports), dead=len(DEAD_KINDS), waiting=waiting, outcomes_at_evil=outcomes)
            evil.mend()
            settle_neighbors(stage, [f"evil-{kind}" for kind in evil.ports])
        finally:
            evil.close()
        return stage.findings, stage.figures


def expect_running(stage, app):
    """Only a provider's own word about a credential stops an app."""
    stopped = stage.client.done("GET", f"/v1/apps/{app}").get("stopped")
    if stopped:
        stage.findings.append(f"stopped: {app}: {stopped}")


def token_endpoints(folder, identity, seed):
    """Every kind of trouble at a token endpoint; iPhones go on, and so does the app by itself when the endpoint heals."""
    with Stage(folder, identity, seed, apps=("good",), devices=40) as stage:
        evil = EvilProcess(folder, identity, TOKEN_KINDS)
        try:
            stage.takes.paths.append(evil.log)
            for kind, port in evil.ports.items():
                tokens = [f"a0{stage.workload.rng.getrandbits(64):016x}:APA91b{index}" for index in range(300)]
                credentials = {"fcm": identity.fcm(port), "apns": identity.apns(stage.gateway.ports["apns"])}
                add_app(stage, kind, credentials, tokens, "android")
            with control_of(stage, folder, identity) as control:
                compare_pulses(stage, control)
            iphones(stage, evil.ports)
            stage.figures.update(kinds=len(evil.ports))
            evil.mend()
            stage.figures["healed_seconds"] = healed(stage, [kind for kind in evil.ports if kind != "token-grant"])
            settle_neighbors(stage, list(evil.ports))
        finally:
            evil.close()
        return stage.findings, stage.figures


def iphones(stage, kinds):
    """What the token endpoint does is no matter of the app's iPhones."""
    for kind in kinds:
        if kind != "token-grant":
            expect_running(stage, kind)
        figures = Pulse(stage.workload, kind, f"{stage.seed} {kind}", rate=20, threads=1)
        figures.beat(0.2)
        found = figures.figures(stage.takes)
        if found["starved"] or found["errors"]:
            stage.findings.append(f"starved: iPhones of {kind}, whose token endpoint is in trouble: {found}")


def healed(stage, apps, limit=90):
    """How long after the endpoints heal until each app sends to Android again, without anybody's help."""
    started = time.monotonic()
    left = set(apps)
    while left and time.monotonic() - started < limit:
        stage.takes.refresh()
        left -= {take.gateway for takes in stage.takes.by_address.values() for take in takes
                 if take.provider == "fcm" and take.status == 200}
        time.sleep(0.2)
    if left:
        stage.findings.append(f"stopped: {limit} s after their token endpoints healed these apps send nothing to Android: "
                              f"{sorted(left)}")
    return round(time.monotonic() - started, 1)


def ratio(beside, alone):
    return round(beside / alone, 2) if beside and alone else None


def webhook_hangs(folder, identity, seed):
    """A receiver that takes connections and says nothing: sending goes on, and every notice comes when it wakes."""
    with Stage(folder, identity, seed, apps=("good",), devices=400) as stage:
        stage.receiver.hanging.set()
        with control_of(stage, folder, identity) as control:
            compare_pulses(stage, control)
        stage.receiver.hanging.clear()
        stage.receiver.released.set()
        stage.settle()
        stage.verify()
        return stage.findings, stage.figures


def crowd(folder, identity, seed, devices=300_000):
    """One app's campaign to 300 000 devices beside another's transactional pushes."""
    with Stage(folder, identity, seed, apps=("good",), devices=40) as stage:
        other = GatewayProcess(folder, identity, "crowd", providers=("apns",), program="lean.py").start()
        try:
            stage.takes.paths.append(other.log)
            alone = pulse(stage, "alone")
            work = stage.workload
            work.client.done("POST", "/v1/apps", {"name": "crowd", "contract": "native"})
            work.client.done("PUT", "/v1/apps/crowd/credentials", {"apns": identity.apns(other.ports["apns"])})
            started = time.monotonic()
            for _ in range(devices // FILE_OF_DEVICES):
                lines = (json.dumps({"type": "ios", "token": f"a0{work.rng.getrandbits(248):062x}"}) for _ in range(FILE_OF_DEVICES))
                answer = work.client.done("PUT", "/v1/apps/crowd/devices/import", "\n".join(lines).encode(),
                                          headers={"Content-Type": "application/x-ndjson"})
                if answer["created"] != FILE_OF_DEVICES:
                    stage.findings.append(f"lost: {answer}")
            imported = time.monotonic() - started
            work.create("crowd", work.fresh("crowd"), {"to": {"all": True}, "campaign": "c"})
            time.sleep(1)
            before = stage.takes.refresh().count
            started = time.monotonic()
            beside = pulse(stage, "beside", seconds=15)
            speed = (stage.takes.refresh().count - before) / (time.monotonic() - started)
            stage.figures.update(devices=devices, import_seconds=round(imported, 1), campaign_per_second=round(speed),
                                 alone=alone, beside=beside)
            settle_neighbors(stage, ["crowd"])
        finally:
            other.close()
        return stage.findings, stage.figures
