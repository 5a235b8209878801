"""OneSignal's interface judged by its own clients: PyPI onesignal-python-api, which checks each answer against OneSignal's
models, onesignal-sdk, which speaks the older generation, and Apprise; all as they are, against a running server and the
emulator."""

import csv
import datetime
import gzip
import io
import itertools
import json
import os
import pathlib
import re
import subprocess
import urllib.error
import urllib.request
import uuid

import apprise
import onesignal
import pytest
from apprise.plugins.one_signal import NotifyOneSignal
from onesignal.api import default_api
from onesignal.errors import OneSignalErrors
from onesignal.helpers import create_notification_with_retry, is_message_not_sent, is_message_sent
from onesignal.model.button import Button
from onesignal.model.create_template_request import CreateTemplateRequest
from onesignal.model.estimate_notification_recipients_request import EstimateNotificationRecipientsRequest
from onesignal.model.export_subscriptions_request_body import ExportSubscriptionsRequestBody
from onesignal.model.filter import Filter
from onesignal.model.get_notification_history_request_body import GetNotificationHistoryRequestBody
from onesignal.model.identity_object import IdentityObject
from onesignal.model.include_aliases import IncludeAliases
from onesignal.model.notification import Notification
from onesignal.model.operator import Operator
from onesignal.model.properties_object import PropertiesObject
from onesignal.model.segment import Segment
from onesignal.model.start_live_activity_request import StartLiveActivityRequest
from onesignal.model.subscription import Subscription
from onesignal.model.subscription_body import SubscriptionBody
from onesignal.model.transfer_subscription_request_body import TransferSubscriptionRequestBody
from onesignal.model.language_string_map import LanguageStringMap
from onesignal.model.update_live_activity_request import UpdateLiveActivityRequest
from onesignal.model.update_segment_request import UpdateSegmentRequest
from onesignal.model.update_template_request import UpdateTemplateRequest
from onesignal.model.update_user_request import UpdateUserRequest
from onesignal.model.user import User
from onesignal.model.user_identity_body import UserIdentityBody
from onesignal_sdk.client import Client
from onesignal_sdk.error import OneSignalHTTPError

from conftest import command
from serving import Server, credentials, wait

numbers = itertools.count(16)
HOST = "onesignal.test"


class Shop:
    """An app that answers to OneSignal's clients, with two devices of `ann`."""

    def __init__(self, server, running, name, number):
        self.server, self.running, self.name = server, running, name
        base = self.base = f"/v1/apps/{name}"
        server.done("POST", "/v1/apps", {"name": name})
        server.done("PUT", f"{base}/credentials", credentials(running))
        self.app_id = server.done("PATCH", base, {"compat": {"onesignal": {}}})["compat"]["onesignal"]["app_id"]
        self.key = server.done("POST", "/v1/keys", {"name": name, "scopes": ["compat"], "app": name})["key"]
        self.ios, self.android = f"{number:02x}" * 32, f"android-compat-{number}"
        server.done("POST", f"{base}/devices", {"type": "ios", "token": self.ios, "user": "ann", "locale": "en"})
        server.done("POST", f"{base}/devices", {"type": "android", "token": self.android, "user": "ann", "locale": "de-AT"})
        self.api = api(server, self.key)

    def note(self, **members):
        return Notification(app_id=self.app_id, **members)

    def last(self, provider, token, count=1):
        """The newest push at the emulator, once it has `count`."""
        wait(lambda: len(self.pushes(provider, token)) >= count, f"push {count} to {token}")
        return self.pushes(provider, token)[-1]

    def pushes(self, provider, token):
        try:
            return self.running.pushes(provider, token)
        except urllib.error.HTTPError:
            return []


def api(server, key, path="/compat/onesignal"):
    configuration = onesignal.Configuration(host=server.origin + path, rest_api_key=key)
    return default_api.DefaultApi(onesignal.ApiClient(configuration))


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("compat"), "--compat-host", f"{HOST}=onesignal")
    yield server
    server.stop()


@pytest.fixture
def shop(server, running):
    number = next(numbers)
    running.scenario()
    return Shop(server, running, f"shop{number}", number)


TEXTS = {"contents": {"en": "Half price", "de": "Halber Preis"}, "headings": {"en": "Sale"}, "url": "https://shop.example/sale",
         "data": {"screen": "sale", "depth": 2}, "buttons": [{"id": "open", "text": "Open"}]}


def message(**members):
    """What every test sends; `contents` only in English unless named."""
    return {"contents": {"en": "Half price"}, **members}


def refused(work, status):
    with pytest.raises(onesignal.ApiException) as caught:
        work()
    assert caught.value.status == status, caught.value.body
    return caught.value


# --- Notifications


def test_a_message_arrives_as_our_own_api_sends_it(shop):
    """The same message over both interfaces gives the same payloads, but for the ids."""
    buttons = [Button(**button) for button in TEXTS["buttons"]]
    made = shop.api.create_notification(shop.note(
        include_aliases={"external_id": ["ann"]}, target_channel="push", **{**TEXTS, "buttons": buttons}))
    assert is_message_sent(made) and uuid.UUID(made.id).version == 8
    theirs = shop.last("apns", shop.ios), shop.last("fcm", shop.android)
    german = {**TEXTS, "contents": {"en": "Halber Preis"}, "headings": {"en": "Sale"}}
    shop.server.done("POST", f"{shop.base}/pushes", {
        "contract": "onesignal", "message": TEXTS, "locales": {"de": german}, "to": {"users": ["ann"]}})
    ours = shop.last("apns", shop.ios, 2), shop.last("fcm", shop.android, 2)

    def plain(push, provider):
        payload = json.loads(json.dumps(push["payload"]))
        if provider == "apns":
            payload["custom"].pop("i")
        else:
            custom = json.loads(payload["message"]["data"]["custom"])
            custom.pop("i")
            payload["message"]["data"]["custom"] = custom
        return payload

    for provider, their, our in zip(("apns", "fcm"), theirs, ours):
        assert plain(their, provider) == plain(our, provider)
    assert theirs[0]["payload"]["aps"]["alert"] == {"title": "Sale", "body": "Half price"}
    assert theirs[1]["payload"]["message"]["data"]["alert"] == "Halber Preis"


def test_a_notification_is_shown_listed_and_counted(shop):
    made = shop.api.create_notification(shop.note(included_segments=["Subscribed Users"], **message(name="spring")))
    shown = wait(lambda: (n := shop.api.get_notification(shop.app_id, made.id)).completed_at and n, "the end")
    assert (shown.id, shown.app_id, shown.contents["en"]) == (made.id, shop.app_id, "Half price")
    assert (shown.successful, shown.failed, shown.errored, shown.remaining, shown.canceled) == (2, 0, 0, 0, False)
    # The client reads the statistics, and fails on their attribute whatever they are; its dictionary has them.
    stats = shown.to_dict()["platform_delivery_stats"]
    assert stats["ios"]["successful"] == stats["android"]["successful"] == 1
    shop.api.create_notification(shop.note(included_segments=["All"], **message()))
    page = shop.api.get_notifications(shop.app_id, limit=1, offset=1)
    assert (page.total_count, page.offset, page.limit, [n.id for n in page.notifications]) == (2, 1, 1, [made.id])
    assert shop.api.get_notifications(shop.app_id, kind=3).notifications == []


def test_a_message_waits_and_is_canceled(shop):
    when = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0) + datetime.timedelta(days=2)
    made = shop.api.create_notification(shop.note(included_segments=["All"], send_after=when, **message()))
    shown = shop.api.get_notification(shop.app_id, made.id)
    assert (shown.send_after, shown.remaining, shown.canceled) == (int(when.timestamp()), 0, False)
    assert shop.api.cancel_notification(shop.app_id, made.id).success is True
    assert shop.api.get_notification(shop.app_id, made.id).canceled is True
    assert refused(lambda: shop.api.cancel_notification(shop.app_id, made.id), 400)
    assert shop.pushes("apns", shop.ios) == []


def test_a_message_comes_at_each_persons_own_time(shop):
    """Where it is the time already it comes now, elsewhere within a day; and when the app was used last: a moment ago."""
    shop.server.done("POST", f"{shop.base}/devices", {"type": "ios", "token": shop.ios, "user": "ann", "timezone": "Asia/Tokyo"})
    there = datetime.datetime.now(datetime.timezone(datetime.timedelta(hours=9))) + datetime.timedelta(seconds=4)
    made = shop.api.create_notification(shop.note(
        included_segments=["All"], delayed_option="timezone", delivery_time_of_day=there.strftime("%I:%M:%S%p"), **message()))
    assert is_message_sent(made)
    shop.last("apns", shop.ios)
    assert shop.pushes("fcm", shop.android) == []
    push = shop.server.done("GET", f"{shop.base}/pushes")["pushes"][0]["id"]
    rows = shop.server.done("GET", f"{shop.base}/pushes/{push}/deliveries")["deliveries"]
    now = datetime.datetime.now(datetime.timezone.utc)
    waits = [datetime.datetime.fromisoformat(row["not_before"].replace("Z", "+00:00")) - now for row in rows if row["state"] == "waiting"]
    assert len(waits) == 1 and datetime.timedelta() < waits[0] < datetime.timedelta(days=1)
    shown = shop.server.done("GET", f"{shop.base}/pushes/{push}")
    assert shown["send_at_time_of_day"] == there.strftime("%H:%M:%S") and shown["timezone"] == "UTC"
    soon = now.replace(microsecond=0) + datetime.timedelta(seconds=3)
    later = shop.api.create_notification(shop.note(
        included_segments=["All"], delayed_option="last-active", send_after=soon, **message()))
    wait(lambda: shop.server.done("GET", f"{shop.base}/pushes")["pushes"][0]["audience_complete"], "the start")
    push = shop.server.done("GET", f"{shop.base}/pushes")["pushes"][0]["id"]
    rows = shop.server.done("GET", f"{shop.base}/pushes/{push}/deliveries")["deliveries"]
    devices = {device["id"]: device for device in shop.server.done("GET", f"{shop.base}/devices")["devices"]}
    for row in rows:
        seen = datetime.datetime.fromisoformat(devices[row["device"]]["registered_at"].replace("Z", "+00:00")).replace(microsecond=0)
        at = datetime.datetime.fromisoformat(row["not_before"].replace("Z", "+00:00"))
        assert at == seen + datetime.timedelta(days=1) and at >= soon, (row, seen)
    assert len(rows) == 2 and shop.api.cancel_notification(shop.app_id, later.id).success is True


def test_outcomes_are_counted(shop):
    shop.api.create_notification(shop.note(included_segments=["All"], **message()))
    shop.last("apns", shop.ios)
    push = shop.server.done("GET", f"{shop.base}/pushes")["pushes"][0]["id"]
    wait(lambda: shop.server.done("GET", f"{shop.base}/pushes/{push}")["status"] == "sent", "the end")
    shop.server.done("POST", f"{shop.base}/events", {"events": [{"type": "opened", "token": shop.ios, "push": push}]})
    for span in ("1h", "1d", "1mo"):
        found = shop.api.get_outcomes(shop.app_id, "os__click.count,os__confirmed_delivery.count", outcome_time_range=span)
        assert [(one.id, one.value, one.aggregation) for one in found.outcomes] == [
            ("os__click", 1, "count"), ("os__confirmed_delivery", 1, "count")]
    refused(lambda: shop.api.get_outcomes(shop.app_id, "purchase.sum"), 400)
    refused(lambda: shop.api.get_outcomes(shop.app_id, "os__click.count", outcome_platforms="0"), 400)
    refused(lambda: shop.api.get_outcomes(shop.app_id, "os__click.count", outcome_time_range="1y"), 400)


def test_a_message_is_made_from_a_template(shop):
    texts = {"headings": LanguageStringMap(en="Sale", de="Ausverkauf"), "contents": LanguageStringMap(en="Half price", de="Halber Preis")}
    made = shop.api.create_template(CreateTemplateRequest(app_id=shop.app_id, name="Spring sale", **texts))
    assert uuid.UUID(made.id).version == 8 and (made.name, made.channel) == ("Spring sale", "push")
    assert made.content["contents"] == {"en": "Half price", "de": "Halber Preis"}
    assert shop.api.view_template(made.id, shop.app_id).to_dict() == made.to_dict()
    assert [one.id for one in shop.api.view_templates(shop.app_id).templates] == [made.id]
    assert shop.api.view_templates(shop.app_id, channel="email").templates == []
    refused(lambda: shop.api.create_template(CreateTemplateRequest(app_id=shop.app_id, name="Spring sale", **texts)), 409)
    # The payload is that of our own API for the same message, in the language of each device.
    shop.api.create_notification(shop.note(include_aliases={"external_id": ["ann"]}, template_id=made.id))
    theirs = shop.last("apns", shop.ios)["payload"], shop.last("fcm", shop.android)["payload"]
    assert theirs[0]["aps"]["alert"] == {"title": "Sale", "body": "Half price"}
    assert (theirs[0]["custom"]["ti"], theirs[0]["custom"]["tn"]) == (made.id, "Spring sale")
    assert theirs[1]["message"]["data"]["alert"] == "Halber Preis"
    # What the request says itself is meant.
    shop.api.create_notification(shop.note(
        include_aliases={"external_id": ["ann"]}, template_id=made.id, headings=LanguageStringMap(en="Today only")))
    assert shop.last("apns", shop.ios, 2)["payload"]["aps"]["alert"] == {"title": "Today only", "body": "Half price"}
    changed = shop.api.update_template(made.id, shop.app_id, UpdateTemplateRequest(contents=LanguageStringMap(en="Nothing")))
    assert changed.id == made.id and changed.content["contents"] == {"en": "Nothing"} and changed.content["headings"]["de"] == "Ausverkauf"
    refused(lambda: shop.api.update_template(made.id, shop.app_id, UpdateTemplateRequest(name="Other")), 400)
    refused(lambda: shop.api.update_template(made.id, shop.app_id, UpdateTemplateRequest(contents=LanguageStringMap(en="{{ name | upcasse }}"))), 400)
    assert shop.api.view_template(made.id, shop.app_id).content["contents"] == {"en": "Nothing"}
    # One that is saved under its old id, as callers have it in their code, is found by that.
    old = str(uuid.uuid4())
    shop.server.done("PUT", f"{shop.base}/templates/{old}", {"contract": "onesignal", "message": {"contents": {"en": "Old"}}})
    assert shop.api.view_template(old, shop.app_id).content["contents"] == {"en": "Old"}
    assert shop.api.delete_template(made.id, shop.app_id).success is True
    refused(lambda: shop.api.view_template(made.id, shop.app_id), 404)


@pytest.mark.parametrize("text", ["2030-12-24 18:00:00 GMT+0100", "2030-12-24 17:00:00 UTC", "2030-12-24T18:00:00+01:00",
                                  "2030-12-24T17:00:00Z", "2030-12-24 17:00:00", "Tue Dec 24 2030 18:00:00 GMT+0100 (CET)"])
def test_every_form_of_send_after_is_read(shop, text):
    body = {"app_id": shop.app_id, "included_segments": ["All"], "send_after": text, **message()}
    made = shop.server.done("POST", "/compat/onesignal/notifications", body, key=shop.key)
    # send_after is a number in answers.
    shown = shop.server.done("GET", f"/compat/onesignal/notifications/{made['id']}", key=shop.key)
    assert shown["send_after"] == 1_924_362_000


def test_nobody_and_some(shop):
    none = shop.api.create_notification(shop.note(include_aliases={"external_id": ["nobody"]}, **message()))
    assert is_message_not_sent(none) and none.id == "" and OneSignalErrors.NO_SUBSCRIBERS in none.errors
    some = shop.api.create_notification(shop.note(include_aliases={"external_id": ["nobody", "ann"]}, **message()))
    assert is_message_sent(some) and some.errors == {"invalid_aliases": {"external_id": ["nobody"]}}
    ghost = str(uuid.uuid4())
    none = shop.api.create_notification(shop.note(include_subscription_ids=[ghost], **message()))
    assert is_message_not_sent(none) and none.errors == {"invalid_player_ids": [ghost]}
    one = shop.api.get_user(shop.app_id, "external_id", "ann").subscriptions[0].id
    some = shop.api.create_notification(shop.note(include_subscription_ids=[ghost, one], **message()))
    assert is_message_sent(some) and some.errors == {"invalid_player_ids": [ghost]}
    # One that no provider can have given, among tokens that are sent to; the client has only members of its generation.
    body = {"app_id": shop.app_id, "include_ios_tokens": ["zz", shop.ios], **message()}
    some = shop.server.done("POST", "/compat/onesignal/notifications", body, key=shop.key)
    assert some["id"] and some["errors"] == {"invalid_ios_tokens": ["zz"]}, some
    assert "Half price" in str(shop.last("apns", shop.ios, 3)["payload"])
    # The listing has only what was made.
    assert shop.api.get_notifications(shop.app_id).total_count == 3


def test_the_same_key_makes_one_message(shop):
    note = shop.note(included_segments=["All"], idempotency_key=str(uuid.uuid4()), **message())
    first = create_notification_with_retry(shop.api, note)
    again = create_notification_with_retry(shop.api, note)
    assert (first.was_replayed, again.was_replayed) == (False, True)
    assert first.response.id == again.response.id
    note.contents = {"en": "Another message"}
    assert "key" in refused(lambda: shop.api.create_notification(note), 400).error_messages[0]
    assert shop.api.get_notifications(shop.app_id).total_count == 1


def test_segments_filters_and_who_is_left_out(shop):
    shop.api.update_user(shop.app_id, "external_id", "ann", UpdateUserRequest(properties=PropertiesObject(
        tags={"plan": "pro", "visits": "12"})))
    count = lambda **target: shop.api.estimate_notification_recipients(  # noqa: E731
        EstimateNotificationRecipientsRequest(app_id=shop.app_id, **target)).count
    tag = lambda relation, value="1", key="visits": Filter(  # noqa: E731
        field="tag", key=key, relation=relation, value=value)
    either = Operator(operator="OR")
    for filters, wanted in [
        ([tag("=", "pro", "plan")], 2), ([tag("=", "12")], 2), ([tag(">", "9")], 2), ([tag("<", "9")], 0), ([tag(">", "11.5")], 2), ([tag("<", "11.5")], 0),
        ([tag("!=", "12")], 0), ([tag("!=", "13")], 2), ([tag("exists")], 2), ([tag("not_exists")], 0),
        ([tag("=", "1"), either, tag("=", "pro", "plan")], 2), ([tag("=", "1"), tag("=", "pro", "plan")], 0),
        ([Filter(field="language", relation="=", value="de")], 1),
        ([Filter(field="language", relation="!=", value="de")], 1),
        ([Filter(field="last_session", relation="<", hours_ago="1.5")], 2),
        ([Filter(field="first_session", relation=">", hours_ago="1")], 0),
    ]:
        assert count(filters=filters) == wanted, filters
    german = Segment(name="Speaks German", filters=[Filter(field="language", relation="=", value="de")])
    made = shop.api.create_segment(shop.app_id, segment=german)
    assert made.success is True
    assert count(included_segments=["All"], excluded_segments=["Speaks German"]) == 1
    assert count(included_segments=["Speaks German", "Active Users"]) == 2
    # The platform switches; their names on the wire are isIos and isAndroid.
    shop.api.create_notification(shop.note(included_segments=["Total Subscriptions"], is_ios=True, **message()))
    shop.last("apns", shop.ios)
    shop.api.create_notification(shop.note(included_segments=["All"], excluded_segments=["Speaks German"], **message()))
    shop.last("apns", shop.ios, 2)
    assert shop.pushes("fcm", shop.android) == []


WAY = {"included_segments": ["All"]}


def test_texts_are_rendered_for_each_user(shop):
    """Liquid as OneSignal documents it: tags, external IDs, languages, custom_data, with a template and without."""
    shop.server.done("POST", f"{shop.base}/devices", {"type": "ios", "token": "cd" * 32, "user": f"bob-{shop.name}", "locale": "es"})
    shop.api.update_user(shop.app_id, "external_id", "ann", UpdateUserRequest(
        properties=PropertiesObject(tags={"first_name": "Ann", "plan": "pro"})))
    people = {"external_id": ["ann", f"bob-{shop.name}"]}
    greeting = "{% if subscription.language == 'es' %}Hola{% else %}Hi{% endif %} {{ first_name | default: 'friend' }}"
    shop.api.create_notification(shop.note(
        include_aliases=people, headings=LanguageStringMap(en=greeting), contents=LanguageStringMap(en="{{ user.tags.plan | default: 'free' | upcase }}"),
        url="https://shop.example/{{ user.external_id }}", data={"raw": "{{ first_name }}"}))
    ours, other = shop.last("apns", shop.ios)["payload"], shop.last("apns", "cd" * 32)["payload"]
    assert ours["aps"]["alert"] == {"title": "Hi Ann", "body": "PRO"} and other["aps"]["alert"] == {"title": "Hola friend", "body": "FREE"}
    assert ours["custom"]["u"] == "https://shop.example/ann" and other["custom"]["u"] == f"https://shop.example/bob-{shop.name}"
    assert ours["custom"]["a"]["raw"] == "{{ first_name }}"
    assert shop.last("fcm", shop.android)["payload"]["message"]["data"]["alert"] == "PRO"
    # What one request says for each of many people.
    template = shop.api.create_template(CreateTemplateRequest(
        app_id=shop.app_id, name="Order", headings=LanguageStringMap(en="{{ message.custom_data.shop }}: {{ template.name }} of {{ app.name }}"),
        contents=LanguageStringMap(en="{% assign user = message.custom_data.users[subscription.external_id] %}{{ user.items.size }} items, {{ user.items | join: ', ' }}"
                                      "{{ message.custom_data.absent }}")))
    assert template.content["contents"]["en"].startswith("{% assign own_user = message.custom_data.users[user.id] %}")
    shop.api.create_notification(shop.note(
        include_aliases=people, template_id=template.id,
        custom_data={"shop": "Hats", "users": {"ann": {"items": ["cap", "beret"]}, f"bob-{shop.name}": {"items": ["fez"]}}}))
    assert shop.last("apns", shop.ios, 2)["payload"]["aps"]["alert"] == {"title": f"Hats: Order of {shop.name}", "body": "2 items, cap, beret"}
    assert shop.last("apns", "cd" * 32, 2)["payload"]["aps"]["alert"]["body"] == "1 items, fez"
    # One that waits is rendered with what is known when it goes out.
    when = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=3)
    shop.api.create_notification(shop.note(
        include_aliases={"external_id": ["ann"]}, send_after=when, custom_data={"code": 42},
        contents=LanguageStringMap(en="{{ message.custom_data.code }} {{ first_name }}", de="{{ message.custom_data.code }} für {{ first_name }}")))
    shop.api.update_user(shop.app_id, "external_id", "ann", UpdateUserRequest(properties=PropertiesObject(tags={"first_name": "Anna"})))
    assert shop.last("apns", shop.ios, 3)["payload"]["aps"]["alert"] == {"body": "42 Anna"}
    assert shop.last("fcm", shop.android, 3)["payload"]["message"]["data"]["alert"] == "42 für Anna"
    # custom_data without Liquid is no mistake.
    assert is_message_sent(shop.api.create_notification(shop.note(include_aliases=people, custom_data={"a": 1}, **message())))


@pytest.mark.parametrize("members, said", [
    ({}, OneSignalErrors.NO_TARGETING_SPECIFIED),
    ({**WAY, "include_aliases": {"external_id": ["ann"]}}, "one way of saying who gets it"),
    ({**WAY, "filters": [{"field": "tag", "key": "a", "relation": "exists"}]}, "one way of saying who gets it"),
    ({"excluded_segments": ["All"]}, OneSignalErrors.NO_TARGETING_SPECIFIED),
    ({"included_segments": ["Nobody's"]}, "included_segments: the app has no segment"),
    ({"include_aliases": {"no label": ["a"]}}, "include_aliases: a label has at most 64"),
    ({"include_aliases": {"crm": ["1"], "shop": ["2"]}}, "include_aliases: expected one alias"),
    ({**WAY, "exclude_aliases": {"external_id": ["ann"]}}, "exclude_aliases: is not a member of this request"),
    ({**WAY, "excluded_subscription_ids": ["a"]}, "excluded_subscription_ids: is not a member of this request"),
    ({**WAY, "sendAfter": "2030-01-01"}, "did you mean send_after?"), ({**WAY, "isIOS": True}, "did you mean isIos?"),
    ({**WAY, "isTablet": True}, "isTablet: is not a member of this request"), ({**WAY, "dry_run": True}, "dry_run: is not a member of this request"),
    ({**WAY, "target_channel": "email"}, "target_channel: only push is here"),
    ({**WAY, "delayed_option": "timezone"}, "delivery_time_of_day: is required"),
    ({**WAY, "delayed_option": "tomorrow"}, "delayed_option: expected timezone or last-active"),
    ({**WAY, "delayed_option": "timezone", "delivery_time_of_day": "25:00"}, "delivery_time_of_day: expected a time"),
    ({**WAY, "delayed_option": "timezone", "delivery_time_of_day": "13:00PM"}, "delivery_time_of_day: expected a time"),
    ({**WAY, "delayed_option": "last-active", "delivery_time_of_day": "9:00AM"}, "delivery_time_of_day: goes with"),
    ({**WAY, "delivery_time_of_day": "9:00AM"}, "delivery_time_of_day: goes with"),
    ({**WAY, "delayed_option": "last-active", "throttle_rate_per_minute": 5}, "throttle_rate_per_minute: cannot be combined"),
    ({**WAY, "template_id": str(uuid.uuid4())}, "template_id: there is no such template"),
    ({**WAY, "custom_data": "a"}, "custom_data: expected an object"), ({**WAY, "email_subject": "x"}, "email_subject: "),
    ({**WAY, "sms_from": "+43"}, "sms_from: "), ({"include_phone_numbers": ["+43"]}, "include_phone_numbers: "),
    ({**WAY, "isChromeWeb": True}, "isChromeWeb: browsers are not distinguished"),
    ({"include_aliases": {"external_id": ["ann"]}, "isIos": True}, "isIos: goes with included_segments and filters only"),
    ({**WAY, "send_after": "tomorrow"}, "send_after: expected a time"),
    ({**WAY, "send_after": "2020-01-01 00:00:00 UTC"}, "send_after: is in the past"),
    ({**WAY, "throttle_rate_per_minute": "many"}, "throttle_rate_per_minute: "),
    ({**WAY, "enable_frequency_cap": False}, "enable_frequency_cap: "),
    ({**WAY, "contents": {"en": "Hi {{ user.onesignal_id }}"}}, "contents.en: {{ user.onesignal_id }}: is not here"),
    ({**WAY, "headings": {"en": "x", "de": "{% if a %}"}}, "headings.de: line 1, column 1: "),
    ({**WAY, "url": "https://x.example/{{ data_feed.id }}"}, "url: {{ data_feed.id }}: there are no data feeds"),
    ({**WAY, "contents": {"en": "{% render 'x' %}"}}, "contents.en: line 1, column 1: "),
    ({**WAY, "contents": {"de": "Halber Preis"}}, "en"), ({**WAY, "ttl": -1}, "ttl"),
    ({"filters": [{"field": "country", "relation": "=", "value": "AT"}]}, "filters[0].field: \"country\" is not here"),
    ({"filters": [{"field": "tag", "key": "a", "relation": "time_elapsed_gt", "value": "1"}]}, "filters[0].relation: "),
    ({"include_subscription_ids": [str(uuid.uuid4())] * 2001}, "at most 2000"),
])
def test_what_cannot_be_taken_is_refused_by_name(shop, members, said):
    body = {"app_id": shop.app_id, **message(), **members}
    answer = shop.server.ask("POST", "/compat/onesignal/notifications", body, key=shop.key)
    assert answer.status == 400 and list(answer.json) == ["errors"], answer
    assert any(said in text for text in answer.json["errors"]), answer
    assert shop.api.get_notifications(shop.app_id).total_count == 0


def test_fields_that_are_not_known_are_named_in_the_answer(shop):
    body = {"app_id": shop.app_id, "included_segments": ["All"], "chrome_web_wobble": "https://x.example/i.png", **message()}
    made = shop.server.done("POST", "/compat/onesignal/notifications", body, key=shop.key)
    assert made["id"] and [finding["field"] for finding in made["report"]] == ["chrome_web_wobble"], made


# --- Users and subscriptions


def test_users_are_made_shown_changed_and_forgotten(shop):
    made = shop.api.create_user(shop.app_id, User(
        identity=IdentityObject(external_id="bob"),
        properties=PropertiesObject(language="fr", timezone_id="Europe/Paris", country="FR", tags={"plan": "free"}),
        subscriptions=[Subscription(type="AndroidPush", token="bobs-token", device_model="Pixel", app_version="2.1",
                                    device_os="14", test_type=0)]))
    assert made.identity.external_id == "bob" and made.properties.language == "fr"
    (subscription,) = made.subscriptions
    assert (subscription.token, subscription.enabled, subscription.device_model) == ("bobs-token", True, "Pixel")
    shown = shop.api.get_user(shop.app_id, "onesignal_id", made.identity.onesignal_id)
    assert shown.to_dict() == made.to_dict()
    assert shop.api.get_aliases(shop.app_id, "external_id", "bob").identity.onesignal_id == made.identity.onesignal_id
    changed = shop.api.update_user(shop.app_id, "external_id", "bob", UpdateUserRequest(
        properties=PropertiesObject(language="de", tags={"plan": "pro", "n": "3"})))
    assert (changed.properties.language, changed.properties.tags) == ("de", {"plan": "pro", "n": "3"})
    shop.api.update_user(shop.app_id, "external_id", "bob", UpdateUserRequest(properties=PropertiesObject(tags={"n": ""})))
    assert shop.api.get_user(shop.app_id, "external_id", "bob").properties.tags == {"plan": "pro"}
    # What our own API says of the device is the same.
    ours = shop.server.done("GET", f"{shop.base}/devices?user=bob")["devices"][0]
    assert (ours["name"], ours["locale"], ours["timezone"]) == (subscription.id, "de", "Europe/Paris")
    shop.api.delete_user(shop.app_id, "external_id", "bob")
    refused(lambda: shop.api.get_user(shop.app_id, "external_id", "bob"), 404)


def test_subscriptions_are_added_changed_given_away_and_deleted(shop):
    body = lambda **members: SubscriptionBody(subscription=Subscription(**members))  # noqa: E731
    made = shop.api.create_subscription(shop.app_id, "external_id", "ann", body(
        type="iOSPush", token="d4" * 32, test_type=1)).subscription
    assert (made.type, made.enabled, made.test_type) == ("iOSPush", True, 1)
    device = next(d for d in shop.server.done("GET", f"{shop.base}/devices")["devices"] if d["token"] == "d4" * 32)
    assert device["environment"] == "development"
    change = lambda **members: shop.api.update_subscription(shop.app_id, made.id, body(**members))  # noqa: E731
    shown = lambda: next(  # noqa: E731
        s for s in shop.api.get_user(shop.app_id, "external_id", "ann").subscriptions if s.id == made.id)
    change(enabled=False)
    assert (shown().enabled, shown().notification_types) == (False, -2)
    assert is_message_not_sent(shop.api.create_notification(shop.note(include_subscription_ids=[made.id], **message())))
    change(token="e5" * 32, enabled=True)
    assert (shown().token, shown().enabled) == ("e5" * 32, True)
    shop.api.update_subscription_by_token(shop.app_id, "iOSPush", "e5" * 32, body(app_version="3"))
    assert (shown().token, shown().app_version) == ("e5" * 32, "3")
    given = shop.api.transfer_subscription(shop.app_id, made.id, TransferSubscriptionRequestBody(
        identity={"external_id": "carl"}))
    assert given.identity.external_id == "carl"
    assert shop.api.get_aliases_by_subscription(shop.app_id, made.id).identity.external_id == "carl"
    shop.api.delete_subscription(shop.app_id, made.id)
    refused(lambda: shop.api.delete_subscription(shop.app_id, made.id), 404)


@pytest.mark.parametrize("body, said", [
    ({"identity": {}}, "identity.external_id: is required"),
    ({"identity": {"external_id": "x", "no label": "1"}}, "aliases.no label: expected a label"),
    ({"identity": {"crm": "unknown"}}, "identity.external_id: is required"),
    ({"identity": {"external_id": "x", "onesignal_id": "1"}}, "identity.onesignal_id: is given by the server"),
    ({"identity": {"external_id": "x"}, "subscriptions": [{"type": "ChromePush", "token": "https://fcm.googleapis.com/fcm/send/x"}]}, "web_auth and web_p256 are required"),
    ({"identity": {"external_id": "x"}, "properties": {"lat": 1.5}}, "properties.lat: is not stored here"),
    ({"identity": {"external_id": "x"}, "subscriptions": [{"type": "Email", "token": "a@b.example"}]}, "\"Email\" is not here"),
    ({"identity": {"external_id": "x"}, "subscriptions": [{"type": "iOSPush", "token": "short"}]}, "token"),
    ({"identity": {"external_id": "x"}, "subscriptions": [{"type": "iOSPush"}]}, "subscriptions[0].token: is required"),
])
def test_users_that_cannot_be_kept_are_refused_whole(shop, body, said):
    answer = shop.server.ask("POST", f"/compat/onesignal/apps/{shop.app_id}/users", body, key=shop.key)
    assert answer.status == 400 and said in answer.json["errors"][0], answer
    assert shop.server.ask("GET", f"{shop.base}/users/x").status == 404


def test_users_have_aliases_of_any_label(shop):
    of = lambda *alias: shop.api.get_aliases(shop.app_id, *alias).identity.to_dict()  # noqa: E731
    first = of("external_id", "ann")
    assert set(first) == {"external_id", "onesignal_id"}
    body = lambda **identity: UserIdentityBody(identity=IdentityObject(**identity))  # noqa: E731
    made = shop.api.create_alias(shop.app_id, "external_id", "ann", body(crm="4711", shop="s-1"))
    assert made.identity.to_dict() == {**first, "crm": "4711", "shop": "s-1"} == of("crm", "4711")
    assert shop.api.get_user(shop.app_id, "shop", "s-1").identity.to_dict() == made.identity.to_dict()
    # Our own API has them, too.
    assert shop.server.done("GET", f"{shop.base}/users/ann")["aliases"] == {"crm": "4711", "shop": "s-1"}
    some = shop.api.create_notification(shop.note(include_aliases={"crm": ["0", "4711"]}, **message()))
    assert is_message_sent(some) and some.errors == {"invalid_aliases": {"crm": ["0"]}}
    shop.last("apns", shop.ios)
    one = shop.api.get_user(shop.app_id, "external_id", "ann").subscriptions[0].id
    assert shop.api.create_alias_by_subscription(shop.app_id, one, body(crm="4712")).identity.crm == "4712"
    refused(lambda: shop.api.get_user(shop.app_id, "crm", "4711"), 404)
    assert "crm" not in shop.api.delete_alias(shop.app_id, "external_id", "ann", "crm").identity.to_dict()
    refused(lambda: shop.api.delete_alias(shop.app_id, "external_id", "ann", "crm"), 404)
    for label in ("external_id", "onesignal_id"):
        refused(lambda: shop.api.delete_alias(shop.app_id, "external_id", "ann", label), 400)
    refused(lambda: shop.api.create_alias(shop.app_id, "external_id", "ann", body(external_id="anna")), 400)
    # One that another user has is a conflict, which names it, and nothing of the request is done.
    taken = refused(lambda: shop.api.create_user(shop.app_id, User(
        identity=IdentityObject(external_id="bob", shop="s-1"),
        subscriptions=[Subscription(type="AndroidPush", token="bobs-token")])), 409)
    assert json.loads(taken.body)["errors"][0]["meta"] == {"conflicting_aliases": {"shop": "s-1"}}
    refused(lambda: shop.api.get_user(shop.app_id, "external_id", "bob"), 404)
    # A known alias stands for its user.
    again = shop.api.create_user(shop.app_id, User(identity=IdentityObject(shop="s-1"), properties=PropertiesObject(language="fr")))
    assert again.identity.external_id == "ann" and again.properties.language == "fr"


def test_an_imported_users_id_still_finds_them(shop, tmp_path):
    old = "7a1c5a1e-0000-4000-8000-00000000c0de"
    path = tmp_path / "users.csv"
    path.write_text(f"id,identifier,device_type,external_user_id,onesignal_id,notification_types\n{uuid.uuid4()},{'e7' * 32},0,dora,{old},1\n")
    for _ in range(2):
        done = subprocess.run([command(), "import", "onesignal", str(path), "--app", shop.name, "--url", shop.server.origin],
                              env={**os.environ, "POSTRIDER_KEY": shop.server.key}, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert shop.api.get_user(shop.app_id, "onesignal_id", old).identity.to_dict() == {"external_id": "dora", "onesignal_id": old}
    assert is_message_sent(shop.api.create_notification(shop.note(include_aliases={"onesignal_id": [old]}, **message())))
    shop.last("apns", "e7" * 32)
    export = rows_of(shop.api.export_subscriptions(shop.app_id, export_subscriptions_request_body=ExportSubscriptionsRequestBody(
        extra_fields=["external_user_id", "onesignal_id"])).csv_file_url)
    assert {row["external_user_id"]: row["onesignal_id"] for row in export}["dora"] == old


def rows_of(url):
    """The rows of a file, fetched as scripts do: without a key."""
    with urllib.request.urlopen(url) as answer:
        return list(csv.DictReader(io.StringIO(gzip.decompress(answer.read()).decode())))


def test_the_history_of_a_notification(shop):
    made = shop.api.create_notification(shop.note(included_segments=["All"], **message()))
    wait(lambda: shop.api.get_notification(shop.app_id, made.id).completed_at, "the end")
    ids = {s.token: s.id for s in shop.api.get_user(shop.app_id, "external_id", "ann").subscriptions}
    opened = {"app_id": shop.app_id, "player_id": ids[shop.ios], "opened": True}
    assert shop.server.done("PUT", f"/compat/onesignal/notifications/{made.id}", opened, key=shop.key) == {"success": True}
    received = {"app_id": shop.app_id, "player_id": ids[shop.android]}
    assert shop.server.done("PUT", f"/compat/onesignal/notifications/{made.id}/report_received", received, key=shop.key) == {"success": True}
    shown = shop.api.get_notification(shop.app_id, made.id)
    assert (shown.converted, shown.received) == (1, 2)
    history = lambda events: rows_of(shop.api.get_notification_history(made.id, GetNotificationHistoryRequestBody(  # noqa: E731
        events=events, email="ops@example.com", app_id=shop.app_id)).destination_url)
    assert {row["subscription_id"] for row in history("sent")} == set(ids.values())
    assert [(row["subscription_id"], row["external_user_id"]) for row in history("clicked")] == [(ids[shop.ios], "ann")]
    url = shop.api.export_events(made.id, shop.app_id).csv_file_url
    assert sorted((row["subscription_id"], row["event"]) for row in rows_of(url)) == sorted(
        [(id, event) for id in ids.values() for event in ("sent", "received")] + [(ids[shop.ios], "clicked")])
    ghost = str(uuid.uuid4())
    refused(lambda: shop.api.export_events(ghost, shop.app_id), 404)
    refused(lambda: shop.api.get_notification_history(ghost, GetNotificationHistoryRequestBody(events="sent")), 404)
    other = {**received, "player_id": ghost}
    assert shop.server.ask("PUT", f"/compat/onesignal/notifications/{made.id}/report_received", other, key=shop.key).status == 404


def test_live_activities_start_change_and_end(shop):
    started = StartLiveActivityRequest(
        name="order", event="start", activity_id="order-17", event_attributes={"order": "17"}, event_updates={"minutes": 25},
        contents=LanguageStringMap(en="It is on its way."), headings=LanguageStringMap(en="Your order"),
        include_aliases={"external_id": ["ann"]}, priority=10)
    start = lambda: shop.api.start_live_activity(shop.app_id, "OrderAttributes", started)  # noqa: E731
    assert "push-to-start token" in refused(start, 400).error_messages[0]
    shop.server.done("POST", f"{shop.base}/devices", {"type": "ios-live-activity-start", "token": shop.ios[:2] * 40, "user": "ann"})
    made = start()
    push = shop.last("apns", shop.ios[:2] * 40)["payload"]["aps"]
    assert (push["event"], push["attributes-type"], push["attributes"], push["content-state"]) == ("start", "OrderAttributes", {"order": "17"}, {"minutes": 25})
    assert push["alert"] == {"title": "Your order", "body": "It is on its way."}
    assert shop.api.get_notification(shop.app_id, made.notification_id).id == made.notification_id
    change = lambda **members: shop.api.update_live_activity(  # noqa: E731
        shop.app_id, "order-17", UpdateLiveActivityRequest(name="order", **members))
    assert "no phone" in refused(lambda: change(event="update", event_updates={"minutes": 12}), 400).error_messages[0]
    token = shop.ios[:2] * 36
    one = {"push_token": token, "subscription_id": shop.api.get_user(shop.app_id, "external_id", "ann").subscriptions[0].id}
    path = f"/compat/onesignal/apps/{shop.app_id}/live_activities/order-17/token"
    assert shop.server.done("POST", path, one, key=shop.key) == {"success": True}
    assert shop.server.ask("POST", path.replace("order-17", "nothing"), one, key=shop.key).status == 404
    assert uuid.UUID(change(event="update", event_updates={"minutes": 12}).id).version == 8
    assert shop.last("apns", token)["payload"]["aps"]["content-state"] == {"minutes": 12}
    # The older generation has the same path below /api/v1.
    ended = shop.server.done("POST", f"/compat/onesignal/api/v1/apps/{shop.app_id}/live_activities/order-17/notifications", {
        "name": "order", "event": "end", "event_updates": {"minutes": 0}, "dismissal_date": 1_900_000_000}, key=shop.key)
    assert ended["id"]
    push = shop.last("apns", token, 2)["payload"]["aps"]
    assert (push["event"], push["dismissal-date"]) == ("end", 1_900_000_000)
    refused(lambda: change(event="update", event_updates={"minutes": 1}), 400)
    for members, said in [({"included_segments": ["All"], "include_aliases": None}, "one user"), ({"activity_id": ""}, "activity_id"),
                          ({"contents": {"en": "a", "de": "b"}}, "contents"), ({"event": "update"}, "event"), ({"priority": 7}, "priority")]:
        body = {"name": "n", "event": "start", "activity_id": "x", "event_attributes": {}, "event_updates": {}, "contents": {"en": "a"},
                "headings": {"en": "b"}, "include_aliases": {"external_id": ["ann"]}, **members}
        answer = shop.server.ask("POST", f"/compat/onesignal/apps/{shop.app_id}/activities/activity/OrderAttributes", body, key=shop.key)
        assert answer.status == 400 and said in answer.json["errors"][0], answer


def test_browsers_are_subscriptions(shop):
    keys = {"web_p256": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4", "web_auth": "BTBZMqHH6r4Tts7J_aSIgg"}
    for kind, endpoint in [("ChromePush", "https://fcm.googleapis.com/fcm/send/"), ("FirefoxPush", "https://updates.push.services.mozilla.com/wpush/v2/"),
                           ("SafariPush", "https://web.push.apple.com/")]:
        token = endpoint + shop.name
        made = shop.api.create_subscription(shop.app_id, "external_id", "ann", SubscriptionBody(
            subscription=Subscription(type=kind, token=token, **keys))).subscription
        assert (made.type, made.token, made.enabled) == (kind, token, True)
        shop.api.update_subscription_by_token(shop.app_id, kind, token, SubscriptionBody(subscription=Subscription(enabled=False)))
        shown = {one.token: one.enabled for one in shop.api.get_user(shop.app_id, "external_id", "ann").subscriptions}
        assert shown[token] is False
    rows = rows_of(shop.api.export_subscriptions(shop.app_id, export_subscriptions_request_body=ExportSubscriptionsRequestBody(
        extra_fields=["web_auth", "web_p256"])).csv_file_url)
    web = {row["device_type"]: row for row in rows if row["web_auth"]}
    assert set(web) == {"5", "8", "17"} and web["8"]["web_p256"] == keys["web_p256"]


def test_an_imported_id_still_finds_its_device(shop):
    """The importer keeps OneSignal's id as the device's name."""
    old = "B6B326D8-40aa-13e5-b91b-bf8bc3fa26f7"
    shop.server.done("POST", f"{shop.base}/devices", {"type": "android", "token": "imported", "name": old, "user": "dora"})
    made = shop.api.create_notification(shop.note(include_subscription_ids=[old], **message()))
    assert is_message_sent(made)
    shop.last("fcm", "imported")
    assert shop.api.get_user(shop.app_id, "external_id", "dora").subscriptions[0].id == old


# --- Segments and the export


def test_segments_are_made_listed_changed_and_deleted(shop):
    pro = [Filter(field="tag", key="plan", relation="=", value="pro")]
    made = shop.api.create_segment(shop.app_id, segment=Segment(name="Paying people", filters=pro))
    refused(lambda: shop.api.create_segment(shop.app_id, segment=Segment(name="Paying people", filters=pro)), 409)
    listed = shop.api.get_segments(shop.app_id)
    mine = [s for s in listed.segments if not s.read_only]
    assert [(s.id, s.name, s.app_id) for s in mine] == [(made.id, "Paying people", shop.app_id)]
    shop.api.update_user(shop.app_id, "external_id", "ann", UpdateUserRequest(properties=PropertiesObject(tags={"plan": "pro"})))
    shown = shop.api.get_segment(shop.app_id, made.id)
    assert (shown.subscriber_count, shown.payload.name) == (2, "Paying people")
    shop.api.update_segment(shop.app_id, made.id, update_segment_request=UpdateSegmentRequest(name="Payers", filters=[
        Filter(field="tag", key="plan", relation="=", value="gold")]))
    shown = shop.api.get_segment(shop.app_id, made.id)
    assert (shown.subscriber_count, shown.payload.name) == (0, "Payers")
    assert shop.api.delete_segment(shop.app_id, made.id).success is True
    refused(lambda: shop.api.get_segment(shop.app_id, made.id), 404)


def test_the_export_is_onesignals_file(shop, tmp_path):
    shop.api.update_subscription(shop.app_id, shop.api.get_user(shop.app_id, "external_id", "ann").subscriptions[0].id,
                                 SubscriptionBody(subscription=Subscription(enabled=False)))
    made = shop.api.export_subscriptions(shop.app_id, export_subscriptions_request_body=ExportSubscriptionsRequestBody(
        extra_fields=["external_user_id", "notification_types", "timezone_id"]))
    # As scripts do: without a key.
    with urllib.request.urlopen(made.csv_file_url) as answer:
        content = answer.read()
    rows = list(csv.DictReader(io.StringIO(gzip.decompress(content).decode())))
    assert [(r["identifier"], r["device_type"], r["external_user_id"], r["notification_types"]) for r in rows] == [
        (shop.ios, "0", "ann", "-2"), (shop.android, "1", "ann", "1")]
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(made.csv_file_url.replace(".csv.gz", "x.csv.gz"))
    assert caught.value.code == 404
    # Our own importer reads it.
    path = tmp_path / "users.csv.gz"
    path.write_bytes(content)
    done = subprocess.run([command(), "import", "onesignal", str(path), "--dry-run", "--json"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["rows"], report["accepted"], report["active"], report["opted_out"]) == (2, 2, 1, 1)


# --- Keys, apps, refusals


def test_only_a_key_of_the_app_is_let_in(server, running, shop):
    other = Shop(server, running, shop.name + "-other", next(numbers))
    for key in ("prk_" + "x" * 43, "nonsense", ""):
        error = refused(lambda: api(server, key).get_notifications(shop.app_id), 403)
        assert OneSignalErrors.INVALID_API_KEY in error.error_messages
    error = refused(lambda: other.api.get_notifications(shop.app_id), 403)
    assert OneSignalErrors.INVALID_API_KEY in error.error_messages
    refused(lambda: other.api.get_user(shop.app_id, "external_id", "ann"), 403)
    note = shop.note(included_segments=["All"], **message())
    refused(lambda: other.api.create_notification(note), 403)
    made = shop.api.create_notification(note)
    error = refused(lambda: other.api.get_notification(other.app_id, made.id), 404)
    assert error.error_messages == [OneSignalErrors.NOTIFICATION_NOT_FOUND]
    refused(lambda: other.api.cancel_notification(other.app_id, made.id), 404)
    one = shop.api.get_user(shop.app_id, "external_id", "ann").subscriptions[0].id
    refused(lambda: other.api.delete_subscription(other.app_id, one), 404)
    none = other.api.create_notification(other.note(include_subscription_ids=[one], **message()))
    assert is_message_not_sent(none)
    # A key of another scope opens nothing here, and this one nothing of ours.
    send = server.done("POST", "/v1/keys", {"name": "s", "scopes": ["send"], "app": shop.name})["key"]
    refused(lambda: api(server, send).get_notifications(shop.app_id), 403)
    for method, path in [("GET", shop.base), ("GET", f"{shop.base}/devices"), ("POST", f"{shop.base}/pushes"),
                         ("GET", "/v1/apps"), ("POST", "/v1/render"), ("GET", "/metrics")]:
        assert server.ask(method, path, {} if method == "POST" else None, key=shop.key).status == 403, path


def test_the_rate_of_the_key_is_told_as_onesignal_does(server, shop):
    key = server.done("POST", "/v1/keys", {"name": "slow", "scopes": ["compat"], "app": shop.name, "rate_per_minute": 10})["key"]
    slow = api(server, key)
    slow.get_notifications(shop.app_id)
    # The client's own connections wait as long as Retry-After says; without that, the refusal is its user's.
    slow.api_client.rest_client.pool_manager.connection_pool_kw["retries"] = False
    error = refused(lambda: slow.get_notifications(shop.app_id), 429)
    assert error.error_messages == ["API rate limit exceeded."] and int(error.headers["Retry-After"]) >= 1
    assert json.loads(error.body)["limit"]


ABSENT = [("view_journeys", ["{app}"]),
          ("view_api_keys", ["{app}"]), ("get_app", ["{app}"]), ("get_apps", []),
          ("get_email_provider_metrics", ["{app}", "shop.example", *(datetime.datetime(2026, month, 1) for month in (1, 2))])]


@pytest.mark.parametrize("name, arguments", ABSENT)
def test_what_is_not_here_says_so(shop, name, arguments):
    # OneSignal wants another kind of key for these; ours is one for all.
    shop.api.api_client.configuration.api_key["organization_api_key"] = shop.key
    shop.api.api_client.configuration.organization_api_key = shop.key
    work = getattr(shop.api, name)
    error = refused(lambda: work(*[shop.app_id if a == "{app}" else a for a in arguments]), 400)
    assert len(error.error_messages) == 1 and error.error_messages[0].split(" ")[0] in ("GET", "POST"), error.body


def endpoints():
    """The operations of the official client, as its table has them."""
    client = default_api.DefaultApi(onesignal.ApiClient(onesignal.Configuration()))
    found = [one.settings for name, one in vars(client).items() if name.endswith("_endpoint")]
    assert len(found) == 59
    return [(one["operation_id"], one["http_method"], one["endpoint_path"]) for one in found]


@pytest.mark.parametrize("name, method, path", endpoints())
def test_every_operation_of_the_client_wants_a_key_and_is_known(server, known, name, method, path):
    path = "/compat/onesignal" + path.replace("{app_id}", known[0]).replace("{alias_label}", "external_id")
    path = re.sub(r"\{[a-z_]+\}", "00000000-0000-4000-8000-000000000000", path)
    body = {} if method in ("POST", "PATCH", "PUT") else None
    answer = server.ask(method, path, body, key=None)
    assert answer.status == 403 and answer.json == {"errors": OneSignalErrors.INVALID_API_KEY}, answer
    answer = server.ask(method, path, body, key=known[1])
    assert answer.status in (200, 400, 404), answer
    assert "path" not in str(answer.json.get("errors")), answer


# Operations that are here, each called through the client by a test of this file; all others are refused by name.
HERE = {
    "cancel_notification", "create_alias", "create_alias_by_subscription", "create_notification", "create_segment", "create_subscription",
    "create_template", "create_user", "delete_alias", "delete_segment", "delete_subscription", "delete_template", "delete_user",
    "estimate_notification_recipients", "export_events", "export_subscriptions", "get_aliases", "get_aliases_by_subscription",
    "get_notification", "get_notification_history", "get_notifications", "get_outcomes", "get_segment", "get_segments", "get_user",
    "start_live_activity", "transfer_subscription", "update_live_activity", "update_segment", "update_subscription",
    "update_subscription_by_token", "update_template", "update_user", "view_template", "view_templates",
}


def test_the_operations_that_are_here_are_called(known):
    text = pathlib.Path(__file__).read_text()
    names = {name for name, _, _ in endpoints()}
    assert HERE <= names
    assert [name for name in sorted(HERE) if f".api.{name}(" not in text] == []


@pytest.mark.parametrize("name, method, path", [one for one in endpoints() if one[0] not in HERE])
def test_every_other_operation_is_refused_in_one_sentence(server, known, name, method, path):
    shown = "/compat/onesignal" + path.replace("{app_id}", known[0])
    shown = re.sub(r"\{[a-z_]+\}", "00000000-0000-4000-8000-000000000000", shown)
    answer = server.ask(method, shown, {"name": "x"} if method in ("POST", "PATCH", "PUT") else None, key=known[1])
    assert answer.status == 400 and list(answer.json) == ["errors"], answer
    (said,) = answer.json["errors"]
    assert said.startswith(f"{method} {path}: "), said


def test_every_operation_of_the_client_is_told_the_rate(server, known):
    """The refusal of a key that has used up its rate, in the vendor's form, whatever is asked."""
    key = server.done("POST", "/v1/keys", {"name": "spent", "scopes": ["compat"], "app": known[2], "rate_per_minute": 10})["key"]
    spent = lambda method, path, body: server.ask(method, path, body, key=key)  # noqa: E731
    while spent("GET", f"/compat/onesignal/notifications?app_id={known[0]}", None).status == 200:
        pass
    for name, method, path in endpoints():
        path = "/compat/onesignal" + path.replace("{app_id}", known[0]).replace("{alias_label}", "external_id")
        path = re.sub(r"\{[a-z_]+\}", "00000000-0000-4000-8000-000000000000", path)
        answer = spent(method, path, {} if method in ("POST", "PATCH", "PUT") else None)
        assert answer.status in (200, 400, 404, 429), (name, answer)
        if answer.status != 429:
            # The rate gives a request back now and then; the next one is refused.
            answer = spent(method, path, {} if method in ("POST", "PATCH", "PUT") else None)
        assert answer.status == 429 and answer.json["errors"] == ["API rate limit exceeded."] and answer.json["limit"], (name, answer)


def test_unknown_fields_are_named_in_the_log(shop):
    body = {"app_id": shop.app_id, "included_segments": ["All"], "bogus_field": "secret-value", **message()}
    shop.server.done("POST", "/compat/onesignal/notifications", body, key=shop.key)
    wait(lambda: b'"bogus_field"' in shop.server.log, "the line")
    assert b"secret-value" not in shop.server.log


@pytest.fixture(scope="module")
def known(server, running):
    """An app's id and key."""
    shop = Shop(server, running, f"shop{(number := next(numbers))}", number)
    return shop.app_id, shop.key, shop.name


# --- The other clients, and the other addresses


def test_the_older_client(shop):
    client = Client(app_id=shop.app_id, rest_api_key=shop.key,
                    options={"API_ROOT": shop.server.origin + "/compat/onesignal/api/v1"})
    added = client.add_device({"device_type": 1, "identifier": "old-token", "language": "en", "timezone": 3600,
                               "game_version": "1.0", "tags": {"a": "1"}, "external_user_id": "emma"}).body
    assert added["success"] is True
    shown = client.view_device(added["id"]).body
    assert (shown["identifier"], shown["device_type"], shown["tags"], shown["external_user_id"]) == ("old-token", 1, {"a": "1"}, "emma")
    assert client.edit_device(added["id"], {"tags": {"a": "", "b": "2"}, "language": "de"}).body == {"success": True}
    assert client.view_device(added["id"]).body["tags"] == {"b": "2"}
    assert client.edit_tags("emma", {"tags": {"plan": "pro"}}).body == {"success": True}
    assert client.view_devices({"limit": 2, "offset": 1}).body["total_count"] == 3
    sent = client.send_notification({"include_player_ids": [added["id"]], "contents": {"en": "Hello"}}).body
    shop.last("fcm", "old-token")
    assert client.view_notification(sent["id"]).body["contents"] == {"en": "Hello"}
    assert client.view_notifications({"limit": 5}).body["total_count"] == 1
    assert client.create_segment({"name": "Old", "filters": [{"field": "tag", "key": "b", "relation": "=", "value": "2"}]}).body["success"]
    assert client.csv_export({}).body["csv_file_url"].startswith(shop.server.origin)
    with pytest.raises(OneSignalHTTPError) as caught:
        client.new_session(added["id"], {"language": "en"})
    assert caught.value.status_code == 400


def test_apprise(shop, monkeypatch):
    monkeypatch.setattr(NotifyOneSignal, "notify_url", shop.server.origin + "/compat/onesignal/notifications")
    one = shop.server.done("GET", f"/compat/onesignal/players", key=shop.key)["players"][0]["id"]
    channel = apprise.Apprise()
    assert channel.add(f"onesignal://{shop.app_id}@{shop.key}/@ann/{one}/#All")
    assert channel.notify(title="Hello", body="World")
    assert shop.last("apns", shop.ios, 3)["payload"]["aps"]["alert"] == {"title": "Hello", "body": "World"}


@pytest.mark.parametrize("scheme", ["Key", "Basic", "Bearer", "key"])
@pytest.mark.parametrize("path, host", [("/compat/onesignal", None), ("/compat/onesignal/api/v1", None), ("", HOST), ("/api/v1", HOST)])
def test_every_address_and_form_of_key(shop, scheme, path, host):
    headers = [("Authorization", f"{scheme} {shop.key}")] + ([("Host", f"{host}:8787")] if host else [])
    request = urllib.request.Request(f"{shop.server.origin}{path}/notifications?app_id={shop.app_id}", headers=dict(headers))
    with urllib.request.urlopen(request) as answer:
        assert json.loads(answer.read())["total_count"] == 0
    if host:
        request = urllib.request.Request(f"{shop.server.origin}/v1/apps", headers={"Host": host, "Authorization": f"Bearer {shop.server.key}"})
        with pytest.raises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(request)
        assert caught.value.code == 404 and "errors" in json.loads(caught.value.read())


def test_no_key_is_in_the_log(shop):
    shop.api.get_notifications(shop.app_id)
    url = shop.api.export_subscriptions(shop.app_id).csv_file_url
    urllib.request.urlopen(url).read()
    assert shop.key.encode() not in shop.server.log and url.rsplit("/", 1)[1].encode() not in shop.server.log
