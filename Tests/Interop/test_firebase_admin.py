"""PyPI firebase-admin, Google's own client, against the emulator's plain port."""

import datetime
import itertools
import json
import pathlib

import firebase_admin
import pytest
from firebase_admin import credentials, exceptions, messaging

names = itertools.count()


@pytest.fixture
def app(emulator, monkeypatch):
    monkeypatch.setattr(
        messaging._MessagingService, "FCM_URL", emulator.plain + "/v1/projects/{0}/messages:send"
    )
    account = emulator.credentials["service_account_plain"]
    app = firebase_admin.initialize_app(
        credentials.Certificate(account), {"httpTimeout": 20}, name=f"app-{next(names)}"
    )
    yield app
    firebase_admin.delete_app(app)


def test_a_message_arrives_as_it_was_encoded(emulator, app):
    message = messaging.Message(
        token="android-1",
        notification=messaging.Notification(title="Grüße", body="👋"),
        data={"screen": "home"},
        android=messaging.AndroidConfig(
            priority="high",
            ttl=datetime.timedelta(hours=1),
            collapse_key="c-1",
            notification=messaging.AndroidNotification(
                channel_id="news",
                color="#112233",
                title_loc_key="t",
                title_loc_args=["a"],
                visibility="public",
                priority="max",
                notification_count=3,
                event_timestamp=datetime.datetime(2026, 1, 31, 9, 0),
                vibrate_timings_millis=[100, 2500],
                light_settings=messaging.LightSettings(
                    color="#aabbcc", light_on_duration_millis=200, light_off_duration_millis=300
                ),
            ),
            fcm_options=messaging.AndroidFCMOptions(analytics_label="label"),
        ),
        apns=messaging.APNSConfig(
            headers={"apns-priority": "10"},
            payload=messaging.APNSPayload(messaging.Aps(badge=0, content_available=True), x=1),
        ),
        webpush=messaging.WebpushConfig(
            notification=messaging.WebpushNotification(title="t"),
            fcm_options=messaging.WebpushFCMOptions(link="https://example.com"),
        ),
    )
    name = messaging.send(message, app=app)
    (push,) = emulator.pushes("fcm", "android-1")
    project = emulator.credentials["service_account"]["project_id"]
    assert name == f"projects/{project}/messages/{push['id']}"
    assert push["payload"]["message"] == messaging._MessagingService.encode_message(message)


def test_dry_run_delivers_nothing(emulator, app):
    assert messaging.send(messaging.Message(token="dry"), dry_run=True, app=app).endswith("/fake_message_id")
    assert emulator.call("GET", "/devices") == []


def test_many_at_once(emulator, app):
    batch = messaging.send_each([messaging.Message(token=f"t-{n}") for n in range(100)], app=app)
    assert batch.success_count == 100
    answers = emulator.call("GET", "")["state"]["counters"]
    assert answers["fcm"]["answers"] == {"200": 100}
    assert answers["oauth"]["answers"]["200"] >= 1


@pytest.mark.parametrize(
    "device, error",
    [
        ({"unregistered_since_ms": 1}, messaging.UnregisteredError),
        ({"projects": ["other"]}, messaging.SenderIdMismatchError),
        ({"script": ["QUOTA_EXCEEDED"]}, messaging.QuotaExceededError),
        # The client takes any 401 for an expired access token and tries once more.
        ({"script": ["THIRD_PARTY_AUTH_ERROR"], "repeat_last": True}, messaging.ThirdPartyAuthError),
        ({"script": ["INTERNAL"], "repeat_last": True}, exceptions.InternalError),
        ({"script": ["INVALID_ARGUMENT"]}, exceptions.InvalidArgumentError),
    ],
)
def test_every_error_is_understood(emulator, app, device, error):
    emulator.call("POST", "/devices", {"provider": "fcm", "token": "dev", **device})
    with pytest.raises(error):
        messaging.send(messaging.Message(token="dev"), app=app)


def test_unavailable_is_retried_by_the_client(emulator, app):
    emulator.scenario(rules=[{"provider": "fcm", "times": 1, "effect": {"refuse": "UNAVAILABLE", "retry_after": 0}}])
    messaging.send(messaging.Message(token="dev"), app=app)
    assert emulator.call("GET", "")["state"]["counters"]["fcm"]["answers"] == {"200": 1, "503": 1}


def test_an_expired_access_token_is_renewed(emulator, app):
    messaging.send(messaging.Message(token="dev"), app=app)
    emulator.call("POST", "/revoke-access-tokens")
    messaging.send(messaging.Message(token="dev"), app=app)
    assert emulator.call("GET", "")["state"]["counters"]["fcm"]["answers"] == {"200": 2, "401": 1}


def test_a_bad_token_is_an_invalid_argument(app):
    with pytest.raises(exceptions.InvalidArgumentError):
        messaging.send(messaging.Message(token="not a token"), app=app)


def test_a_payload_too_large(app):
    with pytest.raises(exceptions.InvalidArgumentError):
        messaging.send(messaging.Message(token="dev", data={"k": "x" * 4096}), app=app)


def test_topics_and_conditions(emulator, app):
    emulator.call("POST", "/devices", {"provider": "fcm", "token": "dev", "subscriptions": ["news"]})
    messaging.send(messaging.Message(topic="news"), app=app)
    messaging.send(messaging.Message(condition="'news' in topics && !('sport' in topics)"), app=app)
    messaging.send(messaging.Message(topic="sport"), app=app)
    assert len(emulator.pushes("fcm", "dev")) == 2


CARRIED = json.loads((pathlib.Path(__file__).parents[2] / "Vectors/fcm-tokens/cases.json").read_text())


def own_message(expected):
    """The message as the client's own types write it."""
    apns = webpush = None
    if "apns" in expected:
        block = expected["apns"]
        aps = dict(block["payload"]["aps"])
        alert = aps.pop("alert", None)
        apns = messaging.APNSConfig(
            headers=block["headers"],
            payload=messaging.APNSPayload(
                messaging.Aps(
                    alert=messaging.ApsAlert(**alert) if alert else None,
                    mutable_content=aps.pop("mutable-content", None) == 1,
                    content_available=aps.pop("content-available", None) == 1,
                ),
                **{key: value for key, value in block["payload"].items() if key != "aps"},
            ),
            fcm_options=messaging.APNSFCMOptions(**block["fcm_options"]) if "fcm_options" in block else None,
        )
        assert not aps
    if "webpush" in expected:
        block = expected["webpush"]
        shown = dict(block["notification"])
        actions = [messaging.WebpushNotificationAction(**one) for one in shown.pop("actions", [])]
        known = {key: shown.pop(key) for key in ("title", "body", "icon", "image", "badge", "tag", "renotify") if key in shown}
        link = block.get("fcm_options", {}).get("link")
        webpush = messaging.WebpushConfig(
            headers=block["headers"],
            data=block.get("data"),
            notification=messaging.WebpushNotification(**known, actions=actions or None, custom_data=shown),
            fcm_options=messaging.WebpushFCMOptions(link) if link else None,
        )
    return messaging.Message(token=expected["token"], apns=apns, webpush=webpush)


@pytest.mark.parametrize("case", [case for case in CARRIED if "expect" in case], ids=lambda case: case["name"])
def test_what_iphones_and_browsers_are_sent_is_what_the_client_writes(emulator, app, case):
    """Google's client has these messages, too, and FCM's rules have nothing against them."""
    expected = case["expect"]["message"]
    message = own_message(expected)
    encoded = messaging._MessagingService.encode_message(message)
    # The client has no such label for browsers.
    expected.get("webpush", {}).get("fcm_options", {}).pop("analytics_label", None)
    assert encoded == expected
    platform = case["kind"].removeprefix("fcm-")
    emulator.call(
        "POST", "/devices", {"provider": "fcm", "token": "t", "platform": platform, "phone": {"app_name": "App"}}
    )
    messaging.send(message, app=app)
    tray = emulator.call("GET", "/devices/fcm/t/phone")["tray"]
    assert tray["count"] == (0 if expected.get("apns", {}).get("headers", {}).get("apns-push-type") == "background" else 1)
