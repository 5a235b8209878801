"""Watches the leases while everything is broken: what a dead or a paused node has leased is taken away soon after its term."""

import threading
import time

from processes import Failed

#: Seconds behind its term after which a lease should have been taken away, although commits waited for a standby (40 s). They are
#: counted from the database's return when it was gone.
LATE_SECONDS = 60
EVERY_SECONDS = 1
OLDEST = ("SELECT id, node, extract(epoch FROM clock_timestamp()) - expires_at / 1000.0 AS late FROM leases "
          "WHERE expires_at < extract(epoch FROM clock_timestamp()) * 1000 ORDER BY expires_at LIMIT 1")


class Leases:
    def __init__(self, pair):
        self.pair = pair
        self.latest, self.looks, self.findings = 0.0, 0, []
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.watch, daemon=True)

    def start(self):
        self.thread.start()
        return self

    def stop(self):
        if not self.thread.is_alive() or self.looks == 0:
            self.findings.append(f"lease: the watch ended by itself, or the database never answered it; it has looked {self.looks} times")
        self.is_over.set()
        self.thread.join(timeout=60)

    def watch(self):
        known, back = set(), None
        while not self.is_over.wait(EVERY_SECONDS):
            try:
                late = self.pair.primary.rows(OLDEST)
            except Failed:
                back = None
                continue  # the primary is away, and is asked again
            self.looks += 1
            back = back or time.monotonic()
            for lease in late:
                seconds = min(lease["late"], time.monotonic() - back)
                self.latest = max(self.latest, seconds)
                if seconds > LATE_SECONDS and lease["id"] not in known:
                    known.add(lease["id"])
                    self.findings.append(f"lease: {lease['id']} of {lease['node']} was there {lease['late']:.0f} s after its term")
