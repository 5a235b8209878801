// What every page uses: elements, the API, the session, small pieces of the interface.
// Text from the server only ever becomes text nodes and attributes here, never markup.

import { english, ruleText, t, translated, tongue, word } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";

function fill(node, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value == null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "class") node.setAttribute("class", value);
    else if (name === "value" || name === "checked" || name === "disabled" || name === "selected") node[name] = value;
    else if (name === "data") Object.assign(node.dataset, value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  append(node, children);
  return node;
}

// Whatever somebody wrote stays where it is: no turning of what follows (bidi controls), no tower of combining marks.
const turning = /[\u202a-\u202e\u2066-\u2069]/g;
const inert = (text) => text.replace(turning, "").replace(/(?<=\p{M}{4})\p{M}+/gu, "");

export function append(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child == null || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(inert(String(child))));
  }
  return node;
}

export const h = (tag, props, ...children) => fill(document.createElement(tag), props, children);
export const s = (tag, props, ...children) => fill(document.createElementNS(SVG, tag), props, children);
export const replace = (node, ...children) => (node.replaceChildren(), append(node, children));

// Drawn anew only where what it shows has changed, so that the focus stays where it is and an alert is announced once.
export function redraw(node, state, build) {
  const text = JSON.stringify(state);
  if (node.state === text) return;
  node.state = text;
  replace(node, build());
}

const icons = {
  overview: "M3 12h4l3-8 4 16 3-8h4", compose: "M4 20h4L20 8l-4-4L4 16zM13 7l4 4", pushes: "M21 3 10 14M21 3l-7 18-4-7-7-4z",
  deliveries: "M4 6h16M4 12h16M4 18h10", devices: "M7 2h10v20H7zM11 18h2", users: "M16 20v-2a4 4 0 0 0-8 0v2M12 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8",
  team: "M9 11a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7M2.500 20a6.500 6.500 0 0 1 13 0M16 4.500a3.500 3.500 0 0 1 0 6.500M17.500 14a6.500 6.500 0 0 1 4 6", account: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8M4 21a8 8 0 0 1 16 0",
  segments: "M12 3v9h9A9 9 0 1 1 12 3zM16 3.500A9 9 0 0 1 20.500 8", lab: "M9 3h6M10 3v6L5 19a1.500 1.500 0 0 0 1.400 2h11.200a1.500 1.500 0 0 0 1.400-2L14 9V3",
  apps: "M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h6v6h-6z", credentials: "M12 3l8 3v6c0 5-3.500 8-8 9-4.500-1-8-4-8-9V6z",
  identity: "M3 5h18v14H3zM9 12a2 2 0 1 0 0-4 2 2 0 0 0 0 4M5.500 16a3.500 3.500 0 0 1 7 0M15 9h4M15 13h4",
  keys: "M14.500 9.500a5 5 0 1 0-4 4L13 16h2v2h2v2h4v-4z", webhooks: "M8 8a4 4 0 1 1 6 3l3 5M6 12a4 4 0 1 0 4 5h7a3 3 0 1 0-2-5",
  shadow: "M8 8h12v12H8zM4 16V4h12", audit: "M7 3h10v18H7zM10 8h4M10 12h4", calendar: "M4 5h16v16H4zM4 10h16M8 3v4M16 3v4", schedules: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18M12 7v5l3 2", activities: "M7 2h10v20H7zM9 6h6v4H9z", channels: "M12 13a1 1 0 1 0 0-2 1 1 0 0 0 0 2M8 8a6 6 0 0 0 0 8M16 8a6 6 0 0 1 0 8M5 5a10 10 0 0 0 0 14M19 5a10 10 0 0 1 0 14", templates: "M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6",
  rules: "M4 7h10M18 7h2M4 17h2M10 17h10M16 5v4M8 15v4", search: "M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14M16 16l5 5", close: "M6 6l12 12M18 6 6 18", sun: "M12 4V2M12 22v-2M4 12H2M22 12h-2M6 6 4.600 4.600M19.400 19.400 18 18M18 6l1.400-1.400M4.600 19.400 6 18M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8",
  out: "M9 4H5v16h4M15 8l4 4-4 4M19 12H9", menu: "M4 7h16M4 12h16M4 17h16", plus: "M12 5v14M5 12h14", check: "M5 13l4 4L19 7",
};
export const icon = (name) =>
  s("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" }, s("path", { d: icons[name] ?? icons.deliveries }));

// MARK: Session and API

export const session = { scopes: [], app: null, name: "", token: "", paths: new Set(), acts: [], rights: [] };
// Whether the key, or a role in the app that is shown, has one of the scopes.
export const may = (...scopes) => session.rights.some((one) => one.scopes.includes("admin") || scopes.some((scope) => one.scopes.includes(scope)));
// The same for one operation, which a role may include or leave out besides.
export const allows = (operation, ...scopes) => session.rights.some((one) => !one.never.includes(operation) && (one.scopes.includes("admin") || scopes.some((scope) => one.scopes.includes(scope)) || one.also.includes(operation)));
export const has = (path) => session.paths.has(path);

export class Problem extends Error {
  constructor(status, body) {
    super(body?.detail ?? t`the server answered ${status}`);
    this.status = status;
    this.title = body?.title;
    this.report = body?.report ?? [];
    this.id = body?.request_id;
  }
}

export async function apiText(method, path, body, signal) {
  const headers = {};
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (method !== "GET") headers["X-CSRF-Token"] = session.token;
  // What is no number would be sent as null, which removes a setting.
  const numbers = (name, value) => { if (typeof value === "number" && !Number.isFinite(value)) throw new Problem(0, { detail: t`${name}: expected a number` }); return value; };
  let answer;
  try {
    answer = await fetch(path, {
      method, headers, signal, credentials: "same-origin", body: body === undefined ? undefined : JSON.stringify(body, numbers),
    });
  } catch (error) {
    if (error.name === "AbortError" || error instanceof Problem) throw error;
    throw new Problem(0, { detail: t`the server cannot be reached; it may be stopped or restarting` });
  }
  const text = await answer.text();
  if (answer.ok) return text;
  let problem = null;
  try { problem = JSON.parse(text); } catch { /* a proxy's page */ }
  if (answer.status === 401 && session.token) dispatchEvent(new Event("session-over"));
  throw new Problem(answer.status, problem);
}

export async function api(method, path, body, signal) {
  const text = await apiText(method, path, body, signal);
  return text ? JSON.parse(text) : null;
}

export const at = (app, rest = "") => `/v1/apps/${encodeURIComponent(app)}${rest}`;

// MARK: Words and numbers

export const number = (value) => (value ?? 0).toLocaleString(tongue);
export const percent = (part, whole) => {
  if (!whole) return "–";
  const share = (100 * part) / whole;
  // Only the whole is 100 %: of millions a few thousand failures are less than a tenth of a percent.
  const tenth = (value) => value.toLocaleString(tongue, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
  const near = share > 99 && share < 100 ? tenth(Math.floor(share * 10) / 10) : null;
  return `${share > 0 && share < 0.1 ? `<${tenth(0.1)}` : near ?? (share < 10 && share % 1 ? tenth(share) : Math.round(share))} %`;
};
// A BCP 47 tag with a language of two or three letters; no longer one is registered.
export const isLanguage = (tag) => { try { return new Intl.Locale(tag.replaceAll("_", "-")).language.length <= 3; } catch { return false; } };
export const languageAdvice = t`expected a language tag such as de, pt-BR or zh-Hant`;
export const bytes = (text) => new TextEncoder().encode(text).length;

export function time(text) {
  if (!text) return "–";
  return h("time", { datetime: text, title: new Date(text).toLocaleString(tongue), "data-ago": true }, ago(text));
}

// Who made it: by name, or what there is instead.
export const by = (author) => (author ? author.name ?? `${word(author.kind)} ${author.id}` : "–");

// How long ago, or in how long, in one word; the day when it is far away.
export function ago(text) {
  const instant = new Date(text);
  const seconds = Math.round((Date.now() - instant) / 1000);
  const near = [[60, 1, "s"], [3600, 60, "min"], [86400, 3600, "h"]].find(([limit]) => Math.abs(seconds) < limit);
  const span = near && `${Math.max(0, Math.floor(Math.abs(seconds) / near[1]))} ${near[2]}`;
  return near
    ? seconds < 0 ? t`in ${span}` : t`${span} ago`
    : instant.toLocaleDateString(tongue, { day: "numeric", month: "short", year: "numeric" });
}

// A time in full, by the reader's own clock.
export const zoned = (text) => h("time", { datetime: text }, new Date(text).toLocaleString(tongue, { weekday: "short", day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" }));

// The same by the clock of a zone.
export const byZone = (instant, zone) => t`${new Date(instant).toLocaleString(tongue, { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: zone })} in ${zone}`;
// The app's zone is that of its quiet hours.
export const zoneOf = async (app) => (has("/v1/apps/{app}/suppression") && (await api("GET", at(app, "/suppression"))).quiet_hours?.timezone) || "UTC";
// A time to come: by the reader's clock, and by the app's where it shows another time.
export function toCome(text, zone) {
  const [here, there] = [undefined, zone].map((timeZone) => new Date(text).toLocaleString("en", { timeZone }));
  return here === there ? zoned(text) : [zoned(text), " ", h("span", { class: "hint" }, byZone(text, zone))];
}

// The time of day by the reader's clock, and by the app's where that shows another: 09:00 (18:00), with the day where that differs, too.
export function clockOf(text, zone) {
  const read = (timeZone, weekday) => new Date(text).toLocaleString(tongue, { weekday, hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone });
  const [here, there] = [undefined, zone].map((timeZone) => read(timeZone, "short"));
  if (here === there) return read();
  const isSameDay = here.split(/[\s,.]/)[0] === there.split(/[\s,.]/)[0];
  return [read(), " ", h("span", { class: "hint" }, `(${isSameDay ? read(zone) : there})`)];
}

// What an app's credentials are called: the first view names them, and needs nothing else of the providers.
const slotNames = { apns: "APNs", apns_sandbox: t`APNs sandbox`, fcm: "FCM", web: t`Web push`, hms: "Huawei" };
export const slotName = (slot) => slotNames[slot] ?? slot;
// Those of every app have titles of the server; others a person gave.
export const segmentTitle = (one) => (one.system ? word(one.title) : one.title || one.name);

// MARK: Pieces

export const badge = (text, tone) => h("span", { class: `badge ${tone ?? text}` }, tone === undefined ? word(text) : text);
export const card = (title, ...content) =>
  h("section", { class: "card" }, title && h("h2", {}, title), ...content);
export const empty = (title, text, action) =>
  h("div", { class: "empty" }, h("p", { class: "empty-title" }, title), h("p", {}, text), action);
export const button = (text, props = {}, glyph) =>
  h("button", { type: "button", ...props }, glyph && icon(glyph), text);

let ids = 0;
export function field(label, control, hint) {
  const id = control.id || `f${++ids}`;
  control.id = id;
  if (hint) control.setAttribute("aria-describedby", `${id}-hint`);
  return h("div", { class: "field" }, h("label", { for: id }, label), control,
    hint && h("p", { class: "hint", id: `${id}-hint` }, hint));
}

// Says beside a control what is wrong with it, or doubtful, or nothing.
export function complain(control, text, isDoubt = false) {
  const container = control.closest(".field");
  let note = container?.querySelector(":scope > .problem");
  if (!text) {
    note?.remove();
    for (const name of ["aria-invalid", "aria-errormessage"]) control.removeAttribute(name);
    return;
  }
  if (!container) return;
  if (!note) container.append(note = h("p", { class: "problem", role: "alert", id: `f${++ids}` }));
  if (note.textContent !== text) replace(note, text);
  note.classList.toggle("doubt", isDoubt);
  if (isDoubt || !control.matches("input, select, textarea")) return;
  control.setAttribute("aria-invalid", "true");
  control.setAttribute("aria-errormessage", note.id);
}

export const select = (options, value, props = {}) =>
  h("select", props, options.map(([name, text]) => h("option", { value: name, selected: name === value }, text)));

export function toast(text, tone = "good") {
  const note = h("div", { class: `toast ${tone}` }, text);
  document.getElementById("toasts").append(note);
  setTimeout(() => note.remove(), tone === "bad" ? 9000 : 4500);
}

export const fail = (error) => {
  if (error.name !== "AbortError" && error.status !== 401) toast(said(error), "bad");
};
// A sentence of the server: in the language where the catalog has it, else marked as English.
export const spoken = (text) => translated(text) ?? h("span", english, text);
// The same of a finding; where only its rule is known in the language, that is said, and the sentence follows.
export function judged(row) {
  const own = row.isLocal ? row.message : translated(row.message);
  return own ?? (ruleText(row.rule) ? [ruleText(row.rule), " ", h("span", { class: "hint", ...english }, row.message)] : h("span", english, row.message));
}
// What went wrong: the server's sentence, or one of this page. Of a report it is the first finding.
export function said(error) {
  if (!error.id) return error.message;
  const [first, ...others] = error.report.filter((row) => row.severity === "error");
  if (tongue !== "en" && first && error.message.includes(first.message)) {
    return [first.field && [h("code", {}, first.field), ": "], judged(first), others.length > 0 && t` (and ${others.length} more, see the report)`];
  }
  const title = translated(error.message) ? null : translated(error.title);
  return [title && `${title}: `, spoken(error.message)];
}
// A push by its short number, where a record names its id; the id is that of its page.
export const pushName = ({ push_number: short }) => (short ? t`Push ${short}` : t`a deleted push`);
// How many devices, and how often something recurs.
export const devicesOf = (count) => (count === 1 ? t`${number(count)} device` : t`${number(count)} devices`);
export const daysOf = (count) => (count === 1 ? t`${count} day` : t`${count} days`);
export const cadence = (every, count) => (count > 1 ? { day: t`every ${number(count)} days`, week: t`every ${number(count)} weeks`, month: t`every ${number(count)} months` }
  : { day: t`every day`, week: t`every week`, month: t`every month` })[every];
// A day of the week by its English name, which is the API's.
const week = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
export const weekday = (name, form = "short") => new Intl.DateTimeFormat(tongue, { weekday: form, timeZone: "UTC" }).format(Date.UTC(2023, 0, 1 + week.indexOf(name)));

export function findings(report) {
  const order = { error: 0, warning: 1, note: 2 };
  const rows = [...(report ?? [])].sort((a, b) => order[a.severity] - order[b.severity]);
  return h("ul", { class: "findings" }, rows.map((row) =>
    h("li", { class: row.severity },
      h("p", {}, badge(row.severity), " ", h("code", {}, row.field || "message"), h("span", { class: "rule" }, row.rule)),
      h("p", {}, judged(row)))));
}

export function table(heads, rows, props = {}) {
  // On a phone each row is a card, and each cell says its column: the roles stay what they are whatever it is displayed as.
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": props.label ?? t`Table` },
    h("table", { role: "table" }, props.label && h("caption", { class: "unseen" }, props.label),
      h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, heads.map((head) =>
        h("th", { scope: "col", role: "columnheader", class: head.startsWith("#") ? "num" : null }, head.replace("#", ""))))),
      h("tbody", { role: "rowgroup" }, rows.map((cells) =>
        h("tr", { role: "row" }, cells.map((cell, index) =>
          h("td", { role: "cell", data: { head: heads[index].replace("#", "") }, class: heads[index].startsWith("#") ? "num" : null }, cell)))))));
}

// Names and values, one pair a line; nothing for a value that is not there.
export const pairs = (rows, tone = "") => h("dl", { class: `pairs ${tone}` }, rows.filter(([, value]) => value != null && value !== false && value !== "")
  .map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));

// A secret that is shown this once, to be copied.
export function shownOnce(label, text, note, done) {
  const box = h("input", { class: "mono", type: "text", readonly: true, value: text, "aria-label": label, onfocus: (event) => event.target.select() });
  setTimeout(() => box.focus());
  return [h("p", {}, note), box, h("div", { class: "row end" },
    button(t`Copy`, { class: "quiet", onclick: () => (navigator.clipboard ? navigator.clipboard.writeText(text).then(() => toast(t`Copied.`), () => box.select()) : box.select()) }),
    button(t`Done`, { class: "primary", onclick: done }))];
}

// A dialog with fields: `act` does the work; what it throws is shown above the buttons, and the dialog stays.
export function form(title, verb, rows, act) {
  const problem = h("div", { class: "problem", role: "alert" });
  const go = h("button", { type: "submit", class: "primary" }, verb);
  const container = h("div", { class: "stack" });
  let shut;
  dialog(title, (close) => {
    shut = close;
    return append(container, [rows, problem, h("div", { class: "row end" }, button(t`Back`, { class: "quiet", onclick: close }), go)]);
  }, async () => {
    if (go.disabled || !go.isConnected) return;
    replace(problem);
    go.disabled = true;
    try { await act(shut, (...content) => replace(container, ...content)); } catch (error) { replace(problem, error.report?.length ? findings(error.report) : said(error)); }
    go.disabled = false;
  });
}

// Answers at once, and again when more was typed meanwhile: one request of a kind at a time, the last state wins.
export function latest(work) {
  let [running, again] = [false, false];
  return async function run() {
    if (running) { again = true; return; }
    running = true;
    do { again = false; try { await work(); } catch (error) { fail(error); } } while (again);
    running = false;
  };
}

// A list that is read page by page.
export function pages(load, { heads, row, label, none }) {
  const container = h("div", { class: "stack" });
  const rows = [];
  async function more(cursor) {
    let { items, next } = await load(cursor);
    // A page may be empty while more was not looked at yet.
    for (let looks = 0; !items.length && next && looks < 30; looks++) ({ items, next } = await load(next));
    rows.push(...items.map(row));
    replace(container, rows.length ? table(heads, rows, { label }) : none,
      next && h("p", {}, button(t`Show more`, { class: "quiet", onclick: () => more(next).catch(fail) })));
  }
  const ready = more(null);
  ready.catch((error) => replace(container, empty(t`This could not be read`, said(error))));
  return container;
}

export function dialog(title, build, submit) {
  const box = h("dialog", { "aria-labelledby": "dialog-title" });
  const close = () => { box.close(); box.remove(); };
  append(box, [h("form", { method: "dialog", onsubmit: (event) => { event.preventDefault(); submit?.(); } },
    h("h2", { id: "dialog-title" }, title), build(close))]);
  box.addEventListener("close", () => box.remove());
  document.body.append(box);
  box.showModal();
  return box;
}

export function ask(title, text, verb, act) {
  dialog(title, (close) => [
    [text].flat(Infinity).filter(Boolean).map((part) => (part instanceof Node ? part : h("p", {}, part))),
    h("div", { class: "row end" }, button(t`Back`, { class: "quiet", onclick: close }),
      button(verb, { class: "danger", onclick: () => { close(); Promise.resolve(act()).catch(fail); } })),
  ]);
}

// Looks repeatedly while somebody sees the page, until it is left.
export function every(ms, onleave, look) {
  const timer = setInterval(() => document.hidden || look(), ms);
  onleave(() => clearInterval(timer));
}

export const isDark = () =>
  (document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";

export const picture = (svg, label) =>
  h("img", { class: "picture", alt: label, src: `data:image/svg+xml,${encodeURIComponent(svg)}` });

// Colored JSON: each token its own text node; what would turn the direction is shown as JSON's escape of it.
export function code(json) {
  const text = json.replace(turning, (sign) => `\\u${sign.charCodeAt(0).toString(16)}`);
  const container = h("pre", { class: "code", tabindex: "0" });
  const token = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*)|\b(true|false|null)\b/g;
  let from = 0;
  for (const found of text.matchAll(token)) {
    container.append(text.slice(from, found.index));
    const tone = found[2] ? "key" : found[1] ? "text" : "value";
    container.append(h("span", { class: tone }, found[1] ?? found[0]), found[2] ?? "");
    from = found.index + found[0].length;
  }
  container.append(text.slice(from));
  return container;
}
