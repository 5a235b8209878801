"""Lets the cluster come to rest, and compares what was promised, what the ledger says and what the phones received.

Each finding begins with its rule:

    stuck         something is not finished although nothing is broken any more
    law           the counters of a push do not balance, or differ from its rows
    lost          something acknowledged is not there, or a device of the audience has no row
    reached       a push that nobody canceled did not reach a device of its audience, and its outcome is known
    twice         one request made two pushes, or a device has two rows
    received      a phone received what the ledger says was never sent, or not what it says was accepted
    doubled       a phone received it more often than the ledger says is possible, or under another id
    occurrence    a run of a schedule is missing, or was made twice
    webhook       a notice is missing that the webhook does not count as dropped, or is in two batches, out of order, or a batch has two contents
    bound         a request was not answered within its bound, whatever was broken
    lease         a lease was still there long after its term, at any time of the run
    log           a node wrote of a bug or a crash
"""

import collections
import concurrent.futures
import datetime
import json
import re
import time

from findings import Findings
from workload import SCHEDULE_AHEAD

STATES = ("waiting", "in_flight", "accepted", "rejected", "expired", "cancelled", "unknown")
#: A request waits at most for the change before it and for its own: each for the writer's lock (30 s) or for its commit (35 s), and to
#: connect; and for a node that stands still (24 s).
BOUND_SECONDS = 100
NOTICED = ("accepted", "rejected", "unknown")
#: How many pushes are read at once, and how many with all their rows wait to be compared: the memory for it is that of so many audiences.
READERS = READ_AHEAD = 4
# What a node writes only when it has a fault of its own.
FAULTY = re.compile(rb'\bbug\b|Fatal error|Illegal instruction|Segmentation fault|"problem":"internal"')


#: What APNs has answered with 503 is tried again after 15 to 22.5 minutes, and after 30 to 45 when it was the second time.
PUT_OFF_SECONDS = 45 * 60
# Deliveries that a gateway has put off for longer than everything else may take to come to rest.
PUT_OFF = ("SELECT {what} FROM deliveries d WHERE d.id >= p.id AND d.id < p.id + greatest(p.reserved, p.targeted) AND d.state = 3 "
           "AND d.attempts > 0 AND d.not_before / 1000 - extract(epoch FROM clock_timestamp()) BETWEEN {seconds} AND " + str(PUT_OFF_SECONDS))


#: How long the end of what was put off may take: it is cancelled, and told.
ENDED_SECONDS = 60


def settle(judges, seconds):
    """Waits until nothing is on its way in any app: no push, no notice, no lease, no run of a schedule that is due.

    What APNs has answered with 503 waits for 15 minutes at least. It is cancelled, so that nothing moves while it is compared.
    """
    left = wait_for_rest(judges, seconds)
    for judge in judges:
        judge.end_put_off()
    left += wait_for_rest(judges, ENDED_SECONDS, PUT_OFF_SECONDS)
    for what in dict.fromkeys(left):
        judges[0].findings.add("stuck", f"after {seconds} s: {what}")


def wait_for_rest(judges, seconds, put_off=None):
    """What is under way at the end of that time, but for what is put off for longer than `put_off`, or than the time that is left."""
    sql, end = judges[0].cluster.pair.primary.rows, time.monotonic() + seconds
    while True:
        rest = max(0, end - time.monotonic())
        left = [what for judge in judges for what in judge.unfinished(rest if put_off is None else put_off)]
        left += [f"{row['count']} batches of webhooks" for row in sql("SELECT count(*) FROM outbox WHERE dead = 0") if row["count"]]
        left += [f"lease {row['id']} of {row['node']}" for row in sql("SELECT id, node FROM leases LIMIT 5")]
        if not left or rest == 0:
            return left
        time.sleep(0.5)


class Judge:
    def __init__(self, cluster, workload, receiver):
        self.cluster, self.work, self.receiver = cluster, workload, receiver
        self.client, self.base = workload.client, workload.base
        self.app, self.marker = workload.app, re.compile(rf"{workload.app}-[0-9a-f]{{12}}")
        self.findings = Findings()
        self.rows_count, self.states, self.doubles, self.dropped = 0, collections.Counter(), 0, 0
        #: The rows that a gateway had put off at the end, and that were cancelled.
        self.ended = set()

    @property
    def ours(self):
        """The condition of the app's pushes."""
        return f"p.app = (SELECT id FROM apps WHERE name = '{self.app}')"

    # MARK: - Rest

    def unfinished(self, seconds=PUT_OFF_SECONDS):
        """What of the app is under way, but for what is put off for longer than `seconds`."""
        left = [f"push {row['id']} of {self.app} ({row['waiting']} waiting, {row['in_flight']} in flight)" for row in self.cluster.pair.primary.rows(
            f"SELECT id, waiting, in_flight FROM pushes p WHERE {self.ours} AND waiting + in_flight > 0 AND waiting + in_flight > "
            f"({PUT_OFF.format(what='count(*)', seconds=seconds)}) ORDER BY id LIMIT 5")]
        now = datetime.datetime.now(datetime.timezone.utc)
        if any(planned.start > now - datetime.timedelta(seconds=5) for planned in list(self.work.schedules.values())):
            left.append(f"runs of schedules of {self.app} that are due within {SCHEDULE_AHEAD[1]} s")
        return left

    def end_put_off(self):
        """Cancels what a gateway has put off, which is all that should be left."""
        found = self.cluster.pair.primary.rows(
            f"SELECT p.id, array_to_string(array({PUT_OFF.format(what='d.id', seconds=0)}), ' ') AS rows FROM pushes p "
            f"WHERE {self.ours} AND waiting + in_flight > 0 ORDER BY p.id")
        for push in found:
            self.ended.update(push["rows"].split())
            status, answer, _ = self.client.persist("POST", f"{self.base}/pushes/{push['id']}/cancel", {})
            # 409: the push has ended, or an earlier attempt did it, and only its answer was lost. What is left is found by who waits for rest.
            if status not in (200, 202, 204, 409):
                self.findings.add("caller", f"the end of push {push['id']} was answered {status} {answer}")

    # MARK: - Judgement

    def check(self, received):
        """Compares one push after the other with what phones received, by marker and address; what is compared is removed from it."""
        self.check_law()
        tokens, notified = self.devices(), self.notified()
        pushes, missing = [], []
        for push in self.pushes():
            self.check_push(push, tokens, received.get(push["marker"], {}))
            missing += self.unnotified(push, notified)
            pushes.append({"id": push["id"], "marker": push["marker"]})
        self.check_promised(pushes)
        self.check_schedules(pushes)
        self.check_strays({push["marker"] for push in pushes}, received)
        self.check_missing(missing, sum(webhook["dropped"] for webhook in self.client.done("GET", f"{self.base}/webhooks")["webhooks"]))
        self.check_bounds()
        for fault in [*self.work.faults, *self.receiver.faults]:
            self.findings.append(fault)
        return self.findings

    def check_bounds(self):
        for client in [self.client, *self.work.direct_clients]:
            took, what = client.slowest
            if took > BOUND_SECONDS:
                self.findings.add("bound", f"{client.origin}: {what} after {took:.1f} s")

    def check_law(self):
        """In the database, over all pushes of the app."""
        for row in self.cluster.pair.primary.rows(
                f"SELECT id, targeted, {', '.join(STATES)} FROM pushes p WHERE {self.ours} AND targeted <> {' + '.join(STATES)}"):
            self.findings.add("law", f"the database: {row}")
        # A row that was never leased has the state of its push (2); it is counted with what the push says of it.
        wanted = {"accepted": 5, "rejected": 6, "expired": 7, "unknown": 9}
        counted = ", ".join(f"count(*) FILTER (WHERE d.state = {number}) AS rows_{name}" for name, number in wanted.items())
        query = (f"SELECT p.id, p.targeted, {', '.join(f'p.{name}' for name in wanted)}, count(*) AS rows_targeted, {counted} FROM pushes p "
                 "JOIN deliveries d ON d.id >= p.id AND d.id < p.id + greatest(p.reserved, p.targeted) "
                 f"WHERE {self.ours} GROUP BY p.id")
        for row in self.cluster.pair.primary.rows(query):
            if any(row[name] != row[f"rows_{name}"] for name in ("targeted", "accepted", "rejected", "unknown")):
                self.findings.add("law", f"the database's rows: {row}")

    def devices(self):
        """Token by id; every acknowledged device once."""
        found = self.client.lines(f"{self.base}/devices/export")
        names = collections.Counter(device["name"] for device in found if "name" in device)
        for name in self.work.devices:
            if names[name] != 1:
                self.findings.add("lost" if not names[name] else "twice", f"device {name} is there {names[name]} times")
        self.names = {device["id"]: device.get("name") for device in found}
        return {device["id"]: device["token"] for device in found}

    def pushes(self):
        """Every push of the ledger in turn, as its own page shows it, with its marker and rows."""
        schedules = {planned.id: planned.marker for planned in self.work.schedules.values() if planned.id is not None}

        def read(push):
            shown = self.client.done("GET", f"{self.base}/pushes/{push['id']}")
            # The title is in the message, or in the request of a push that came of one.
            shown["marker"] = schedules.get(shown.get("schedule")) or (self.marker.search(json.dumps(shown)) or [None])[0]
            shown["rows"] = self.client.lines(f"{self.base}/pushes/{push['id']}/deliveries/export")
            return shown

        with concurrent.futures.ThreadPoolExecutor(READERS) as pool:
            ahead = collections.deque()
            for push in self.client.rows(f"{self.base}/pushes", "pushes"):
                ahead.append(pool.submit(read, push))
                if len(ahead) > READ_AHEAD:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()

    def check_promised(self, pushes):
        by_marker = collections.defaultdict(list)
        for push in pushes:
            if push["marker"] not in self.work.schedules:
                by_marker[push["marker"]].append(push["id"])
        for marker, promise in self.work.pushes.items():
            found = by_marker.pop(marker, [])
            if promise.id is not None and promise.id not in found:
                self.findings.add("lost", f"{promise.kind} push {promise.id} ({marker}) was acknowledged and is not there")
            if len(found) > 1:
                self.findings.add("twice", f"{promise.kind} {marker} is {len(found)} pushes: {found}")
        for marker, found in by_marker.items():
            self.findings.add("twice", f"nobody asked for {marker}: {found}")

    def check_schedules(self, pushes):
        runs = collections.Counter(push["marker"] for push in pushes)
        for planned in self.work.schedules.values():
            if planned.id is None or runs[planned.marker] == 1:
                # One that was not acknowledged may be there or not, but runs once at most.
                if runs[planned.marker] > 1:
                    self.findings.add("occurrence", f"the schedule of {planned.marker} ran {runs[planned.marker]} times")
                continue
            shown = self.client.done("GET", f"{self.base}/schedules/{planned.id}")
            # One whose request had to be repeated until its time was over runs tomorrow for the first time.
            if runs[planned.marker] or datetime.datetime.fromisoformat(shown["created_at"].replace("Z", "+00:00")) < planned.start:
                self.findings.add("occurrence", f"schedule {planned.id} was due at {planned.start} and ran {runs[planned.marker]} times: {shown}")

    def check_push(self, push, tokens, received):
        rows, counts = push["rows"], push["counts"]
        self.rows_count += len(rows)
        by_state = collections.Counter(row["state"] for row in rows)
        self.states.update(by_state)
        if counts["targeted"] != sum(counts[state] for state in STATES) or any(counts[state] != by_state[state] for state in STATES):
            self.findings.add("law", f"push {push['id']}: {counts}, its rows are {dict(by_state)}")
        for device, count in collections.Counter(row["device"] for row in rows).items():
            if count > 1:
                self.findings.add("twice", f"push {push['id']} has {count} rows for device {device}")
        self.check_audience(push, rows)
        for row in rows:
            self.check_row(push, row, received.get(tokens[row["device"]], ()))
        # What is left in the end is for nobody.
        for row in rows:
            received.pop(tokens[row["device"]], None)

    def check_audience(self, push, rows):
        promise = self.work.pushes.get(push["marker"])
        if promise is None or promise.cancelled:
            return
        wanted = set(promise.devices or promise.known)
        missing = wanted - {self.names[row["device"]] for row in rows}
        if missing:
            self.findings.add("lost", f"push {push['id']} has no row for {len(missing)} devices, such as {sorted(missing)[0]}")
        # Nobody took it back, it does not expire within a run, and every device is registered at the gateways.
        unreached = [row for row in rows if row["state"] not in ("accepted", "unknown")
                     and not (row["state"] == "cancelled" and str(row["id"]) in self.ended)]
        if unreached:
            self.findings.add("reached", f"push {push['id']}: {len(unreached)} deliveries did not reach a phone, such as {unreached[0]}")

    def check_row(self, push, row, ids):
        """What a phone may have received follows from the row: `unknowns` attempts may have been processed, and one was accepted."""
        state, unsure, count = row["state"], row["unknowns"], len(ids)
        most = unsure + (state == "accepted")
        where = f"push {push['id']} ({push['marker']}), row {row['id']}, {state}, unknowns {unsure}"
        self.doubles += max(0, count - 1)
        if state == "accepted" and not count:
            self.findings.add("received", f"{where}: the phone has nothing of it")
        if count > most:
            self.findings.add("doubled" if most else "received", f"{where}: the phone has it {count} times: {ids}")
        name = row.get("apns_id")
        if name and any(one != name for one in ids):
            self.findings.add("doubled", f"{where}: its id is {name}, and the phone has {ids}")
        name = row.get("message_name", "").rsplit("/", 1)[-1]
        if name and name not in ids:
            self.findings.add("received", f"{where}: its name is {name}, and the phone has {ids}")

    def check_strays(self, known, received):
        """Nobody receives what is not for them, whichever app they belong to: `received` is what no row of a push explains."""
        for marker, phones in received.items():
            for token in phones:
                if marker not in known:
                    self.findings.add("lost", f"the phone {token} received {marker}, and the ledger has no such push")
                else:
                    self.findings.add("received", f"the phone {token} received {marker}, which has no row for it")

    def notified(self):
        """Every outcome that was notified, by type and delivery or push: each is in one batch."""
        found = {}
        for number, batch in self.receiver.batches.items():
            for kind, delivery in batch.notices:
                other = found.setdefault((kind, delivery or batch.push), number)
                if other != number:
                    self.findings.add("webhook", f"{kind} of {delivery or batch.push} is in batches {other} and {number}")
        return found

    def unnotified(self, push, notified):
        """The outcomes of a push of which the webhook was not notified."""
        for row in push["rows"]:
            kind = f"delivery.{row['state']}"
            if row["state"] in NOTICED and kind in self.work.told and (kind, row["id"]) not in notified:
                yield f"no notice of row {row['id']} of push {push['id']}, which is {row['state']}"
        if push.get("finished_at") and ("push.finished", push["id"]) not in notified:
            yield f"no notice that push {push['id']} is finished"

    def check_missing(self, missing, dropped):
        """No notice is missing, but for so many that the webhook says it has dropped because too many waited."""
        if len(missing) != dropped:
            self.findings.add("webhook", f"{len(missing)} notices are missing, and the webhook counts {dropped} as dropped")
            for what in missing:
                self.findings.add("webhook", what)
        self.dropped = dropped

    def check_logs(self):
        """After the end: what the nodes wrote."""
        for node in self.cluster.nodes:
            for line in node.process.log.read_bytes().splitlines():
                if FAULTY.search(line):
                    self.findings.add("log", f"{node.process.log}: {line[:300].decode(errors='replace')}")
