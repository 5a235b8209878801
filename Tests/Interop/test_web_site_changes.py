"""What changes while a browser is subscribed: its user, its subscription, its key, what the backend says of it, and what fails.

The same browser, site and server as in test_web_site.py, on a page that does nothing by itself.
"""

import json

import pytest

from serving import wait
from test_web_site import APP, click, world  # noqa: F401

PAGE = """
  const [options, finished] = arguments;
  const database = (act) => new Promise((done, fail) => {
    const asked = indexedDB.open("postrider", 1);
    asked.onupgradeneeded = () => ["settings", "events"].map((one) => asked.result.createObjectStore(one, { autoIncrement: true }));
    asked.onerror = () => fail(asked.error);
    asked.onsuccess = () => {
      const change = asked.result.transaction(["settings", "events"], "readwrite");
      const answer = act(change.objectStore("settings"), change.objectStore("events"));
      change.oncomplete = () => { asked.result.close(); done(answer?.result); };
    };
  });
  const settings = () => database((all) => all.get("settings"));
  const save = async (more) => { const known = await settings(); await database((all) => all.put({ ...known, ...more }, "settings")); };
  const away = async (work) => {
    const asIs = globalThis.fetch;
    globalThis.fetch = async () => { throw new TypeError("away"); };
    try { await work(); return "done"; } catch (error) { return error.message; } finally { globalThis.fetch = asIs; }
  };
"""


class Page:
    """A page of the site, with `postrider`, a `Postrider` of the server's module."""

    def __init__(self, world):
        self.world = world
        self.open()

    def open(self):
        self.world.driver.get(self.world.site.origin + "/empty.html")

    def run(self, script):
        options = {"server": self.world.server.origin, "app": "shop", "key": self.world.key}
        answer = self.world.driver.execute_async_script(PAGE + f"""
          (async () => {{
            const {{ Postrider }} = await import(options.server + "/web/postrider.js");
            const postrider = new Postrider(options);
            {script}
          }})().then((value) => finished({{ value }}), (error) => finished({{ error: `${{error.name}}: ${{error.message}}` }}));
        """, options)
        assert "error" not in answer, answer["error"]
        return answer["value"]

    def device(self):
        device, = self.world.devices()
        return device


@pytest.fixture
def page(world):  # noqa: F811
    """A browser that was never subscribed."""
    world.allow()
    page = Page(world)
    page.run("""
      localStorage.clear();
      await database((all, events) => { all.clear(); events.clear(); });
      await postrider.start();
    """)
    for device in world.devices():
        world.done("DELETE", f"{APP}/devices/{device['id']}")
    world.clear()
    yield page
    worker = world.worker()
    world.tools.run(worker, "delete self.postriderText; if (self.fetchAsIs) self.fetch = self.fetchAsIs;")


AWAY = "self.fetchAsIs ??= fetch; self.fetch = async () => { throw new TypeError('away'); };"
WATCHED = """
  self.fetchAsIs ??= fetch;
  self.asked = [];
  self.fetch = async (url, options) => { asked.push({ url: String(url), body: options?.body && JSON.parse(options.body) }); return fetchAsIs(url, options); };
"""
STORE = """
  const all = async (name, act) => {
    const base = await new Promise((done) => { const asked = indexedDB.open("postrider", 1); asked.onsuccess = () => done(asked.result); });
    const answer = await new Promise((done) => { const asked = act(base.transaction(name, "readwrite").objectStore(name)); asked.onsuccess = () => done(asked.result); });
    base.close();
    return answer;
  };
"""


def changed_subscription(world, key, meanwhile="", given=True):  # noqa: F811
    """The browser replaces the subscription: it gives the worker the new one, or has the worker ask for it."""
    return world.tools.run(world.worker(), STORE + f"""
      const make = async (key) => {{
        const json = await (await (self.fetchAsIs ?? fetch)("/subscribe?" + key, {{ method: "POST" }})).json();
        const bytes = Uint8Array.from(atob(key.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
        {meanwhile}
        return {{ endpoint: json.endpoint, toJSON: () => json, options: {{ applicationServerKey: bytes.buffer }} }};
      }};
      let made;
      registration.pushManager.subscribe = async ({{ applicationServerKey }}) => made = await make(applicationServerKey);
      const event = new ExtendableEvent("pushsubscriptionchange");
      event.newSubscription = {f"made = await make({json.dumps(key)})" if given else "null"};
      let work;
      event.waitUntil = (one) => {{ work = one; }};
      self.dispatchEvent(event);
      await work;
      return {{ endpoint: made?.endpoint, known: await all("settings", (one) => one.get("settings")) }};
    """)


def queued(world):  # noqa: F811
    return world.tools.run(world.worker(), STORE + "return all('events', (one) => one.getAll());")


def test_a_registration_after_a_week_undoes_nothing_of_the_backend(page, world):  # noqa: F811
    page.run("await postrider.subscribe({ tags: ['a'], locale: 'de' })")
    device = page.device()
    assert device["tags"] == ["a"] and device["locale"] == "de"
    world.done("PATCH", f"{APP}/devices/{device['id']}", {"opt_out": True, "tags": ["b"]})
    page.run("await save({ registered: Date.now() - 8 * 24 * 3600 * 1000 }); await postrider.start();")
    after = page.device()
    assert after["registered_at"] > device["registered_at"], "it was registered again"
    assert after["opt_out"] is True and after["tags"] == ["b"] and after["locale"] == "de"
    page.run("await postrider.subscribe()")
    after = page.device()
    assert not after.get("opt_out") and after["tags"] == ["b"], "who subscribes again wants to be told"


@pytest.mark.parametrize("is_away", [False, True])
def test_tags_end_with_their_user(page, is_away):
    page.run("await postrider.subscribe();")
    subscribe = "postrider.subscribe({ user: 'ann', tags: ['vip'] })"
    said = page.run(f"return away(() => {subscribe});" if is_away else f"await {subscribe};")
    assert not is_away or said == "away"
    page.run("await postrider.signIn('bob');")
    device = page.device()
    assert device["user"] == "bob" and not device.get("tags")
    page.run("await postrider.subscribe({ user: 'carol' });")
    assert page.device()["user"] == "carol"


@pytest.mark.parametrize("first, change, user", [
    ("{ user: 'ann' }", "signOut()", None), ("{}", "signIn('ann')", "ann"), ("{ user: 'ann' }", "subscribe({ user: 'bob' })", "bob")])
def test_what_failed_is_repeated_at_the_next_visit(page, first, change, user):
    page.run(f"await postrider.subscribe({first});")
    before = page.device().get("user")
    assert page.run(f"return away(() => postrider.{change});") == "away"
    assert page.device().get("user") == before != user
    page.open()
    assert page.run("return postrider.start();") is True
    assert page.device().get("user") == user


def test_a_lost_subscription_is_made_again(page, world):  # noqa: F811
    page.run("await postrider.subscribe();")
    before = page.device()
    page.run("localStorage.clear();")
    assert page.run("return postrider.start();") is True
    after = page.device()
    assert after["id"] == before["id"] and after["token"].split()[0] != before["token"].split()[0]
    page.run("await postrider.unsubscribe();")
    count = len(world.site.made)
    assert page.run("return postrider.start();") is False and len(world.site.made) == count, "who has left stays away"


def test_without_leave_nothing_is_made_again(page, world):  # noqa: F811
    page.run("await postrider.subscribe(); localStorage.clear();")
    count = len(world.site.made)
    assert page.run("Object.defineProperty(postrider, 'permission', { value: 'default' }); return postrider.start();") is False
    assert len(world.site.made) == count


def test_another_senders_subscription_is_left_alone(page, world):  # noqa: F811
    other = "BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM"
    subscribe = f"const made = await PushManager.prototype.subscribe({{ userVisibleOnly: true, applicationServerKey: {json.dumps(other)} }});"
    endpoint = page.run(subscribe + "return made.endpoint;")
    assert page.run("return postrider.start();") is False
    assert page.run("return (await postrider.subscription()).endpoint;") == endpoint and world.devices() == []
    page.run("await postrider.subscribe();")
    assert page.device()["token"].split()[0] != endpoint, "a click takes it over"


def test_a_subscription_keeps_the_key_that_it_was_made_for(page, world):  # noqa: F811
    page.run("await postrider.subscribe({ user: 'ann' });")
    key = world.done("GET", f"{APP}/web-push")["public_key"]
    assert world.done("POST", f"{APP}/web-push/rotate")["public_key"] != key
    world.tools.run(world.worker(), WATCHED)
    made = changed_subscription(world, key)
    assert page.device()["token"].split()[::3] == [made["endpoint"], key]
    assert [one["url"].rsplit("/", 1)[1] for one in world.tools.run(world.worker(), "return asked;")] == ["devices"], "the key is not asked for"
    page.run(f"""
      localStorage.clear();
      await PushManager.prototype.subscribe({{ userVisibleOnly: true, applicationServerKey: {json.dumps(key)} }});
      await postrider.signIn("bob");
    """)
    device = page.device()
    assert device["user"] == "bob" and device["token"].split()[3] == key and device["token"].split()[0] != made["endpoint"]


def test_a_renewal_overwrites_nothing_and_nobody_who_has_left(page, world):  # noqa: F811
    page.run("await postrider.subscribe({ user: 'ann' });")
    made = changed_subscription(world, None, """
      const known = await all("settings", (one) => one.get("settings"));
      await all("settings", (one) => one.put({ ...known, registered: 0, device: { ...known.device, user: "bob" } }, "settings"));
    """, given=False)
    assert made["known"]["endpoint"] == made["endpoint"] == page.device()["token"].split()[0]
    assert made["known"]["device"]["user"] == "bob" and made["known"]["registered"] == 0
    page.run("await save({ left: true });")
    world.tools.run(world.worker(), WATCHED)
    after = changed_subscription(world, None, given=False)
    assert "endpoint" not in after and world.tools.run(world.worker(), "return asked;") == []


def test_one_bad_report_takes_no_other_with_it(page, world):  # noqa: F811
    page.run("await postrider.subscribe();")
    pushes = [world.push({"contents": {"en": str(number)}})[0] for number in range(2)]
    for push in ["", "0", "x", "12345678901234567890", 5, ["5"], {"match": 1}, None]:
        world.notified(json.dumps({"title": f"of {push}", "push": push}), f"of {push}")
    assert queued(world) == []
    at = "at: new Date()"
    page.run(f"""
      const bad = {{ type: "received", push: "9999999999999999999", {at} }};
      for (const push of [{pushes[0]!r}, null, {pushes[1]!r}]) await database((_, events) => {{ events.add(push ? {{ ...bad, push }} : bad); }});
      await postrider.start();
    """)
    wait(lambda: queued(world) == [], "the reports to leave")
    assert [world.funnel(push)["received"] for push in pushes] == [1, 1]


def test_reports_that_wait_go_out_for_the_subscription_of_now(page, world):  # noqa: F811
    page.run("await postrider.subscribe();")
    push, content = world.push({"contents": {"en": "Hello"}})
    world.tools.run(world.worker(), AWAY)
    world.deliver(json.dumps(content))
    wait(lambda: len(queued(world)) == 1, "the report to wait")
    world.tools.run(world.worker(), WATCHED)
    made = changed_subscription(world, world.done("GET", f"{APP}/web-push")["public_key"])
    page.run("await postrider.registration().then((one) => one.active.postMessage('postrider'));")
    wait(lambda: queued(world) == [], "the report to leave")
    sent = [one["body"] for one in world.tools.run(world.worker(), "return asked;") if one["url"].endswith("/events")]
    assert [[event["token"] for event in one["events"]] for one in sent] == [[made["endpoint"]]]
    assert world.funnel(push)["received"] == 1


@pytest.mark.parametrize("badge", [-1, "many", 1e300, None, 2.5])
def test_no_badge_loses_a_report(page, world, badge):  # noqa: F811
    page.run("await postrider.subscribe();")
    push, content = world.push({"contents": {"en": "Hello"}})
    world.deliver(json.dumps({**content, "app_badge": badge}))
    wait(lambda: world.funnel(push)["received"] == 1, "the report")


@pytest.mark.parametrize("body", ["throw new Error('x')", "return {}", "return 5", "return Promise.resolve('x')", "return ''"])
def test_a_text_of_the_site_that_is_none_leaves_the_plain_one(page, world, body):  # noqa: F811
    world.tools.run(world.worker(), f"self.postriderText = () => {{ {body}; }};")
    content = json.dumps({"title": "Shop", "body": "Plain", "title_loc": {"key": "A"}, "body_loc": {"key": "B"}})
    assert [(one["title"], one["body"]) for one in world.notified(content)] == [("Shop", "Plain")]


@pytest.mark.parametrize("data", [None, {"postrider": 1}, {"own": True}])
def test_the_sites_own_notifications_are_not_touched(page, world, data):  # noqa: F811
    world.tools.run(world.worker(), f"await registration.showNotification('Own', {{ data: {json.dumps(data)} }});")
    assert click(world) == {"opened": [], "left": 1}


def test_the_worker_is_active_before_it_is_used(page):
    """Also on a page outside its folder, and after a first try that failed."""
    told = page.run("""
      for (const one of await navigator.serviceWorker.getRegistrations()) if (one.scope.endsWith("/below/")) await one.unregister();
      const below = new Postrider({ ...options, worker: "/nowhere.js" });
      const first = await below.registration().then(() => "registered", (error) => error.name);
      below.worker = "/below/postrider-worker.js";
      const made = await below.registration();
      const named = await new Postrider({ ...options, worker: "/below/postrider-worker.js", scope: "/below/deep/" }).registration();
      const answer = [first, made, named].map((one) => one.scope ? [new URL(one.scope).pathname, Boolean(one.active)] : one);
      await made.unregister();
      await named.unregister();
      return answer;
    """)
    assert told == ["TypeError", ["/below/", True], ["/below/deep/", True]]


def test_a_sign_out_that_nobody_speaks_for_ends_the_subscription(page, world):  # noqa: F811
    """Where tokens are required, a sign-out without one is refused; the browser gets nothing of the one who has left all the same."""
    page.run("await postrider.subscribe({ user: 'ann' });")
    before = page.device()
    world.done("POST", f"{APP}/identity/keys", {"algorithm": "HS256"})
    world.done("PUT", f"{APP}/identity", {"mode": "required"})
    try:
        assert page.run("return away(() => postrider.signOut());") == "away"
        assert page.run("return postrider.start();") is True
        assert page.run("return postrider.start();") is True
    finally:
        world.done("PUT", f"{APP}/identity", {"mode": "off"})
    other, = [one for one in world.devices() if one["id"] != before["id"]]
    assert "user" not in other and other["token"].split()[0] == page.run("return (await postrider.subscription()).endpoint;")
    assert before["token"].split()[0] != other["token"].split()[0]


def test_a_preview_has_the_limit_of_its_push(page, world):  # noqa: F811
    """Of a message the server still adds the push's id; a content is as it is."""
    page.run("await postrider.subscribe();")
    empty = len(b'{"title":"T","body":""}')
    world.done("PATCH", APP, {"contract": "native"})
    for length, is_legal in [(3964, True), (3965, False), (3993, False)]:
        message = {"title": "T", "body": "x" * (length - empty)}
        said = world.server.ask("POST", "/v1/preview", {"contract": "native", "platform": "web", "message": message})
        assert (b"web-push-too-large" not in said.content) == is_legal, (length, said.content[-400:])
        pushed = world.server.ask("POST", f"{APP}/pushes", {"to": {"filter": {"field": "platform", "op": "eq", "value": "web"}}, "message": message})
        assert (pushed.status < 300) == is_legal, (length, pushed.content[-400:])
    for length, is_legal in [(3993, True), (3994, False)]:
        said = world.server.ask("POST", "/v1/preview", {"platform": "web", "payload": {"title": "T", "body": "x" * (length - empty)}})
        assert (b"web-push-too-large" not in said.content) == is_legal, (length, said.content[-400:])
