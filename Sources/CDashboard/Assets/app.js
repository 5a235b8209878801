// The shell: sign in, navigation, routing by the address's fragment (#/APP/PAGE/…), theme, keyboard.
import { ago, allows, api, at, append, button, dialog, empty, fail, field, h, has, icon, isDark, may, replace, said, select, session, toast } from "./core.js";
import { overview } from "./overview.js";
import { english, languageNames, listed, speak, t, tongue, word } from "./words.js";

// Pages are fetched when they are first opened; what is here is the first view.
const load = {
  composer: () => import("./composer.js"), pushes: () => import("./pushes.js"), plans: () => import("./plans.js"), people: () => import("./people.js"),
  segments: () => import("./segments.js"), lab: () => import("./lab.js"), setup: () => import("./setup.js"), access: () => import("./access.js"),
  accounts: () => import("./accounts.js"), finding: () => import("./finding.js"),
  signin: () => import("./signin.js"),
  live: () => import("./live.js"), shadow: () => import("./shadow.js"),
};
const page = (module, name) => ({ module, open: async (...all) => (await load[module]())[name](...all) });

// Name, title, key to press after g, what must be there, and what fills the page.
const table = [
  [t`Send`, [
    ["overview", t`Overview`, "o", () => has("/v1/apps/{app}/overview"), { open: overview }],
    ["compose", t`Composer`, "c", () => true, page("composer", "compose")],
    ["pushes", t`Pushes`, "p", () => true, page("pushes", "pushes")],
    ["calendar", t`Calendar`, "m", () => has("/v1/apps/{app}/calendar"), page("finding", "calendar")],
    ["schedules", t`Schedules`, "e", () => true, page("plans", "schedules")],
    ["activities", t`Activities`, "b", () => has("/v1/apps/{app}/activities"), page("live", "activities")],
    ["channels", t`Channels`, "h", () => has("/v1/apps/{app}/channels"), page("live", "channels")],
    ["templates", t`Templates`, "t", () => true, page("plans", "templates")],
    ["deliveries", t`Deliveries`, "d", () => true, page("pushes", "all")],
  ]],
  [t`Audience`, [
    ["devices", t`Devices`, "v", () => true, page("people", "devices")],
    ["users", t`Users`, "u", () => true, page("people", "users")],
    ["segments", t`Segments`, "s", () => has("/v1/apps/{app}/segments"), page("segments", "segments")],
    ["lab", t`Device lab`, "l", () => session.lab, page("lab", "lab")],
  ]],
  [t`Set up`, [
    ["apps", t`Apps`, "a", () => !session.app, page("setup", "apps")],
    ["credentials", t`Credentials`, "r", () => true, page("setup", "credentials")],
    ["rules", t`Rules`, "i", () => true, page("setup", "rules")],
    ["identity", t`Identity`, "n", () => has("/v1/apps/{app}/identity"), page("access", "identity")],
    ["shadow", t`Shadow`, "f", () => has("/v1/apps/{app}/shadow"), page("shadow", "shadow")],
    ["webhooks", t`Webhooks`, "w", () => may(), page("access", "webhooks")],
    ["keys", t`API keys`, "k", () => allows("createKey") && !session.app, page("access", "keys")],
    ["team", t`People`, "m", () => may() && !session.app, page("accounts", "team")],
    ["audit", t`Audit`, "y", () => may(), page("access", "audit")],
    ["account", t`My account`, "q", () => true, page("accounts", "account")],
  ]],
];
const entries = () => table.flatMap(([, rows]) => rows).filter((row) => row[3]());

const root = document.getElementById("root");
let apps = [];
let app = null;
let leaving = [];
// The page that follows a change of its own address itself.
let moving = null;

// What was a moment ago is a little longer ago.
setInterval(() => { for (const one of document.querySelectorAll("time[data-ago]")) { const text = ago(one.dateTime); if (one.textContent !== text) one.textContent = text; } }, 5000);

// MARK: Theme

function theme(next) {
  if (next) { try { localStorage.setItem("theme", next); } catch { /* private window */ } }
  if (kept("theme")) document.documentElement.dataset.theme = kept("theme");
  if (next) dispatchEvent(new Event("theme"));
}

// MARK: Sign in

function kept(name) { try { return localStorage.getItem(name); } catch { return null; /* private window */ } }

function signIn(reason, way = kept("sign-in") ?? "key") {
  leave();
  session.token = "";
  document.title = `${t`Sign in`} · Postrider`;
  const isKey = way === "key";
  const email = h("input", { type: "email", autocomplete: "username", required: true, spellcheck: "false" });
  const secret = h("input", { type: "password", autocomplete: "current-password", required: true, spellcheck: "false", placeholder: isKey ? "prk_…" : null });
  const problem = h("p", { class: "problem", role: "alert" }, reason ?? "");
  const form = h("form", { class: "sign-in card", onsubmit: async (event) => {
    event.preventDefault();
    replace(problem);
    try {
      const found = await api("POST", "/session", isKey ? { key: secret.value.trim() } : { email: email.value.trim(), password: secret.value });
      try { localStorage.setItem("sign-in", way); } catch { /* private window */ }
      await begin(found);
    } catch (error) { replace(problem, said(error)); secret.select(); }
  } },
    h("img", { src: "/dashboard/icon.svg", alt: "", width: 48, height: 48 }),
    h("h1", {}, "Postrider"), h("p", { class: "hint" }, t`Pushes that say what you mean, on every phone.`),
    isKey ? [h("input", { type: "text", autocomplete: "username", value: t`API key`, hidden: true }), field(t`API key`, secret, t`The first start of the server prints one.`)] : [field(t`Email`, email), field(t`Password`, secret)], problem,
    h("button", { type: "submit", class: "primary" }, t`Sign in`),
    button(isKey ? t`Use email and password` : t`Use an API key`, { class: "link", onclick: () => signIn("", isKey ? "email" : "key") }), tongues());
  replace(root, h("main", { class: "door" }, form));
  (isKey ? secret : email).focus();
  load.signin().then(({ offerPasskey, offerProvider }) => Promise.all([
    offerPasskey(form, email, problem, begin), offerProvider(form, problem, (name) => t`Sign in with ${name}`)])).catch(fail);
}

// Each by its own name, so that whoever cannot read the page finds theirs.
function tongues() {
  const choice = select(languageNames, tongue, { class: "tongue", "aria-label": t`Language`, onchange: () => speak(choice.value) });
  for (const one of choice.options) one.lang = one.value;
  return choice;
}

// The token of an invitation in the address, where it is in no log.
const invitation = () => location.hash.match(/^#\/join\/([\w-]+)$/)?.[1];
const join = async (token) => { leave(); (await load.accounts()).join(root, token, begin, tongues); };

async function begin(found) {
  const { roles = null } = found;
  // Without a role for the whole server, the session is one of the app that is shown.
  const own = roles && !roles.some((one) => !one.app) ? roles.map((one) => one.app) : null;
  Object.assign(session, { scopes: found.scopes, app: found.app ?? own?.[0] ?? null, apps: own, roles, person: found.person ?? null, email: found.email, name: found.name, token: found.write_token, rights: roles?.filter((one) => !one.app || own) ?? [{ scopes: found.scopes, also: [], never: [] }] });
  const [document, lab] = await Promise.all([api("GET", "/openapi.json"), api("GET", "/lab/devices/phones").then(() => true, () => false)]);
  session.paths = new Set(Object.keys(document.paths));
  session.acts = Object.values(document.paths).flatMap((path) => Object.values(path)).filter((one) => one["x-audited"]).map((one) => one.operationId);
  session.lab = lab;
  session.version = document.info.version;
  await readApps();
  shell();
  route();
}

export async function readApps() {
  if (session.apps) apps = await Promise.all(session.apps.map((name) => api("GET", at(name))));
  else apps = session.app ? [await api("GET", at(session.app))] : (await api("GET", "/v1/apps")).apps;
}

// MARK: Shell

const link = (rest) => `#/${encodeURIComponent(app ?? "-")}/${rest}`;
const go = (rest) => { location.hash = link(rest); };
let nav, main, heading, tools, menu;

function shell() {
  const chooser = h("select", { "aria-label": t`App`, onchange: (event) => { app = event.target.value; go(current().page); } });
  const side = h("aside", { class: "side" },
    h("a", { class: "brand", href: "#/" }, h("img", { src: "/dashboard/icon.svg", alt: "", width: 28, height: 28 }), h("span", {}, "Postrider")),
    chooser, button([t`Go to … `, h("kbd", {}, "Ctrl K")], { class: "find", onclick: finder }, "search"), nav = h("nav", { "aria-label": t`Pages` }),
    h("div", { class: "foot" },
      h("p", { class: "hint" }, h("strong", {}, session.name), h("br"), session.roles ? session.roles.map((one) => (one.app ? t`${word(one.role)} of ${one.app}` : word(one.role))).join(", ") : [h("span", english, session.scopes.join(", ")), session.app ? t` · ${session.app} only` : ""]),
      tongues(), h("div", { class: "row" },
        h("button", { type: "button", class: "round", "aria-label": t`Change between light and dark`, title: t`Light or dark`, onclick: () => theme(isDark() ? "light" : "dark") }, icon("sun")),
        h("button", { type: "button", class: "round", "aria-label": t`Keyboard shortcuts`, title: t`Keyboard shortcuts (?)`, onclick: help }, "?"),
        h("span", { class: "grow" }),
        h("button", { type: "button", class: "round", "aria-label": t`Sign out`, title: t`Sign out`, onclick: leaveWith }, icon("out")))));
  menu = h("button", { type: "button", class: "round menu", "aria-label": t`Menu`, "aria-expanded": "false", onclick: () => open(!side.classList.contains("open")) }, icon("menu"));
  const open = (on) => { side.classList.toggle("open", on); menu.setAttribute("aria-expanded", String(on)); };
  side.addEventListener("click", (event) => { if (event.target.closest("a")) open(false); });
  heading = h("h1", { tabindex: "-1" });
  tools = h("div", { class: "row" });
  main = h("div", { class: "stack" });
  replace(root, h("a", { class: "skip", href: "#main", onclick: (event) => { event.preventDefault(); heading.focus(); } }, t`Skip to the content`),
    h("div", { class: "shell" }, side, h("main", { id: "main" }, h("header", {}, menu, heading, h("span", { class: "grow" }), tools), main)));
  shell.chooser = chooser;
}

// Drafts stay in the browser for the next sign-in unless the person who leaves says otherwise.
async function leaveWith() {
  const out = async () => { try { await api("DELETE", "/session"); } catch (error) { fail(error); } signIn(); };
  dispatchEvent(new Event("keep-draft"));
  const { draftedApps, eraseDrafts } = await import("./drafts.js");
  const names = draftedApps();
  if (!names.length) return out();
  dialog(t`Keep your draft in this browser?`, (close) => [
    h("p", {}, t`You wrote something for ${listed(names)} and did not send it. If you keep it, it is here when you sign in again; on a shared device, erase it.`),
    h("div", { class: "row end" }, button(t`Back`, { class: "quiet", onclick: close }), button(t`Erase and sign out`, { class: "danger quiet", onclick: () => { close(); eraseDrafts(); out(); } }),
      button(t`Keep and sign out`, { class: "primary", onclick: () => { close(); out(); } }))]);
}

function current() {
  const [name, page = "", ...rest] = location.hash.replace(/^#\/?/, "").split("/").map((part) => { try { return decodeURIComponent(part); } catch { return ""; } });
  return { name, page, rest };
}

function leave() { moving = null; for (const done of leaving.splice(0)) done(); }

// The module of a page that is about to be opened; one that cannot be fetched says so when it is.
const prefetch = (id) => { load[entries().find(([name]) => name === id)?.[4].module]?.().catch(() => {}); };

// Never another app's page: what is done there would be done to that one.
function unknownApp(name) {
  leave();
  replace(shell.chooser, h("option", { value: "", selected: true }, t`choose an app`), apps.map((one) => h("option", { value: one.name }, one.title || one.name)));
  replace(nav);
  replace(tools);
  replace(heading, t`No such app`);
  document.title = `${t`No such app`} · Postrider`;
  if (route.moved) heading.focus({ preventScroll: true });
  route.moved = true;
  replace(main, h("div", { class: "stack page" }, empty(t`There is no app “${name}”`, apps.length ? t`It was renamed or removed, or the address is misspelled.` : t`There is no app yet.`,
    h("p", { class: "row" }, apps.slice(0, 20).map((one) => h("a", { class: "button quiet", href: `#/${encodeURIComponent(one.name)}/overview` }, one.title || one.name)), !session.app && h("a", { class: "button quiet", href: "#/-/apps" }, t`All apps`)))));
}

function unknownPage(container) {
  const [first] = entries();
  append(container, [empty(t`There is no page “${current().page}”`, t`Your role or key has no access to it, or the address is misspelled.`, app && h("a", { class: "button primary", href: link(first[0]) }, first[1]))]);
}

async function route() {
  if (invitation()) return join(invitation());
  // The address may change while the first view is still being built, which then opens it.
  if (!session.token || !main) return;
  const turn = ++route.turn;
  const { name, page, rest } = current();
  const exists = () => apps.some((one) => one.name === name);
  // It may have been created after the sign-in.
  if (name && name !== "-" && !exists() && !session.app) try { await readApps(); } catch (error) { fail(error); }
  if (turn !== route.turn) return;
  if (name && name !== "-" && !exists()) return unknownApp(name);
  app = exists() ? name : app ?? apps[0]?.name ?? null;
  // A person may have another role in each app.
  if (session.roles) session.rights = session.roles.filter((one) => !one.app || one.app === app);
  if (session.apps) session.app = app;
  const known = entries();
  const entry = known.find(([id]) => id === page) ?? (page ? ["", t`No such page`, "", null, { open: unknownPage }] : app ? known[0] : known.find(([id]) => id === "apps") ?? known[0]);
  leave();
  replace(shell.chooser, apps.length ? apps.map((one) => h("option", { value: one.name, selected: one.name === app }, one.title || one.name)) : h("option", {}, t`no app yet`));
  replace(nav, table.map(([group, rows]) => {
    const shown = rows.filter((row) => row[3]());
    return shown.length > 0 && h("div", { class: "group" }, h("p", {}, group), shown.map(([id, title]) =>
      h("a", { href: link(id), "aria-current": id === entry[0] ? "page" : null, onpointerenter: () => prefetch(id) }, icon(id), title)));
  }));
  const title = (text) => { replace(heading, text); document.title = `${text} · Postrider`; };
  title(entry[1]);
  replace(tools);
  const container = h("div", { class: "stack page" });
  replace(main, container);
  const context = { app, apps, rest, link, go, title, tools, session, id: rest[0], reload: route, refresh: async () => { await readApps(); route(); }, onleave: (done) => leaving.push(done), onmove: (take) => { moving = { page: entry[0], take }; } };
  try {
    if (!app && !["", "apps", "keys", "audit", "team", "account"].includes(entry[0])) throw new Error(t`there is no app yet; create one first`);
    container.classList.add("loading");
    await entry[4].open(container, context);
    container.classList.remove("loading");
  } catch (error) {
    container.classList.remove("loading");
    if (container.isConnected) replace(container, h("div", { class: "empty" }, h("p", { class: "empty-title" }, t`This page cannot be shown`), h("p", {}, said(error))));
  }
  if (route.moved) heading.focus({ preventScroll: true });
  route.moved = true;
}

// MARK: Keyboard

function help() {
  const keys = [["Ctrl K", t`go to anything by name`], [t`g then a letter`, entries().map(([, title, key]) => `${key} ${title}`).join(", ")], ["/", t`to the first filter`], ["Ctrl Enter", t`to the review, and from there send, in the composer`], ["?", t`this list`], ["Esc", t`close`]];
  dialog(t`Keyboard`, (close) => [h("dl", { class: "pairs" }, keys.map(([key, text]) => h("div", {}, h("dt", {}, h("kbd", {}, key)), h("dd", {}, text)))),
    h("div", { class: "row end" }, button(t`Close`, { class: "quiet", onclick: close }))]);
}

// Everything that can be gone to, by what is typed: pages, apps, a push, a user, a device.
function finder() {
  if (document.querySelector("dialog[open]")) return;
  let shown = [];
  let chosen = 0;
  let leave;
  const list = h("ul", { class: "finder", role: "listbox", id: "finder", "aria-label": t`Places` });
  const input = h("input", { type: "text", role: "combobox", "aria-expanded": "true", "aria-controls": "finder", "aria-label": t`Go to`, autocomplete: "off", placeholder: t`A page, an app, a push’s number, a user …`, oninput: () => { chosen = 0; draw(); },
    onkeydown: (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step) { event.preventDefault(); chosen = (chosen + step + shown.length) % Math.max(shown.length, 1); draw(); }
      else if (event.key === "Enter" && shown[chosen]) { event.preventDefault(); choose(shown[chosen]); }
    } });
  const choose = ([, , hash]) => { leave(); location.hash = hash; };
  function draw() {
    const text = input.value.trim();
    const places = [...entries().map(([id, title]) => [title, t`page`, link(id), id]), ...apps.map((one) => [one.title || one.name, t`app`, `#/${encodeURIComponent(one.name)}/overview`, "apps"])];
    shown = places.filter(([title]) => title.toLowerCase().includes(text.toLowerCase())).slice(0, 9);
    if (/^\d{1,19}$/.test(text)) shown.push([t`Push ${text}`, t`by its number`, link(`pushes/number/${text}`), "pushes"], [t`Push ${text}`, t`by its id`, link(`pushes/${text}`), "pushes"], [t`Device ${text}`, t`device`, link(`devices/${text}`), "devices"]);
    if (text) shown.push([t`User ${text}`, t`user`, link(`users/${encodeURIComponent(text)}`), "users"]);
    replace(list, shown.map((one, index) => h("li", { role: "option", id: `found-${index}`, "aria-selected": String(index === chosen), onclick: () => choose(one) }, icon(one[3]), h("span", {}, one[0]), h("span", { class: "hint" }, one[1]))));
    input.setAttribute("aria-activedescendant", shown.length ? `found-${chosen}` : "");
  }
  dialog(t`Go to`, (close) => { leave = close; return [input, list]; });
  draw();
  input.focus();
}

route.turn = 0;

let leader = 0;
document.addEventListener("keydown", (event) => {
  if (session.token && (event.ctrlKey || event.metaKey) && event.key === "k") { event.preventDefault(); finder(); return; }
  if (!session.token || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select, dialog")) return;
  if (event.key === "?") help();
  else if (event.key === "/") { const filter = main.querySelector("input[type=search]"); if (filter) { event.preventDefault(); filter.focus(); } }
  else if (event.key === "g") leader = Date.now();
  else if (Date.now() - leader < 1500) { const entry = entries().find(([, , key]) => key === event.key); leader = 0; if (entry) go(entry[0]); }
});

addEventListener("hashchange", () => {
  const { name, page, rest } = current();
  if (!(name === app && page === moving?.page && moving.take(rest))) route();
});
addEventListener("session-over", () => { if (session.token) signIn(t`The session has expired; sign in again.`); });

theme();
if (location.pathname === "/dashboard/oidc") load.signin().then(({ back }) => back()).then(begin).catch((error) => signIn(said(error)));
else if (invitation()) join(invitation()).catch((error) => { toast(said(error), "bad"); signIn(); });
else api("GET", "/session").then((found) => (found ? begin(found) : signIn()), () => signIn()).catch((error) => { toast(said(error), "bad"); signIn(); });
