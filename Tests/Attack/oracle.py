"""Compares, row by row, what the gateway took with what the ledger says, and what was acknowledged with what there is.

The rules, each with the words that a finding begins with:

    accepted-untaken    a row says accepted, and no gateway took that push with an answer of 200
    taken-CANCELLED …   the gateway took it (or may have), and the row says cancelled, expired, rejected by us, or not yet sent
    refusal-untrue      a row names a provider's refusal that the gateway never gave
    rejected-by-nobody  a row says rejected, without a provider's answer or a reason of the ledger's own
    taken-twice         taken again though the row does not say that it was resent, or under another apns-id
    row-missing         the gateway took what no row speaks of
    row-twice           one push has two rows for one device
    lost                something acknowledged is gone, or not as it was acknowledged
    unasked             a push that nobody asked for
    sums                counts that do not balance, or not with the rows
    webhook             a notice that is untrue, missing, or in two batches
    occurrence          a schedule that came more or less often than it says
"""

import collections
import json
import time

from takes import NO_ANSWER, NOT_PROCESSED

STATES = ("waiting", "in_flight", "accepted", "rejected", "expired", "cancelled", "unknown")
# Why the ledger itself ends a delivery that was never sent.
OWN_REASONS = {"device-retired", "device-removed", "suppressed-opt-out", "suppressed-frequency-cap", "no-payload",
               "no-credential", "payload-too-large"}


# How long after a hand-over was acknowledged what had left before may still reach a gateway, in nanoseconds.
HAND_OVER_NS = 1_000_000_000
# What a gateway answers to a token or a message, and would answer again.
FINAL_REFUSALS = (400, 404, 410)


class Findings(list):
    """What is not true; each a line that begins with the rule."""

    def add(self, rule, text):
        self.append(f"{rule}: {text}")


class Oracle:
    def __init__(self, client, promises, takes, receiver, apps, gives_up=False, clock_is_right=True):
        self.client, self.promises, self.takes, self.receiver, self.apps = client, promises, takes, receiver, apps
        self.gives_up = gives_up  # Whether deliveries may have become too old, so that we end what nobody refused.
        self.clock_is_right = clock_is_right  # Whether the server's clock was ours throughout, so that what is due is done.
        self.findings = Findings()
        self.rows = self.pushes = 0
        self.states = collections.Counter()

    def check(self):
        """Everything, of a server at rest."""
        self.takes.refresh()
        self.seen = collections.defaultdict(list)  # (marker, token) → [(push, row)]
        for app in self.apps:
            tokens = self.device_tokens(app)
            found = self.pushes_of(app)
            for push in found.values():
                self.check_push(app, push, tokens)
            self.check_promised(app, found)
            self.check_webhooks(app, found)
            self.check_schedules(app, found)
        self.check_takes()
        self.check_people()
        self.check_reports()
        for fault in [*self.promises.faults, *(self.receiver.faults if self.receiver else [])]:
            self.findings.add("caller", fault)
        return self.findings

    # MARK: - Reading the ledger through the API

    def device_tokens(self, app):
        content = self.client.done("GET", f"/v1/apps/{app}/devices/export")
        devices = [json.loads(line) for line in content.splitlines()]
        known = {device["token"] for device in devices}
        for of, token in self.promises.devices:
            if of == app and token not in known:
                self.findings.add("lost", f"{app}: acknowledged device {token[:16]}… is not there")
        return {device["id"]: device["token"] for device in devices}

    def pushes_of(self, app):
        return {push["id"]: push for push in self.client.rows(f"/v1/apps/{app}/pushes", "pushes")}

    def export(self, app, push):
        content = self.client.done("GET", f"/v1/apps/{app}/pushes/{push}/deliveries/export")
        return [json.loads(line) for line in content.splitlines()]

    def marker(self, app, push):
        """By which title the gateway knows this push, or None for one that nobody asked for."""
        promised = self.promises.pushes.get((app, push["id"]))
        if promised:
            return promised.marker
        shown = self.client.done("GET", f"/v1/apps/{app}/pushes/{push['id']}")
        push.update((name, shown[name]) for name in ("schedule", "key", "request") if name in shown)
        if "schedule" in push:
            return self.promises.schedules.get((app, push["schedule"]))
        # One that was asked for and never acknowledged, because a later answer under the same name was.
        title = push.get("request", {}).get("message", {}).get("title")
        return title if title in self.promises.markers and "key" in push else None

    # MARK: - Rows

    def check_push(self, app, push, tokens):
        where = f"{app}/{push['id']}"
        self.pushes += 1
        marker = self.marker(app, push)
        if marker is None:
            return self.findings.add("unasked", f"push {where} ({push['state']})")
        rows = self.export(app, push["id"])
        self.rows += len(rows)
        self.check_sums(where, push, rows)
        promised = self.promises.pushes.get((app, push["id"]))
        listed = promised.tokens if promised else None
        if listed is not None and push.get("audience_complete") and push["state"] not in ("draft", "scheduled", "failed"):
            if rows and len(rows) != len(listed):
                self.findings.add("row-twice" if len(rows) > len(listed) else "lost",
                                  f"push {where} ({marker}) lists {len(listed)} devices and has {len(rows)} rows")
        for index, row in enumerate(rows):
            token = tokens.get(row.get("device"))
            if token is None and listed and len(rows) == len(listed):
                token = listed[index]
            if token is None:
                continue
            address = (marker, token.lower() if row.get("type", "").startswith("ios") else token)
            if any(other["id"] == push["id"] for other, _ in self.seen[address]):
                self.findings.add("row-twice", f"push {where} ({marker}) has two rows for {token[:16]}…")
            self.seen[address].append((push, row))

    def check_sums(self, where, push, rows):
        counts = push["counts"]
        if counts["targeted"] != sum(counts[state] for state in STATES):
            self.findings.add("sums", f"push {where}: {counts}")
        by_state = collections.Counter(row["state"] for row in rows)
        self.states.update(by_state)
        if push.get("finished_at") or not (counts["waiting"] or counts["in_flight"]):
            if any(by_state[state] != counts[state] for state in STATES):
                self.findings.add("sums", f"push {where}: it counts {counts}, its rows are {dict(by_state)}")

    def check_takes(self):
        for address, rows in self.seen.items():
            takes = self.takes.by_address.get(address, [])
            if len(rows) == 1:
                self.check_row(*rows[0], address, takes)
            else:
                self.check_rows(rows, address, takes)
        for address, takes in self.takes.by_address.items():
            if address not in self.seen and address[0] in self.promises.markers:
                real = [take for take in takes if take.status != NOT_PROCESSED]
                if real:
                    self.findings.add("row-missing", f"{address[0]} to {address[1][:16]}… was taken: {real[0]}")

    def check_rows(self, rows, address, takes):
        """Several pushes with one text to one device: occurrences, repeats. Their names tell the takes apart."""
        rest = list(takes)
        for push, row in rows:
            name = row.get("apns_id") or row.get("message_name")
            mine = [take for take in rest if name and name in (take.apns_id, take.name)]
            if row.get("type", "").startswith("ios"):
                self.check_row(push, row, address, mine)
            elif row["state"] == "accepted" and not mine:
                self.findings.add("accepted-untaken", f"{self.at(push, row)}: no take is named {name}")
            rest = [take for take in rest if take not in mine]
        taken = [take for take in rest if take.status in (200, NO_ANSWER)]
        unsure = sum(row["unknowns"] for _, row in rows)
        if len(taken) > unsure:
            self.findings.add("taken-twice", f"{address[0]} to {address[1][:16]}…: {len(taken)} takes beyond its "
                              f"{len(rows)} rows, which say {unsure} unknown")

    def check_row(self, push, row, address, takes):
        taken = [take for take in takes if take.status in (200, NO_ANSWER)]
        answered = [take for take in takes if take.status == 200]
        state, status = row["state"], row.get("status", 0)
        where = f"{self.at(push, row)} ({address[0]} to {address[1][:16]}…)"
        if state == "accepted":
            name = row.get("apns_id") or row.get("message_name")
            if not any(name in (take.apns_id, take.name) for take in answered):
                self.findings.add("accepted-untaken", f"{where}: {row}; takes {takes}")
        elif state == "rejected" and status:
            if not any(take.status == status for take in takes):
                self.findings.add("refusal-untrue", f"{where}: {row}; takes {takes}")
        elif state == "rejected" and not taken and not self.is_ours(row.get("reason", ""), address[1]):
            self.findings.add("rejected-by-nobody", f"{where}: {row}; takes {takes}")
        elif taken and not self.excused(row, taken):
            self.findings.add(f"taken-{state}", f"{where}: {row}; takes {takes}")
        if stray := self.handed(address, takes):
            self.findings.add("handed", f"{where}: the device belonged to {stray[1]} when it was taken: {stray[0]}")
        if self.is_taken_twice(row, takes, taken):
            self.findings.add("taken-twice", f"{where}: {row}; takes {takes}")

    def handed(self, address, takes):
        """A push that names users, taken for a device after it was acknowledged that none of them has it any more."""
        marker, token = address
        if token not in self.promises.owners or marker not in self.promises.users_of:
            return None
        for take in takes:
            owners = self.promises.owners_at(token, take.at, HAND_OVER_NS)
            if not owners & self.promises.users_of[marker]:
                return take, sorted(owners)
        return None

    def is_taken_twice(self, row, takes, taken):
        """Whether it was sent again after an answer that ends it, although no answer is said to be missing; or under another name."""
        final = [take for take in takes if take.status in (200, NO_ANSWER, *FINAL_REFUSALS)]
        refused = row["state"] == "rejected" and any(take.status == row.get("status") for take in takes)
        return (row["unknowns"] < len(final) - 1 or refused and row["unknowns"] < len(taken)
                or len({take.apns_id for take in taken}) > 1)

    def is_ours(self, reason, token):
        """Whether the ledger may say this of what no provider refused."""
        if reason == "device-moved":
            return token in self.promises.owners
        return reason in OWN_REASONS or self.gives_up and reason.startswith("retries-exhausted: ")

    def excused(self, row, taken):
        """Whether the row admits that it may have been processed."""
        if row["state"] in ("unknown", "in_flight"):
            return True
        if row["state"] == "waiting":
            return row["unknowns"] > 0
        return False

    def at(self, push, row):
        return f"push {push['id']} delivery {row['id']}"

    # MARK: - What was acknowledged

    def check_promised(self, app, found):
        for promised in self.promises.all_pushes():
            if promised.app != app or promised.deleted:
                continue
            push = found.get(promised.id)
            if push is None:
                self.findings.add("lost", f"acknowledged push {app}/{promised.id} ({promised.marker}) is not there")
            elif promised.cancelled and push["state"] != "cancelled":
                self.findings.add("lost", f"push {app}/{promised.id}: its cancelling was acknowledged, it is {push['state']}")
        for (of, name), title in list(self.promises.templates.items()):
            if of == app:
                status, answer = self.client.ask("GET", f"/v1/apps/{app}/templates/{name}")
                if (status == 200) != (title is not None):
                    self.findings.add("lost", f"template {name} of {app}: {status} {answer}")
        for (of, name), there in list(self.promises.segments.items()):
            if of == app:
                status, answer = self.client.ask("GET", f"/v1/apps/{app}/segments/{name}")
                if (status == 200) != bool(there):
                    self.findings.add("lost", f"segment {name} of {app}: {status} {answer}")
        if app in self.promises.keys:
            shown = self.client.done("GET", f"/v1/apps/{app}/credentials")
            if shown["apns"]["key_id"] != self.promises.keys[app]:
                self.findings.add("lost", f"credentials of {app}: {shown['apns']['key_id']} instead of {self.promises.keys[app]}")
            stopped = self.client.done("GET", f"/v1/apps/{app}").get("stopped")
            if stopped:
                self.findings.add("stopped", f"{app} has good credentials and is stopped: {stopped}")

    def check_reports(self):
        for address, member in self.promises.reports.items():
            rows = self.seen.get(address, [])
            if len(rows) == 1 and member not in rows[0][1]:
                self.findings.add("lost", f"{self.at(*rows[0])}: its {member} was acknowledged: {rows[0][1]}")

    def check_people(self):
        for (app, user), number in self.promises.users.items():
            status, answer = self.client.ask("GET", f"/v1/apps/{app}/users/{user}")
            if status != 200 or answer.get("properties", {}).get("number") != number:
                self.findings.add("lost", f"user {user} of {app}: expected {number}, found {status} {answer}")

    # MARK: - Webhooks and schedules

    def check_webhooks(self, app, found):
        for (of, number), path in self.promises.webhooks.items():
            if of != app:
                continue
            shown = self.client.done("GET", f"/v1/apps/{app}/webhooks/{number}")
            if shown["queued"] or shown["dropped"]:
                self.findings.add("webhook", f"{path}: {shown['queued']} batches wait, {shown['dropped']} were dropped")
                continue
            told = collections.defaultdict(set)
            for batch, push, notice in self.receiver.notices(path):
                told[push, notice.get("delivery"), notice["type"], notice.get("state")].add(batch)
            for key, batches in told.items():
                if len(batches) > 1:
                    self.findings.add("webhook", f"{path}: {key} came in batches {sorted(batches)}")
            self.check_notices(app, path, found, told)

    def check_notices(self, app, path, found, told):
        rows = {}
        for push in found.values():
            if push.get("finished_at") and (push["id"], None, "push.finished", push["state"]) not in told:
                self.findings.add("webhook", f"{path}: nobody was told that push {push['id']} is {push['state']}")
        for address in self.seen.values():
            for push, row in address:
                if found.get(push["id"]) is push:
                    rows[push["id"], row["id"]] = row
        for (push, number), row in rows.items():
            kind = f"delivery.{row['state']}"
            if row["state"] in ("accepted", "rejected", "unknown") and (push, number, kind, None) not in told:
                self.findings.add("webhook", f"{path}: nobody was told that delivery {number} of push {push} is {row['state']}")
        for push, number, kind, _ in told:
            row = rows.get((push, number))
            if number and row and kind.startswith("delivery.") and kind != f"delivery.{row['state']}":
                self.findings.add("webhook", f"{path}: {kind} of delivery {number} of push {push}, which is {row['state']}")

    def check_schedules(self, app, found):
        made = collections.Counter(push["schedule"] for push in found.values() if "schedule" in push)
        for (of, number), marker in self.promises.schedules.items():
            if of != app:
                continue
            status, shown = self.client.ask("GET", f"/v1/apps/{app}/schedules/{number}")
            if status != 200:
                self.findings.add("lost", f"acknowledged schedule {number} of {app} ({marker}): {status}")
            elif shown["made"] != made[number]:
                self.findings.add("occurrence", f"schedule {number} of {app} ({marker}) says {shown['made']} runs, and there are "
                                  f"{made[number]} pushes")
            elif self.clock_is_right and not made[number] and time.time() > self.promises.due.get((of, number), float("inf")) + 3:
                self.findings.add("occurrence", f"schedule {number} of {app} ({marker}) was due and has no run")
