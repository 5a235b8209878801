// Subscribes a site's visitors to pushes from a Postrider server. A page needs this module and the service worker:
//
//   import { Postrider } from "https://push.example.com/web/postrider.js";
//   const postrider = new Postrider({ server: "https://push.example.com", app: "shop", key: "prk_…" });
//   await postrider.start();
//   button.onclick = () => postrider.subscribe();
//
// The key has the scope client. The site's own /postrider-worker.js is one line:
//
//   importScripts("https://push.example.com/web/worker.js");

const week = 7 * 24 * 3600 * 1000;

const done = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

// The settings that the worker reads, as it cannot be given any.
async function settings(change) {
  const opening = indexedDB.open("postrider", 1);
  opening.onupgradeneeded = () => {
    opening.result.createObjectStore("settings");
    opening.result.createObjectStore("events", { autoIncrement: true });
  };
  const database = await done(opening);
  try {
    const all = database.transaction("settings", "readwrite").objectStore("settings");
    const known = await done(all.get("settings"));
    if (!change) return known;
    const changed = change(known);
    await done(all.put(changed, "settings"));
    return changed;
  } finally { database.close(); }
}

/** What the server said to a request that it refused. */
export class PostriderError extends Error {
  /** @param {number} status the HTTP status @param {object} [problem] the problem document */
  constructor(status, problem) {
    super(problem?.report?.[0] ? `${problem.report[0].field}: ${problem.report[0].message}` : problem?.detail ?? `the server answered ${status}`);
    this.status = status;
    this.problem = problem;
  }
}

/** A site's connection to one app of a Postrider server. */
export class Postrider {
  /**
   * @param {object} options
   * @param {string} options.server the server's origin, such as https://push.example.com
   * @param {string} options.app the app's name
   * @param {string} options.key an API key of the scope client
   * @param {string} [options.worker] the address of the site's service worker; /postrider-worker.js by default
   * @param {string} [options.scope] the worker's scope; what the browser allows by default
   * @param {(refresh: boolean) => Promise<string>} [options.identity] gives the user's token, where the app requires signed identity
   */
  constructor({ server, app, key, worker = "/postrider-worker.js", scope, identity }) {
    const { protocol, hostname, origin } = new URL(server);
    if (protocol !== "https:" && !(protocol === "http:" && ["localhost", "127.0.0.1", "[::1]"].includes(hostname))) throw new TypeError("server: expected https");
    Object.assign(this, { server: origin, app: encodeURIComponent(app), key, worker, scope, identity });
  }

  /** Whether this browser can receive pushes; on an iPhone only a site that was added to the home screen can. */
  static get isSupported() {
    return "serviceWorker" in navigator && "PushManager" in globalThis && "Notification" in globalThis;
  }

  /** `default`, `granted` or `denied`: what the visitor allows. */
  get permission() { return globalThis.Notification?.permission ?? "denied"; }

  /** The browser's subscription; null when there is none. */
  async subscription() { return (await this.registration())?.pushManager.getSubscription() ?? null; }

  /**
   * Starts the worker, and registers a subscription again that is there: after a week, and when it has changed. Call it on
   * every page.
   *
   * @returns {Promise<boolean>} whether this browser is subscribed
   */
  async start() {
    if (!Postrider.isSupported) return false;
    const known = await settings((known) => ({ ...known, server: this.server, app: this.app, key: this.key, device: { name: crypto.randomUUID(), ...known?.device } }));
    const registration = await this.registration();
    const subscription = await registration.pushManager.getSubscription();
    // Reports that could not be sent before.
    registration.active?.postMessage("postrider");
    if (!subscription || known.left) return false;
    const isFresh = known.endpoint === subscription.endpoint && known.registered > Date.now() - week;
    if (!isFresh) await this.register(await this.current(registration, subscription));
    return true;
  }

  /**
   * Asks the visitor and subscribes. Browsers ask only where this is called from a click.
   *
   * @param {object} [device] `user`, `tags`, `locale`, `timezone`: what the device is registered with
   * @returns {Promise<boolean>} false when the visitor does not allow notifications
   */
  async subscribe(device = {}) {
    if (!Postrider.isSupported || await Notification.requestPermission() !== "granted") return false;
    await this.start();
    const registration = await this.registration();
    await settings((known) => ({ ...known, left: false, device: { ...known.device, ...device, opt_out: false } }));
    await this.register(await this.current(registration, await registration.pushManager.getSubscription()));
    return true;
  }

  /** Ends the subscription, and says so to the server. */
  async unsubscribe() {
    const subscription = await this.subscription();
    await settings((known) => ({ ...known, left: true, device: { ...known?.device, opt_out: true } }));
    if (!subscription) return;
    try { await this.register(subscription); } finally { await subscription.unsubscribe(); }
  }

  /** Registers the device as a user's, and with null as nobody's. */
  async signIn(user) {
    // The one who leaves says so with a token of theirs.
    const token = user === null && this.identity && (await settings())?.device?.user ? await this.identity(false) : null;
    await settings((known) => {
      const { user: _, ...device } = known?.device ?? {};
      return { ...known, device: user === null ? device : { ...device, user } };
    });
    const subscription = await this.subscription();
    if (subscription) await this.register(subscription, token);
  }

  /** The same as `signIn(null)`. */
  signOut() { return this.signIn(null); }

  // MARK: Steps

  async registration() {
    this.registering ??= (async () => {
      await navigator.serviceWorker.register(this.worker, { ...(this.scope && { scope: this.scope }), updateViaCache: "none" });
      return this.scope ? navigator.serviceWorker.getRegistration(this.scope) : navigator.serviceWorker.ready;
    })();
    return this.registering;
  }

  // The subscription, made anew where there is none or the server does not have its key any more.
  async current(registration, subscription) {
    const { public_key, earlier_keys } = await this.call("GET", "/web-push");
    if (subscription) {
      const key = subscription.options?.applicationServerKey;
      const text = key && btoa(String.fromCharCode(...new Uint8Array(key))).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
      if (!text || [public_key, ...earlier_keys].includes(text)) return Object.assign(subscription, { serverKey: text });
      await subscription.unsubscribe();
    }
    return Object.assign(await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: public_key }), { serverKey: public_key });
  }

  async register(subscription, leaving = null) {
    const { device } = await settings();
    const { endpoint, keys } = subscription.toJSON();
    const body = {
      locale: navigator.language, timezone: Intl.DateTimeFormat().resolvedOptions().timeZone, ...device, type: "web", endpoint, p256dh: keys.p256dh, auth: keys.auth,
      ...(subscription.serverKey && { application_server_key: subscription.serverKey }),
    };
    const send = async (refresh) => this.call("POST", "/devices", body, leaving ?? (this.identity && device.user ? await this.identity(refresh) : null));
    try {
      await send(false);
    } catch (error) {
      if (!this.identity || leaving || error.status !== 401 || !String(error.problem?.type).includes("identity-")) throw error;
      await send(true);
    }
    await settings((known) => ({ ...known, endpoint, registered: Date.now() }));
  }

  async call(method, path, body, token) {
    const answer = await fetch(`${this.server}/v1/apps/${this.app}${path}`, {
      method, redirect: "error", credentials: "omit", body: body && JSON.stringify(body),
      headers: { Authorization: `Bearer ${this.key}`, ...(body && { "Content-Type": "application/json" }), ...(token && { "Postrider-Identity": token }) },
    });
    const content = await answer.json().catch(() => undefined);
    if (!answer.ok) throw new PostriderError(answer.status, content);
    return content;
  }
}
