"""A server whose disk is full, as OneSignal's official client sees it: 503 in OneSignal's form with `Retry-After`, for
each of its operations that writes, and nothing half done. The same calls succeed once there is room again."""

import datetime
import resource
import types

import onesignal
import onesignal.helpers
import pytest
from onesignal.helpers import create_notification_with_retry, is_message_sent
from onesignal.model.create_template_request import CreateTemplateRequest
from onesignal.model.filter import Filter
from onesignal.model.identity_object import IdentityObject
from onesignal.model.language_string_map import LanguageStringMap
from onesignal.model.properties_object import PropertiesObject
from onesignal.model.segment import Segment
from onesignal.model.start_live_activity_request import StartLiveActivityRequest
from onesignal.model.subscription import Subscription
from onesignal.model.subscription_body import SubscriptionBody
from onesignal.model.transfer_subscription_request_body import TransferSubscriptionRequestBody
from onesignal.model.update_live_activity_request import UpdateLiveActivityRequest
from onesignal.model.update_segment_request import UpdateSegmentRequest
from onesignal.model.update_template_request import UpdateTemplateRequest
from onesignal.model.update_user_request import UpdateUserRequest
from onesignal.model.user import User
from onesignal.model.user_identity_body import UserIdentityBody

from serving import Server, wait
from test_compat_onesignal import HERE, Shop, api, message, refused

# Operations that only read, or write a file beside the database; all others of `HERE` are called below.
READING = {
    "estimate_notification_recipients", "export_events", "export_subscriptions", "get_aliases", "get_aliases_by_subscription",
    "get_notification", "get_notification_history", "get_notifications", "get_outcomes", "get_segment", "get_segments", "get_user",
    "view_template", "view_templates",
}


class Disk:
    """The disk under a server, which can be full: no file of its process grows or changes."""

    def __init__(self, server):
        self.process = server.process

    def fill(self):
        resource.prlimit(self.process.pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))

    def free(self):
        resource.prlimit(self.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


@pytest.fixture
def server(tmp_path):
    # Beyond the limit a write fails, as on a full disk, instead of ending the process.
    server = Server(tmp_path / "server", prefix=["env", "--ignore-signal=XFSZ"])
    yield server
    Disk(server).free()
    server.stop()


def prepared(shop):
    """What the calls change: each operation its own."""
    calls = shop.api
    pro = [Filter(field="tag", key="plan", relation="=", value="pro")]
    later = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=2)
    shop.server.done("POST", f"{shop.base}/devices", {"type": "ios-live-activity-start", "token": "5a" * 40, "user": "ann"})
    made = types.SimpleNamespace(later=later, pro=pro)
    made.waiting = calls.create_notification(shop.note(included_segments=["All"], send_after=later, **message())).id
    made.one = calls.get_user(shop.app_id, "external_id", "ann").subscriptions[0].id
    body = lambda **members: SubscriptionBody(subscription=Subscription(**members))  # noqa: E731
    for name in ("gone", "moved"):
        token = {"gone": "a1", "moved": "a2"}[name] * 32
        setattr(made, name, calls.create_subscription(shop.app_id, "external_id", "ann", body(type="iOSPush", token=token)).subscription.id)
    calls.create_user(shop.app_id, User(identity=IdentityObject(external_id="bob"), properties=PropertiesObject(language="fr")))
    calls.create_alias(shop.app_id, "external_id", "ann", UserIdentityBody(identity=IdentityObject(shop="s-1")))
    for name in ("changed", "dropped"):
        setattr(made, f"{name}_segment", calls.create_segment(shop.app_id, segment=Segment(name=name, filters=pro)).id)
        setattr(made, f"{name}_template", calls.create_template(CreateTemplateRequest(
            app_id=shop.app_id, name=name, contents=LanguageStringMap(en="Hello"))).id)
    calls.start_live_activity(shop.app_id, "OrderAttributes", activity("order-1"))
    path = f"/compat/onesignal/apps/{shop.app_id}/live_activities/order-1/token"
    shop.server.done("POST", path, {"push_token": "6b" * 40, "subscription_id": made.one}, key=shop.key)
    # What is under way would be recorded meanwhile.
    counts = lambda: [push["counts"] for push in shop.server.done("GET", f"{shop.base}/pushes")["pushes"]]  # noqa: E731
    wait(lambda: sum(count["accepted"] for count in counts()) == 1, "the start of the activity")
    return made


def activity(id):
    return StartLiveActivityRequest(
        name="order", event="start", activity_id=id, event_attributes={"order": id}, event_updates={"minutes": 25},
        contents=LanguageStringMap(en="It is on its way."), headings=LanguageStringMap(en="Your order"),
        include_aliases={"external_id": ["ann"]}, priority=10)


def writing(shop, made):
    """A call of each operation that writes, in an order in which all of them succeed."""
    app, calls = shop.app_id, shop.api
    alias = lambda **identity: UserIdentityBody(identity=IdentityObject(**identity))  # noqa: E731
    body = lambda **members: SubscriptionBody(subscription=Subscription(**members))  # noqa: E731
    return {
        "create_notification": lambda: calls.create_notification(shop.note(include_aliases={"external_id": ["ann"]}, **message())),
        "cancel_notification": lambda: calls.cancel_notification(app, made.waiting),
        "create_alias": lambda: calls.create_alias(app, "external_id", "ann", alias(crm="4711")),
        "create_alias_by_subscription": lambda: calls.create_alias_by_subscription(app, made.one, alias(erp="7")),
        "delete_alias": lambda: calls.delete_alias(app, "external_id", "ann", "shop"),
        "create_user": lambda: calls.create_user(app, User(
            identity=IdentityObject(external_id="eve"), subscriptions=[Subscription(type="AndroidPush", token="eves-token")])),
        "update_user": lambda: calls.update_user(app, "external_id", "ann", UpdateUserRequest(properties=PropertiesObject(tags={"plan": "pro"}))),
        "delete_user": lambda: calls.delete_user(app, "external_id", "bob"),
        "create_subscription": lambda: calls.create_subscription(app, "external_id", "ann", body(type="iOSPush", token="a3" * 32)),
        "update_subscription": lambda: calls.update_subscription(app, made.one, body(app_version="3")),
        "update_subscription_by_token": lambda: calls.update_subscription_by_token(app, "iOSPush", shop.ios, body(app_version="4")),
        "transfer_subscription": lambda: calls.transfer_subscription(
            app, made.moved, TransferSubscriptionRequestBody(identity={"external_id": "carl"})),
        "delete_subscription": lambda: calls.delete_subscription(app, made.gone),
        "create_segment": lambda: calls.create_segment(app, segment=Segment(name="new", filters=made.pro)),
        "update_segment": lambda: calls.update_segment(
            app, made.changed_segment, update_segment_request=UpdateSegmentRequest(name="Payers", filters=made.pro)),
        "delete_segment": lambda: calls.delete_segment(app, made.dropped_segment),
        "create_template": lambda: calls.create_template(
            CreateTemplateRequest(app_id=app, name="new", contents=LanguageStringMap(en="Hello"))),
        "update_template": lambda: calls.update_template(
            made.changed_template, app, UpdateTemplateRequest(contents=LanguageStringMap(en="Bye"))),
        "delete_template": lambda: calls.delete_template(made.dropped_template, app),
        "start_live_activity": lambda: calls.start_live_activity(app, "OrderAttributes", activity("order-2")),
        "update_live_activity": lambda: calls.update_live_activity(
            app, "order-1", UpdateLiveActivityRequest(name="order", event="update", event_updates={"minutes": 1})),
    }


def test_every_operation_that_writes_is_told_that_the_disk_is_full(server, running, monkeypatch):
    running.scenario()
    shop = Shop(server, running, "shop", 240)
    made = prepared(shop)
    disk = Disk(server)
    shop.api = api(server, shop.key)
    # The client's own connections wait as long as Retry-After says; without that, the answer is its user's.
    shop.api.api_client.rest_client.pool_manager.connection_pool_kw["retries"] = False
    calls = writing(shop, made)
    assert set(calls) == HERE - READING

    before = server.rows()
    disk.fill()
    for name, call in calls.items():
        error = refused(call, 503)
        assert error.error_messages == ["Service temporarily unavailable"] and int(error.headers["Retry-After"]) >= 1, (name, error)
    after = server.rows()
    assert [table for table in before if before[table] != after[table]] == []

    # The client's helper for it: it waits as long as it is told, and the message that it sends again is sent once.
    waits = []
    monkeypatch.setattr(onesignal.helpers, "time", types.SimpleNamespace(sleep=lambda seconds: (waits.append(seconds), disk.free())))
    retried = create_notification_with_retry(shop.api, shop.note(include_subscription_ids=[made.one], **message()))
    assert is_message_sent(retried.response) and not retried.was_replayed and waits == [1.0]
    for name, call in calls.items():
        # Whatever is read here passes the client's own check of its answer.
        assert call() is not None or name in ("delete_user", "delete_subscription", "update_subscription", "update_subscription_by_token"), name
    assert is_message_sent(create_notification_with_retry(shop.api, shop.note(included_segments=["All"], **message())).response)
