// The other pages: overview, people, set-up.
import { api, ask, at, append, badge, button, card, dialog, empty, fail, field, findings, h, has, kind, may, number, pages, percent, replace, select, table, time, toast } from "./core.js";
import { ledgerBar, legend, lines } from "./charts.js";

const tile = (label, value, hint, tone) => h("div", { class: `tile ${tone ?? ""}` }, h("p", { class: "label" }, label), h("p", { class: "value" }, value), h("p", { class: "hint" }, hint));

// MARK: Overview

export async function overview(place, { app, link, onleave }) {
  const [top, ledger, plot, providers, recent] = [0, 1, 2, 3, 4].map(() => h("div", { class: "stack" }));
  const rates = [];
  let before = null;

  async function read() {
    const [now, { pushes }] = await Promise.all([api("GET", at(app, "/overview")), api("GET", at(app, "/pushes?limit=6"))]);
    const { counts } = now.ledger;
    const ended = counts.targeted - counts.waiting - counts.in_flight;
    const moment = new Date(now.at);
    let rate = 0;
    if (now.sending && before) {
      rate = Math.max(0, Math.round((1000 * (now.sending.recorded - before.recorded)) / Math.max(moment - before.moment, 1)));
      rates.push([moment, rate]);
      if (rates.length > 150) rates.shift();
    }
    if (now.sending) before = { recorded: now.sending.recorded, moment };
    replace(top, now.alerts.length > 0 && h("div", { class: "alerts", role: "alert" }, now.alerts.map((one) => h("p", {}, badge(one.kind.replaceAll("-", " "), "error"), " ", one.detail))),
      h("div", { class: "tiles" },
        tile("Accepted", percent(counts.accepted, ended), `${number(counts.accepted)} of ${number(ended)} ended`),
        tile("Failed", percent(counts.rejected, ended), `${number(counts.rejected)} rejected, ${number(counts.expired)} expired`, counts.rejected ? "warn" : ""),
        tile("Under way", number(counts.waiting + counts.in_flight), `${number(counts.in_flight)} on the wire`),
        now.sending && tile("Throughput", `${number(rate)}/s`, `${number(now.sending.sent)} sends since the start`)));
    replace(ledger, h("div", { class: "row spread" }, h("h2", {}, "Ledger"), badge(now.ledger.balanced ? "balanced" : "not balanced", now.ledger.balanced ? "accepted" : "error")),
      ledgerBar(counts), legend(counts), h("p", { class: "hint" }, `The latest ${number(now.ledger.pushes)} pushes together; each device in exactly one state.`));
    replace(providers, h("h2", {}, "Providers"), now.providers.length ? h("ul", { class: "plain" }, now.providers.map((one) =>
      h("li", { class: "row" }, badge(one.state, one.state === "ready" ? "accepted" : "error"), h("strong", {}, { apns: "APNs", apns_sandbox: "APNs sandbox", fcm: "FCM" }[one.slot]),
        one.detail && h("span", { class: "hint" }, one.detail)))) : empty("No credentials", "Without them nothing can be sent.", h("a", { class: "button", href: link("credentials") }, "Set them")));
    replace(recent, h("div", { class: "row spread" }, h("h2", {}, "Latest pushes"), h("a", { href: link("pushes") }, "All pushes")),
      pushes.length ? table(["Push", "State", "Ledger", "#Targeted", "Created"], pushes.map((push) => [
        h("a", { href: link(`pushes/${push.id}`) }, push.campaign ?? `Push ${push.id}`), badge(push.state), ledgerBar(push.counts), number(push.counts.targeted), time(push.created_at)]), { label: "Latest pushes" })
        : empty("Nothing sent yet", "Write the first push and see it on both phones before it leaves.", may("send") && h("a", { class: "button primary", href: link("compose") }, "Open the composer")));
  }

  async function history() {
    if (!has("/v1/apps/{app}/series")) return;
    const from = new Date(Date.now() - 3600_000);
    const { points } = await api("GET", at(app, `/series?step=minute&from=${from.toISOString()}`));
    const known = new Map(points.map((point) => [Math.floor(new Date(point.at) / 60_000), point]));
    const minutes = Array.from({ length: 60 }, (_, index) => Math.floor(Date.now() / 60_000) - 59 + index);
    const clock = (minute) => new Date(minute * 60_000).toLocaleTimeString("en", { hour: "2-digit", minute: "2-digit", hour12: false });
    const line = (name) => ({ name, tone: name, values: minutes.map((minute) => known.get(minute)?.[name] ?? 0) });
    replace(plot, h("h2", {}, "The last hour"), lines(minutes.map(clock), [line("accepted"), line("rejected")], { title: "Deliveries by minute" }));
  }

  append(place, [top, h("div", { class: "two wide" }, h("section", { class: "card" }, plot), h("div", { class: "stack" }, h("section", { class: "card" }, ledger), h("section", { class: "card" }, providers))), h("section", { class: "card" }, recent)]);
  await Promise.all([read(), history()]);
  const timers = [setInterval(() => read().catch(fail), 2000), setInterval(() => history().catch(fail), 15000)];
  onleave(() => timers.forEach(clearInterval));
}

// MARK: Devices and users

export function devices(place, { app, reload, tools }) {
  const type = select([["", "all types"], ["ios", "iPhone"], ["android", "Android"]], "", { "aria-label": "Type", onchange: () => load() });
  const state = select([["", "all states"], ["active", "active"], ["quarantined", "quarantined"], ["retired", "retired"]], "", { "aria-label": "State", onchange: () => load() });
  const user = h("input", { type: "search", placeholder: "user", "aria-label": "User", onchange: () => load() });
  const list = h("div", {});
  const load = () => {
    const filter = [["type", type.value], ["state", state.value], ["user", user.value]].filter(([, value]) => value).map(([name, value]) => `&${name}=${encodeURIComponent(value)}`).join("");
    replace(list, pages(async (cursor) => {
      const page = await api("GET", at(app, `/devices?limit=50${filter}${cursor ? `&cursor=${cursor}` : ""}`));
      return { items: page.devices, next: page.next };
    }, {
      label: "Devices", heads: ["Device", "User", "Type", "State", "Language", "App version", "Registered", ""],
      row: (one) => [h("span", { title: one.token }, h("strong", {}, one.id), h("span", { class: "hint mono" }, ` ${one.token.slice(0, 8)}…`)), one.user ?? "–", kind(one.type),
        h("span", { title: one.state_reason ?? "" }, badge(one.state), one.state_reason && h("span", { class: "hint" }, ` ${one.state_reason}`)), one.locale ?? "–", one.app_version ?? "–", time(one.registered_at),
        may("send") && button("Forget", { class: "link", "aria-label": `Forget device ${one.id}`, onclick: () => ask("Forget this device?", "It gets no more pushes. Its deliveries stay in the ledger.", "Forget it", async () => { await api("DELETE", at(app, `/devices/${one.id}`)); load(); }) })],
      none: empty("No devices", "An app registers its device with a key of the scope client: POST /v1/apps/{app}/devices."),
    }));
  };
  if (may("send")) append(tools, [button("Add a device", { class: "quiet", onclick: () => dialog("Add a device", (close) => {
    const [token, owner, locale] = [h("textarea", { rows: 3, class: "mono", required: true }), h("input", { type: "text" }), h("input", { type: "text", placeholder: "de-AT" })];
    const what = select([["ios", "iPhone"], ["android", "Android"]], "ios");
    const problem = h("p", { class: "problem", role: "alert" });
    return [field("Type", what), field("Token", token), h("div", { class: "two" }, field("User", owner), field("Language", locale)), problem, h("div", { class: "row end" }, button("Back", { class: "quiet", onclick: close }),
      button("Add", { class: "primary", onclick: async () => {
        try { await api("POST", at(app, "/devices"), { type: what.value, token: token.value.trim(), ...(owner.value && { user: owner.value }), ...(locale.value && { locale: locale.value }) }); close(); reload(); } catch (error) { replace(problem, error.message); }
      } }))];
  }) }, "plus")]);
  append(place, [card(null, h("div", { class: "stack" }, h("div", { class: "row filters" }, type, state, user), list))]);
  load();
}

const plain = (value) => {
  if (value === null || typeof value !== "object") return String(value ?? "–");
  if (value.host) return `${value.host}:${value.port ?? 443}${value.ca ? ", with its own CA" : ""}`;
  return h("code", {}, JSON.stringify(value));
};

export function users(place, { app }) {
  append(place, [card(null, pages(async (cursor) => {
    const page = await api("GET", at(app, `/users?limit=50${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`));
    return { items: page.users, next: page.next };
  }, {
    label: "Users", heads: ["User", "Name", "Tags", "Properties", "Last seen"],
    row: (one) => [button(one.user, { class: "link", onclick: () => person(app, one.user).catch(fail) }), one.name ?? one.email ?? "–", (one.tags ?? []).map((tag) => badge(String(tag), "waiting")),
      h("code", { class: "clip", title: JSON.stringify(one.properties ?? {}) }, one.properties ? JSON.stringify(one.properties) : "–"), time(one.last_seen_at ?? one.updated_at)],
    none: empty("No users", "A user appears with the first device that names it."),
  }))]);
}

async function person(app, name) {
  const one = await api("GET", at(app, `/users/${encodeURIComponent(name)}`));
  dialog(one.user, (close) => [h("dl", { class: "pairs" }, Object.entries(one).filter(([key]) => key !== "devices").map(([key, value]) =>
    h("div", {}, h("dt", {}, key.replaceAll("_", " ")), h("dd", {}, key.endsWith("_at") ? time(value) : plain(value))))),
    h("h2", {}, "Devices"), one.devices.length ? table(["Device", "Type", "State", "Language"], one.devices.map((row) => [row.id, kind(row.type), badge(row.state), row.locale ?? "–"]), { label: "Devices" }) : h("p", { class: "hint" }, "None."),
    h("div", { class: "row end" }, button("Close", { class: "quiet", onclick: close }))]);
}

// MARK: Set up

export async function apps(place, { link, tools, refresh }) {
  const list = (await api("GET", "/v1/apps")).apps;
  if (may()) append(tools, [button("New app", { class: "primary", onclick: () => newApp(refresh) }, "plus")]);
  append(place, [card(null, list.length ? table(["App", "Name in addresses", "Contract", "Sending", "Created"], list.map((one) => [
    h("a", { href: `#/${encodeURIComponent(one.name)}/overview` }, one.title || one.name), h("code", {}, one.name), one.contract ?? "–",
    one.stopped ? h("span", {}, badge("stopped", "error"), " ", one.stopped) : badge("ready", "accepted"), time(one.created_at)]), { label: "Apps" })
    : empty("No app yet", "An app holds devices, credentials and pushes.", may() && button("Make the first", { class: "primary", onclick: () => newApp(refresh) })))]);
}

async function newApp(refresh) {
  const { contracts } = await api("GET", "/v1/contracts");
  dialog("New app", (close) => {
    const name = h("input", { type: "text", required: true, placeholder: "my-app", autocomplete: "off" });
    const title = h("input", { type: "text", placeholder: "My App" });
    const contract = select([["", "none by default"], ...contracts.map((one) => [one.name, one.name])], "");
    const problem = h("p", { class: "problem", role: "alert" });
    return [field("Name in addresses", name, "Letters, digits, - _ and ."), field("Title", title), field("Payload contract", contract, "What the app in the field understands."), problem,
      h("div", { class: "row end" }, button("Back", { class: "quiet", onclick: close }), button("Make it", { class: "primary", onclick: async () => {
        try {
          await api("POST", "/v1/apps", { name: name.value.trim(), ...(title.value && { title: title.value }), ...(contract.value && { contract: contract.value }) });
          close();
          location.hash = `#/${encodeURIComponent(name.value.trim())}/credentials`;
          await refresh();
        } catch (error) { replace(problem, error.message); }
      } }))];
  });
}

const slots = [["apns", "APNs", "iPhones with the app from the store or TestFlight"], ["apns_sandbox", "APNs sandbox", "iPhones with the app from Xcode"], ["fcm", "FCM", "Android phones"]];

export async function credentials(place, { app, reload }) {
  const [shown, about] = await Promise.all([api("GET", at(app, "/credentials")), api("GET", at(app))]);
  if (about.stopped) append(place, [h("div", { class: "alerts", role: "alert" }, h("p", {}, badge("stopped", "error"), " ", about.stopped, " Working credentials let it go on."))]);
  append(place, [h("div", { class: "tiles three" }, slots.map(([slot, title, hint]) => {
    const set = shown[slot];
    return h("section", { class: "card" }, h("div", { class: "row spread" }, h("h2", {}, title), badge(set ? "set" : "not set", set ? "accepted" : "waiting")), h("p", { class: "hint" }, hint),
      set && h("dl", { class: "pairs" }, Object.entries(set).map(([name, value]) => h("div", {}, h("dt", {}, name.replaceAll("_", " ")), h("dd", {}, name.endsWith("_at") ? time(value) : plain(value))))),
      may() && h("div", { class: "row end" }, set && button("Remove", { class: "danger quiet", onclick: () => ask(`Remove ${title}?`, "Pushes to its devices wait until there is a credential again.", "Remove it", async () => { await api("PUT", at(app, "/credentials"), { [slot]: null }); reload(); }) }),
        button(set ? "Replace" : "Set", { class: "primary", onclick: () => setCredential(app, slot, title, reload) })));
  })), h("p", { class: "hint" }, "Secrets are sealed when they arrive and are never shown again.")]);
}

function setCredential(app, slot, title, reload) {
  dialog(title, (close) => {
    const fcm = slot === "fcm";
    const text = h("textarea", { rows: 7, class: "mono", spellcheck: "false", autocomplete: "off", placeholder: fcm ? "{\"type\": \"service_account\", …}" : "-----BEGIN PRIVATE KEY-----" });
    const [topic, keyID, team] = ["com.example.app", "ABC123DEFG", "DEF123GHIJ"].map((placeholder) => h("input", { type: "text", placeholder, autocomplete: "off" }));
    const problem = h("div", { class: "problem", role: "alert" });
    return [fcm ? null : field("Bundle id", topic), fcm ? null : h("div", { class: "two" }, field("Key id", keyID), field("Team id", team)), field(fcm ? "Service account (JSON)" : "Key (.p8)", text), problem,
      h("div", { class: "row end" }, button("Back", { class: "quiet", onclick: close }), button("Save", { class: "primary", onclick: async () => {
        try {
          const value = fcm ? { service_account: JSON.parse(text.value) } : { topic: topic.value.trim(), key_id: keyID.value.trim(), team_id: team.value.trim(), key: text.value };
          await api("PUT", at(app, "/credentials"), { [slot]: value });
          close(); toast(`${title} is set.`); reload();
        } catch (error) { replace(problem, error instanceof SyntaxError ? "this is not JSON; paste the file as Google gave it" : error.report?.length ? findings(error.report) : error.message); }
      } }))];
  });
}

export async function keys(place, { tools, reload }) {
  const list = (await api("GET", "/v1/keys")).keys;
  append(tools, [button("New key", { class: "primary", onclick: () => newKey(reload) }, "plus")]);
  append(place, [card(null, table(["Name", "Key", "Scopes", "App", "Last used", "State", ""], list.map((one) => [
    one.name, h("code", {}, `${one.prefix}…`), one.scopes.map((scope) => badge(scope, scope === "admin" ? "unknown" : "waiting")), one.app ?? "all", time(one.last_used_at),
    one.revoked_at ? badge("revoked", "rejected") : one.expires_at && new Date(one.expires_at) < new Date() ? badge("expired") : badge("active", "accepted"),
    one.revoked_at ? null : button("Revoke", { class: "link", "aria-label": `Revoke ${one.name}`, onclick: () => ask(`Revoke “${one.name}”?`, "It stops working at once, with every session it opened. This cannot be undone.", "Revoke it", async () => { await api("DELETE", `/v1/keys/${one.id}`); reload(); }) })]), { label: "API keys" }))]);
}

function newKey(reload) {
  dialog("New API key", (close) => {
    const name = h("input", { type: "text", required: true, placeholder: "billing service" });
    const app = h("input", { type: "text", placeholder: "all apps" });
    const scopes = ["admin", "send", "read", "client"].map((scope) => h("label", { class: "check" }, h("input", { type: "checkbox", value: scope, checked: scope === "send" }), scope));
    const problem = h("p", { class: "problem", role: "alert" });
    const form = h("div", { class: "stack" }, field("Name", name), h("fieldset", { class: "row" }, h("legend", {}, "Scopes"), scopes), field("Only for the app", app), problem,
      h("div", { class: "row end" }, button("Back", { class: "quiet", onclick: close }), button("Make it", { class: "primary", onclick: async () => {
        try {
          const wanted = scopes.map((label) => label.firstChild).filter((box) => box.checked).map((box) => box.value);
          const made = await api("POST", "/v1/keys", { name: name.value, scopes: wanted, ...(app.value.trim() && { app: app.value.trim() }) });
          const text = h("input", { class: "mono", type: "text", readonly: true, value: made.key, "aria-label": "The key", onfocus: (event) => event.target.select() });
          replace(form, h("p", {}, "Copy it now: only its hash is kept, and it is not shown again."), text, h("div", { class: "row end" },
            button("Copy", { class: "quiet", onclick: () => navigator.clipboard?.writeText(made.key).then(() => toast("Copied."), () => text.select()) }), button("Done", { class: "primary", onclick: () => { close(); reload(); } })));
          text.focus();
        } catch (error) { replace(problem, error.message); }
      } })));
    return form;
  });
}

