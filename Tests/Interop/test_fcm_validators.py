"""The validators of PyPI firebase-admin and our rules on generated bad messages: refused by both, or the reason is here.

Each kind is one fault, drawn several times with other values. A kind gives firebase-admin's classes and the JSON that
means the same; firebase-admin refuses by raising, we by an error of `check`. POSTRIDER_SEED repeats a run.
"""

import datetime
import os
import random

import pytest
from firebase_admin import messaging as m

from checking import check, errors

ROUNDS = 12
THEIRS, OURS = "firebase-admin alone refuses", "postrider alone refuses"

# Kinds on which the two disagree: who refuses, and why the other does not.
DISAGREEMENTS = {
    "android.priority in upper case": (
        THEIRS, "FCM takes NORMAL and HIGH, as the discovery document spells them; the class wants its own spelling"),
    "android.ttl above four weeks": (OURS, "the limit is the server's (discovery document); the class checks the sign only"),
    "data with a reserved key": (OURS, "FCM answers INVALID_ARGUMENT; the class leaves it to the server"),
    "data above 4096 bytes": (OURS, "FCM answers INVALID_ARGUMENT; the class leaves it to the server"),
    "condition that does not parse": (OURS, "the class wants any text that is not empty"),
    "condition with six topics": (OURS, "the limit is the server's; the class wants any text that is not empty"),
    "topic above 900 characters": (OURS, "the limit is the server's; the class looks at the characters only"),
    "boolean as text": (OURS, "the class passes these flags on unchecked; the field is a boolean (discovery document)"),
    "notification_count with a fraction": (OURS, "the class wants any number; the field is an int32 (discovery document)"),
    "web notification flag as text": (OURS, "the class passes it on unchecked; the Notification standard has a boolean"),
    "alert.loc-args without its key": (
        THEIRS, "Apple shows the alert without the arguments, so it is a warning: apns-loc-args-without-key"),
    "alert.title-loc-args without its key": (THEIRS, "the same, for the title"),
    "critical volume out of range": (THEIRS, "APNs takes it and the device leaves the volume out: a warning, apns-critical-volume"),
    **{f"{name} is {what}": (THEIRS, "APNs takes it and iOS ignores the member: a warning, apns-field-type") for name, what in [
        ("aps.badge", "no number"), ("aps.sound", "neither"), ("aps.category", "no text"), ("aps.thread-id", "no text"),
        ("critical volume", "no number"), ("alert", "neither"), ("alert.title", "no text"), ("alert.subtitle", "no text"),
        ("alert.body", "no text"), ("alert.loc-key", "no text"), ("alert.title-loc-key", "no text"),
        ("alert.action-loc-key", "no text"), ("alert.launch-image", "no text")]},
    "alert.loc-args with an element that is no text": (THEIRS, "the same, for the arguments of the body"),
    "alert.title-loc-args with an element that is no text": (THEIRS, "the same, for the arguments of the title"),
    "alert.title is an object": (THEIRS, "APNs takes an object and the device leaves it out: a warning, apns-alert-text-object"),
    "alert.body is an object": (THEIRS, "the same, for the body"),
    "web timestamp as text": (THEIRS, "proto3 JSON takes a number as its text; so does the Notification standard"),
    "aps.badge with a fraction": (
        OURS, "the class wants any number; Apple's badge is a whole one, and a push of nothing else does nothing"),
}


def word(rng, alphabet="abcXYZ 019äé"):
    return "".join(rng.choice(alphabet) for _ in range(rng.randrange(1, 12)))


def number(rng):
    return rng.choice([0, 1, -5, 2.5, 10**6])


def not_text(rng):
    return rng.choice([5, 2.5, True, ["x"], {"k": "v"}])


def android(**parts):
    return m.Message(topic="t", android=m.AndroidConfig(**parts))


def android_json(**parts):
    return {"topic": "t", "android": parts}


def note(**parts):
    return android(notification=m.AndroidNotification(**parts))


def note_json(**parts):
    return android_json(notification=parts)


def aps(**parts):
    return m.Message(topic="t", apns=m.APNSConfig(payload=m.APNSPayload(m.Aps(**parts))))


def aps_json(parts):
    return {"topic": "t", "apns": {"payload": {"aps": parts}}}


def web(**parts):
    return m.Message(topic="t", webpush=m.WebpushConfig(**parts))


def web_json(**parts):
    return {"topic": "t", "webpush": parts}


def lights(rng, color="#112233", on=1, off=1):
    return lambda: note(light_settings=m.LightSettings(color, on, off))


KINDS = {}


def kind(name):
    def add(function):
        assert name not in KINDS
        KINDS[name] = function
        return function

    return add


def simple(name, theirs, ours, draw):
    """A kind whose value stands in both: `theirs(value)` and `ours(value)`."""

    def both(rng):
        value = draw(rng)
        return (lambda: theirs(value)), ours(value)

    kind(name)(both)


# Targets
simple("no target", lambda v: m.Message(data={"k": v}), lambda v: {"data": {"k": v}}, word)
simple("token and topic", lambda v: m.Message(token=v, topic="t"), lambda v: {"token": v, "topic": "t"}, lambda r: "x" + str(r.random()))
simple("fid and token", lambda v: m.Message(fid=v, token="t"), lambda v: {"fid": v, "token": "t"}, lambda r: "x" + str(r.random()))
simple("topic and condition", lambda v: m.Message(topic="t", condition=v), lambda v: {"topic": "t", "condition": v}, lambda r: "'a' in topics")
for target in ("token", "fid", "topic", "condition"):
    simple(f"{target} is empty", lambda v, t=target: m.Message(**{t: ""}), lambda v, t=target: {t: ""}, word)
    simple(f"{target} is no text", lambda v, t=target: m.Message(**{t: v}), lambda v, t=target: {t: v}, not_text)
simple("topic with other characters", lambda v: m.Message(topic=v), lambda v: {"topic": v}, lambda r: word(r) + r.choice("!/ #ä*'\""))
simple("topic above 900 characters", lambda v: m.Message(topic=v), lambda v: {"topic": v}, lambda r: "t" * r.randrange(901, 1000))
simple("condition that does not parse", lambda v: m.Message(condition=v), lambda v: {"condition": v}, lambda r: r.choice(
    ["'a' in", "a in topics", "'a' in topics &&", "('a' in topics", "'a' in topics 'b' in topics", "'a' in topics & 'b' in topics"]))
simple("condition with six topics", lambda v: m.Message(condition=v), lambda v: {"condition": v}, lambda r: r.choice([" && ", " || "]).join(
    f"'t{n}' in topics" for n in range(6)))

# Data and maps of strings
for name, theirs, ours in [
    ("data", lambda v: m.Message(topic="t", data=v), lambda v: {"topic": "t", "data": v}),
    ("android.data", lambda v: android(data=v), lambda v: android_json(data=v)),
    ("webpush.data", lambda v: web(data=v), lambda v: web_json(data=v)),
    ("webpush.headers", lambda v: web(headers=v), lambda v: web_json(headers=v)),
    ("apns.headers", lambda v: m.Message(topic="t", apns=m.APNSConfig(headers=v)), lambda v: {"topic": "t", "apns": {"headers": v}}),
]:
    simple(f"{name} with a value that is no text", theirs, ours, lambda r: {"k": not_text(r)})
    simple(f"{name} is no object", theirs, ours, lambda r: r.choice(["x", 5, ["k"]]))
simple("data with a reserved key", lambda v: m.Message(topic="t", data=v), lambda v: {"topic": "t", "data": v},
       lambda r: {r.choice(["from", "message_type", "google.x", "gcm.notification.x"]): "v"})
simple("data above 4096 bytes", lambda v: m.Message(token="t", data=v), lambda v: {"token": "t", "data": v},
       lambda r: {"k": "é" * r.randrange(2100, 2200)})

# AndroidConfig
simple("android.priority unknown", lambda v: android(priority=v), lambda v: android_json(priority=v), lambda r: r.choice(["", "urgent", "10", "max"]))
simple("android.priority in upper case", lambda v: android(priority=v), lambda v: android_json(priority=v), lambda r: r.choice(["HIGH", "NORMAL"]))
simple("android.priority is no text", lambda v: android(priority=v), lambda v: android_json(priority=v), lambda r: r.choice([2.5, True, ["x"]]))
simple("android.ttl negative", lambda v: android(ttl=datetime.timedelta(seconds=-v)), lambda v: android_json(ttl=f"-{v}s"), lambda r: r.randrange(1, 10**6))
simple("android.ttl above four weeks", lambda v: android(ttl=v), lambda v: android_json(ttl=f"{v}s"), lambda r: r.randrange(2_419_201, 10**8))
simple("android.ttl is no duration", lambda v: android(ttl=v), lambda v: android_json(ttl=v), lambda r: r.choice(["5", "1h", "s", "abc", ""]))
for part in ("collapse_key", "restricted_package_name"):
    simple(f"android.{part} is no text", lambda v, p=part: android(**{p: v}), lambda v, p=part: android_json(**{p: v}), not_text)
for part in ("direct_boot_ok", "bandwidth_constrained_ok", "restricted_satellite_ok"):
    simple(f"android.{part} is no boolean", lambda v, p=part: android(**{p: v}), lambda v, p=part: android_json(**{p: v}),
           lambda r: r.choice(["yes", 5, [True]]))

# AndroidNotification
TEXTS = ["title", "body", "icon", "sound", "tag", "click_action", "channel_id", "image", "ticker", "body_loc_key", "title_loc_key"]
for part in TEXTS:
    simple(f"android.notification.{part} is no text", lambda v, p=part: note(**{p: v}), lambda v, p=part: note_json(**{p: v}), not_text)
simple("color malformed", lambda v: note(color=v), lambda v: note_json(color=v), lambda r: r.choice(["", "red", "#fff", "112233", "#11223g", "#11223344"]))
for part in ("title", "body"):
    key, args = f"{part}_loc_key", f"{part}_loc_args"
    simple(f"{args} without {key}", lambda v, a=args: note(**{a: v}), lambda v, a=args: note_json(**{a: v}), lambda r: [word(r)])
    simple(f"{args} is no list", lambda v, a=args, k=key: note(**{a: v, k: "k"}), lambda v, a=args, k=key: note_json(**{a: v, k: "k"}),
           lambda r: r.choice(["x", 5, {"a": "b"}]))
    simple(f"{args} with an element that is no text", lambda v, a=args, k=key: note(**{a: v, k: "k"}),
           lambda v, a=args, k=key: note_json(**{a: v, k: "k"}), lambda r: ["x", not_text(r)])
simple("notification_priority unknown", lambda v: note(priority=v), lambda v: note_json(notification_priority=v), lambda r: r.choice(["", "urgent", "9"]))
simple("visibility unknown", lambda v: note(visibility=v), lambda v: note_json(visibility=v), lambda r: r.choice(["", "hidden", "7"]))
simple("proxy unknown", lambda v: note(proxy=v), lambda v: note_json(proxy=v), lambda r: r.choice(["", "maybe", "7"]))
simple("event_time is no instant", lambda v: note(event_timestamp=v), lambda v: note_json(event_time=v), lambda r: r.choice(["yesterday", "2026-01-31", 5]))
simple("notification_count is no number", lambda v: note(notification_count=v), lambda v: note_json(notification_count=v), lambda r: r.choice(["many", [1]]))
simple("notification_count with a fraction", lambda v: note(notification_count=v), lambda v: note_json(notification_count=v), lambda r: r.random() + r.randrange(9))
simple("boolean as text", lambda v: note(**{v: "yes"}), lambda v: note_json(**{v: "yes"}),
       lambda r: r.choice(["sticky", "local_only", "default_sound", "default_vibrate_timings", "default_light_settings"]))
simple("vibrate timing negative", lambda v: note(vibrate_timings_millis=[100, -v]),
       lambda v: note_json(vibrate_timings=["0.100s", f"-{v / 1000:.3f}s"]), lambda r: r.randrange(1, 10**5))
simple("vibrate timing is no duration", lambda v: note(vibrate_timings_millis=[v]), lambda v: note_json(vibrate_timings=[v]), lambda r: r.choice(["x", "5"]))


def light_json(color=None, on="0.001s", off="0.001s"):
    color = {"red": 0.1, "green": 0, "blue": 1, "alpha": 1} if color is None else color
    parts = {"color": color, "light_on_duration": on, "light_off_duration": off}
    return note_json(light_settings={k: v for k, v in parts.items() if v != ()})


simple("light color malformed", lambda v: lights(None, color="#11223")(), lambda v: light_json(color=v), lambda r: r.choice(["#11223", 5, []]))
simple("light without color", lambda v: lights(None, color=None)(), lambda v: light_json(color=()), word)
simple("light on negative", lambda v: lights(None, on=-v)(), lambda v: light_json(on=f"-{v / 1000:.3f}s"), lambda r: r.randrange(1, 9999))
simple("light off negative", lambda v: lights(None, off=-v)(), lambda v: light_json(off=f"-{v / 1000:.3f}s"), lambda r: r.randrange(1, 9999))
simple("light without on", lambda v: lights(None, on=None)(), lambda v: light_json(on=()), word)
simple("light without off", lambda v: lights(None, off=None)(), lambda v: light_json(off=()), word)

# Notification, options
for part in ("title", "body", "image"):
    simple(f"notification.{part} is no text", lambda v, p=part: m.Message(topic="t", notification=m.Notification(**{p: v})),
           lambda v, p=part: {"topic": "t", "notification": {p: v}}, not_text)
LABELS = {
    "fcm_options": (lambda v: m.Message(topic="t", fcm_options=m.FCMOptions(v)), lambda v: {"topic": "t", "fcm_options": v}),
    "android.fcm_options": (lambda v: android(fcm_options=m.AndroidFCMOptions(v)), lambda v: android_json(fcm_options=v)),
    "apns.fcm_options": (lambda v: m.Message(topic="t", apns=m.APNSConfig(fcm_options=m.APNSFCMOptions(v))),
                         lambda v: {"topic": "t", "apns": {"fcm_options": v}}),
}
for name, (theirs, ours) in LABELS.items():
    simple(f"{name}: label too long", theirs, lambda v, o=ours: o({"analytics_label": v}), lambda r: "a" * r.randrange(51, 99))
    simple(f"{name}: label with other characters", theirs, lambda v, o=ours: o({"analytics_label": v}), lambda r: "a" + r.choice(" !/ä") + "b")
    simple(f"{name}: label is no text", theirs, lambda v, o=ours: o({"analytics_label": v}), not_text)

# APNs
simple("aps.badge is no number", lambda v: aps(badge=v), lambda v: aps_json({"badge": v}), lambda r: r.choice(["1", [1]]))
simple("aps.badge with a fraction", lambda v: aps(badge=v), lambda v: aps_json({"badge": v}) | {"data": None},
       lambda r: r.random() + r.randrange(9))
simple("aps.sound is neither", lambda v: aps(sound=v), lambda v: aps_json({"sound": v}), lambda r: r.choice([5, True, ["x"]]))
for part, name in (("category", "category"), ("thread_id", "thread-id")):
    simple(f"aps.{name} is no text", lambda v, p=part: aps(**{p: v}), lambda v, n=name: aps_json({n: v}), not_text)
simple("critical volume out of range", lambda v: aps(sound=m.CriticalSound("s", True, v)),
       lambda v: aps_json({"sound": {"name": "s", "critical": 1, "volume": v}}), lambda r: r.choice([-0.1, 1.1, 5, -3]))
simple("critical volume is no number", lambda v: aps(sound=m.CriticalSound("s", True, v)),
       lambda v: aps_json({"sound": {"name": "s", "critical": 1, "volume": v}}), lambda r: r.choice(["1", [1]]))
simple("alert is neither", lambda v: aps(alert=v), lambda v: aps_json({"alert": v}), lambda r: r.choice([5, True, ["x"]]))
ALERT = {"title": "title", "subtitle": "subtitle", "body": "body", "loc_key": "loc-key", "title_loc_key": "title-loc-key",
         "action_loc_key": "action-loc-key", "launch_image": "launch-image"}
for part, name in ALERT.items():
    draws = {"no text": not_text}
    if name in ("title", "body"):
        draws = {"no text": lambda r: r.choice([5, True, ["x"]]), "an object": lambda r: {"k": word(r)}}
    for what, draw in draws.items():
        simple(f"alert.{name} is {what}", lambda v, p=part: aps(alert=m.ApsAlert(**{p: v})), lambda v, n=name: aps_json({"alert": {n: v}}), draw)
for part, name in (("loc_args", "loc-args"), ("title_loc_args", "title-loc-args")):
    simple(f"alert.{name} without its key", lambda v, p=part: aps(alert=m.ApsAlert(body="b", **{p: v})),
           lambda v, n=name: aps_json({"alert": {"body": "b", n: v}}), lambda r: [word(r)])
    simple(f"alert.{name} with an element that is no text", lambda v, p=part: aps(alert=m.ApsAlert(body="b", loc_key="k", title_loc_key="k", **{p: v})),
           lambda v, n=name: aps_json({"alert": {"body": "b", "loc-key": "k", "title-loc-key": "k", n: v}}), lambda r: ["x", not_text(r)])
simple("live_activity_token is no text", lambda v: m.Message(topic="t", apns=m.APNSConfig(live_activity_token=v)),
       lambda v: {"topic": "t", "apns": {"live_activity_token": v}}, not_text)

# Web
simple("web direction unknown", lambda v: web(notification=m.WebpushNotification(direction=v)), lambda v: web_json(notification={"dir": v}),
       lambda r: r.choice(["up", "LTR", "left"]))
simple("web link without https", lambda v: web(fcm_options=m.WebpushFCMOptions(v)), lambda v: web_json(fcm_options={"link": v}),
       lambda r: r.choice(["http://example.com", "ftp://x", "example.com", "/x"]))
WEB = {"title": "title", "body": "body", "icon": "icon", "badge": "badge", "image": "image", "language": "lang", "tag": "tag"}
for part, name in WEB.items():
    simple(f"web {name} is no text", lambda v, p=part: web(notification=m.WebpushNotification(**{p: v})),
           lambda v, n=name: web_json(notification={n: v}), not_text)
for name, draw in [("is no number", lambda r: r.choice([[1], "soon", {}])), ("as text", lambda r: str(r.randrange(10**12)))]:
    simple(f"web timestamp {name}", lambda v: web(notification=m.WebpushNotification(timestamp_millis=v)),
           lambda v: web_json(notification={"timestamp": v}), draw)
simple("web notification flag as text", lambda v: web(notification=m.WebpushNotification(**{v[0]: "yes"})),
       lambda v: web_json(notification={v[1]: "yes"}),
       lambda r: r.choice([("renotify", "renotify"), ("silent", "silent"), ("require_interaction", "requireInteraction")]))
simple("web action title is no text", lambda v: web(notification=m.WebpushNotification(actions=[m.WebpushNotificationAction("a", v)])),
       lambda v: web_json(notification={"actions": [{"action": "a", "title": v}]}), not_text)


def is_refused(build):
    try:
        m._MessagingService.encode_message(build())
    except (ValueError, TypeError, AttributeError):
        # Some values end in the class's own TypeError; the message is not sent either way.
        return True
    return False


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory):
    """For each kind the verdicts on its messages: (message, refused by firebase-admin, our errors)."""
    seed = int(os.environ.get("POSTRIDER_SEED") or random.SystemRandom().getrandbits(32))
    print(f"POSTRIDER_SEED={seed}")
    rng = random.Random(seed)
    rows = [(name, *draw(rng)) for name, draw in KINDS.items() for _ in range(ROUNDS)]
    # A message without content is an error of its own.
    messages = [{"message": {"data": {"k": "v"}} | message} for _, _, message in rows]
    found = check(tmp_path_factory.mktemp("bad") / "d", messages)
    result = {}
    for (name, build, message), findings in zip(rows, found):
        result.setdefault(name, []).append((message, is_refused(build), errors(findings)))
    return result


@pytest.mark.parametrize("name", KINDS)
def test_both_refuse_or_the_reason_is_known(verdicts, name):
    who, reason = DISAGREEMENTS.get(name, (None, None))
    for message, theirs, ours in verdicts[name]:
        context = f"{message}: firebase-admin {'refuses' if theirs else 'takes it'}, postrider {ours or 'takes it'}"
        assert theirs == (who != OURS), context
        assert bool(ours) == (who != THEIRS), context


def test_every_disagreement_is_a_kind_with_a_reason():
    assert DISAGREEMENTS.keys() <= KINDS.keys()
    assert all(who in (THEIRS, OURS) and reason for who, reason in DISAGREEMENTS.values())
