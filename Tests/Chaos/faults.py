"""What breaks, in an order that the seed decides: the nodes, the primary, connections, the network, the providers."""

import collections
import random
import signal
import time

from crowd import Crowd
from processes import Failed

#: Longer than a lease's term (15 seconds) by enough to be noticed.
PAUSE = (18, 24)
#: How long before a fault the campaign begins that it is to meet: long enough for it to be half written, or half sent.
LEAD = (0.1, 4)
#: How long commits wait for a standby that is gone: also longer than a statement may take (30 seconds).
STANDBY_GONE = (4, 40)
#: How long both database servers are gone: a minute, and longer than a statement may take.
AWAY = (60, 63)
#: How soon after the standby's end, or the database's, a commit that it had may still be acknowledged.
STILL_UNDER_WAY = 5
KINDS = ("kill", "backends", "cut", "refuse", "provider", "failover", "stall", "pause", "standby", "still", "deaf", "full", "away")
OF_NETWORKS = ("apart", "island")
#: Faults of the proxy between a node and the database, and all that concern one node.
OF_THE_PROXY = ("cut", "refuse", "stall", "deaf")
OF_A_NODE = (*OF_THE_PROXY, *OF_NETWORKS, "kill", "pause")
#: How a provider fails for some seconds; each is an effect of the emulator (docs/emulator.md).
TROUBLES = [
    {"effect": "close", "share": 0.02}, {"effect": {"goaway": {"reason": "Shutdown"}}, "share": 0.01},
    {"effect": "ServiceUnavailable", "share": 0.2, "provider": "apns"}, {"effect": "UNAVAILABLE", "share": 0.2, "provider": "fcm"},
    {"effect": {"reset": "REFUSED_STREAM"}, "share": 0.1}, {"effect": {"reset": "INTERNAL_ERROR"}, "share": 0.05},
    {"latency": {"uniform": [50, 400]}},
]


def kinds(has_networks):
    """What can happen; the last two where each node has a network of its own."""
    return [*KINDS, *OF_NETWORKS] if has_networks else [*KINDS]


class Faults:
    """Carries out faults on one thread; `log` has a line for each with the second at which it began."""

    def __init__(self, cluster, wire, workloads, large, seed, say):
        self.cluster, self.wire, self.workloads, self.large, self.say = cluster, wire, workloads, large, say
        self.dice = random.Random(f"{seed} faults")
        self.begun = time.monotonic()
        self.log, self.failovers, self.findings = [], [], []
        # Each kind comes once before any comes again, so that a short run has all of them, too.
        self.kinds, self.rest = kinds(bool(cluster.networks)), []
        self.came = collections.Counter()
        #: How often each kind has met a campaign to the large audience.
        self.met = collections.Counter()

    def next(self):
        """The next fault, its node and its numbers: all of the dice are thrown here, whatever the cluster does."""
        if not self.rest:
            self.rest = self.dice.sample(self.kinds, len(self.kinds))
        kind = self.rest.pop()
        nodes = [node for node in self.cluster.nodes if kind not in OF_THE_PROXY or node.name not in self.cluster.direct]
        return (kind, self.dice.choice(nodes), self.dice.random(), self.dice.choice(TROUBLES),
                self.dice.uniform(1, 5), self.dice.uniform(*LEAD))

    def run(self, until):
        """Until the time is over, and each kind came at least once."""
        while time.monotonic() < until or self.came.keys() < set(self.kinds):
            kind, node, luck, trouble, rest, lead = self.next()
            self.meet(kind, lead)
            self.came[kind] += 1
            self.note(f"{kind} {node.name if kind in OF_A_NODE else ''}".strip())
            getattr(self, kind)(node, luck, trouble)
            self.check_alive()
            time.sleep(rest)

    def meet(self, kind, lead):
        """Begins a campaign to the large audience for a fault to fall on, if it is time for one; a kind that has met more than another one waits longer."""
        if not self.large.begin(is_ahead=self.met[kind] > min(self.met[one] for one in self.kinds)):
            return
        self.met[kind] += 1
        self.note(f"         a campaign to {len(self.large.everyone)} devices, and {lead:.1f} s later")
        time.sleep(lead)

    def first_acceptance(self, after):
        """How many seconds after an instant the first push of any app was acknowledged; None when none was."""
        return min((took for work in self.workloads if (took := work.first_acceptance(after)) is not None), default=None)

    def counts(self, of):
        """How often each kind came, or met a campaign, for the last lines of a run."""
        return ", ".join(f"{count} {kind}" for kind, count in sorted(of.items()))

    def note(self, text):
        self.log.append(f"{time.monotonic() - self.begun:7.1f} {text}")
        self.say(self.log[-1])

    def check_alive(self):
        """Only we end processes."""
        for process in (self.cluster.front, self.cluster.emulator, self.wire):
            process.expect()
        for node in self.cluster.nodes:
            if not node.process.alive():
                self.findings.append(f"died: {node.name} ended by itself ({node.process.running.returncode}): {node.process.tail(400)}")
                node.start()

    # MARK: - Kinds

    def kill(self, node, luck, _):
        node.process.kill()
        time.sleep(luck * 2)
        node.start()
        try:
            node.wait_ready(90)
        except Failed as error:
            self.findings.append(f"start: {error}")

    def pause(self, node, luck, _):
        node.pause()
        time.sleep(PAUSE[0] + luck * (PAUSE[1] - PAUSE[0]))
        node.resume()

    def backends(self, _, luck, __):
        """Ends some of the database's connections in the middle of whatever they do."""
        share = 0.3 + 0.7 * luck
        self.cluster.pair.primary.sql(
            f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'postrider' AND random() < {share}")

    def backends_soon(self, luck):
        """The same on a server that may have no connection free before it has noticed which ones are gone."""
        end = time.monotonic() + 10
        while True:
            try:
                return self.backends(None, luck, None)
            except Failed:
                if time.monotonic() > end:
                    raise
                time.sleep(0.2)

    def cut(self, node, _, __):
        self.break_wire("cut", node)

    def refuse(self, node, luck, _):
        # As long as that: a node that is killed and started meanwhile ends, as it should without its database.
        seconds = 1 + luck * 4
        self.break_wire("refuse", node, seconds)
        time.sleep(seconds)

    def stall(self, node, luck, _):
        seconds = PAUSE[0] + luck * (PAUSE[1] - PAUSE[0])
        self.break_wire("stall", node, seconds)
        time.sleep(seconds)

    def deaf(self, node, luck, _):
        """A partition in which the node reaches the gateways, which are slow, and the database hears it, but it does not hear the database."""
        self.cluster.control("POST", "/rules", {"name": "chaos", "latency": {"uniform": [200, 1500]}})
        seconds = PAUSE[0] + luck * (PAUSE[1] - PAUSE[0])
        self.break_wire("deaf", node, seconds)
        time.sleep(seconds)
        self.cluster.control("DELETE", "/rules/chaos")

    def apart(self, node, luck, _):
        """A partition in which packets between the node and the database are lost; callers and gateways are there."""
        self.pull(node, ["far"], luck)

    def island(self, node, luck, _):
        """The same between the node and everybody: HAProxy, gateways, receivers, the database."""
        self.pull(node, ["near", "far"], luck)

    def pull(self, node, ends, luck):
        self.cluster.networks.pull(node.name, ends)
        time.sleep(PAUSE[0] + luck * (PAUSE[1] - PAUSE[0]))
        self.cluster.networks.plug(node.name)

    def break_wire(self, word, node, seconds=0.0):
        self.break_network(f"{word} {node.name} {seconds}")

    def break_network(self, command):
        self.wire.running.stdin.write(f"{command}\n".encode())
        self.wire.running.stdin.flush()

    def provider(self, _, luck, trouble):
        self.cluster.control("POST", "/rules", {"name": "chaos", **trouble})
        time.sleep(2 + luck * 4)
        self.cluster.control("DELETE", "/rules/chaos")

    # MARK: - The database servers

    def full(self, _, luck, __):
        """Others take every connection that the server has, while the nodes lose theirs."""
        with Crowd(self.cluster.pair.primary) as crowd:
            crowd.come()
            self.backends_soon(luck)
            end = time.monotonic() + 5 + luck * 10
            while time.monotonic() < end:
                crowd.come()
                time.sleep(0.5)
            self.note(f"         {crowd.most} connections were taken")

    def away(self, _, luck, __):
        """Both servers die, and are started again after a minute, as those of a data center without power."""
        pair = self.cluster.pair
        for server in pair.servers:
            server.process.kill()
        gone = time.monotonic()
        time.sleep(AWAY[0] + luck * (AWAY[1] - AWAY[0]))
        if (late := self.first_acceptance(gone + STILL_UNDER_WAY)) is not None:
            self.findings.append(f"standby: a push was acknowledged {late + STILL_UNDER_WAY:.1f} s after the database was gone")
        pair.primary.start()
        pair.rejoin()
        back = time.monotonic()
        if (took := self.expect_acceptance(back, "the database was back")) is not None:
            self.note(f"         away for {back - gone:.0f} s, first push accepted {took:.2f} s later")

    def standby(self, _, luck, __):
        """The standby dies alone: commits wait until it is back, or, by the operator's word, go on without it."""
        pair, goes_on = self.cluster.pair, luck < 0.4
        pair.standby.process.kill()
        gone = time.monotonic()
        if goes_on:
            time.sleep(luck * 5)
            pair.primary.demand("")
            self.expect_acceptance(time.monotonic(), "commits were to go on without the standby")
            time.sleep(luck * 10)
        else:
            self.wait_without_acknowledgement(gone, (luck - 0.4) / 0.6)
        pair.rejoin()

    def still(self, _, luck, __):
        """The standby stops and continues; or the primary dies meanwhile, and what was acknowledged has to be on it nevertheless."""
        pair, is_last = self.cluster.pair, luck < 0.3
        pair.standby.process.send_all(signal.SIGSTOP)
        self.wait_without_acknowledgement(time.monotonic(), luck if is_last else (luck - 0.3) / 0.7)
        if is_last:
            self.note("         and the primary dies")
            return self.failover(None, luck, None)
        pair.standby.process.send_all(signal.SIGCONT)
        pair.wait_synchronous()

    def wait_without_acknowledgement(self, gone, share):
        """While no standby answers, nothing is acknowledged for the first time."""
        time.sleep(STANDBY_GONE[0] + share * (STANDBY_GONE[1] - STANDBY_GONE[0]))
        late = self.first_acceptance(gone + STILL_UNDER_WAY)
        if late is not None:
            self.findings.append(f"standby: a push was acknowledged {late + STILL_UNDER_WAY:.1f} s after the standby was gone")

    def expect_acceptance(self, after, what):
        """How long after an instant the first push was accepted; a finding when that took more than a minute."""
        # Somebody has to be asking for the time to mean something; the callers do, all the time.
        while (took := self.first_acceptance(after)) is None and time.monotonic() < after + 60:
            time.sleep(0.05)
        if took is None:
            self.findings.append(f"failover: {what}, and no push was accepted within a minute")
        return took

    def failover(self, _, luck, __):
        """The primary dies and its standby replaces it; a new standby is made afterwards."""
        pair = self.cluster.pair
        killed = time.monotonic()
        pair.fail_over()
        self.break_network(f"down {pair.standby.port}")
        promoted = time.monotonic()
        if (took := self.expect_acceptance(promoted, "the standby was promoted")) is not None:
            self.failovers.append(took)
            self.note(f"         promoted after {promoted - killed:.2f} s, first push accepted {took:.2f} s later")
        time.sleep(luck * 2)
        pair.attach()
        self.break_network(f"up {pair.standby.port}")

    def mend(self):
        """Nothing is broken any more."""
        self.cluster.control("DELETE", "/rules")
        self.cluster.pair.standby.process.send_all(signal.SIGCONT)
        for node in self.cluster.nodes:
            if self.cluster.networks:
                self.cluster.networks.plug(node.name)
            node.resume()
            if not node.process.alive():
                node.start()
        for node in self.cluster.nodes:
            try:
                node.wait_ready(90)
            except Failed as error:
                self.findings.append(f"start: {error}")
