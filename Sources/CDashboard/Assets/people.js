// Devices and users: who is registered, what is known of them, what they do not want.
import { allows, api, ask, at, append, badge, button, card, complain, dialog, empty, field, form, h, has, isLanguage, kind, kindNames, languageAdvice, may, number, pages, pairs, replace, select, session, table, time, toast } from "./core.js";
import { importFile, imports } from "./imports.js";
import { timeline } from "./finding.js";
import { inbox } from "./inbox.js";
import { deliveries } from "./pushes.js";

const short = (token) => h("span", { class: "hint mono", title: token }, `${token.slice(0, 8)}…`);
const lines = (text) => text.split("\n").map((line) => line.trim()).filter(Boolean);
const shown = (value) => (typeof value === "string" ? value : JSON.stringify(value));
const props = (object) => pairs(Object.entries(object ?? {}).map(([name, value]) => [name, shown(value)]), "mono");

// MARK: Devices

export async function devices(place, context) {
  if (context.id) return device(place, context);
  const { app, reload, tools, link, onleave } = context;
  const type = select([["", "all types"], ...kindNames], "", { "aria-label": "Type", onchange: () => load() });
  const state = select([["", "all states"], ["active", "active"], ["quarantined", "quarantined"], ["retired", "retired"]], "", { "aria-label": "State", onchange: () => load() });
  const user = h("input", { type: "search", placeholder: "user", "aria-label": "User", onchange: () => load() });
  const list = h("div", {});
  const load = () => {
    const filter = [["type", type.value], ["state", state.value], ["user", user.value]].filter(([, value]) => value).map(([name, value]) => `&${name}=${encodeURIComponent(value)}`).join("");
    replace(list, pages(async (cursor) => {
      const page = await api("GET", at(app, `/devices?limit=50${filter}${cursor ? `&cursor=${cursor}` : ""}`));
      return { items: page.devices, next: page.next };
    }, {
      label: "Devices", heads: ["Device", "User", "Type", "State", "Language", "App version", "Registered"],
      row: (one) => [h("span", {}, h("a", { href: link(`devices/${one.id}`) }, one.name ?? `Device ${one.id}`), " ", short(one.token)),
        one.user ? h("a", { href: link(`users/${encodeURIComponent(one.user)}`) }, one.user) : "–", kind(one.type),
        h("span", {}, badge(one.state), optedOut(one) && [" ", badge("opted out", "warning")], one.state_reason && h("span", { class: "hint" }, ` ${one.state_reason}`)), one.locale ?? "–", one.app_version ?? "–", time(one.registered_at)],
      none: empty("No devices", "An app registers its device with a key of the scope client: POST /v1/apps/{app}/devices."),
    }));
  };
  if (has("/v1/apps/{app}/devices/export")) append(tools, [h("a", { class: "button quiet", href: at(app, "/devices/export?format=csv"), download: "" }, "Export CSV")]);
  if (may("send")) append(tools, [has("/v1/apps/{app}/devices/import") && button("Import", { class: "quiet", onclick: () => importFile(app, reload) }), button("Add a device", { class: "quiet", onclick: () => add(app, reload) }, "plus")]);
  append(place, [card(null, h("div", { class: "row filters" }, type, state, user), list), may("send", "read") && imports(app, onleave)]);
  load();
}

const optedOut = (one) => one.opt_out || one.opt_out_categories?.length > 0;

function add(app, reload) {
  const [token, owner, locale] = [h("textarea", { rows: 3, class: "mono", required: true }), h("input", { type: "text" }), h("input", { type: "text", placeholder: "de-AT" })];
  const what = select(kindNames.filter(([name]) => name !== "web"), "ios");
  form("Add a device", "Add", [field("Type", what), field("Token", token), h("div", { class: "two" }, field("User", owner), field("Language", locale))], async (close) => {
    if (locale.value && !isLanguage(locale.value)) { complain(locale, languageAdvice); throw new Error(`Language: ${languageAdvice}`); }
    await api("POST", at(app, "/devices"), { type: what.value, token: token.value.trim(), ...(owner.value && { user: owner.value }), ...(locale.value && { locale: locale.value }) });
    close();
    reload();
  });
}

async function device(place, { app, id, link, go, title, tools, reload }) {
  const path = at(app, `/devices/${encodeURIComponent(id)}`);
  const one = await api("GET", path);
  title(one.name ?? `Device ${one.id}`);
  if (allows("deleteDevice", "send")) append(tools, [button("Forget", { class: "danger quiet", onclick: () => ask("Forget this device?", "It gets no more pushes. Its deliveries stay in the ledger, without it.", "Forget it", async () => { await api("DELETE", path); go("devices"); }) })]);
  append(place, [h("div", { class: "two" },
    card("Device", h("div", { class: "row" }, badge(one.state), h("strong", {}, kind(one.type)), one.state_reason && h("span", { class: "hint" }, one.state_reason)),
      pairs([["Id", one.id], ["Your name", one.name], ["User", one.user && h("a", { href: link(`users/${encodeURIComponent(one.user)}`) }, one.user)], ["Token", h("span", { class: "mono" }, one.token)], ["Environment", one.environment],
        ["Language", one.locale], ["Time zone", one.timezone], ["App version", one.app_version], ["Registered", time(one.registered_at)], ["First seen", time(one.created_at)]]),
      one.earlier_tokens?.length > 0 && h("details", { class: "more" }, h("summary", {}, `Earlier tokens (${one.earlier_tokens.length})`), pairs(one.earlier_tokens.map((old) => [time(old.replaced_at), h("span", { class: "mono" }, old.token)])))),
    h("div", { class: "stack" }, optOuts(path, one, "This device", reload), attributes(path, one, reload))),
  has("/v1/apps/{app}/devices/{device}/timeline") && card("Timeline", timeline(path, link)),
  card("What was sent to it", deliveries({ app, base: at(app, "/deliveries"), link, only: `device=${encodeURIComponent(one.id)}` }).node)]);
}

// What a device or user does not want; one that may change it can.
function optOuts(path, one, whom, reload) {
  const categories = one.opt_out_categories ?? [];
  return card("Opt-outs",
    h("p", {}, one.opt_out ? badge("nothing at all", "error") : categories.length ? ["Everything but ", categories.map((name) => [badge(name, "warning"), " "])] : badge("wants everything", "accepted")),
    h("p", { class: "hint" }, "What is not wanted is not sent, and stands in the ledger with its reason."),
    allows("updateUser", "send") && h("div", { class: "row" }, button("Change", { class: "quiet", onclick: () => {
      const all = h("input", { type: "checkbox", checked: one.opt_out === true });
      const some = h("textarea", { rows: 3, value: categories.join("\n"), placeholder: "news\noffers" });
      form("Opt-outs", "Save", [h("label", { class: "check" }, all, `${whom} wants no push at all`), field("Categories not wanted", some, "One per line, as pushes name their category.")], async (close) => {
        await api("PATCH", path, { opt_out: all.checked, opt_out_categories: lines(some.value) });
        close(); toast("Saved."); reload();
      });
    } })));
}

function attributes(path, one, reload) {
  return card("What is known", one.tags?.length > 0 && h("p", { class: "row" }, one.tags.map((tag) => badge(tag, "waiting"))),
    Object.keys(one.properties ?? {}).length ? props(one.properties) : h("p", { class: "hint" }, "No properties."),
    Object.keys(one.entitlements ?? {}).length > 0 && [h("h3", {}, "Entitlements"), props(one.entitlements)],
    allows("updateUser", "send") && h("div", { class: "row" }, button("Change", { class: "quiet", onclick: () => {
      const tags = h("textarea", { rows: 2, value: (one.tags ?? []).join("\n") });
      const values = h("textarea", { rows: 6, class: "mono", spellcheck: "false", value: JSON.stringify(one.properties ?? {}, null, 1) });
      form("What is known", "Save", [field("Tags", tags, "One per line."), field("Properties", values, "JSON: text, numbers, true and false; moments as RFC 3339. A name left out is taken away.")], async (close) => {
        let next;
        try { next = JSON.parse(values.value || "{}"); } catch (error) { throw new Error(`the properties are not JSON: ${error.message}`); }
        for (const name of Object.keys(one.properties ?? {})) if (!(name in next)) next[name] = null;
        await api("PATCH", path, { tags: lines(tags.value), properties: next });
        close(); toast("Saved."); reload();
      });
    } })));
}

// MARK: Users

export async function users(place, context) {
  if (context.id) return user(place, context);
  const { app, link, go } = context;
  const find = h("input", { type: "search", placeholder: "user, exactly", "aria-label": "User", onkeydown: (event) => { if (event.key === "Enter" && find.value.trim()) go(`users/${encodeURIComponent(find.value.trim())}`); } });
  append(place, [card(null, h("div", { class: "row filters" }, find, button("Open", { class: "quiet", onclick: () => find.value.trim() && go(`users/${encodeURIComponent(find.value.trim())}`) })), pages(async (cursor) => {
    const page = await api("GET", at(app, `/users?limit=50${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`));
    return { items: page.users, next: page.next };
  }, {
    label: "Users", heads: ["User", "Name", "Tags", "Properties", "Wants", "Last seen"],
    row: (one) => [h("a", { href: link(`users/${encodeURIComponent(one.user)}`) }, one.user), one.display_name ?? one.email ?? "–", (one.tags ?? []).map((tag) => [badge(tag, "waiting"), " "]),
      Object.keys(one.properties ?? {}).length ? h("code", { class: "clip", title: JSON.stringify(one.properties) }, JSON.stringify(one.properties)) : "–",
      one.opt_out ? badge("nothing", "error") : one.opt_out_categories?.length ? badge(`not ${one.opt_out_categories.join(", ")}`, "warning") : "everything", time(one.last_seen_at ?? one.updated_at)],
    none: empty("No users", "A user appears with the first device that names it."),
  }))]);
}

async function user(place, { app, id, link, go, title, tools, reload }) {
  const path = at(app, `/users/${encodeURIComponent(id)}`);
  title(id);
  const one = await api("GET", path);
  const waiting = has("/v1/apps/{app}/users/{user}/scheduled") ? (await api("GET", `${path}/scheduled`)).scheduled : [];
  if (allows("deleteUser", "send")) append(tools, [button("Forget", { class: "danger quiet", onclick: () => ask(`Forget ${id}?`, "Everything about this user is erased: devices, properties, and who got what. Counts stay. This cannot be undone.", "Erase it all", async () => {
    const proof = await api("DELETE", path);
    dialog(`${id} is forgotten`, (close) => [table(["What", "", "#Rows"], proof.counts.map((one) => [one.table.replaceAll("_", " "), one.act, number(one.rows)]), { label: "What was erased" }),
      h("p", { class: "hint" }, `A second look found ${number(proof.left)} rows. ${proof.log_emptied ? "No byte is left in the store’s files." : "The store’s log is emptied when a running export has ended."}`),
      h("div", { class: "row end" }, button("Done", { class: "primary", onclick: close }))]);
    go("users");
  }) })]);
  append(place, [h("div", { class: "two" },
    card("User", pairs([["User", one.user], ["Name", one.display_name], ["Email", one.email], ["Phone", one.phone], ["Anonymous id", one.anonymous_id], ...Object.entries(one.aliases ?? {}).map(([label, alias]) => [`Alias ${label}`, alias]), ["First seen", one.first_seen_at && time(one.first_seen_at)], ["Last seen", one.last_seen_at && time(one.last_seen_at)], ["Known since", time(one.created_at)]])),
    h("div", { class: "stack" }, optOuts(path, one, "This user", reload), attributes(path, one, reload))),
  card("Devices", one.devices.length ? table(["Device", "Type", "State", "Language", "Registered"], one.devices.map((row) => [h("a", { href: link(`devices/${row.id}`) }, row.name ?? `Device ${row.id}`), kind(row.type), badge(row.state), row.locale ?? "–", time(row.registered_at)]), { label: "Devices" }) : h("p", { class: "hint" }, "None.")),
  waiting.length > 0 && card("Waits for this user", table(["Push", "Key", "When"], waiting.map((push) => [h("a", { href: link(`pushes/${push.id}`) }, push.campaign ?? `Push ${push.id}`), push.key ?? "–", time(push.start_at)]), { label: "Pushes that wait" })),
  has("/v1/apps/{app}/users/{user}/inbox") && inbox(path, one.user, link),
  has("/v1/apps/{app}/users/{user}/timeline") && card("Timeline", timeline(path, link)),
  card("What was sent", deliveries({ app, base: at(app, "/deliveries"), link, only: `user=${encodeURIComponent(one.user)}` }).node)]);
}
