// Postrider's service worker for sites. postrider.js saves its settings.
(() => {
  const done = (asked) => new Promise((yes, no) => {
    asked.onsuccess = () => yes(asked.result);
    asked.onerror = () => no(asked.error);
  });
  const store = async (name, act) => {
    const asked = indexedDB.open("postrider", 1);
    asked.onupgradeneeded = () => ["settings", "events"].map((one) => asked.result.createObjectStore(one, { autoIncrement: true }));
    const base = await done(asked);
    try { return await act(base.transaction(name, "readwrite").objectStore(name)); } finally { base.close(); }
  };
  const settings = () => store("settings", (all) => done(all.get("settings")));
  const call = ({ api, key }, path, body) => fetch(api + path, {
    method: body && "POST", body: JSON.stringify(body), redirect: "error", credentials: "omit",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
  });

  const report = async (push, type, action) => {
    if (!push?.match?.(/^[1-9]\d{0,18}$/)) return;
    await store("events", async (all) => {
      await done(all.add({ type, action, push, at: new Date() }));
      for (const old of (await done(all.getAllKeys())).slice(0, -200)) all.delete(old);
    });
    await flush();
  };
  // What cannot be sent waits for a push, tap or visit.
  const flush = async (most = 100) => {
    const known = await settings();
    const [keys, events] = await store("events", (all) => Promise.all(["getAllKeys", "getAll"].map((get) => done(all[get](null, most)))));
    if (!known?.endpoint || !keys.length) return;
    const body = { events: events.map((one) => ({ ...one, token: known.endpoint })) };
    const { ok, status } = await call(known, "/events", body).catch(() => ({}));
    if (!ok && !/400|413|422/.test(status)) return;
    // A bad one takes no other with it.
    if (!ok && keys[1]) for (const _ of keys) { if (!await flush(1)) return; }
    else await store("events", (all) => keys.map((key) => all.delete(key)));
    return true;
  };

  const show = async (message) => {
    let content;
    try { content = message.json(); } catch { /* another sender's */ }
    if (content?.constructor !== Object) content = { body: message?.text() };
    const { title, title_loc, body_loc, app_badge, navigate, data, ...options } = content.notification ?? content;
    // A site's own text; only strings can be trimmed.
    const text = (source) => {
      try { return source.key && postriderText(source.key, source.args ?? []).trim(); } catch { /* the plain one */ }
    };
    const head = text(title_loc) || title || location.host;
    const links = Object.fromEntries([options.actions ?? []].flat().map((one) => [one?.action, one?.navigate]));
    const kept = { body: text(body_loc) || options.body, data: { ...data, postrider: { push: content.push, navigate, links } } };
    // A browser may refuse an option, and has to show something.
    await registration.showNotification(head, { ...options, ...kept }).catch(() => registration.showNotification(head, kept));
    if (app_badge != null) await navigator.setAppBadge?.(Math.max(0, app_badge)).catch(() => {});
    await report(content.push, "received");
  };

  const open = async (link) => {
    let url = registration.scope;
    try { url = new URL(link ?? "", url).href.match(/^https?:.*/)[0]; } catch {}
    for (const page of await clients.matchAll({ includeUncontrolled: true })) if (page.url === url) return page.focus();
    return clients.openWindow(url);
  };

  const renew = async (made) => {
    const known = await settings();
    if (!known?.endpoint || known.left) return;
    made ??= await registration.pushManager.subscribe({
      userVisibleOnly: true, applicationServerKey: (await (await call(known, "/web-push")).json()).public_key,
    });
    const { endpoint, keys } = made.toJSON();
    const key = btoa(String.fromCharCode(...new Uint8Array(made.options.applicationServerKey)));
    const application_server_key = key.replaceAll("+", "-").replaceAll("/", "_").replace("=", "");
    const { ok } = await call(known, "/devices", { ...known.device, type: "web", endpoint, ...keys, application_server_key });
    if (ok) await store("settings", async (all) => done(all.put({ ...await done(all.get("settings")), endpoint }, "settings")));
  };

  const on = (type, act) => addEventListener(type, (event) => event.waitUntil(act(event)));
  on("push", (event) => show(event.data));
  on("notificationclick", ({ action, notification }) => {
    const { push, navigate, links } = notification.data?.postrider ?? {};
    if (!links) return; // the site's own
    notification.close();
    const isButton = action && new Blob([action]).size <= 100;
    return Promise.allSettled([open(links[action] ?? navigate), report(push, ...isButton ? ["action", action] : ["opened"])]);
  });
  on("pushsubscriptionchange", (event) => renew(event.newSubscription));
  on("message", (event) => event.data === "postrider" && flush());
})();
