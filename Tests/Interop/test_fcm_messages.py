"""Random FCM messages, encoded by PyPI firebase-admin and by us, must be the same JSON with durations as numbers.

POSTRIDER_SEED repeats a run, POSTRIDER_MESSAGES sets how many messages there are.
"""

import datetime
import json
import math
import os
import random
import subprocess

import pytest
from firebase_admin import messaging

import fcm_random
from conftest import command

MESSAGES = int(os.environ.get("POSTRIDER_MESSAGES", "10000"))
TARGETS = [
    ({"token": "a-token"}, ["--token", "a-token"]),
    ({"fid": "an-id"}, ["--fid", "an-id"]),
    ({"topic": "/topics/news"}, ["--fcm-topic", "news"]),
    ({"condition": "'a' in topics && !('b' in topics)"}, ["--condition", "'a' in topics && !('b' in topics)"]),
]
DURATIONS = {"ttl", "light_on_duration", "light_off_duration", "vibrate_timings"}


def seconds(text):
    assert text.endswith("s"), text
    return float(text[:-1])


def instant(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def differences(theirs, ours, path="message", key=None):
    """Where two messages differ, with durations and instants as numbers."""
    # Only Google's own members hold durations and instants; an app's may be called the same.
    is_own = not any(part in path for part in (".data", ".payload", "webpush.notification"))
    if is_own and key in DURATIONS and isinstance(theirs, str) and isinstance(ours, str):
        # firebase-admin truncates binary fractions: 2300 ms are "2.299999999s" there.
        return [] if math.isclose(seconds(theirs), seconds(ours), abs_tol=2e-9) else [(path, theirs, ours)]
    if is_own and key == "event_time":
        return [] if math.isclose(instant(theirs), instant(ours), abs_tol=1e-6) else [(path, theirs, ours)]
    if isinstance(theirs, dict) and isinstance(ours, dict):
        found = [(f"{path}.{name}", theirs.get(name), ours.get(name)) for name in theirs.keys() ^ ours.keys()]
        for name in theirs.keys() & ours.keys():
            found += differences(theirs[name], ours[name], f"{path}.{name}", name)
        return found
    if isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours):
        return [d for n, (a, b) in enumerate(zip(theirs, ours)) for d in differences(a, b, f"{path}[{n}]", key)]
    if isinstance(theirs, float) and isinstance(ours, (int, float)) and not isinstance(ours, bool):
        return [] if math.isclose(theirs, ours, abs_tol=1e-8) else [(path, theirs, ours)]
    return [] if type(theirs) is type(ours) and theirs == ours else [(path, theirs, ours)]


@pytest.mark.parametrize("index", range(len(TARGETS)), ids=[next(iter(t)) for t, _ in TARGETS])
def test_random_messages_are_encoded_alike(index):
    seed = int(os.environ.get("POSTRIDER_SEED") or random.SystemRandom().getrandbits(32))
    print(f"POSTRIDER_SEED={seed}")
    rng = random.Random(seed + index)
    target, options = TARGETS[index]
    pairs = []
    while len(pairs) < MESSAGES // len(TARGETS):
        theirs, ours = fcm_random.message(rng, target)
        # A message without any field is refused here, and Google's encoder takes it.
        if ours:
            pairs.append((theirs, ours))
    lines = "".join(json.dumps(ours, ensure_ascii=rng.random() < 0.5) + "\n" for _, ours in pairs)
    run = subprocess.run(
        [command(), "render", "--contract", "native", "--platform", "android", "--lines", *options],
        input=lines.encode(), capture_output=True, timeout=600)
    assert run.returncode in (0, 1), run.stderr.decode()
    results = run.stdout.decode().split("\n")[:-1]
    assert len(results) == len(pairs)
    nothing = 0
    for (theirs, ours), line in zip(pairs, results):
        result = json.loads(line)
        context = f"seed {seed}: {json.dumps(ours)}"
        errors = [f["rule"] for f in result["report"] if f["severity"] == "error"]
        # A message that no device does anything with is refused here, and Google's encoder takes it.
        if errors and {*errors} <= {"device-shows-nothing", "fcm-webpush-notification"}:
            nothing += 1
            continue
        assert not errors, f"{context}: {result['report']}"
        expected = messaging._MessagingService.encode_message(theirs)
        found = differences(expected, result["fcm"]["message"])
        assert not found, f"{context}: {found}"
    assert nothing < len(pairs) / 4


def test_the_comparison_sees_what_it_should():
    assert not differences({"ttl": "2.299999999s"}, {"ttl": "2.300s"})
    assert differences({"ttl": "2.299s"}, {"ttl": "2.300s"})
    assert differences({"data": {"ttl": "2s"}}, {"data": {"ttl": "2.000s"}})
    assert differences({"a": 1}, {"a": True}) and differences({"a": []}, {}) and differences({"a": [1]}, {"a": [2]})
