"""A server whose disk is full, or whose database cannot be read, as OneSignal's official client sees it: 503 in OneSignal's form
with `Retry-After` for each of its operations, with a sentence that says what is wrong, and nothing half done. The same calls succeed
once it is over."""

import datetime
import resource
import sqlite3
import types
import urllib.parse

import onesignal
import onesignal.helpers
import pytest
from onesignal.helpers import create_notification_with_retry, is_message_sent
from onesignal.model.create_template_request import CreateTemplateRequest
from onesignal.model.estimate_notification_recipients_request import EstimateNotificationRecipientsRequest
from onesignal.model.export_subscriptions_request_body import ExportSubscriptionsRequestBody
from onesignal.model.filter import Filter
from onesignal.model.get_notification_history_request_body import GetNotificationHistoryRequestBody
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

GENERAL = "Service temporarily unavailable"
# A process that may write no further byte is refused in other words than one on a full disk, so that the sentence is the general one.
UNREADABLE = "the database of the server is damaged and cannot be read"
UNWRITABLE = "the database of the server cannot be read or written, and nothing of this request was acknowledged"

# Operations that only read, or write a file beside the database; all others of `HERE` write.
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
        general, sentence = error.error_messages
        assert general == GENERAL and sentence == UNWRITABLE, (name, error)
        assert int(error.headers["Retry-After"]) >= 1 and str(server.data) not in error.body, (name, error)
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


class Damage:
    """The pages of a server's database, which can be overwritten and put back."""

    def __init__(self, server):
        self.database = server.database()
        self.files = [self.database, self.database.with_name(self.database.name + "-wal")]
        self.kept = []

    def do(self):
        self.forget()
        self.kept = [path.read_bytes() for path in self.files]
        self.write([b"\xa5" * len(bytes) for bytes in self.kept])

    def undo(self):
        self.write(self.kept)
        self.forget()

    def forget(self):
        """A change of another process has every connection forget what it has read."""
        with sqlite3.connect(self.database) as connection:
            connection.execute("UPDATE readiness SET probes = probes + 1")
        connection.close()

    def write(self, contents):
        for path, bytes in zip(self.files, contents):
            with path.open("r+b") as file:
                file.write(bytes)


def reading(shop, made):
    """A call of each operation that reads."""
    app, calls = shop.app_id, shop.api
    return {
        "estimate_notification_recipients": lambda: calls.estimate_notification_recipients(
            EstimateNotificationRecipientsRequest(app_id=app, included_segments=["All"])),
        "export_events": lambda: calls.export_events(made.sent, app),
        "export_subscriptions": lambda: calls.export_subscriptions(
            app, export_subscriptions_request_body=ExportSubscriptionsRequestBody(extra_fields=["country"])),
        "get_aliases": lambda: calls.get_aliases(app, "external_id", "ann"),
        "get_aliases_by_subscription": lambda: calls.get_aliases_by_subscription(app, made.one),
        "get_notification": lambda: calls.get_notification(app, made.sent),
        "get_notification_history": lambda: calls.get_notification_history(
            made.sent, GetNotificationHistoryRequestBody(app_id=app, events="sent", email="ops@example.com")),
        "get_notifications": lambda: calls.get_notifications(app),
        "get_outcomes": lambda: calls.get_outcomes(app, "os__click.count"),
        "get_segment": lambda: calls.get_segment(app, made.changed_segment),
        "get_segments": lambda: calls.get_segments(app),
        "get_user": lambda: calls.get_user(app, "external_id", "ann"),
        "view_template": lambda: calls.view_template(made.changed_template, app),
        "view_templates": lambda: calls.view_templates(app),
    }


def test_every_operation_that_reads_is_told_that_the_database_cannot_be_read(server, running):
    running.scenario()
    shop = Shop(server, running, "shop", 240)
    made = prepared(shop)
    made.sent = shop.api.create_notification(shop.note(include_subscription_ids=[made.one], **message())).id
    wait(lambda: shop.api.get_notification(shop.app_id, made.sent).completed_at, "the end of the push")
    shop.api = api(server, shop.key)
    shop.api.api_client.rest_client.pool_manager.connection_pool_kw["retries"] = False
    calls = reading(shop, made)
    assert set(calls) == READING
    damage = Damage(server)
    damage.do()
    try:
        for name, call in calls.items():
            if name == "export_subscriptions":
                # Its answer is the address of the file, which is written as it is read: there it is said.
                answer = server.ask("GET", urllib.parse.urlsplit(call().csv_file_url).path, key=None)
                assert answer.status == 503 and answer.json["errors"] == [GENERAL, UNREADABLE], answer.whole
                assert str(server.data).encode() not in answer.whole
                continue
            error = refused(call, 503)
            assert error.error_messages == [GENERAL, UNREADABLE], (name, error)
            assert int(error.headers["Retry-After"]) >= 1 and str(server.data) not in error.body, (name, error)
    finally:
        damage.undo()
    for name, call in calls.items():
        assert call() is not None, name
