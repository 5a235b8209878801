// Devices and users: who is registered, what is known of them, what they do not want.
import { allows, api, append, ask, at, badge, button, card, complain, dialog, empty, field, form, h, has, isLanguage, languageAdvice, may, number, pages, pairs, replace, select, spoken, table, time, toast, toCome, zoneOf } from "./core.js";
import { importFile, imports } from "./imports.js";
import { timeline } from "./finding.js";
import { inbox } from "./inbox.js";
import { kind, kindNames } from "./providers.js";
import { deliveries } from "./pushes.js";
import { english, t, word } from "./words.js";

const short = (token) => h("span", { class: "hint mono", title: token }, `${token.slice(0, 8)}…`);
const lines = (text) => text.split("\n").map((line) => line.trim()).filter(Boolean);
const shown = (value) => (typeof value === "string" ? value : JSON.stringify(value));
const props = (object) => pairs(Object.entries(object ?? {}).map(([name, value]) => [name, shown(value)]), "mono");

// MARK: Devices

export async function devices(container, context) {
  if (context.id) return device(container, context);
  const { app, reload, tools, link, onleave } = context;
  const type = select([["", t`all types`], ...kindNames], "", { "aria-label": t`Type`, onchange: () => load() });
  const state = select([["", t`all states`], ...["active", "quarantined", "retired"].map((name) => [name, word(name)])], "", { "aria-label": t`State`, onchange: () => load() });
  const user = h("input", { type: "search", placeholder: t`user`, "aria-label": t`User`, onchange: () => load() });
  const list = h("div", {});
  const load = () => {
    const filter = [["type", type.value], ["state", state.value], ["user", user.value]].filter(([, value]) => value).map(([name, value]) => `&${name}=${encodeURIComponent(value)}`).join("");
    replace(list, pages(async (cursor) => {
      const page = await api("GET", at(app, `/devices?limit=50${filter}${cursor ? `&cursor=${cursor}` : ""}`));
      return { items: page.devices, next: page.next };
    }, {
      label: t`Devices`, heads: [t`Device`, t`User`, t`Type`, t`State`, t`Language`, t`App version`, t`Registered`],
      row: (one) => [h("span", {}, h("a", { href: link(`devices/${one.id}`) }, one.name ?? t`Device ${one.id}`), " ", short(one.token)),
        one.user ? h("a", { href: link(`users/${encodeURIComponent(one.user)}`) }, one.user) : "–", kind(one.type),
        h("span", {}, badge(one.state), optedOut(one) && [" ", badge(t`opted out`, "warning")], one.state_reason && h("span", { class: "hint" }, " ", spoken(one.state_reason))), one.locale ?? "–", one.app_version ?? "–", time(one.registered_at)],
      none: empty(t`No devices`, t`An app registers its device with a key of the scope client: POST /v1/apps/{app}/devices.`),
    }));
  };
  if (has("/v1/apps/{app}/devices/export")) append(tools, [h("a", { class: "button quiet", href: at(app, "/devices/export?format=csv"), download: "" }, t`Export CSV`)]);
  if (may("send")) append(tools, [has("/v1/apps/{app}/devices/import") && button(t`Import`, { class: "quiet", onclick: () => importFile(app, reload) }), button(t`Add a device`, { class: "quiet", onclick: () => add(app, reload) }, "plus")]);
  append(container, [card(null, h("div", { class: "row filters" }, type, state, user), list), may("send", "read") && imports(app, onleave)]);
  load();
}

const optedOut = (one) => one.opt_out || one.opt_out_categories?.length > 0;

function add(app, reload) {
  const [token, owner, locale] = [h("textarea", { rows: 3, class: "mono", required: true }), h("input", { type: "text" }), h("input", { type: "text", placeholder: "de-AT" })];
  const what = select(kindNames.filter(([name]) => name !== "web"), "ios");
  form(t`Add a device`, t`Add`, [field(t`Type`, what), field(t`Token`, token), h("div", { class: "two" }, field(t`User`, owner), field(t`Language`, locale))], async (close) => {
    if (locale.value && !isLanguage(locale.value)) { complain(locale, languageAdvice); throw new Error(t`Language: ${languageAdvice}`); }
    await api("POST", at(app, "/devices"), { type: what.value, token: token.value.trim(), ...(owner.value && { user: owner.value }), ...(locale.value && { locale: locale.value }) });
    close();
    reload();
  });
}

async function device(container, { app, id, link, go, title, tools, reload }) {
  const path = at(app, `/devices/${encodeURIComponent(id)}`);
  const one = await api("GET", path);
  title(one.name ?? t`Device ${one.id}`);
  if (allows("deleteDevice", "send")) append(tools, [button(t`Forget`, { class: "danger quiet", onclick: () => ask(t`Forget this device?`, t`It gets no more pushes. Its deliveries stay in the ledger, without the device.`, t`Forget it`, async () => { await api("DELETE", path); go("devices"); }) })]);
  append(container, [h("div", { class: "two" },
    card(t`Device`, h("div", { class: "row" }, badge(one.state), h("strong", {}, kind(one.type)), one.state_reason && h("span", { class: "hint" }, spoken(one.state_reason))),
      pairs([[t`Id`, one.id], [t`Your name`, one.name], [t`User`, one.user && h("a", { href: link(`users/${encodeURIComponent(one.user)}`) }, one.user)], [t`Token`, h("span", { class: "mono" }, one.token)], [t`Environment`, one.environment && word(one.environment)],
        [t`Language`, one.locale], [t`Time zone`, one.timezone], [t`App version`, one.app_version], [t`Registered`, time(one.registered_at)], [t`First seen`, time(one.created_at)]]),
      one.earlier_tokens?.length > 0 && h("details", { class: "more" }, h("summary", {}, t`Earlier tokens (${one.earlier_tokens.length})`), pairs(one.earlier_tokens.map((old) => [time(old.replaced_at), h("span", { class: "mono" }, old.token)])))),
    h("div", { class: "stack" }, optOuts(path, one, t`This device`, reload), attributes(path, one, reload))),
  has("/v1/apps/{app}/devices/{device}/timeline") && card(t`Timeline`, await timeline(path, { app, link })),
  card(t`What was sent to it`, deliveries({ app, base: at(app, "/deliveries"), link, only: `device=${encodeURIComponent(one.id)}` }).node)]);
}

// What a device or user does not want; one that may change it can.
function optOuts(path, one, whom, reload) {
  const categories = one.opt_out_categories ?? [];
  return card(t`Opt-outs`,
    h("p", {}, one.opt_out ? badge(t`receives no pushes`, "error") : categories.length ? [t`Receives all except `, categories.map((name) => [badge(name, "warning"), " "])] : badge(t`receives all pushes`, "accepted")),
    h("p", { class: "hint" }, t`Pushes the user opted out of are not sent, and are recorded in the ledger with the reason.`),
    allows("updateUser", "send") && h("div", { class: "row" }, button(t`Change`, { class: "quiet", onclick: () => {
      const all = h("input", { type: "checkbox", checked: one.opt_out === true });
      const some = h("textarea", { rows: 3, value: categories.join("\n"), placeholder: "news\noffers" });
      form(t`Opt-outs`, t`Save`, [h("label", { class: "check" }, all, t`${whom} opts out of all pushes`), field(t`Opted-out categories`, some, t`One per line, as pushes name their category.`)], async (close) => {
        await api("PATCH", path, { opt_out: all.checked, opt_out_categories: lines(some.value) });
        close(); toast(t`Saved.`); reload();
      });
    } })));
}

function attributes(path, one, reload) {
  return card(t`Known properties`, one.tags?.length > 0 && h("p", { class: "row" }, one.tags.map((tag) => badge(tag, "waiting"))),
    Object.keys(one.properties ?? {}).length ? props(one.properties) : h("p", { class: "hint" }, t`No properties.`),
    Object.keys(one.entitlements ?? {}).length > 0 && [h("h3", {}, t`Entitlements`), props(one.entitlements)],
    allows("updateUser", "send") && h("div", { class: "row" }, button(t`Change`, { class: "quiet", onclick: () => {
      const tags = h("textarea", { rows: 2, value: (one.tags ?? []).join("\n") });
      const values = h("textarea", { rows: 6, class: "mono", spellcheck: "false", value: JSON.stringify(one.properties ?? {}, null, 1) });
      form(t`Known properties`, t`Save`, [field(t`Tags`, tags, t`One per line.`), field(t`Properties`, values, t`JSON: text, numbers, true and false; times as RFC 3339. Omitted names are removed.`)], async (close) => {
        let next;
        try { next = JSON.parse(values.value || "{}"); } catch (error) { throw new Error(t`the properties are not JSON: ${error.message}`); }
        for (const name of Object.keys(one.properties ?? {})) if (!(name in next)) next[name] = null;
        await api("PATCH", path, { tags: lines(tags.value), properties: next });
        close(); toast(t`Saved.`); reload();
      });
    } })));
}

// MARK: Users

export async function users(container, context) {
  if (context.id) return user(container, context);
  const { app, link, go } = context;
  const find = h("input", { type: "search", placeholder: t`user, exactly`, "aria-label": t`User`, onkeydown: (event) => { if (event.key === "Enter" && find.value.trim()) go(`users/${encodeURIComponent(find.value.trim())}`); } });
  append(container, [card(null, h("div", { class: "row filters" }, find, button(t`Open`, { class: "quiet", onclick: () => find.value.trim() && go(`users/${encodeURIComponent(find.value.trim())}`) })), pages(async (cursor) => {
    const page = await api("GET", at(app, `/users?limit=50${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`));
    return { items: page.users, next: page.next };
  }, {
    label: t`Users`, heads: [t`User`, t`Name`, t`Tags`, t`Properties`, t`Receives`, t`Last seen`],
    row: (one) => [h("a", { href: link(`users/${encodeURIComponent(one.user)}`) }, one.user), one.display_name ?? one.email ?? "–", (one.tags ?? []).map((tag) => [badge(tag, "waiting"), " "]),
      Object.keys(one.properties ?? {}).length ? h("code", { class: "clip", title: JSON.stringify(one.properties) }, JSON.stringify(one.properties)) : "–",
      one.opt_out ? badge(t`nothing`, "error") : one.opt_out_categories?.length ? badge(t`not ${one.opt_out_categories.join(", ")}`, "warning") : t`everything`, time(one.last_seen_at ?? one.updated_at)],
    none: empty(t`No users`, t`A user appears with the first device that names it.`),
  }))]);
}

async function user(container, { app, id, link, go, title, tools, reload }) {
  const path = at(app, `/users/${encodeURIComponent(id)}`);
  title(id);
  const one = await api("GET", path);
  const zone = await zoneOf(app);
  const waiting = has("/v1/apps/{app}/users/{user}/scheduled") ? (await api("GET", `${path}/scheduled`)).scheduled : [];
  if (allows("deleteUser", "send")) append(tools, [button(t`Forget`, { class: "danger quiet", onclick: () => ask(t`Forget ${id}?`, t`Everything about this user is erased: devices, properties, and who got what. Counts stay. This cannot be undone.`, t`Erase it all`, async () => {
    const proof = await api("DELETE", path);
    dialog(t`${id} is forgotten`, (close) => [table([t`What`, "", `#${t`Rows`}`], proof.counts.map((one) => [h("span", english, one.table.replaceAll("_", " ")), h("span", english, one.act), number(one.rows)]), { label: t`What was erased` }),
      h("p", { class: "hint" }, t`A second check found ${number(proof.left)} rows.`, " ", proof.log_emptied ? t`No byte is left in the store’s files.` : t`The store’s log is emptied when a running export has finished.`),
      h("div", { class: "row end" }, button(t`Done`, { class: "primary", onclick: close }))]);
    go("users");
  }) })]);
  append(container, [h("div", { class: "two" },
    card(t`User`, pairs([[t`User`, one.user], [t`Name`, one.display_name], [t`Email`, one.email], [t`Phone`, one.phone], [t`Anonymous id`, one.anonymous_id], ...Object.entries(one.aliases ?? {}).map(([label, alias]) => [t`Alias ${label}`, alias]), [t`First seen`, one.first_seen_at && time(one.first_seen_at)], [t`Last seen`, one.last_seen_at && time(one.last_seen_at)], [t`Known since`, time(one.created_at)]])),
    h("div", { class: "stack" }, optOuts(path, one, t`This user`, reload), attributes(path, one, reload))),
  card(t`Devices`, one.devices.length ? table([t`Device`, t`Type`, t`State`, t`Language`, t`Registered`], one.devices.map((row) => [h("a", { href: link(`devices/${row.id}`) }, row.name ?? t`Device ${row.id}`), kind(row.type), badge(row.state), row.locale ?? "–", time(row.registered_at)]), { label: t`Devices` }) : h("p", { class: "hint" }, t`None.`)),
  waiting.length > 0 && card(t`Scheduled for this user`, table([t`Push`, t`Key`, t`When`], waiting.map((push) => [h("a", { href: link(`pushes/${push.id}`) }, push.campaign ?? t`Push ${push.number}`), push.key ?? "–", toCome(push.start_at, zone)]), { label: t`Pushes that wait` })),
  has("/v1/apps/{app}/users/{user}/inbox") && inbox(path, one.user, link),
  has("/v1/apps/{app}/users/{user}/timeline") && card(t`Timeline`, await timeline(path, { app, link })),
  card(t`What was sent`, deliveries({ app, base: at(app, "/deliveries"), link, only: `user=${encodeURIComponent(one.user)}` }).node)]);
}
