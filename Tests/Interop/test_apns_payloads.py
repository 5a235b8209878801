"""Requests as PyPI kalyke-apns and aioapns make them pass `postrider check`, or what they get wrong is listed here."""

import datetime
import json

import pytest
from aioapns import NotificationRequest, PushType
from kalyke import (
    ApnsConfig, ApnsPriority, ApnsPushType, CriticalSound, InterruptionLevel, LiveActivityApnsConfig, LiveActivityEvent,
    LiveActivityPayload, Payload, PayloadAlert, VoIPApnsConfig)

from checking import check

TOPIC = "com.example.app"
NOW = datetime.datetime(2026, 11, 21, 12, tzinfo=datetime.timezone.utc)
ALERT = PayloadAlert(title="Grüße", subtitle="👋", body="b", launch_image="l", title_loc_key="t", title_loc_args=["1"],
                     subtitle_loc_key="s", subtitle_loc_args=["2"], loc_key="k", loc_args=["3"])


def live(event, **members):
    return LiveActivityPayload(alert=PayloadAlert(title="t", body="b"), event=event, timestamp=NOW, content_state={"score": 1}, **members)


# name: (headers, payload, rules that speak, with the reason where they do)
KALYKE = {
    "text": (ApnsConfig(TOPIC), Payload(alert="Hello"), []),
    "alert": (ApnsConfig(TOPIC, identifier="123e4567-e89b-42d3-a456-426655440000", collapse_id="c"),
              Payload(alert=ALERT, badge=0, sound="default", thread_id="t", category="c", mutable_content=True,
                      interruption_level=InterruptionLevel.TIME_SENSITIVE, relevance_score=0.5, filter_criteria="f",
                      custom={"screen": {"id": 5}}),
              # Text beside its loc-key: legal, and Apple's pages do not say which is shown.
              ["apns-text-and-loc-key"] * 3),
    "background": (ApnsConfig(TOPIC, ApnsPushType.BACKGROUND, priority=ApnsPriority.BASED_ON_POWER),
                   Payload(content_available=True, custom={"k": "v"}), []),
    "voip": (VoIPApnsConfig(TOPIC + ".voip"), Payload(alert="call"), []),
    "live update": (LiveActivityApnsConfig(TOPIC + ".push-type.liveactivity"), live(LiveActivityEvent.UPDATE, stale_date=NOW), []),
    "live end": (LiveActivityApnsConfig(TOPIC + ".push-type.liveactivity"), live(LiveActivityEvent.END, dismissal_date=NOW), []),
    # It asks for both members and then leaves them out of the payload.
    "live start": (LiveActivityApnsConfig(TOPIC + ".push-type.liveactivity"), live(LiveActivityEvent.START, attributes_type="A", attributes={"a": 1}),
                   ["apns-live-activity-start-incomplete"]),
    # Apple's key is target-content-id.
    "target content": (ApnsConfig(TOPIC), Payload(alert="x", target_content_identifier="w"), ["apns-unknown-key"]),
    # Priority 10 is its default, and Apple refuses it for background.
    "background at once": (ApnsConfig(TOPIC, ApnsPushType.BACKGROUND), Payload(content_available=True), ["apns-background-priority"]),
}

AIOAPNS = {
    "alert": (PushType.ALERT, TOPIC, 10, {"aps": {"alert": {"title": "t", "body": "b"}, "badge": 1}, "k": [1]}, []),
    "background": (PushType.BACKGROUND, TOPIC, 5, {"aps": {"content-available": 1}}, []),
    "voip": (PushType.VOIP, TOPIC + ".voip", 10, {"aps": {}, "caller": "x"}, []),
    "complication": (PushType.COMPLICATION, TOPIC + ".complication", 10, {"aps": {}, "k": 1}, []),
    "fileprovider": (PushType.FILEPROVIDER, TOPIC + ".pushkit.fileprovider", 10, {"aps": {}, "container-identifier": "c"}, []),
    "liveactivity": (PushType.LIVEACTIVITY, TOPIC + ".push-type.liveactivity", 10,
                     {"aps": {"timestamp": 1_800_000_000, "event": "update", "content-state": {}}}, []),
    "mdm": (PushType.MDM, "com.apple.mgmt.External.123", 10, {"mdm": "magic"}, []),
}


def request(headers, payload):
    return {"headers": headers, "payload": payload}


@pytest.mark.parametrize("name", KALYKE)
def test_kalyke(tmp_path, name):
    config, payload, expected = KALYKE[name]
    headers = {key: value for key, value in config.make_headers().items() if key.startswith("apns-")}
    (findings,) = check(tmp_path / "d", [request(headers, payload.dict())])
    assert [finding["rule"] for finding in findings] == expected, findings


@pytest.mark.parametrize("name", AIOAPNS)
def test_aioapns(tmp_path, name):
    push_type, topic, priority, message, expected = AIOAPNS[name]
    made = NotificationRequest("0123456789abcdef" * 4, message, priority=priority, push_type=push_type, apns_topic=topic)
    headers = {"apns-id": made.notification_id, "apns-topic": made.apns_topic, "apns-priority": str(made.priority),
               "apns-push-type": made.push_type.value}
    (findings,) = check(tmp_path / "d", [request(headers, made.message)])
    assert [finding["rule"] for finding in findings] == expected, findings


def test_a_critical_sound_of_kalyke():
    """It hands the sound on as an object that JSON does not have; with its own dictionary it is legal."""
    sound = CriticalSound(critical=True, volume=0.5, name="s.caf")
    with pytest.raises(TypeError):
        json.dumps(Payload(alert="x", sound=sound).dict())


def test_a_critical_sound_as_a_dictionary(tmp_path):
    sound = CriticalSound(critical=True, volume=0.5, name="s.caf").dict()
    (findings,) = check(tmp_path / "d", [request(ApnsConfig(TOPIC).make_headers() | {"user-agent": "x"}, {"aps": {"alert": "x", "sound": sound}})])
    assert [f["rule"] for f in findings if f["severity"] == "error"] == []
