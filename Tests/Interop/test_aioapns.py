"""PyPI aioapns, an independent APNs client, against the emulator."""

import asyncio
import json
import ssl
import uuid

import pytest
from aioapns import APNs, NotificationRequest, PushType
from aioapns.connection import APNsDevelopmentClientProtocol

TOPIC = "com.example.app"
TOKEN = "0123456789abcdef" * 4
SETTINGS = {"accepts_no_alpn": True}


@pytest.fixture(autouse=True)
def without_alpn(emulator):
    emulator.scenario(apns=SETTINGS)


def send(emulator, monkeypatch, requests, key_id=None, at_once=False):
    """Sends through one aioapns client and returns its results in order."""
    monkeypatch.setattr(APNsDevelopmentClientProtocol, "APNS_SERVER", "127.0.0.1")
    monkeypatch.setattr(APNsDevelopmentClientProtocol, "APNS_PORT", emulator.apns_port)
    apns = emulator.credentials["apns"]

    async def run():
        # As it comes: aioapns leaves ALPN to the caller's context, and says nothing of it.
        context = ssl.create_default_context(cafile=str(emulator.folder / "ca.pem"))
        client = APNs(
            key=apns["private_key"],
            key_id=key_id or apns["key_id"],
            team_id=apns["team_id"],
            topic=TOPIC,
            use_sandbox=True,
            ssl_context=context,
            max_connections=1,
        )
        if at_once:
            return await asyncio.gather(*(client.send_notification(r) for r in requests))
        return [await client.send_notification(r) for r in requests]

    return asyncio.run(asyncio.wait_for(run(), 60))


def alert(token=TOKEN, **members):
    return NotificationRequest(
        device_token=token,
        message={"aps": {"alert": {"title": "Grüße", "body": "👋"}}, "screen": "home"},
        push_type=PushType.ALERT,
        notification_id=str(uuid.uuid4()),
        **members,
    )


def test_a_push_arrives_as_it_was_sent(emulator, monkeypatch):
    request = alert(collapse_key="c-1", priority=10)
    (result,) = send(emulator, monkeypatch, [request])
    assert result.is_successful and result.notification_id == request.notification_id
    (push,) = emulator.pushes("apns", TOKEN)
    assert push["id"] == request.notification_id
    assert push["payload"] == request.message
    assert push["headers"]["apns-topic"] == TOPIC
    assert push["headers"]["apns-collapse-id"] == "c-1"
    assert push["headers"]["apns-push-type"] == "alert"


def test_many_pushes_over_one_connection(emulator, monkeypatch):
    tokens = [f"{index:064x}" for index in range(500)]
    first = send(emulator, monkeypatch, [alert()] + [alert(token) for token in tokens])
    assert all(result.is_successful for result in first)
    state = emulator.call("GET", "")["state"]
    assert state["counters"]["apns"]["answers"] == {"200": 501}
    assert state["counters"]["apns"]["connections"] == 1


@pytest.mark.parametrize(
    "change, status, reason",
    [
        ({"token": "xyz"}, "400", "BadDeviceToken"),
        ({"priority": 7}, "400", "BadPriority"),
        ({"collapse_key": "x" * 65}, "400", "BadCollapseId"),
        ({"apns_topic": "com example"}, "400", "BadTopic"),
    ],
)
def test_rejections(emulator, monkeypatch, change, status, reason):
    (result,) = send(emulator, monkeypatch, [alert(**change)])
    assert (result.status, result.description) == (status, reason)


def test_a_wrong_key(emulator, monkeypatch):
    (result,) = send(emulator, monkeypatch, [alert()], key_id="OTHERKEY01")
    assert (result.status, result.description) == ("403", "InvalidProviderToken")


def test_a_removed_app_and_its_timestamp(emulator, monkeypatch):
    emulator.call(
        "POST", "/devices", {"provider": "apns", "token": TOKEN, "unregistered_since_ms": 1770000000123}
    )
    (result,) = send(emulator, monkeypatch, [alert()])
    assert (result.status, result.description, result.timestamp) == ("410", "Unregistered", 1770000000123)


def test_a_payload_too_large(emulator, monkeypatch):
    request = alert()
    request.message["filler"] = "x" * 4096
    (result,) = send(emulator, monkeypatch, [request])
    assert (result.status, result.description) == ("413", "PayloadTooLarge")


def test_a_storm_by_scenario(emulator, monkeypatch):
    emulator.scenario(apns=SETTINGS, rules=[{"provider": "apns", "times": 2, "effect": "ServiceUnavailable"}])
    results = send(emulator, monkeypatch, [alert() for _ in range(3)])
    assert [(r.status, r.description) for r in results] == [
        ("503", "ServiceUnavailable"),
        ("503", "ServiceUnavailable"),
        ("200", None),
    ]


def test_the_body_in_base64_is_the_body(emulator, monkeypatch):
    import base64

    send(emulator, monkeypatch, [alert()])
    (push,) = emulator.pushes("apns", TOKEN)
    assert json.loads(base64.b64decode(push["payload_base64"])) == push["payload"]
