// The device lab: virtual phones and browsers behind the built-in emulator, with their trays as they are.
import { api, apiText, append, at, badge, button, empty, every, fail, field, form, h, isDark, isLanguage, languageAdvice, may, number, picture, replace, select, time, toast } from "./core.js";
import { reported, virtual as kinds } from "./providers.js";
import { chooseTables, tablesOf } from "./tables.js";
import { t, word } from "./words.js";

const path = (one, rest = "") => `/lab/devices/${one.provider}/${encodeURIComponent(one.token)}/phone${rest}`;
const shownMax = 24;
const kindOf = (one) => kinds.find(([, , about]) => about.provider === one.provider && (about.platform ?? "android") === (one.platform ?? "android"));
const isBrowser = (one) => kindOf(one)[0].endsWith("web");

export async function lab(container, { app, tools, reload, onleave }) {
  const all = await api("GET", "/lab/devices/phones");
  if (may("send")) append(tools, [button(t`New phone`, { class: "primary", onclick: () => make(app, reload) }, "plus")]);
  const counts = {};
  const phones = all.slice(-shownMax).map((one) => {
    const name = kindOf(one)[1];
    const copy = (counts[name] = (counts[name] ?? 0) + 1);
    return view(one, app, `${name}${copy > 1 ? ` ${copy}` : ""}`);
  });
  append(container, [all.length > phones.length && h("p", { class: "hint" }, t`The latest ${phones.length} of ${number(all.length)} virtual phones.`),
    all.length ? h("div", { class: "lab" }, phones.map((phone) => phone.node)) : empty(t`No virtual phone`, t`Create one: it receives what is sent to its token, and shows a tray.`)]);
  const tick = () => Promise.all(phones.map((phone) => phone.read()));
  const repaint = () => { phones.forEach((phone) => phone.forget()); tick().catch(fail); };
  addEventListener("theme", repaint);
  await tick();
  every(1500, onleave, () => tick().catch(fail));
  onleave(() => removeEventListener("theme", repaint));
}

function view(one, app, title) {
  const name = t`Virtual ${title}`;
  const head = h("div", { class: "row" });
  const screen = h("div", {});
  const deeds = h("div", { class: "row" });
  const count = h("p", { class: "hint", role: "status" });
  const live = h("ul", { class: "plain", hidden: true, "aria-label": t`Live Activities of the ${name}` });
  const tray = windowed(name, (from, size) => api("GET", path(one, `/items/${from}/${size}`)), item);
  const node = h("section", { class: "card tray-phone", "aria-label": name }, h("div", { class: "row spread" }, h("h2", {}, title.replace(/^b/, "B")), head),
    h("p", { class: "hint mono clip", title: one.token }, one.token), screen, deeds, count, live, tray.node);
  let known = null;
  const tokens = new Set();

  const act = (verb, body) => async () => {
    try {
      const answer = await api("POST", path(one, verb), body);
      if (answer?.type && answer.push_id && !answer.reported) answer.reported = await report(one, answer, app);
      // What the app's handler sees.
      const data = Object.keys(answer?.data ?? {}).length ? JSON.stringify(answer.data).slice(0, 200) : null;
      if (answer?.type) toast([word(answer.type), answer.action, answer.link, answer.click_action, data, answer.reported?.error].filter(Boolean).join(" · "));
      await read();
    } catch (error) { fail(error); }
  };

  async function read() {
    let phone;
    try { phone = await api("GET", path(one, "/summary")); } catch (error) {
      if (error.status !== 404) throw error;
      if (known === "none") return;
      known = "none";
      return replace(screen, empty(t`No screen`, t`This device keeps what it receives, and shows nothing.`, may("send") && button(t`Give it a phone`, { onclick: async () => { await api("PUT", path(one), {}).catch(fail); known = null; read().catch(fail); } })));
    }
    if (phone.revision === known) return;
    known = phone.revision;
    const svg = await apiText("GET", path(one, `/picture/${isDark() ? "dark" : "light"}`));
    replace(head, badge(phone.online ? t`online` : t`offline`, phone.online ? "accepted" : "waiting"), phone.tray.badge > 0 && badge(t`badge ${phone.tray.badge}`, "error"),
      phone.held > 0 && badge(t`${phone.held} queued`, "warning"), phone.locales && h("span", { class: "hint" }, phone.locales.join(", ")));
    replace(deeds, may("send") && [button(phone.online ? t`Go offline` : t`Go online`, { class: "quiet", onclick: act(phone.online ? "/offline" : "/online") }),
      button(t`Clear`, { class: "quiet", onclick: act("/clear"), disabled: !phone.tray.count }), !isBrowser(one) && button(t`Restart`, { class: "quiet", onclick: act("/restart") })]);
    await lively(phone.live);
    replace(count, t`${number(phone.tray.count)} in the tray, ${number(phone.tray.silent)} silent`);
    const first = await tray.show(phone.tray.count);
    replace(screen, picture(svg, `${name}: ${first.length ? first.slice(0, 5).map((row) => parts(row).join(", ")).join("; ") : t`an empty tray`}`));
  }

  // The Live Activities of the phone; what its app would report of them this page does, as it reports taps.
  async function lively(some) {
    live.hidden = !some;
    if (!some) return replace(live);
    const phone = await api("GET", path(one));
    replace(live, phone.live_activities.map((found) => h("li", {}, h("p", {}, badge(word(found.state), found.state === "active" ? "accepted" : "waiting"), " ", h("strong", {}, found.type ?? t`Activity`), found.alert?.title ? ` · ${found.alert.title}` : ""),
      h("p", { class: "hint mono clip" }, JSON.stringify(found.content_state).slice(0, 300)), may("send") && button(t`Dismiss`, { class: "link", "aria-label": t`Dismiss activity ${found.activity}`, onclick: act(`/live/${found.activity}/dismiss`) }))));
    if (!may("send") || phone.reports) return;
    for (const { token, attributes, state } of phone.live_activities) {
      if (!token || state === "ended" || typeof attributes.id !== "string" || tokens.has(token)) continue;
      tokens.add(token);
      await api("POST", at(app, `/activities/${encodeURIComponent(attributes.id)}/tokens`), { token }).catch(fail);
    }
  }

  function item(row) {
    const [title, ...rest] = parts(row);
    return [h("p", { class: "line" }, h("strong", { dir: "auto" }, title), rest.map((text) => h("span", { dir: "auto" }, " ", text))),
      h("p", { class: "line hint" }, time(new Date(row.shown * 1000).toISOString()), row.replaced ? t` · replaced ${row.replaced}` : "", row.restored ? t` · restored` : ""),
      may("send") && h("div", { class: "row" }, button(t`Tap`, { class: "link", onclick: act(`/items/${row.item}/tap`) }), button(t`Dismiss`, { class: "link", onclick: act(`/items/${row.item}/dismiss`) }),
        (row.notification.buttons ?? []).slice(0, 3).map((one) => button(one.label ?? one.title ?? one.id, { class: "link", onclick: act(`/items/${row.item}/press`, { button: one.id }) })))];
  }

  return { node, read, forget: () => { known = null; } };
}

// A phone that knows no server has its taps reported by this page, as its app's library would.
async function report(one, tap, app) {
  const event = { type: tap.type, ...(tap.action && { action: tap.action }), ...reported[one.provider](tap) };
  try { await api("POST", at(app, "/events"), { events: [event] }); return {}; } catch (error) { return { error: error.message }; }
}

const parts = (row) => { const found = [row.notification.title, row.notification.body].map((part) => part?.text).filter(Boolean); return found.length ? found : [t`Notification`]; };

// A list as long as it is, of which only what is looked at stands in the document: rows of one height, read in pieces.
const rowHeight = 112;
const piece = 100;

function windowed(name, load, row) {
  // What is not drawn keeps its room; a height is set as a property, which the policy allows.
  const gap = () => h("li", { class: "gap", "aria-hidden": "true" });
  const [above, below] = [gap(), gap()];
  const list = h("ul", { class: "items", hidden: true, tabindex: "0", "aria-label": t`Tray of the ${name}` }, above, below);
  let total = 0;
  let pieces = new Map();
  let drawn = new Map();
  let frame = 0;
  let generation = 0;

  async function get(index) {
    if (pieces.has(index)) return pieces.get(index);
    const mine = generation;
    pieces.set(index, null);
    try {
      const { items } = await load(index * piece, piece);
      if (mine !== generation) return items;
      pieces.set(index, items);
      draw();
      return items;
    } catch (error) { pieces.delete(index); fail(error); return null; }
  }

  // Rows that come into view are put in, rows that left are taken out; those between are not touched.
  function draw() {
    frame = 0;
    const first = Math.max(0, Math.floor(list.scrollTop / rowHeight) - 6);
    const last = Math.min(total, Math.ceil((list.scrollTop + list.clientHeight) / rowHeight) + 6);
    for (const [index, node] of drawn) if (index < first || index >= last) { node.remove(); drawn.delete(index); }
    above.style.height = `${first * rowHeight}px`;
    below.style.height = `${Math.max(total - last, 0) * rowHeight}px`;
    let next = above.nextSibling;
    for (let index = first; index < last; index++) {
      const loaded = pieces.get(Math.floor(index / piece));
      if (loaded === undefined) get(Math.floor(index / piece));
      const found = loaded?.[index % piece];
      let node = drawn.get(index);
      if (!node || (found && !node.filled)) {
        const fresh = h("li", { "aria-setsize": total, "aria-posinset": index + 1 }, found ? row(found) : h("p", { class: "hint" }, "…"));
        fresh.filled = Boolean(found);
        if (node) { if (next === node) next = fresh; node.replaceWith(fresh); } else list.insertBefore(fresh, next);
        node = fresh;
        drawn.set(index, node);
      }
      next = node.nextSibling;
    }
  }
  list.addEventListener("scroll", () => { frame ||= requestAnimationFrame(draw); }, { passive: true });

  async function show(count) {
    total = count;
    generation++;
    pieces = new Map();
    list.hidden = count === 0;
    list.style.height = `${count * rowHeight + 2}px`;
    const at = Math.floor(list.scrollTop / rowHeight / piece);
    const top = count ? (await get(0)) ?? [] : [];
    if (at > 0) await get(at);
    for (const node of drawn.values()) node.remove();
    drawn = new Map();
    draw();
    return top;
  }
  return { node: list, show };
}

function make(app, reload) {
  const provider = select(kinds.map(([type, name]) => [type, name.replace(/^b/, "B")]), "ios");
  const locale = h("input", { type: "text", value: "en", placeholder: "de-AT" });
  const user = h("input", { type: "text", placeholder: "carol" });
  const known = h("span", {});
  const count = () => { const tables = Object.keys(tablesOf(app) ?? {}).length; replace(known, tables ? tables === 1 ? t`${number(tables)} table` : t`${number(tables)} tables` : t`none yet`); };
  count();
  form(t`New virtual device`, t`Create`, [field(t`Kind`, provider), h("div", { class: "two" }, field(t`Language`, locale), field(t`User`, user)),
    h("p", { class: "hint" }, t`It is registered as a device of ${app}, and has the app’s texts: `, known, ". ", button(t`Choose them`, { class: "link", onclick: () => chooseTables(app, count) }))], async (close) => {
    const language = locale.value.trim() || "en";
    if (!isLanguage(language)) throw new Error(t`Language: ${languageAdvice}`);
    const about = { locale: language, ...(user.value.trim() && { user: user.value.trim() }) };
    if (provider.value === "web") await subscribe(app, about);
    else {
      const [type, , described] = kinds.find(([type]) => type === provider.value);
      const phone = type === "fcm-web" ? { app_name: app } : { locales: [language], app_name: app, ...(tablesOf(app) && { strings: tablesOf(app) }) };
      const made = await api("POST", "/lab/devices", { ...described, phone });
      await api("POST", at(app, "/devices"), { type, token: made.token, ...about });
      if (type === "ios") await startable(app, made.token, about);
    }
    close();
    reload();
  });
}

// An iPhone has a token more, by which Live Activities are started.
async function startable(app, owner, about) {
  const { token } = await api("POST", "/lab/devices", { provider: "apns", phone_of: owner });
  await api("POST", at(app, "/devices"), { type: "ios-live-activity-start", token, ...about });
}

// As a site's page does, with the emulator's push service for the browser's.
async function subscribe(app, about) {
  const { public_key: key } = await api("GET", at(app, "/web-push"));
  const { subscription } = await api("POST", "/lab/devices", { provider: "web", application_server_key: key, phone: { app_name: app } });
  await api("POST", at(app, "/devices"), { type: "web", endpoint: subscription.endpoint, ...subscription.keys, application_server_key: key, ...about });
}
