"""The oracle finds what it is there to find: one row and its takes for each rule, true and untrue."""

import pytest

from oracle import Oracle
from promises import Promises, Pushed
from takes import NO_ANSWER, NOT_PROCESSED, Take, TakeLog, TakeWriter

ID = "a1b2c3d4-e5f6-8788-8000-00000000002a"


def take(status, apns_id=ID):
    return Take(0, "apns", "g1", "marker", "a0" * 32, apns_id, "KEY", status, "", "")


def row(state, **more):
    return {"id": "2", "push": "1", "type": "ios", "state": state, "attempts": 1, "unknowns": 0, **more}


@pytest.mark.parametrize("rule, found, takes", [
    (None, row("accepted", apns_id=ID), [take(200)]),
    ("accepted-untaken", row("accepted", apns_id=ID), []),
    ("accepted-untaken", row("accepted", apns_id=ID), [take(410)]),
    ("accepted-untaken", row("accepted", apns_id=ID), [take(NO_ANSWER)]),
    ("accepted-untaken", row("accepted", apns_id=ID), [take(200, "another")]),
    (None, row("unknown", unknowns=1), [take(200)]),
    (None, row("cancelled"), []),
    (None, row("cancelled"), [take(429)]),
    (None, row("cancelled"), [take(NOT_PROCESSED)]),
    ("taken-cancelled", row("cancelled", unknowns=1), [take(200)]),
    ("taken-cancelled", row("cancelled", unknowns=1), [take(NO_ANSWER)]),
    ("taken-expired", row("expired"), [take(200)]),
    ("taken-waiting", row("waiting"), [take(200)]),
    (None, row("waiting", unknowns=1), [take(200)]),
    (None, row("in_flight"), [take(200)]),
    (None, row("rejected", status=410, reason="Unregistered"), [take(410)]),
    (None, row("rejected", status=410, reason="Unregistered", unknowns=1), [take(200), take(410)]),
    ("refusal-untrue", row("rejected", status=410, reason="Unregistered"), [take(200)]),
    ("refusal-untrue", row("rejected", status=410, reason="Unregistered"), []),
    (None, row("rejected", reason="device-retired"), []),
    ("rejected-by-nobody", row("rejected", reason="device-moved"), []),
    ("taken-twice", row("rejected", status=410, reason="Unregistered"), [take(200), take(410)]),
    ("taken-twice", row("rejected", status=410, reason="Unregistered"), [take(410), take(410)]),
    (None, row("rejected", status=410, reason="Unregistered", unknowns=1), [take(410), take(410)]),
    (None, row("rejected", status=410, reason="Unregistered"), [take(503), take(NOT_PROCESSED), take(410)]),
    ("taken-twice", row("accepted", apns_id=ID), [take(410), take(200)]),
    ("taken-rejected", row("rejected", reason="device-retired"), [take(200)]),
    ("rejected-by-nobody", row("rejected", reason="invalid_request"), []),
    (None, row("accepted", apns_id=ID, unknowns=1), [take(200), take(200)]),
    ("taken-twice", row("accepted", apns_id=ID), [take(200), take(200)]),
    ("taken-twice", row("accepted", apns_id=ID, unknowns=1), [take(NO_ANSWER), take(200), take(200)]),
    ("taken-twice", row("accepted", apns_id=ID, unknowns=1), [take(200, "another"), take(200)]),
])
def test_each_rule(rule, found, takes):
    oracle = Oracle(None, Promises(), None, None, ())
    oracle.check_row({"id": "1"}, found, ("marker", "a0" * 32), takes)
    assert [finding.split(":", 1)[0] for finding in oracle.findings] == ([rule] if rule else [])


SECOND = 1_000_000_000


@pytest.mark.parametrize("rule, taken", [(None, 10), (None, 20.5), ("handed", 22), (None, 32), ("handed", 45)])
def test_hand_overs(rule, taken):
    promises, token = Promises(), "a0" * 32
    device = {"token": token, "user": "ann"}
    promises.hand_over("one", device, "bob", 19 * SECOND, 20 * SECOND)
    promises.hand_over("one", device, "ann", 30 * SECOND, 31 * SECOND)
    promises.hand_over("one", device, "eve", 40 * SECOND, 41 * SECOND)
    promises.push(Pushed("one", "1", "marker", {"to": {"users": ["ann"]}}))
    oracle = Oracle(None, promises, None, None, ())
    found = Take(int(taken * SECOND), "apns", "g1", "marker", token, ID, "KEY", 200, "", "")
    oracle.check_row({"id": "1"}, row("accepted", apns_id=ID), ("marker", token), [found])
    assert [finding.split(":", 1)[0] for finding in oracle.findings] == ([rule] if rule else [])


def test_sums():
    counts = dict.fromkeys(("waiting", "in_flight", "accepted", "rejected", "expired", "cancelled", "unknown"), 0)
    oracle = Oracle(None, Promises(), None, None, ())
    oracle.check_sums("one/1", {"counts": {**counts, "targeted": 1, "accepted": 1}}, [row("accepted")])
    assert not oracle.findings
    oracle.check_sums("one/1", {"counts": {**counts, "targeted": 2, "accepted": 1}}, [row("accepted")])
    oracle.check_sums("one/1", {"counts": {**counts, "targeted": 1, "accepted": 1}}, [row("cancelled")])
    assert [finding.split(":", 1)[0] for finding in oracle.findings] == ["sums", "sums"]


@pytest.mark.parametrize("cut", range(0, 90, 7))
def test_cut_line(tmp_path, cut):
    """What a kill cut off is taken out, and what was whole stays."""
    path, taken = str(tmp_path / "takes.tsv"), Take(1, "apns", "g1", "marker", "a0" * 32, ID, "KEY", 200, "", "")
    first = TakeWriter(path)
    for _ in range(3):
        first.add(taken)
    first.flush()
    log = TakeLog(path)
    with open(path, "ab") as file:
        file.write("\t".join(map(str, taken)).encode()[:cut])
    assert log.refresh().count == 3
    second = TakeWriter(path)
    second.add(taken._replace(gateway="g2"))
    second.flush()
    assert [one.gateway for one in log.refresh().by_address["marker", "a0" * 32]] == ["g1", "g1", "g1", "g2"]
