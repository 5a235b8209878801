// Postrider's service worker shows pushes, reports what people do with them, and subscribes again. postrider.js saves its settings.
(() => {
  const done = (request) => new Promise((yes, no) => {
    request.onsuccess = () => yes(request.result);
    request.onerror = () => no(request.error);
  });
  const store = async (name, act) => {
    const opening = indexedDB.open("postrider", 1);
    opening.onupgradeneeded = () => {
      opening.result.createObjectStore("settings");
      opening.result.createObjectStore("events", { autoIncrement: true });
    };
    const base = await done(opening);
    try { return await act(base.transaction(name, "readwrite").objectStore(name)); } finally { base.close(); }
  };
  const settings = () => store("settings", (all) => done(all.get("settings")));
  const call = ({ server, app, key }, path, body) => fetch(`${server}/v1/apps/${app}${path}`, {
    method: body ? "POST" : "GET", body: body && JSON.stringify(body), redirect: "error", credentials: "omit",
    headers: { Authorization: `Bearer ${key}`, ...(body && { "Content-Type": "application/json" }) },
  });

  const report = async (push, type, action) => {
    const known = await settings();
    if (!known?.endpoint || !push) return;
    await store("events", async (all) => {
      await done(all.add({ type, ...(action && { action }), push, token: known.endpoint, at: new Date().toISOString() }));
      for (const old of (await done(all.getAllKeys())).slice(0, -200)) all.delete(old);
    });
    await flush(known);
  };
  // What cannot be sent waits for the next push, tap or visit.
  const flush = async (known) => {
    const [keys, events] = await store("events", (all) => Promise.all([done(all.getAllKeys(null, 100)), done(all.getAll(null, 100))]));
    if (!known || !events.length) return;
    try {
      const { ok, status } = await call(known, "/events", { events });
      if (!ok && ![400, 413, 422].includes(status)) return;
    } catch { return; }
    await store("events", (all) => keys.map((key) => all.delete(key)));
  };

  const show = async (message) => {
    let content;
    try { content = message.json(); } catch { /* another sender's */ }
    if (content?.constructor !== Object) content = { body: message?.text() };
    const { title, title_loc, body_loc, app_badge, navigate, data, ...options } = content.notification ?? content;
    // A site with texts of its own has self.postriderText = (key, args) => text.
    const text = (source) => source?.key && self.postriderText?.(source.key, source.args ?? []);
    const head = text(title_loc) || title || location.host;
    const links = Object.fromEntries([].concat(options.actions ?? []).map((one) => [one?.action, one?.navigate]));
    const kept = { body: text(body_loc) || options.body, data: { ...data, postrider: { push: content.push, navigate, links } } };
    // A browser may refuse an option, and has to show something.
    await registration.showNotification(head, { ...options, ...kept }).catch(() => registration.showNotification(head, kept));
    if (app_badge !== undefined) await (+app_badge ? navigator.setAppBadge?.(+app_badge) : navigator.clearAppBadge?.());
    await report(content.push, "received");
  };

  const open = async (link) => {
    let url = registration.scope;
    try { url = new URL(link ?? "", url).href; } catch { /* opens the site */ }
    if (!/^https?:/.test(url)) url = registration.scope;
    const page = (await clients.matchAll({ type: "window", includeUncontrolled: true })).find((one) => one.url === url);
    return page ? page.focus() : clients.openWindow(url);
  };

  const renew = async (given) => {
    const known = await settings();
    if (!known?.endpoint) return;
    const key = (await (await call(known, "/web-push")).json()).public_key;
    const made = given ?? await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
    const { endpoint, keys } = made.toJSON();
    const { ok } = await call(known, "/devices", { ...known.device, type: "web", endpoint, ...keys, ...(!given && { application_server_key: key }) });
    if (ok) await store("settings", (all) => done(all.put({ ...known, endpoint }, "settings")));
  };

  addEventListener("push", (event) => event.waitUntil(show(event.data)));
  addEventListener("notificationclick", (event) => {
    event.notification.close();
    const { push, navigate, links } = event.notification.data?.postrider ?? {};
    const { action } = event;
    const isButton = action && new Blob([action]).size <= 100;
    event.waitUntil(Promise.allSettled([open(links?.[action] ?? navigate), isButton ? report(push, "action", action) : report(push, "opened")]));
  });
  addEventListener("pushsubscriptionchange", (event) => event.waitUntil(renew(event.newSubscription)));
  addEventListener("message", (event) => { if (event.data === "postrider") event.waitUntil(settings().then(flush)); });
})();
