"""Random FCM messages, each as PyPI firebase-admin's classes and as a message of our `native` contract.

The two are drawn from one table of fields and built apart: what a field is called on the wire, how its value is written
there and which optional parts exist stands here twice, once for each side. `fields` draws from that table.
"""

import datetime
import string

from firebase_admin import messaging

TEXTS = [
    "Grüße", "👩‍👩‍👧 family", 'quoted "text"', "back\\slash", "line\nbreak", "tab\t", "\u0001\u001f", "שלום \u2067עולם\u2069", "e\u0301", "",
    "日本語", "%1$@ %s", "</script>", "\u2028", "a" * 60, " ", "null", "0",
]


def text(rng):
    return rng.choice(TEXTS) + rng.choice(["", "x", str(rng.randrange(1000))])


def filled(rng):
    return text(rng) + "."


def strings(rng):
    return [text(rng) for _ in range(rng.randrange(1, 4))]


def string_map(rng, prefix="k"):
    return {f"{prefix}{n}{rng.choice(['', 'é', '.x', '-y'])}": text(rng) for n in range(rng.randrange(1, 4))}


def label(rng):
    return "".join(rng.choice(string.ascii_letters + string.digits + "-_.~%") for _ in range(rng.randrange(1, 51)))


def free(rng, depth=2):
    """Any JSON value that is not null and not empty, as an app's own data may be."""
    kind = rng.randrange(6 if depth else 4)
    if kind == 0:
        return filled(rng)
    if kind == 1:
        return rng.choice([0, 1, -7, 2**53, 0.5, 1e21, -0.25])
    if kind == 2:
        return rng.choice([True, False])
    if kind == 3:
        return rng.randrange(1000)
    if kind == 4:
        return [free(rng, depth - 1) for _ in range(rng.randrange(1, 3))]
    return {f"m{n}": free(rng, depth - 1) for n in range(rng.randrange(1, 3))}


def same(draw):
    """A value that both sides write alike."""

    def both(rng):
        value = draw(rng)
        return value, value

    return both


def boolean(rng):
    value = rng.choice([True, False])
    return value, value


def color(rng):
    value = "#" + "".join(rng.choice("0123456789abcdefABCDEF") for _ in range(6))
    return value, value


def url(rng):
    value = f"https://example.com/{rng.randrange(10**6)}.png"
    return value, value


def ttl(rng):
    milliseconds = rng.choice([0, 1000, 86_400_000, 2_419_200_000, rng.randrange(2_419_200_000)])
    value = datetime.timedelta(milliseconds=milliseconds)
    if milliseconds % 1000 == 0:
        value = rng.choice([value, milliseconds // 1000])
    return value, duration(milliseconds)


def duration(milliseconds):
    """A duration as we write it: no fraction when there is none, else milliseconds."""
    seconds, rest = divmod(milliseconds, 1000)
    return f"{seconds}.{rest:03}s" if rest else f"{seconds}s"


def timings(rng):
    values = [rng.randrange(10_000) for _ in range(rng.randrange(1, 5))]
    return values, [duration(value) for value in values]


def instant(rng):
    value = datetime.datetime(2026, 1, 1) + datetime.timedelta(milliseconds=rng.randrange(10**11))
    if rng.random() < 0.5:
        zone = datetime.timezone(datetime.timedelta(minutes=rng.randrange(-720, 720)))
        return value.replace(tzinfo=datetime.timezone.utc).astimezone(zone), value.isoformat() + "Z"
    return value, value.isoformat() + "Z"


def enumeration(names, prefix=""):
    def draw(rng):
        name = rng.choice(names)
        return name, prefix + name.upper()

    return draw


def lights(rng):
    red, green, blue, alpha = (rng.randrange(256) for _ in range(4))
    on, off = rng.randrange(5000), rng.randrange(5000)
    text = f"#{red:02x}{green:02x}{blue:02X}" + (f"{alpha:02x}" if rng.random() < 0.5 else "")
    alpha = alpha if len(text) == 9 else 255
    channels = zip(("red", "green", "blue", "alpha"), (red, green, blue, alpha))
    return (
        messaging.LightSettings(text, on, off),
        {
            "color": {name: round(value / 255, 9) for name, value in channels},
            "light_on_duration": duration(on), "light_off_duration": duration(off),
        },
    )


# firebase-admin's keyword, the name on the wire, how a value is drawn for both sides
ANDROID_NOTIFICATION = [
    ("title", "title", same(text)), ("body", "body", same(text)), ("icon", "icon", same(text)), ("color", "color", color),
    ("sound", "sound", same(text)), ("tag", "tag", same(text)), ("click_action", "click_action", same(text)),
    ("channel_id", "channel_id", same(text)), ("image", "image", url), ("ticker", "ticker", same(text)),
    ("sticky", "sticky", boolean), ("event_timestamp", "event_time", instant), ("local_only", "local_only", boolean),
    ("priority", "notification_priority", enumeration(["min", "low", "default", "high", "max"], "PRIORITY_")),
    ("vibrate_timings_millis", "vibrate_timings", timings), ("default_vibrate_timings", "default_vibrate_timings", boolean),
    ("default_sound", "default_sound", boolean), ("light_settings", "light_settings", lights),
    ("default_light_settings", "default_light_settings", boolean),
    ("visibility", "visibility", enumeration(["private", "public", "secret"])),
    ("notification_count", "notification_count", same(lambda rng: rng.choice([0, 1, 99, 2**31 - 1]))),
    ("proxy", "proxy", enumeration(["allow", "deny", "if_priority_lowered"])),
]
ANDROID = [
    ("collapse_key", "collapse_key", same(filled)),
    ("priority", "priority", lambda rng: (lambda v: (v, v))(rng.choice(["high", "normal"]))), ("ttl", "ttl", ttl),
    ("restricted_package_name", "restricted_package_name", same(lambda rng: "com.example.app")),
    ("data", "data", same(string_map)), ("direct_boot_ok", "direct_boot_ok", boolean),
    ("bandwidth_constrained_ok", "bandwidth_constrained_ok", boolean),
    ("restricted_satellite_ok", "restricted_satellite_ok", boolean),
    ("fcm_options", "fcm_options", lambda rng: (lambda v: (messaging.AndroidFCMOptions(v), {"analytics_label": v}))(label(rng))),
]
# Our simple field, where its value goes on the wire
SIMPLE = {
    "title": ("notification", "title"), "body": ("notification", "body"), "image": ("notification", "image"),
    "icon": ("android", "icon"), "color": ("android", "color"), "sound": ("android", "sound"),
    "collapse_id": ("android", "tag"), "category": ("android", "click_action"), "channel_id": ("android", "channel_id"),
    "badge": ("android", "notification_count"), "title_loc_key": ("android", "title_loc_key"),
    "title_loc_args": ("android", "title_loc_args"), "body_loc_key": ("android", "body_loc_key"),
    "body_loc_args": ("android", "body_loc_args"),
}


def drawn(rng, table, share=0.3):
    theirs, ours = {}, {}
    for keyword, name, draw in table:
        if rng.random() < share:
            theirs[keyword], ours[name] = draw(rng)
    return theirs, ours


def localized(rng, theirs, ours, names):
    """A loc-key with or without its arguments; names are (their key, their args, our key, our args)."""
    if rng.random() < 0.2:
        theirs[names[0]] = ours[names[2]] = filled(rng)
        if rng.random() < 0.5:
            theirs[names[1]] = ours[names[3]] = strings(rng)


def android(rng):
    theirs, ours = drawn(rng, ANDROID)
    if rng.random() < 0.6:
        note, own = drawn(rng, ANDROID_NOTIFICATION, 0.25)
        for part in ("title", "body"):
            names = (f"{part}_loc_key", f"{part}_loc_args")
            localized(rng, note, own, names + names)
        theirs["notification"] = messaging.AndroidNotification(**note)
        if own:
            ours["notification"] = own
    return messaging.AndroidConfig(**theirs), ours


def sound(rng):
    if rng.random() < 0.5:
        value = filled(rng)
        return value, value
    theirs, ours = {"name": filled(rng)}, {}
    ours["name"] = theirs["name"]
    if rng.random() < 0.5:
        theirs["critical"], ours["critical"] = True, 1
    if rng.random() < 0.5:
        theirs["volume"] = ours["volume"] = rng.choice([0, 0.25, 1])
    return messaging.CriticalSound(**theirs), ours


def alert(rng):
    if rng.random() < 0.3:
        value = filled(rng)
        return value, value
    table = [("title", "title", same(text)), ("subtitle", "subtitle", same(text)), ("body", "body", same(text)),
             ("action_loc_key", "action-loc-key", same(filled)), ("launch_image", "launch-image", same(filled))]
    theirs, ours = drawn(rng, table, 0.5)
    theirs["body"] = ours["body"] = filled(rng)
    localized(rng, theirs, ours, ("loc_key", "loc_args", "loc-key", "loc-args"))
    localized(rng, theirs, ours, ("title_loc_key", "title_loc_args", "title-loc-key", "title-loc-args"))
    if rng.random() < 0.2:
        theirs["custom_data"] = {"summary-arg": "s"}
        ours["summary-arg"] = "s"
    return messaging.ApsAlert(**theirs), ours


def apns(rng):
    table = [("alert", "alert", alert), ("badge", "badge", same(lambda rng: rng.randrange(100))), ("sound", "sound", sound),
             ("category", "category", same(filled)), ("thread_id", "thread-id", same(filled))]
    theirs, ours = drawn(rng, table, 0.4)
    theirs["alert"], ours["alert"] = alert(rng)
    for flag, name in (("content_available", "content-available"), ("mutable_content", "mutable-content")):
        if rng.random() < 0.3:
            theirs[flag] = rng.choice([True, False])
            if theirs[flag]:
                ours[name] = 1
    if rng.random() < 0.3:
        theirs["custom_data"] = {"interruption-level": "time-sensitive", "relevance-score": 0.5}
        ours.update(theirs["custom_data"])
    custom = {f"c{n}": free(rng) for n in range(rng.randrange(3))}
    parts = {"payload": messaging.APNSPayload(messaging.Aps(**theirs), **custom)}
    result = {"payload": {"aps": ours, **custom}}
    if rng.random() < 0.3:
        parts["headers"] = result["headers"] = {"apns-priority": rng.choice(["5", "10"]), "apns-collapse-id": "c"}
    if rng.random() < 0.3:
        options, own = drawn(rng, [("analytics_label", "analytics_label", same(label)), ("image", "image", url)], 0.7)
        parts["fcm_options"] = messaging.APNSFCMOptions(**options)
        if own:
            result["fcm_options"] = own
    if rng.random() < 0.1:
        parts["live_activity_token"] = result["live_activity_token"] = "0123abcd"
    return messaging.APNSConfig(**parts), result


def webpush(rng):
    table = [
        ("title", "title", same(text)), ("body", "body", same(text)), ("icon", "icon", url), ("badge", "badge", url),
        ("image", "image", url), ("data", "data", same(free)), ("language", "lang", same(lambda rng: "de")),
        ("direction", "dir", same(lambda rng: rng.choice(["auto", "ltr", "rtl"]))), ("renotify", "renotify", boolean),
        ("require_interaction", "requireInteraction", boolean), ("silent", "silent", boolean), ("tag", "tag", same(filled)),
        ("timestamp_millis", "timestamp", same(lambda rng: rng.randrange(2**41))),
        ("vibrate", "vibrate", same(lambda rng: [rng.randrange(500) for _ in range(3)])),
        ("custom_data", None, lambda rng: ({"own": "x"}, None)),
    ]
    theirs, ours = drawn(rng, table, 0.3)
    if ours.pop(None, 0) is None:
        ours["own"] = "x"
    if rng.random() < 0.3:
        name = filled(rng)
        theirs["actions"] = [messaging.WebpushNotificationAction(name, "t", "i")]
        ours["actions"] = [{"action": name, "title": "t", "icon": "i"}]
    parts, result = {"notification": messaging.WebpushNotification(**theirs)}, {}
    if ours:
        result["notification"] = ours
    if rng.random() < 0.3:
        parts["headers"] = result["headers"] = {"TTL": "60", "Urgency": "high"}
    if rng.random() < 0.3:
        parts["data"] = result["data"] = string_map(rng)
    if rng.random() < 0.3:
        parts["fcm_options"] = messaging.WebpushFCMOptions("https://example.com/x")
        result["fcm_options"] = {"link": "https://example.com/x"}
    return messaging.WebpushConfig(**parts), result


def message(rng, target):
    """One message: firebase-admin's, and ours with simple fields for some of what they can say."""
    theirs, fcm = dict(target), {}
    if rng.random() < 0.7:
        table = [("title", "title", same(text)), ("body", "body", same(text)), ("image", "image", url)]
        parts, ours = drawn(rng, table, 0.6)
        theirs["notification"] = messaging.Notification(**parts)
        if ours:
            fcm["notification"] = ours
    if rng.random() < 0.5:
        theirs["data"] = fcm["data"] = string_map(rng)
    for name, share, draw in (("android", 0.6, android), ("apns", 0.4, apns), ("webpush", 0.3, webpush)):
        if rng.random() < share:
            theirs[name], ours = draw(rng)
            if ours:
                fcm[name] = ours
    if rng.random() < 0.2:
        name = label(rng)
        theirs["fcm_options"] = messaging.FCMOptions(name)
        fcm["fcm_options"] = {"analytics_label": name}
    return messaging.Message(**theirs), simplified(rng, fcm)


def simplified(rng, fcm):
    """Our message: some of the values as simple fields, the rest under Google's own names."""
    ours = {}
    fcm = {key: dict(value) if isinstance(value, dict) else value for key, value in fcm.items()}
    if "android" in fcm and "notification" in fcm["android"]:
        fcm["android"]["notification"] = dict(fcm["android"]["notification"])
    for field, (part, name) in SIMPLE.items():
        place = fcm.get("notification", {}) if part == "notification" else fcm.get("android", {}).get("notification", {})
        if name in place and rng.random() < 0.5:
            ours[field] = place.pop(name)
    if "data" in fcm and rng.random() < 0.5:
        ours["data"] = fcm.pop("data")
    if fcm:
        ours["fcm"] = without_empty(fcm)
    return ours


def without_empty(value):
    if not isinstance(value, dict):
        return value
    return {k: v for k, v in ((k, without_empty(v)) for k, v in value.items()) if v != {}}
