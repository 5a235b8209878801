"""What the phones of all apps received, read once from the emulator, which creates a device for every address that is pushed to."""

import base64
import collections
import json
import re
import urllib.parse

from findings import Findings
from shared import Caller

SECONDS_MAX = 60


class Phones(Caller):
    """One connection for all devices: tens of thousands of new ones would take longer than everything else that is compared."""

    def __init__(self, control, apps):
        super().__init__(SECONDS_MAX)
        address = urllib.parse.urlsplit(control)
        self.origin, self.base = f"http://{address.netloc}", address.path
        self.apps, self.marker = apps, re.compile(rf"(?:{'|'.join(apps)})-[0-9a-f]{{12}}".encode())
        #: By the marker of a push and the address: the ids in their order. A tuple takes half the memory of a list.
        self.received = collections.defaultdict(dict)
        self.findings = Findings()

    def read(self):
        for device in self.get("/devices"):
            if device["kept"] != device["accepted"]:
                self.findings.add("received", f"{device['token']} kept {device['kept']} of {device['accepted']}: the run was too long for the emulator")
            for push in self.get(f"/devices/{device['provider']}/{device['token']}/pushes"):
                self.note(device["token"], push)
        return self

    def get(self, path):
        answer, content = self.exchange(self.origin, "GET", self.base + path, None, {})
        if answer.status != 200:
            raise AssertionError(f"GET {path}: {answer.status} {content[:200]!r}")
        return json.loads(content)

    def note(self, token, push):
        payload = base64.b64decode(push["payload_base64"])
        found = self.marker.search(payload)
        if found is None:
            return self.findings.add("received", f"the phone {token} received what no caller sent: {payload[:200]!r}")
        phones = self.received[found[0].decode()]
        phones[token] = (*phones.get(token, ()), push["id"])

    def of(self, app):
        """What was received of an app, by marker and address."""
        return {marker: phones for marker, phones in self.received.items() if marker.startswith(f"{app}-")}
