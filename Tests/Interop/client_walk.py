"""Every operation of the OpenAPI document, through the generated client against a running server.

`Driver` makes the calls of either client, and looks at each answer: whether all of it is in the model, under the types of the
document. `walk` is the tour of all operations.
"""

import asyncio
import datetime
import inspect
import json
import re
import urllib.request

from authenticator import Authenticator
from oidc_provider import ANN, come_back
from serving import credentials, wait

MESSAGE = {"title": "Hello", "body": "World"}
IPHONES = [f"{index:02x}" * 32 for index in range(0xA1, 0xA6)]
ANDROID = "walk-android:APA91bDemoDemoDemoDemoDemoDemoDemoDemo"
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")


class Operations:
    """Which operation of the document a request is."""

    def __init__(self, document):
        self.all, self.keyed, self.patterns = set(), set(), []
        for path, item in document["paths"].items():
            # A fixed path comes before one with parameters: /pushes/check is no push.
            pattern = re.compile(re.sub(r"\\{[^}]*\\}", "[^/]+", re.escape(path)))
            for method, operation in item.items():
                name = operation["operationId"]
                self.all.add(name)
                self.patterns.append((path.count("{"), method.upper(), pattern, name))
                if any(parameter["name"] == "Idempotency-Key" for parameter in operation.get("parameters", [])):
                    self.keyed.add(name)
        self.patterns.sort(key=lambda row: row[0])

    def name(self, request):
        path = request.url.raw_path.split(b"?")[0].decode()
        return next(name for _, method, pattern, name in self.patterns
                    if method == request.method and pattern.fullmatch(path))


def normal(value):
    """JSON with each time in one form: a model writes `+00:00` where the server writes `Z`."""
    if isinstance(value, dict):
        return {name: normal(member) for name, member in value.items()}
    if isinstance(value, list):
        return [normal(member) for member in value]
    if isinstance(value, str) and TIME.fullmatch(value):
        return datetime.datetime.fromisoformat(value).isoformat()
    return value


def leftover(value, where):
    """The members that an answer has and its model does not know; a model without members of its own is a map."""
    found = []
    if isinstance(value, list):
        for index, item in enumerate(value):
            found += leftover(item, f"{where}[{index}]")
        return found
    members = {field.name: getattr(value, field.name) for field in getattr(type(value), "__attrs_attrs__", ())}
    extra = members.pop("additional_properties", {})
    if members:
        found += [f"{where}.{name}" for name in extra]
    for name, member in members.items():
        found += leftover(member, f"{where}.{name}")
    return found


class Driver:
    """One client, whose calls are recorded and whose answers are examined."""

    def __init__(self, client, document):
        self.client, self.document, self.operations = client, document, Operations(document)
        #: Whether each body has a member that the server does not know.
        self.typing_error = False
        #: The operations that succeeded, and what their models did not take in.
        self.seen, self.faults, self.last = set(), [], None
        self.loop = asyncio.new_event_loop() if inspect.iscoroutinefunction(client.close) else None
        before, after = (self.before_async, self.after_async) if self.loop else (self.before, self.after_sync)
        client.http.event_hooks = {"request": [before], "response": [after]}

    @staticmethod
    def streams(response):
        return response.headers.get("Content-Type", "").startswith(("text/event-stream", "application/x-ndjson"))

    async def before_async(self, request):
        self.before(request)

    async def after_async(self, response):
        if not self.streams(response):
            await response.aread()
        self.after(response)

    def after_sync(self, response):
        if not self.streams(response):
            response.read()
        self.after(response)

    def before(self, request):
        name = self.operations.name(request)
        if ("Idempotency-Key" in request.headers) != (name in self.operations.keyed):
            self.faults.append(f"{name}: sent with the wrong idea of idempotency keys: {request.headers}")

    def after(self, response):
        self.last = response
        if response.is_success:
            self.seen.add(self.operations.name(response.request))

    def run(self, value):
        """What a call of either client gives, when it has ended."""
        return self.loop.run_until_complete(value) if inspect.isawaitable(value) else value

    def list(self, rows):
        """All rows of an iterator of either client."""
        async def gather():
            return [row async for row in rows]
        return self.loop.run_until_complete(gather()) if self.loop else list(rows)

    def __getattr__(self, name):
        method = getattr(self.client, name)

        def call(*values, **named):
            if self.typing_error:
                values = [{**value, "typing_error": 1} if isinstance(value, dict) else value for value in values]
            answer = self.run(method(*values, **named))
            self.examine(name, answer)
            told = any(isinstance(value, dict) for value in values)
            if self.typing_error and told and "report" not in self.last.json():
                self.faults.append(f"{name}: no word of the typing error")
            return answer

        return call

    def examine(self, name, value):
        self.faults += [f"{name}: not in the document: {path}" for path in leftover(value, type(value).__name__)]
        if hasattr(value, "to_dict"):
            written, given = normal(value.to_dict()), normal(self.last.json())
            if written != given:
                self.faults.append(f"{name}: the model reads {written}, the server wrote {given}")

    def rows(self, iterator, name):
        values = self.list(iterator)
        self.faults += [f"{name}: not in the document: {path}" for path in leftover(values, name)]
        return values

    def close(self):
        self.run(self.client.close())
        if self.loop:
            self.loop.close()


def walk(drive, server, emulator, models, visitor):
    """Calls every operation with success; `visitor` makes a driver without a key, for the dashboard's session."""
    operations(drive)
    messages(drive, models)
    app(drive, emulator, models)
    identity(drive)
    devices(drive, models)
    users(drive)
    segments(drive)
    drafts(drive, models)
    sending(drive, emulator)
    plans(drive)
    records(drive)
    approvals(drive, server)
    webhooks(drive)
    administration(drive)
    session(drive, server, visitor)
    provider(drive, visitor)
    drive.delete_user("walk", "erase me")


def operations(drive):
    assert drive.health().status == "ok"
    assert drive.ready().status == "ok"
    assert "postrider_" in drive.metrics()
    assert drive.openapi()["openapi"] == "3.1.0"
    names = [contract.name for contract in drive.list_contracts().contracts]
    for name in names:
        drive.get_contract(name)


def messages(drive, models):
    body = models.RenderBody.from_dict({"contract": "amba", "topic": "com.example.app", "message": MESSAGE})
    rendering = drive.render(body)
    assert rendering.apns.headers["apns-push-type"] == "alert"
    assert drive.parse({"payload": rendering.apns.payload.to_dict()}).platform == "ios"
    assert drive.parse({"platform": "ios", "payload": {"aps": {"alert": "Hi"}}}).contract == "native"
    assert drive.check({"contract": "amba", "message": {**MESSAGE, "data": {"from": "x"}}}).legal is False
    for question in ({"reason": "BadDeviceToken"}, {"reason": "410"}, {"answer": {"reason": "Unregistered"}}):
        assert drive.explain(question).explanations
    assert len(drive.preview({"contract": "amba", "message": MESSAGE, "platform": "ios"}).previews) == 1


def app(drive, emulator, models):
    made = drive.create_app({"name": "walk", "title": "Walk", "contract": "amba"})
    assert isinstance(made.created_at, datetime.datetime)
    assert "walk" in [app.name for app in drive.list_apps().apps]
    assert drive.update_app("walk", models.UpdateAppBody(title="Walker")).title == "Walker"
    given = credentials(emulator)
    assert drive.check_credentials("walk", given).apns.usable
    assert drive.put_credentials("walk", {"apns": given["apns"]}, check="true").apns.topic == "com.example.app"
    drive.post_credentials("walk", {"fcm": given["fcm"]})
    shown = drive.get_credentials("walk")
    assert (shown.apns.kind, shown.fcm.project_id) == ("token", given["fcm"]["service_account"]["project_id"])
    made = drive.put_credentials("walk", {"web": {"subject": "mailto:ops@example.com"}}).web
    assert drive.get_web_push("walk").public_key == made.public_key
    rotated = drive.rotate_web_push_key("walk")
    assert rotated.public_key != made.public_key and rotated.earlier_keys == [made.public_key]
    drive.resume_app("walk")
    assert drive.get_app("walk").name == "walk"


def identity(drive):
    made = [drive.create_identity_key("walk", {"algorithm": algorithm}) for algorithm in ("ES256", "HS256")]
    assert made[0].secret.startswith("-----BEGIN") and made[1].secret.startswith("ids_")
    assert drive.set_identity("walk", {"mode": "optional"}).mode == "optional"
    assert [key.id for key in drive.get_identity("walk").keys] == [key.id for key in made]
    for key in made:
        drive.delete_identity_key("walk", key.id)
    assert drive.set_identity("walk", {"mode": "off"}).keys == []


def devices(drive, models):
    for index, token in enumerate(IPHONES):
        drive.register_device("walk", models.RegisterDeviceBody(
            type_="ios", token=token, name=f"phone-{index}", user="ann" if index < 2 else models.UNSET, tags=["beta"]))
    known = drive.register_device("walk", {
        "type": "ios", "token": IPHONES[0], "name": "phone-0", "user": "ann", "locale": "de-AT",
        "properties": {"plan": "pro", "age": 30, "vip": True}})
    assert drive.last.status_code == 200
    assert drive.get_device("walk", known.id).properties["plan"] == "pro"
    assert drive.update_device("walk", known.id, {"app_version": "2.0", "properties": {"plan": None}}).app_version == "2.0"
    drive.register_device("walk", {"type": "android", "token": ANDROID, "user": "bob"})
    gone = drive.register_device("walk", {"type": "android", "token": ANDROID + "x", "user": "erase me"})
    # The same name with another token: the record has the earlier one.
    drive.register_device("walk", {"type": "ios", "token": "b0" * 32, "name": "renamed"})
    renamed = drive.register_device("walk", {"type": "ios", "token": "b1" * 32, "name": "renamed"})
    assert len(drive.get_device("walk", renamed.id).earlier_tokens) == 1
    drive.delete_device("walk", renamed.id)

    lines = [models.RegisterDeviceBody(type_="android", token=f"{ANDROID}-{index}", user="imported") for index in range(3)]
    assert drive.import_devices("walk", lines).created == 3
    assert drive.import_devices("walk", b"type,token\nandroid,%s-0\nandroid,\n" % ANDROID.encode(), format="csv").failed == 1
    assert len(drive.list_imports("walk").imports) == 2
    page = drive.list_devices("walk", limit=2)
    every = drive.rows(drive.client.iter_devices("walk", limit=2), "iter_devices")
    assert len(page.devices) == 2 and page.next_ and len(every) == 10 and gone.id in [device.id for device in every]
    assert drive.rows(drive.client.stream_devices("walk"), "stream_devices") == every
    assert drive.export_devices("walk", format_="csv").count("\n") == 11
    for device in drive.rows(drive.client.iter_devices("walk", user="imported"), "iter_devices"):
        drive.delete_device("walk", device.id)


def users(drive):
    drive.update_user("walk", "ann", {"email": "ann@example.com", "properties": {"since": "2026-11-20T12:00:00Z"},
                                      "entitlements": {"premium": True}})
    # A registration has not to be the first that is heard of a user, nor the only thing.
    assert len(drive.get_user("walk", "ann").devices) == 2
    assert {user.user for user in drive.rows(drive.client.iter_users("walk", limit=1), "iter_users")} >= {"ann", "bob"}
    drive.list_users("walk")


def segments(drive):
    filter = {"operator": "AND", "conditions": [{"field": "tags", "op": "contains", "value": "beta"}]}
    drive.create_segment("walk", {"name": "beta", "title": "Beta", "filter": filter})
    drive.update_segment("walk", "beta", {"title": "Testers"})
    assert drive.get_segment("walk", "beta").title == "Testers"
    assert drive.count_filter("walk", {"filter": filter, "sample": 5}).devices == 5
    assert drive.count_segment("walk", "beta").devices == 5
    assert "beta" in [segment.name for segment in drive.list_segments("walk").segments]
    assert drive.count_audience("walk", {"to": {"segment": "beta"}}).devices.ios == 5
    drive.delete_segment("walk", "beta")
    drive.set_suppression("walk", {"quiet_hours": {"from": "22:00", "to": "07:00"},
                                   "frequency_cap": {"pushes": 50, "window_seconds": 60}})
    assert drive.get_suppression("walk").quiet_hours.from_ == "22:00"
    drive.set_suppression("walk", {"quiet_hours": None, "frequency_cap": None})


def drafts(drive, models):
    body = models.CreatePushBody.from_dict({"draft": True, "campaign": "later", "message": MESSAGE, "to": {"all": True}})
    draft = drive.create_push("walk", body)
    assert drive.get_push("walk", draft.id).state == "draft"
    assert drive.update_push("walk", draft.id, {"throttle_per_minute": 6000}).request["throttle_per_minute"] == 6000
    when = datetime.datetime.now(datetime.UTC) + datetime.timedelta(days=3)
    assert drive.schedule_push("walk", draft.id, models.SchedulePushBody(send_at=when)).state == "scheduled"
    assert drive.unschedule_push("walk", draft.id).state == "draft"
    drive.delete_push("walk", draft.id)
    assert drive.check_push("walk", {"message": MESSAGE, "to": {"all": True}}).total == 7
    seen = drive.preview_push("walk", {"message": {**MESSAGE, "title": "Hi {{ user.id }}"}, "values": {}, "to": {"user": "ann"}})
    assert [one["title"]["text"] for one in seen.previews] == ["Hi ann"] and not seen.skipped


def approvals(drive, server):
    large = drive.create_push("walk", {"to": {"all": True}, "message": MESSAGE, "campaign": "large", "undo_seconds": 3600})
    assert drive.get_push("walk", large.id).undo_until
    drive.cancel_push("walk", large.id)
    other = drive.create_key({"name": "writer", "scopes": ["send"], "app": "walk"}).key
    drive.update_app("walk", {"approval": {"above_devices": 0}})

    def written_by_another():
        body = {"to": {"all": True}, "message": MESSAGE, "campaign": "asked"}
        request = urllib.request.Request(
            f"{server.origin}/v1/apps/walk/pushes", method="POST", data=json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {other}", "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.loads(answer.read())["id"]

    declined, approved = written_by_another(), written_by_another()
    assert {push.id for push in drive.list_approvals("walk").pushes} == {declined, approved}
    assert drive.decline_push("walk", declined, {"reason": "a test"}).approval.state == "declined"
    assert drive.approve_push("walk", approved, {}).approval.state == "approved"
    drive.update_app("walk", {"approval": None})
    drive.cancel_push("walk", approved)


def finding(drive, push):
    drive.save_view("walk", "sent", {"query": {"state": "sent"}})
    assert [view.name for view in drive.list_views("walk").views] == ["sent"]
    drive.delete_view("walk", "sent")
    assert drive.get_calendar("walk").complete
    assert drive.get_results("walk", pushes=push).results[0].id == push
    assert drive.export_results("walk", pushes=push, format_="csv").count("\n") == 2
    assert drive.get_user_timeline("walk", "ann").events
    device = drive.get_user("walk", "ann").devices[0].id
    assert drive.get_device_timeline("walk", device).events


def finished(drive, push):
    return wait(lambda: (found := drive.get_push("walk", push)).finished_at and found, "the push is finished")


def sending(drive, emulator):
    draft = drive.create_push("walk", {
        "draft": True, "campaign": "sale", "message": MESSAGE, "to": {"users": ["ann", "bob"]},
        "variants": [{"name": "loud", "share": 50, "message": {"title": "HELLO", "body": "WORLD"}}]})
    assert drive.send_push("walk", draft.id).status == "sending"
    assert drive.watch_push("walk", draft.id).startswith("event: progress")
    states = drive.rows(drive.client.stream_push("walk", draft.id), "stream_push")
    assert states[-1].counts.accepted == 3
    assert emulator.pushes("apns", IPHONES[0])
    again = drive.resend_push("walk", draft.id)
    assert finished(drive, again.id).counts.accepted == 3
    assert drive.resend_failed("walk", draft.id, {"states": ["rejected"], "preview": True}).deliveries == 0
    assert finished(drive, drive.test_push("walk", {"message": MESSAGE, "to": {"user": "ann"}}).id).counts.accepted == 1

    # One a minute leaves time to stop it.
    slow = drive.create_push("walk", {"message": MESSAGE, "to": {"all": True}, "throttle_per_minute": 1})
    wait(lambda: drive.get_push("walk", slow.id).audience_complete, "the audience")
    assert drive.pause_push("walk", slow.id).state == "paused"
    assert drive.resume_push("walk", slow.id).state == "sending"
    assert drive.cancel_push("walk", slow.id).stopped > 0
    # A token that is not one of the provider's is refused, with the reason and its explanation.
    emulator.scenario(rules=[{"name": "gone", "token": IPHONES[4], "effect": {"refuse": "Unregistered", "timestamp_ms": 1}}])
    refused = drive.create_push("walk", {"message": MESSAGE, "to": {"tokens": [{"type": "ios", "token": IPHONES[4]}]}})
    finished(drive, refused.id)
    rows = drive.rows(drive.client.iter_deliveries("walk", refused.id), "iter_deliveries")
    emulator.scenario()
    assert rows[0].state == "rejected" and rows[0].explanation.meaning
    page = drive.list_pushes("walk", limit=1)
    assert page.next_ and len(drive.rows(drive.client.iter_pushes("walk", limit=1), "iter_pushes")) == 5
    assert drive.list_pushes("walk", number=draft_number(drive, draft.id)).pushes[0].id == draft.id


def draft_number(drive, push):
    return drive.get_push("walk", push).number


def plans(drive):
    drive.schedule_for_user("walk", "ann", "birthday", {"message": MESSAGE, "send_at": "2030-01-31T09:00:00Z"})
    assert drive.list_scheduled_for_user("walk", "ann").scheduled[0].state == "scheduled"
    drive.cancel_for_user("walk", "ann", "birthday")
    made = drive.create_schedule("walk", {
        "message": MESSAGE, "to": {"all": True}, "campaign": "weekly",
        "repeat": {"every": "week", "weekdays": ["monday"], "start": "2030-02-04T09:00:00", "timezone": "Europe/Vienna"}})
    assert drive.get_schedule("walk", made.id).next_[0].year == 2030
    drive.update_schedule("walk", made.id, {"message": {"title": "Good morning", "body": "…"}})
    assert drive.pause_schedule("walk", made.id).paused_at
    drive.resume_schedule("walk", made.id)
    assert [row.id for row in drive.rows(drive.client.iter_schedules("walk"), "iter_schedules")] == [made.id]
    drive.list_schedules("walk")
    drive.end_schedule("walk", made.id)
    channel = drive.create_channel("walk", {"name": "match", "storage": "most-recent"})
    assert drive.get_channel("walk", channel.id).channel_id == channel.channel_id
    assert [row.id for row in drive.rows(drive.client.iter_channels("walk"), "iter_channels")] == [channel.id]
    drive.list_channels("walk")
    assert drive.compare_channels("walk").on_both == 1
    sent = drive.create_broadcast("walk", channel.id, {
        "event": "update", "content_state": {"home": 2}, "expires_in_seconds": 3600})
    assert [row.id for row in drive.rows(drive.client.iter_broadcasts("walk", channel.id), "iter_broadcasts")] == [sent.id]
    drive.list_broadcasts("walk", channel.id)
    drive.delete_channel("walk", channel.id)
    left = drive.leave_inbox_message("walk", "liv", {"title": "Your statement", "body": "It is ready.", "data": {"n": 1}})
    assert (left.read, left.type_, drive.last.status_code) == (False, "text", 201)
    assert drive.get_inbox_message("walk", "liv", left.id).data.to_dict() == {"n": 1}
    assert drive.update_inbox_message("walk", "liv", left.id, {"read": True}).read is True
    assert drive.read_inbox("walk", "liv", {"read": True}).marked == 0
    page = drive.list_inbox("walk", "liv")
    assert (page.total, page.unread, [row.id for row in page.messages]) == (1, 0, [left.id])
    assert [row.id for row in drive.rows(drive.client.iter_inbox("walk", "liv"), "iter_inbox")] == [left.id]
    drive.delete_inbox_message("walk", "liv", left.id)
    drive.register_device("walk", {"type": "ios-live-activity-start", "token": "5c" * 40, "user": "liv"})
    started = drive.start_activity("walk", {
        "id": "order-17", "to": {"user": "liv"}, "attributes_type": "Order", "attributes": {}, "content_state": {"minutes": 25},
        "alert": {"title": "Your order", "body": "It is on its way."}})
    assert (started.targeted, started.priority, started.urgent_left) == (1, 10, 11)
    for status in (201, 200):
        drive.report_activity_token("walk", "order-17", {"token": "6d" * 40})
        assert drive.last.status_code == status
    ended = drive.update_activity("walk", "order-17", {"event": "end", "priority": 5})
    assert ended.priority == 5
    life = drive.get_activity("walk", "order-17")
    assert (life.state, [send.id for send in life.sends]) == ("ended", [ended.id, started.id])
    assert [row.id for row in drive.rows(drive.client.iter_activities("walk"), "iter_activities")] == ["order-17"]
    drive.list_activities("walk")
    drive.delete_activity("walk", "order-17")
    template = {"message": {**MESSAGE, "title": "Hi {{name|you}}"}, "locales": {"de": MESSAGE}, "values": {"name": "Ann"}}
    for status in (201, 200):
        drive.save_template("walk", "hello", template)
        assert drive.last.status_code == status
    assert drive.get_template("walk", "hello").values["name"] == "Ann"
    assert drive.list_templates("walk").templates[0].name == "hello"
    drive.delete_template("walk", "hello")


def records(drive):
    push = drive.create_push("walk", {"campaign": "c", "message": MESSAGE, "to": {"users": ["ann"]}})
    finished(drive, push.id)
    rows = drive.list_deliveries("walk", push.id, state="accepted").deliveries
    reported = drive.report_events("walk", {"events": [
        {"type": "opened", "apns_id": rows[0].apns_id}, {"type": "action", "action": "reply", "delivery": rows[1].id}]})
    assert reported.counts.recorded == 2
    funnel = drive.get_funnel("walk", push.id)
    assert funnel.open_rate == 1 and funnel.actions[0].action == "reply"
    assert drive.get_push_series("walk", push.id, step="hour").points[0].accepted == 2
    assert drive.get_app_series("walk", step="day").points
    assert drive.find_deliveries("walk", user="ann").deliveries[0].opened_at
    finding(drive, push.id)
    found = drive.rows(drive.client.iter_find_deliveries("walk", user="ann"), "iter_find_deliveries")
    streamed = drive.rows(drive.client.stream_deliveries("walk", push.id, state="accepted"), "stream_deliveries")
    assert {row.id for row in streamed} == {row.id for row in rows} <= {row.id for row in found}
    assert drive.export_deliveries("walk", push.id, format_="csv").count("\n") == 3
    assert drive.get_overview("walk").ledger.balanced


def webhooks(drive):
    made = drive.create_webhook("walk", {"url": "https://example.com/hooks", "types": ["push.finished"]})
    assert made.secret
    drive.update_webhook("walk", made.id, {"enabled": False})
    assert drive.get_webhook("walk", made.id).enabled is False
    assert drive.rotate_webhook("walk", made.id).secret != made.secret
    assert drive.list_dead_batches("walk", made.id).batches == []
    assert drive.rows(drive.client.iter_dead_batches("walk", made.id), "iter_dead_batches") == []
    drive.replay_webhook("walk", made.id, {})
    assert len(drive.list_webhooks("walk").webhooks) == 1
    drive.delete_webhook("walk", made.id)


def administration(drive):
    assert drive.put_retention({"deliveries_days": 90, "events_days": None}).deliveries_days == 90
    assert drive.get_retention().events_days is None
    assert drive.put_app_retention("walk", {"deliveries_days": 30}).deliveries_days == 30
    drive.get_app_retention("walk")
    assert drive.put_shadow("walk", "onesignal", {"mode": "observe"}).mode == "observe"
    assert drive.get_shadow("walk").vendors[0].vendor == "onesignal"
    compat = drive.create_key({"name": "vendor's client", "scopes": ["compat"], "app": "walk"}).key
    drive.update_app("walk", {"compat": {"onesignal": {}}})
    request = urllib.request.Request(
        f"{str(drive.client.http.base_url).rstrip('/')}/compat/onesignal/notifications", method="POST",
        data=b'{"included_segments": ["All"], "contents": {"en": "Hello"}}', headers={"Authorization": f"Key {compat}"})
    with urllib.request.urlopen(request) as answer:
        assert answer.status == 200
    wait(lambda: drive.list_shadow_requests("walk").requests, "the record of the request")
    record = drive.list_shadow_requests("walk").requests[0]
    assert drive.get_shadow_request("walk", record.id).detail.to_dict()["status"] == 200
    assert [row.id for row in drive.rows(drive.client.iter_shadow_requests("walk"), "iter_shadow_requests")][0] == record.id
    drive.clear_shadow("walk")
    assert drive.put_unseen_devices("walk", {"days": 270}).days == 270
    assert drive.get_unseen_devices("walk", days=3650).count == 0
    assert drive.put_unseen_devices("walk", {"days": None}).days is None
    key = drive.create_key({"name": "shop", "scopes": ["send"], "app": "walk"})
    rotated = drive.rotate_key(key.id, {"overlap_seconds": 60})
    assert rotated.key.startswith("prk_") and rotated.key != key.key
    drive.revoke_key(rotated.id)
    assert rotated.id in [row.id for row in drive.list_keys().keys]
    person = drive.invite_person({"email": "walk@example.com", "name": "Walk", "roles": ["sender:walk"]})
    assert person.state == "invited" and person.roles == ["sender:walk"]
    assert drive.update_person(person.id, {"roles": ["analyst:walk"]}).roles == ["analyst:walk"]
    assert drive.get_person(person.id).email == "walk@example.com"
    drive.revoke_invitation(person.id)
    drive.invitation = drive.renew_invitation(person.id, {"expires_in_seconds": 3600}).invitation
    drive.person = person.id
    assert drive.list_held().held == [] and drive.list_held_of_app("walk").held == []
    for name, arguments in (("iter_held", ()), ("iter_held_of_app", ("walk",))):
        assert drive.rows(getattr(drive.client, name)(*arguments), name) == []
    drive.resume_held()
    drive.resume_held_of_app("walk")
    nodes = drive.list_nodes().nodes
    assert all(node.live for node in nodes) and sum(node.current for node in nodes) == 1
    drive.list_audit(limit=1)
    drive.list_app_audit("walk", limit=1)
    acts = drive.rows(drive.client.iter_audit(limit=5), "iter_audit")
    assert {"createApp", "createKey"} <= {act.act for act in acts}
    assert drive.rows(drive.client.iter_app_audit("walk", limit=100), "iter_app_audit")



def passkeys(ann, visitor):
    """One's own passkeys, which are for the host name that the client calls."""
    key = Authenticator()
    origin = str(ann.client.http.base_url).rstrip("/")
    made = key.create({"publicKey": ann.prepare_passkey({}).public_key.to_dict()}, origin)
    added = ann.add_passkey({"credential": made, "name": "Key"})
    assert ann.rename_passkey(added.id, {"name": "Old key"}).name == "Old key"
    guest = visitor()
    signed = key.get({"publicKey": guest.prepare_passkey_sign_in().public_key.to_dict()}, origin)
    assert guest.sign_in_with_passkey({"credential": signed}).email == "walk@example.com"
    found = ann.list_passkeys()
    assert found.password and found.passkeys[0].id == added.id and found.passkeys[0].used_at
    ann.remove_passkey(added.id)
    ann.seen |= guest.seen
    ann.faults += guest.faults
    guest.close()


def session(drive, server, visitor):
    """The dashboard's session: a cookie instead of a key, which the client keeps as a browser does."""
    guest = visitor()
    assert guest.get_session() is None
    signed_in = guest.sign_in({"key": server.key})
    guest.client.http.headers["X-CSRF-Token"] = signed_in.write_token
    assert guest.get_session().scopes == signed_in.scopes
    guest.sign_out()
    drive.seen |= guest.seen
    ann = visitor()
    assert ann.show_invitation({"token": drive.invitation}).email == "walk@example.com"
    joined = ann.join({"token": drive.invitation, "password": "correct horse battery staple"})
    assert joined.person == drive.person and joined.roles[0].app == "walk"
    ann.client.http.headers["X-CSRF-Token"] = joined.write_token
    ann.change_password({"current": "correct horse battery staple", "password": "a later, longer password"})
    passkeys(ann, visitor)
    again = visitor()
    found = again.sign_in({"email": "walk@example.com", "password": "a later, longer password"})
    again.client.http.headers["X-CSRF-Token"] = found.write_token
    own = ann.list_own_sessions().sessions
    assert len(own) == 2 and {row.holder.name for row in own} == {"Walk"}
    ann.end_own_session(next(row.id for row in own if not row.current))
    ann.end_other_sessions()
    drive.end_session(drive.list_sessions().sessions[0].id)
    drive.remove_person(drive.person)
    assert drive.list_people().people == []
    drive.seen |= ann.seen | again.seen
    drive.faults += guest.faults
    guest.close()


def provider(drive, visitor):
    """Signing in with the identity provider that the server is started with."""
    made = drive.invite_person({"name": "Ann", "email": "ann@example.com", "roles": ["analyst"]})
    ann = visitor()
    assert ann.show_oidc().name == "Example"
    signed_in = ann.finish_oidc(come_back(ann.begin_oidc().url, ANN))
    assert signed_in.person == made.id and ann.show_oidc().link.subject == ANN
    ann.client.http.headers["X-CSRF-Token"] = signed_in.write_token
    # The identity is the only means until there is a password.
    ann.change_password({"password": "correct horse battery staple"})
    ann.unlink_oidc()
    drive.remove_person(made.id)
    drive.seen |= ann.seen
    drive.faults += ann.faults
    ann.close()
