"""Breaks a cluster under load for some minutes, and compares afterwards what was promised, stored and received.

    script/chaos --minutes 5 --seed 1

The seed decides which faults come, in which order, on which nodes and for how long; others for the same seed
where nodes have no networks of their own. How the processes interleave is up to the machine.
Exit status 0: every promise was kept. 1: findings, each on a line; the folder with all logs stays.
"""

import argparse
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from cluster import APPS, Cluster
from faults import Faults, kinds
from judge import Judge, settle
from large import LargeAudience
from leases import Leases
from networks import Networks, enter
from phones import Phones
from processes import Failed, Process, ports
from receiver import Receiver
from workload import Workload

SHOWN_MAX = 40
ACCEPTED_AGAIN_GOAL = 5.0
#: A change of a key is known to every node within so many seconds, but for a share of them: those of nodes that were cut off.
KNOWN_GOAL, LATER_GOAL = 1.0, 0.02


def arguments():
    parser = argparse.ArgumentParser(prog="script/chaos", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=5, metavar="N", help="how long it is broken, at least: each kind of fault comes once; 5 unless given")
    parser.add_argument("--seed", type=int, help="decides the faults; a random one unless given, which is printed")
    parser.add_argument("--nodes", type=int, default=3, metavar="N", help="how many nodes; 3 unless given")
    parser.add_argument("--only", metavar="KINDS", help=f"some kinds of faults alone: {','.join(kinds(has_networks=True))}")
    parser.add_argument("--settle", type=float, default=240, metavar="SECONDS", help="how long everything may take to come to rest; 240 unless given")
    parser.add_argument("--folder", help="where logs and data are; a new one below /tmp unless given, removed when nothing was found")
    parser.add_argument("--goals", action="store_true", help=f"fails too when the first push after a promotion takes longer than {ACCEPTED_AGAIN_GOAL:g} s, or "
                        f"more than {LATER_GOAL:.0%} of the changes of keys are known later than after {KNOWN_GOAL:g} s; on a quiet machine".replace("%", "%%"))
    return parser.parse_args()


def network(cluster, log):
    """The proxies between nodes and database servers, and their routes.

    With networks of their own, the last of several nodes goes without, so that what is lost is lost between it and the server."""
    names = [f"node{number}" for number in range(1, cluster.count + 1)]
    if cluster.networks and len(names) > 1:
        cluster.direct = [names.pop()]
    ways = [(name, target) for name in names for target in cluster.database_ports]
    route = dict(zip(ways, ports(len(ways))))
    cluster.routes = lambda node, target: route.get((node, target), target)
    words = [f"{name}:{port}:{target}" for (name, target), port in route.items()]
    program = pathlib.Path(__file__).parent / "wire.py"
    return Process("the network", [sys.executable, "-B", str(program), cluster.far, *words], log, stdin=subprocess.PIPE)


class Run:
    def __init__(self, options, program, without):
        self.options, self.without = options, without
        self.seed = options.seed if options.seed is not None else random.randrange(1_000_000)
        self.folder = pathlib.Path(options.folder or tempfile.mkdtemp(prefix="postrider-chaos-"))
        self.networks = None if without else Networks(self.folder)
        self.cluster = Cluster(self.folder / "cluster", program, options.nodes, networks=self.networks, apps=APPS)
        self.begun = time.monotonic()

    def say(self, text):
        print(f"chaos: {text}", flush=True)

    def perform(self):
        """All of it; returns the findings."""
        self.say(f"seed {self.seed}, {self.options.minutes:g} minutes, {self.options.nodes} nodes, logs in {self.cluster.folder}")
        self.folder.mkdir(parents=True, exist_ok=True)
        # PostgreSQL's user passes through it.
        self.folder.chmod(0o755)
        if self.without:
            self.say(f"no network of its own for each node here ({self.without}): partitions are what the proxies do")
        receivers, wire = [], None
        findings = []
        try:
            if self.networks:
                self.networks.start(f"node{number}" for number in range(1, self.options.nodes + 1))
            receivers = [Receiver(f"{self.seed} {app}", self.cluster.near) for app in APPS]
            wire = network(self.cluster, self.folder / "wire.log").start()
            self.cluster.start(self.say)
            workloads = self.workloads(receivers)
            for workload in workloads:
                workload.prepare()
            findings = self.broken(workloads, wire)
        except Failed as error:
            findings.append(f"cluster: {error}")
        finally:
            self.cluster.stop()
            if wire:
                wire.stop()
            for receiver in receivers:
                receiver.close()
            if self.networks:
                self.networks.stop()
        return findings

    def workloads(self, receivers):
        """The first app's webhook is notified of every delivery, and the others' of pushes: more notices than a receiver in Python takes prove nothing further."""
        every, some, large = receivers
        of_pushes = ("push.finished",)
        return [Workload(self.cluster, every, self.seed, APPS[0]),
                Workload(self.cluster, some, self.seed, APPS[1], of_pushes, senders=1),
                LargeAudience(self.cluster, large, self.seed, APPS[2], of_pushes, minutes=self.options.minutes)]

    def broken(self, workloads, wire):
        faults = Faults(self.cluster, wire, workloads, workloads[-1], self.seed, self.say)
        if self.options.only:
            faults.kinds = self.options.only.split(",")
        leases = Leases(self.cluster.pair).start()
        for workload in workloads:
            workload.start()
        time.sleep(2)
        faults.run(time.monotonic() + self.options.minutes * 60)
        self.say("nothing is broken any more; waiting for rest")
        faults.mend()
        for workload in workloads:
            workload.stop()
            workload.receiver.trouble = 0
        judges = [Judge(self.cluster, workload, workload.receiver) for workload in workloads]
        settle(judges, self.options.settle)
        leases.stop()
        self.compare(judges)
        for name, status in self.cluster.stop().items():
            if status != 0:
                judges[0].findings.add("stop", f"{name} ended with {status} after SIGTERM")
        judges[0].check_logs()
        if self.options.goals:
            self.check_goals(workloads, faults, judges[0].findings)
        for judge in judges:
            self.figures(judge)
        self.say(f"{faults.came.total()} faults: {faults.counts(faults.came)}")
        self.say(f"{faults.met.total()} of them fell on a campaign to {len(faults.large.everyone)} devices: {faults.counts(faults.met)}")
        if faults.failovers:
            self.say(f"first push accepted after a promotion: {', '.join(f'{took:.2f} s' for took in faults.failovers)}")
        self.say(f"leases were looked at {leases.looks} times; the latest was there {leases.latest:.0f} s after its term")
        return faults.findings + leases.findings + [finding for judge in judges for finding in judge.findings]

    def compare(self, judges):
        self.say("comparing")
        begun = time.monotonic()
        phones = Phones(self.cluster.emulated["control"], APPS).read()
        judges[0].findings += phones.findings
        for judge in judges:
            judge.check(phones.of(judge.app))
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        self.say(f"compared within {time.monotonic() - begun:.0f} s; this program never had more than {most:.0f} MB")

    def check_goals(self, workloads, faults, findings):
        if faults.failovers and max(faults.failovers) > ACCEPTED_AGAIN_GOAL:
            findings.add("failover", f"the first push was accepted {max(faults.failovers):.1f} s after the promotion")
        known = [seconds for workload in workloads for seconds in workload.stale]
        later = sum(seconds > KNOWN_GOAL for seconds in known)
        if later > LATER_GOAL * len(known):
            findings.add("stale", f"{later} of {len(known)} times a node knew of a changed key later than {KNOWN_GOAL:g} s after it")

    def figures(self, judge):
        workload, receiver = judge.work, judge.receiver
        states = ", ".join(f"{count} {state}" for state, count in sorted(judge.states.items()))
        self.say(f"{workload.app}: {workload.requests} requests for {len(workload.pushes)} pushes, {workload.replayed} repeated after their answer; "
                 f"{len(workload.schedules)} schedules; {len(workload.devices)} devices")
        self.say(f"{judge.rows_count} rows: {states}; {judge.doubles} doubles on phones, all known to the ledger unless a finding says otherwise; "
                 f"{len(receiver.batches)} batches of webhooks, {judge.dropped} notices dropped and counted; {receiver.late} batches came late "
                 f"once more, after a later one was acknowledged, {receiver.late_of_push} of them after one of the same push")
        for client in [workload.client, *workload.direct_clients]:
            if not client.slowest[1]:
                continue  # Nothing was asked of it.
            self.say(f"{client.origin}: the slowest answer after {client.slowest[0]:.1f} s ({client.slowest[1]}); {client.busy} times 503, at most after {client.busy_slowest:.1f} s")
        if workload.stale:
            self.say(f"{len(workload.stale)} times a node was asked with a key that had changed; the old state was last acted on {max(workload.stale):.2f} s after the change, "
                     f"{sum(seconds > 1 for seconds in workload.stale)} later than a second")


def main():
    options = arguments()
    without = enter()
    here = kinds(has_networks=not without)
    if options.only and (missing := sorted(set(options.only.split(",")) - set(here))):
        print(f"chaos: --only: {', '.join(missing)} cannot happen here; there are {', '.join(here)}", file=sys.stderr)
        return 2
    run = Run(options, os.environ["POSTRIDER"], without)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        findings = run.perform()
    except KeyboardInterrupt:
        print("chaos: interrupted; nothing was compared", file=sys.stderr)
        if not options.folder:
            shutil.rmtree(run.folder, ignore_errors=True)
        return 130
    for finding in findings[:SHOWN_MAX]:
        print(f"  {finding}")
    if findings:
        (run.folder / "findings.txt").write_text("\n".join(findings) + "\n")
        print(f"chaos: FAILED: {len(findings)} findings with --seed {run.seed}; all of them, the logs and the data are in {run.folder}")
        return 1
    if not options.folder:
        shutil.rmtree(run.folder, ignore_errors=True)
    print(f"chaos: every promise was kept ({time.monotonic() - run.begun:.0f} s, seed {run.seed})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
