// Subscribes a site's visitors to pushes from a Postrider server, with the service worker worker.js.

const week = 7 * 24 * 3600 * 1000;

const done = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

// The settings that the worker reads.
async function settings(change) {
  const opening = indexedDB.open("postrider", 1);
  opening.onupgradeneeded = () => ["settings", "events"].map((one) => opening.result.createObjectStore(one, { autoIncrement: true }));
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

// What each registration says. The rest, as opt_out and tags, is said once: a backend may change it afterwards.
const lasting = ({ name, user, locale, timezone }) => ({ name, user, locale, timezone });

// The device as a user's. Nobody is told of as another was.
const owned = (device, user) => ({ ...(device.user && device.user !== user ? lasting(device) : device), user: user ?? undefined });

// The key that a subscription was made for, as the server writes it.
function serverKey({ options }) {
  const key = options?.applicationServerKey;
  return key && btoa(String.fromCharCode(...new Uint8Array(key))).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** A request that the server refused. */
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
   * @param {string} [options.scope] the worker's scope; its folder by default
   * @param {(refresh: boolean) => Promise<string>} [options.identity] gives the user's token, where the app requires signed identity
   */
  constructor({ server, app, key, worker = "/postrider-worker.js", scope, identity }) {
    const { protocol, hostname, origin } = new URL(server);
    if (protocol !== "https:" && !(protocol === "http:" && ["localhost", "127.0.0.1", "[::1]"].includes(hostname))) throw new TypeError("server: expected https");
    Object.assign(this, { api: `${origin}/v1/apps/${encodeURIComponent(app)}`, key, worker, scope, identity });
  }

  /** Whether this browser can receive pushes; on an iPhone only a site that was added to the home screen can. */
  static get isSupported() {
    return "serviceWorker" in navigator && "PushManager" in globalThis && "Notification" in globalThis;
  }

  /** `default`, `granted` or `denied`: what the visitor allows. */
  get permission() { return globalThis.Notification?.permission ?? "denied"; }

  /** The browser's subscription; null when there is none. */
  async subscription() { return Postrider.isSupported ? (await this.registration()).pushManager.getSubscription() : null; }

  /**
   * Starts the worker; registers again after a week, a failure, and a changed or lost subscription. Call it on every page.
   *
   * @returns {Promise<boolean>} whether this browser is subscribed
   */
  async start() {
    if (!Postrider.isSupported) return false;
    const known = await this.change((device) => device);
    const registration = await this.registration();
    // Reports that could not be sent before.
    registration.active.postMessage("postrider");
    if (known.left) return false;
    const subscription = await registration.pushManager.getSubscription();
    if (!subscription && !(known.endpoint && this.permission === "granted")) return false;
    if (subscription && known.endpoint === subscription.endpoint && known.registered > Date.now() - week) return true;
    const current = await this.current(registration, subscription, Boolean(known.endpoint));
    if (current) await this.register(current);
    return Boolean(current);
  }

  /**
   * Asks the visitor and subscribes. Browsers ask only where this is called from a click.
   *
   * @param {object} [device] `user`, `tags`, `locale`, `timezone`: what the device is registered with
   * @returns {Promise<boolean>} false when the visitor does not allow notifications
   */
  async subscribe(device = {}) {
    if (!Postrider.isSupported || await Notification.requestPermission() !== "granted") return false;
    const registration = await this.registration();
    await this.change((known) => {
      const { user = null, ...rest } = { user: known.user, ...device };
      return { ...owned(known, user), ...rest, opt_out: false };
    }, { left: false, registered: 0 });
    await this.register(await this.current(registration, await registration.pushManager.getSubscription()));
    return true;
  }

  /** Ends the subscription, and says so to the server. */
  async unsubscribe() {
    const subscription = await this.subscription();
    await this.change((device) => ({ ...device, opt_out: true }), { left: true });
    if (!subscription) return;
    try { await this.register(subscription); } finally { await subscription.unsubscribe(); }
  }

  /** Registers the device as a user's, and with null as nobody's. What fails is tried again by `start`. */
  async signIn(user) {
    let earlier;
    await this.change((device) => { earlier = device.user; return owned(device, user); }, { registered: 0 });
    // The one who leaves says so with a token of theirs.
    const token = earlier && user == null && this.identity ? await this.identity(false).catch(() => null) : null;
    const subscription = await this.subscription();
    if (subscription) await this.register(subscription, token);
  }

  /** The same as `signIn(null)`. */
  signOut() { return this.signIn(null); }

  // MARK: Steps

  // The settings with a changed device. Another app than before knows nothing of it yet.
  change(device, more) {
    return settings(({ registered, ...known } = {}) => ({
      ...known, api: this.api, key: this.key, registered: known.api === this.api ? registered : 0,
      device: device({ name: crypto.randomUUID(), ...known.device }), ...more,
    }));
  }

  registration() {
    this.registering ??= (async () => {
      const made = await navigator.serviceWorker.register(this.worker, { ...(this.scope && { scope: this.scope }), updateViaCache: "none" });
      while (!made.active) {
        const worker = made.installing ?? made.waiting;
        if (!worker) throw new Error("the service worker does not start");
        await new Promise((resolve) => worker.addEventListener("statechange", resolve, { once: true }));
      }
      return made;
    })().catch((error) => { this.registering = undefined; throw error; });
    return this.registering;
  }

  // The subscription, made anew where there is none or the server does not have its key; null for another sender's.
  async current(registration, subscription, isOurs = true) {
    const { public_key, earlier_keys } = await this.call("GET", "/web-push");
    if (subscription) {
      const key = serverKey(subscription);
      if (key ? [public_key, ...earlier_keys].includes(key) : isOurs) return subscription;
      if (!isOurs) return null;
      await subscription.unsubscribe();
    }
    return registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: public_key });
  }

  async register(subscription, leaving = null, isLast = false) {
    const { device } = await settings();
    const { endpoint, keys } = subscription.toJSON();
    const { locale = navigator.language, timezone = Intl.DateTimeFormat().resolvedOptions().timeZone } = device;
    const body = { ...device, locale, timezone, type: "web", endpoint, p256dh: keys.p256dh, auth: keys.auth, application_server_key: serverKey(subscription) };
    const send = async (refresh) => this.call("POST", "/devices", body, leaving ?? (this.identity && device.user ? await this.identity(refresh) : null));
    try {
      await send(false);
    } catch (error) {
      if (isLast || error.status !== 401 || !String(error.problem?.type).includes("identity-")) throw error;
      if (!device.user) {
        // Nobody speaks for the user who has left: their device ends with its endpoint.
        await subscription.unsubscribe();
        await this.change((known) => ({ ...known, name: crypto.randomUUID() }));
        return this.register(await this.current(await this.registration()), null, true);
      }
      if (!this.identity) throw error;
      await send(true);
    }
    // What changed meanwhile is still to be said.
    await settings((known) => JSON.stringify(known.device) === JSON.stringify(device)
      ? { ...known, endpoint, registered: Date.now(), device: lasting(device) } : { ...known, endpoint });
  }

  async call(method, path, body, token) {
    const answer = await fetch(this.api + path, {
      method, redirect: "error", credentials: "omit", body: JSON.stringify(body),
      headers: { Authorization: `Bearer ${this.key}`, ...(body && { "Content-Type": "application/json" }), ...(token && { "Postrider-Identity": token }) },
    });
    const content = await answer.json().catch(() => undefined);
    if (!answer.ok) throw new PostriderError(answer.status, content);
    return content;
  }
}
