"""One scene of the attack: a folder, a server, a gateway, a receiver, callers; and how it comes to rest and is judged."""

import json
import pathlib
import shutil
import time

from client import Client
from identity import GOOD_KEYS
from oracle import Oracle
from processes import GatewayProcess, Server, StartFailed
from receiver import Receiver
from takes import TakeLog
from workload import Workload


class Stage:
    """Used in a `with`; the folder is removed at the end unless something was found.

    `data` puts the server's folder on another file system, which `before` may mount.
    """

    def __init__(self, folder, identity, seed, *, wrapper=(), environment=None, options=(), data=None, before=None,
                 **workload):
        self.folder = pathlib.Path(folder)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        if before:
            before()
        self.seed = seed
        self.receiver = Receiver(f"{seed} receiver")
        self.gateway = GatewayProcess(self.folder, identity)
        self.server = Server(self.folder, wrapper, environment, options)
        if data:
            self.server.data = pathlib.Path(data)
        self.client = Client(self.server)
        self.workload = Workload(self.server, identity, self.gateway, self.receiver, seed, **workload)
        self.takes = TakeLog(self.gateway.log)
        self.findings = []
        self.figures = {}

    def __enter__(self):
        self.gateway.start()
        self.server.start()
        self.workload.prepare()
        return self

    def __exit__(self, kind, error, trace):
        self.workload.stopping.set()
        if self.server.alive():
            self.server.kill()
        self.gateway.close()
        self.receiver.close()
        if error is None and not self.findings:
            shutil.rmtree(self.folder, ignore_errors=True)
        else:
            (self.folder / "findings.txt").write_text("\n".join(self.findings) + "\n")
            if self.server.data.parent != self.folder and self.server.data.exists():
                shutil.copytree(self.server.data, self.folder / "data", dirs_exist_ok=True)

    # MARK: - Rest

    def settle(self, grace=2.5, seconds=60, notified=30, patience=0):
        """Ends the work: callers stop, gateways mend, what still waits is cancelled, every webhook batch is delivered.

        With patience nothing is cancelled that is due: for so many seconds it may still wait for a gateway to be tried again.
        """
        self.workload.stop()
        self.gateway.change(mended=True)
        self.receiver.trouble = 0
        for app in self.workload.apps:
            self.workload.save_credentials(app, GOOD_KEYS[0], all_parts=True)
        for push in self.workload.promises.all_pushes():
            if push.paused:
                self.client.ask("POST", f"/v1/apps/{push.app}/pushes/{push.id}/resume")
        self.wait_finished(grace)
        self.wait_due(patience)
        for app, push in self.unfinished():
            status, _ = self.client.ask("POST", f"/v1/apps/{app}/pushes/{push}/cancel")
            known = self.workload.promises.pushes.get((app, push))
            if status < 300 and known:
                known.cancelled = True
        left = self.wait_finished(seconds)
        if left:
            self.findings.append(f"stuck: after {seconds} s these pushes are not finished: {left[:5]}")
        self.wait_notified(notified)

    def unfinished(self):
        return [(app, push["id"]) for app in self.workload.apps
                for push in self.client.rows(f"/v1/apps/{app}/pushes", "pushes")
                if push["state"] in ("sending", "scheduled", "paused") or push["counts"]["in_flight"]]

    def wait_due(self, seconds):
        """What is due is sent: all that waits in the end waits for a later time, or for its throttle."""
        deadline = time.monotonic() + seconds
        while seconds and (due := self.due_rows()):
            if time.monotonic() > deadline:
                return self.findings.append(f"stuck: {seconds} s after the gateways were mended these are due and not sent: {due[:5]}")
            time.sleep(0.5)

    def due_rows(self):
        now = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime())
        return [(app, push, row) for app, push in self.unfinished()
                if "throttle_per_minute" not in (shown := self.client.done("GET", f"/v1/apps/{app}/pushes/{push}"))
                and shown["state"] == "sending"
                for row in map(json.loads, self.client.done("GET", f"/v1/apps/{app}/pushes/{push}/deliveries/export").splitlines())
                if row["state"] in ("waiting", "in_flight") and row.get("not_before", "") <= now]

    def wait_finished(self, seconds):
        deadline = time.monotonic() + seconds
        while (left := self.unfinished()) and time.monotonic() < deadline:
            time.sleep(0.1)
        return left

    def wait_notified(self, seconds):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            shown = [self.client.done("GET", f"/v1/apps/{app}/webhooks/{number}")
                     for app, number in self.workload.promises.webhooks]
            if not any(one["queued"] for one in shown):
                return
            time.sleep(0.1)

    # MARK: - Judgement

    def verify(self, **more):
        """Compares everything, and ends the server as an operator would."""
        oracle = Oracle(self.client, self.workload.promises, self.takes, self.receiver, self.workload.apps, **more)
        self.findings += oracle.check()
        promises = self.workload.promises
        self.figures.update(
            rows=oracle.rows, pushes=oracle.pushes, takes=self.takes.count, acknowledged=promises.acknowledged,
            replays=promises.replays, peak_rss_mb=self.server.peak_bytes() >> 20, **dict(sorted(oracle.states.items())))
        self.findings += [f"protocol: {line}" for line in self.gateway.complaints()]
        status = self.server.stop()
        if status != 0:
            self.findings.append(f"stop: SIGTERM ended the server with {status}: {self.server.tail()}")
        return self.findings

    # MARK: - Restarts

    def restart_server(self, ended):
        """Reports an end that nobody caused, and starts the next life."""
        if ended is not None:
            self.findings.append(f"died: the server had ended by itself with {ended}: {self.server.tail()}")
        self.server.spawn()

    def await_server(self):
        try:
            self.server.ready()
            return True
        except StartFailed as failure:
            self.findings.append(f"start: {failure}")
            return False
