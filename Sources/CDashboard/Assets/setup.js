// Set-up: apps, the servers, how the providers are reached, and the rules of sending and keeping.
import { startRules } from "./care.js";
import { api, append, ask, at, badge, button, card, complain, daysOf, dialog, empty, every, fail, field, findings, form, h, has, may, number, pairs, redraw, replace, said, select, spoken, table, time, toast } from "./core.js";
import { slots } from "./providers.js";
import { t, word } from "./words.js";

const plain = (value) => {
  if (typeof value === "boolean") return value ? t`yes` : t`no`;
  if (value === null || typeof value !== "object") return String(value ?? "–");
  if (value.host) return `${value.host}:${value.port ?? 443}${value.ca ? t`, with its own CA` : ""}`;
  return h("code", {}, JSON.stringify(value));
};

export async function apps(container, { link, tools, refresh, onleave }) {
  const list = (await api("GET", "/v1/apps")).apps;
  if (may()) append(tools, [button(t`New app`, { class: "primary", onclick: () => newApp(refresh) }, "plus")]);
  append(container, [card(null, list.length ? table([t`App`, t`ID (used in URLs)`, t`Contract`, t`Sending`, t`Created`], list.map((one) => [
    h("a", { href: `#/${encodeURIComponent(one.name)}/overview` }, one.title || one.name), h("code", {}, one.name), one.contract ?? "–",
    one.stopped ? h("span", {}, badge(word("stopped"), "error"), " ", spoken(one.stopped)) : badge(word("ready"), "accepted"), time(one.created_at)]), { label: t`Apps` })
    : empty(t`No app yet`, t`An app holds devices, credentials and pushes.`, may() && button(t`Create the first one`, { class: "primary", onclick: () => newApp(refresh) })))]);
  if (has("/v1/nodes") && may("read")) await servers(container, onleave);
}

// MARK: The servers that work on one database

// Beyond it a node sends nothing.
const clockMaxMs = 1000;

const nodeState = (one) => (one.problem ? badge(t`sends nothing`, "error") : one.live ? badge(t`running`, "accepted") : badge(t`not seen`, "error"));
const nodeClock = (ahead) => (ahead === undefined ? "–" : Math.abs(ahead) > clockMaxMs ? badge(t`${number(ahead)} ms`, "error") : t`${number(ahead)} ms`);
const nodeRow = (one) => [h("span", {}, h("code", {}, one.name), one.current && h("span", { class: "hint" }, " ", t`answers this page`)), nodeState(one), one.version, time(one.started_at),
  time(one.seen_at), nodeClock(one.clock_ahead_ms), number(one.in_flight), one.duties.map(word).join(", ") || "–"];

async function servers(container, onleave) {
  const list = h("div", {});
  const read = async () => {
    const { nodes: all } = await api("GET", "/v1/nodes");
    redraw(list, all, () => [table([t`Name`, t`State`, t`Version`, t`Started`, t`Last seen`, `#${t`Clock ahead`}`, `#${t`In flight`}`, t`Duties`], all.map(nodeRow), { label: t`Servers` }),
      all.map((one) => one.problem && h("p", { class: "hint", role: "status" }, h("code", {}, one.name), " ", one.problem))]);
  };
  await read();
  container.append(card(t`Servers`, list, h("p", { class: "hint" }, t`Each duty is one server’s at a time; another takes it over within 15 seconds.`)));
  every(5000, onleave, () => read().catch(() => { /* the next look may work */ }));
}

async function newApp(refresh) {
  const { contracts } = await api("GET", "/v1/contracts");
  dialog(t`New app`, (close) => {
    const name = h("input", { type: "text", required: true, placeholder: "my-app", autocomplete: "off" });
    const title = h("input", { type: "text", placeholder: t`My App` });
    const contract = select([["", t`none by default`], ...contracts.map((one) => [one.name, one.name])], "");
    const problem = h("p", { class: "problem", role: "alert" });
    return [field(t`ID (used in URLs)`, name, t`Letters, digits, - _ and .`), field(t`Title`, title), field(t`Payload contract`, contract, t`The payload format that released versions of the app read.`), problem,
      h("div", { class: "row end" }, button(t`Back`, { class: "quiet", onclick: close }), button(t`Create`, { class: "primary", onclick: async () => {
        try {
          await api("POST", "/v1/apps", { name: name.value.trim(), ...(title.value && { title: title.value }), ...(contract.value && { contract: contract.value }) });
          close();
          location.hash = `#/${encodeURIComponent(name.value.trim())}/credentials`;
          await refresh();
        } catch (error) { replace(problem, said(error)); }
      } }))];
  });
}


export async function credentials(container, { app, reload, tools }) {
  const said = Object.fromEntries(slots.map(([slot]) => [slot, h("p", { class: "hint", role: "status" })]));
  if (may() && has("/v1/apps/{app}/credentials/check")) append(tools, [button(t`Check with the providers`, { class: "quiet", onclick: async (event) => {
    event.target.disabled = true;
    try {
      for (const [slot, { usable, detail }] of Object.entries(await api("POST", at(app, "/credentials/check"), {}))) if (said[slot]) replace(said[slot], badge(usable ? t`usable` : t`refused`, usable ? "accepted" : "error"), " ", spoken(detail));
    } catch (error) { fail(error); }
    event.target.disabled = false;
  } }, "check")]);
  const [shown, about] = await Promise.all([api("GET", at(app, "/credentials")), api("GET", at(app))]);
  const titles = Object.fromEntries(slots);
  if (about.stops) append(container, [h("div", { class: "alerts", role: "alert" }, about.stops.map((one) => h("p", {}, badge(word("stopped"), "error"), t` ${titles[one.slot]} refused the credential: ${one.reason}, since `, time(one.since), t`. A few pushes try it again `, time(one.retry_at), ".")),
    h("p", {}, t`Saving working credentials resumes sending at once. `, may() && button(t`Try again now`, { class: "quiet", onclick: async () => { try { await api("POST", at(app, "/resume")); await reload(); } catch (error) { fail(error); } } })))]);
  append(container, [h("div", { class: "tiles three" }, slots.map(([slot, title, hint]) => {
    const set = shown[slot];
    return h("section", { class: "card" }, h("div", { class: "row spread" }, h("h2", {}, title), badge(set ? t`set` : t`not set`, set ? "accepted" : "waiting")), h("p", { class: "hint" }, hint),
      set && h("dl", { class: "pairs" }, Object.entries(set).map(([name, value]) => h("div", {}, h("dt", {}, word(name)), h("dd", {}, name.endsWith("_at") ? time(value) : Array.isArray(value) ? plain(value.length ? value.join(" ") : t`none`) : plain(value))))),
      said[slot], may() && h("div", { class: "row end" }, set && button(t`Remove`, { class: "danger quiet", onclick: () => ask(t`Remove ${title}?`, t`Pushes to its devices wait until there is a credential again.`, t`Remove it`, async () => { await api("PUT", at(app, "/credentials"), { [slot]: null }); reload(); }) }),
        slot === "web" && set && button(t`New key`, { class: "quiet", onclick: () => ask(t`Create a new key?`, t`New subscriptions use it; browsers that have already subscribed keep theirs and are still served.`, t`Create`, async () => { await api("POST", at(app, "/web-push/rotate")); toast(t`The new key is in use.`); reload(); }) }),
        button(set ? (slot === "web" ? t`Change` : t`Replace`) : t`Set`, { class: "primary", onclick: () => slot === "web" ? setWebCredential(app, title, set, reload) : setCredential(app, slot, title, set, reload) })));
  })), h("p", { class: "hint" }, t`Secrets are sealed when they arrive and are never shown again.`)]);
}

// Its password is never shown; a proxy that is saved as it is shown keeps it.
function proxyField(set) {
  const input = h("input", { type: "text", value: set?.proxy ?? "", placeholder: t`same as the server`, autocomplete: "off" });
  const hint = t`host:port, user:password@host:port (percent-encoded), or direct for none`;
  return { input, row: field(t`Outbound proxy`, input, set?.proxy && set.proxy !== "direct" ? t`${hint}. Unchanged, it keeps its user and password` : hint), given: () => ({ proxy: input.value.trim() || null }) };
}

// The key is the server's, and stays.
function setWebCredential(app, title, set, reload) {
  dialog(title, (close) => {
    const subject = h("input", { type: "text", value: set?.subject ?? "", placeholder: "mailto:ops@example.com", autocomplete: "off" });
    const url = h("input", { type: "url", value: set?.url ?? "", placeholder: t`the site, with https`, autocomplete: "off" });
    const padding = h("input", { type: "number", min: 0, max: 3993, value: set?.padding ?? 0 });
    const declarative = h("input", { type: "checkbox", checked: set?.declarative ?? false });
    const origins = h("textarea", { rows: 2, spellcheck: "false", autocomplete: "off", placeholder: t`one per line, as in the browser’s address bar` }, (set?.origins ?? []).join("\n"));
    const proxy = proxyField(set);
    const problem = h("div", { class: "problem", role: "alert" });
    return [field(t`Contact for push services`, subject), field(t`Default link of a tap`, url), field(t`Sites that may subscribe visitors`, origins), field(t`Padding to a multiple of (bytes)`, padding), proxy.row,
      h("label", { class: "check" }, declarative, t` Declarative form, which Safari shows without a service worker`), problem,
      set?.gateway && h("p", { class: "hint" }, t`Your own push service stays configured; it is set and removed through the API.`),
      h("div", { class: "row end" }, button(t`Back`, { class: "quiet", onclick: close }), button(t`Save`, { class: "primary", onclick: async () => {
        try {
          await api("PUT", at(app, "/credentials"), { web: { subject: subject.value.trim(), padding: Number(padding.value), declarative: declarative.checked, url: url.value.trim() || null, origins: origins.value.trim() ? origins.value.trim().split(/\s+/) : null, ...proxy.given() } });
          close(); toast(t`${title} is set.`); reload();
        } catch (error) { replace(problem, error.report?.length ? findings(error.report) : said(error)); }
      } }))];
  });
}

function setCredential(app, slot, title, set, reload) {
  const parts = slots.find(([name]) => name === slot)[3];
  dialog(title, (close) => {
    const inputs = parts.map((one) => (one.file ? h("textarea", { rows: 7, class: "mono", spellcheck: "false", autocomplete: "off", placeholder: one.file })
      : h("input", { type: one.type ?? "text", ...(one.kept && { inputmode: "numeric" }), placeholder: one.placeholder, value: (one.kept && set?.[one.name]) || "", autocomplete: "off" })));
    const proxy = proxyField(set);
    const problem = h("div", { class: "problem", role: "alert" });
    const rows = parts.map((one, index) => field(one.title, inputs[index], one.hint));
    const beside = rows.filter((_, index) => parts[index].half);
    const lines = rows.map((row) => (row === beside[0] ? h("div", { class: "two" }, beside) : beside.includes(row) ? null : row));
    return [lines, proxy.row, problem,
      h("div", { class: "row end" }, button(t`Back`, { class: "quiet", onclick: close }), button(t`Save`, { class: "primary", onclick: async () => {
        try {
          const given = (one, { value }) => (one.isJSON ? JSON.parse(value) : one.file || one.type ? value : value.trim() || (one.optional ? null : ""));
          const value = Object.fromEntries(parts.map((one, index) => [one.name, given(one, inputs[index])]));
          await api("PUT", at(app, "/credentials"), { [slot]: { ...value, ...proxy.given() } });
          close(); toast(t`${title} is set.`); reload();
        } catch (error) { replace(problem, error instanceof SyntaxError ? t`not valid JSON; paste the file as downloaded from Google` : error.report?.length ? findings(error.report) : said(error)); }
      } }))];
  });
}

// MARK: Rules

const hours = { 3600: t`an hour`, 86400: t`a day`, 604800: t`a week` };
const span = (seconds) => hours[seconds] ?? t`${Math.round(seconds / 360) / 10} hours`;
const days = (value) => (value == null ? null : daysOf(value));
// A number of days, or null for no limit.
function whole(node) {
  const text = node.value.trim();
  complain(node, text === "" || /^\d{1,6}$/.test(text) ? "" : t`expected a whole number`);
  if (node.hasAttribute("aria-invalid")) throw new Error(t`expected a whole number, or nothing for no limit`);
  return text === "" ? null : Number(text);
}

export async function rules(container, { app, reload, session }) {
  const suppresses = has("/v1/apps/{app}/suppression");
  const [quiet, own, server, unseen] = await Promise.all([suppresses ? api("GET", at(app, "/suppression")) : null, api("GET", at(app, "/retention")).catch(() => null), session.app ? null : api("GET", "/v1/retention").catch(() => null),
    has("/v1/apps/{app}/unseen-devices") ? api("GET", at(app, "/unseen-devices")).catch(() => null) : null]);
  const start = await startRules(app, reload);
  append(container, [h("div", { class: "two" },
    suppresses && card(t`Quiet hours and limits`, h("p", { class: "hint" }, t`When users get no pushes, in their own time zones. What is suppressed is recorded in the ledger with its reason.`),
      pairs([[t`Quiet hours`, quiet.quiet_hours ? t`${quiet.quiet_hours.from} to ${quiet.quiet_hours.to}, ${quiet.quiet_hours.timezone ?? "UTC"} where a device’s zone is not known` : t`none`],
        [t`Frequency cap`, quiet.frequency_cap ? t`${quiet.frequency_cap.pushes} pushes in ${span(quiet.frequency_cap.window_seconds)} for each user` : t`none`]]),
      may("send") && h("div", { class: "row end" }, button(t`Change`, { class: "primary", onclick: () => setPeace(app, quiet, reload) }))),
    own && card(t`Data retention`, h("p", { class: "hint" }, t`Deliveries and reports are deleted this long after a push has finished; counts and charts remain.`),
      pairs([[t`Deliveries`, days(own.deliveries_days) ?? (days(server?.deliveries_days) ? t`${days(server.deliveries_days)}, as the server` : t`for ever`)], [t`Reports`, days(own.events_days) ?? (days(server?.events_days) ? t`${days(server.events_days)}, as the server` : t`for ever`)]]),
      may() && h("div", { class: "row end" }, server && !session.app && button(t`The server’s`, { class: "quiet", onclick: () => setRetention("/v1/retention", t`Data retention, every app`, server, reload) }),
        button(t`Change`, { class: "primary", onclick: () => setRetention(at(app, "/retention"), t`Data retention, this app`, own, reload) }))),
    unseen && card(t`Unseen devices`, h("p", { class: "hint" }, t`Devices that have not registered for this long are permanently forgotten, unless another device of their user has.`),
      pairs([[t`Forgotten after`, days(unseen.days) ?? t`never`], [t`Unseen for ${days(unseen.counted_days)}`, unseenCount(unseen)]]),
      may() && h("div", { class: "row end" }, button(t`Change`, { class: "primary", onclick: () => setUnseen(app, unseen, reload) }))), start)]);
}

const unseenCount = (found) => t`${number(found.count)} of ${number(found.of)} devices`;

function setUnseen(app, now, reload) {
  const input = h("input", { type: "text", inputmode: "numeric", value: now.days ?? "", placeholder: t`never` });
  const count = h("p", { class: "hint", role: "status" });
  const look = async () => {
    if (whole(input) === null) { count.textContent = t`None are forgotten.`; return; }
    const found = await api("GET", at(app, `/unseen-devices?days=${whole(input)}`));
    count.textContent = t`${unseenCount(found)} would be forgotten${found.oldest ? t`, the oldest not seen since ${found.oldest.slice(0, 10)}` : ""}.`;
  };
  form(t`Unseen devices`, t`Save`, [field(t`Days after which they are forgotten`, input), h("div", { class: "row" }, button(t`Count`, { onclick: () => look().catch((error) => { replace(count, said(error)); }) })), count,
    h("p", { class: "hint" }, t`This cannot be undone: a device that is forgotten comes back only when its app registers it again. Count first.`)], async (close) => {
    await api("PUT", at(app, "/unseen-devices"), { days: whole(input) });
    close(); toast(t`Saved.`); reload();
  });
}

function setRetention(path, title, now, reload) {
  const [deliveries, events] = [now.deliveries_days, now.events_days].map((value) => h("input", { type: "text", inputmode: "numeric", value: value ?? "", placeholder: t`no limit of its own` }));
  form(title, t`Save`, [h("div", { class: "two" }, field(t`Days for deliveries`, deliveries), field(t`Days for reports`, events)), h("p", { class: "hint" }, t`Older records are permanently deleted, in small batches.`)], async (close) => {
    await api("PUT", path, { deliveries_days: whole(deliveries), events_days: whole(events) });
    close(); toast(t`Saved.`); reload();
  });
}

function setPeace(app, now, reload) {
  const [from, to] = [["from", "22:00"], ["to", "08:00"]].map(([name]) => h("input", { type: "time", value: now.quiet_hours?.[name] ?? "" }));
  const zone = h("input", { type: "text", value: now.quiet_hours?.timezone ?? "UTC", autocomplete: "off" });
  const cap = h("input", { type: "text", inputmode: "numeric", value: now.frequency_cap?.pushes ?? "", placeholder: t`no cap` });
  const within = select(Object.entries(hours).map(([seconds, text]) => [seconds, t`in ${text}`]), String(now.frequency_cap?.window_seconds ?? 86400));
  form(t`Quiet hours and limits`, t`Save`, [h("div", { class: "two" }, field(t`Quiet from`, from), field(t`Quiet to`, to)), field(t`Time zone of devices without one`, zone), h("div", { class: "two" }, field(t`Pushes at most`, cap), field(t`In`, within)),
    h("p", { class: "hint" }, t`Leave the times or the number empty for no quiet hours or no cap.`)], async (close) => {
    if (Boolean(from.value) !== Boolean(to.value)) throw new Error(t`give both times, or neither for no quiet hours`);
    await api("PUT", at(app, "/suppression"), {
      quiet_hours: from.value && to.value ? { from: from.value, to: to.value, timezone: zone.value.trim() || "UTC" } : null,
      frequency_cap: whole(cap) !== null ? { pushes: whole(cap), window_seconds: Number(within.value) } : null,
    });
    close(); toast(t`Saved.`); reload();
  });
}
