// Who may do what, who did what, and who is notified: keys, webhooks, the audit log.
import { api, append, ask, at, badge, button, by, card, empty, fail, field, form, h, has, may, number, pages, pairs, pushName, replace, select, shownOnce, spoken, table, time, toast } from "./core.js";
import { actName, english, t, tongue, word } from "./words.js";

// MARK: Keys

const scopes = [["admin", t`everything, including apps, credentials and keys`], ["send", t`register devices, send pushes, see outcomes`], ["read", t`view everything, change nothing`], ["client", t`register a device and report taps; safe to ship inside an app`], ["compat", t`use other vendors' interfaces, for one app`]];
const lives = [["", t`never`], ["86400", t`in a day`], ["2592000", t`in 30 days`], ["7776000", t`in 90 days`], ["31536000", t`in a year`]];
const ended = (one) => one.revoked_at || (one.expires_at && new Date(one.expires_at) < new Date());

export async function keys(container, { tools, reload, apps }) {
  const [{ keys: list }, { people }] = await Promise.all([api("GET", "/v1/keys"), api("GET", "/v1/people")]);
  append(tools, [button(t`New key`, { class: "primary", onclick: () => newKey(apps, people, reload) }, "plus")]);
  const whose = (id) => (id ? people.find((one) => one.id === id)?.name ?? t`person ${id}` : t`a program`);
  append(container, [card(null, table([t`Name`, t`Belongs to`, t`Key`, t`Scopes`, t`App`, `#${t`Per minute`}`, t`Expires`, t`Last used`, t`State`, ""], list.map((one) => [
    one.name, whose(one.person), h("code", {}, `${one.prefix}…`), one.scopes.map((scope) => [h("span", english, badge(scope, scope === "admin" ? "unknown" : "waiting")), " "]), one.app ?? t`all`, one.rate_per_minute ? number(one.rate_per_minute) : "–", one.expires_at ? time(one.expires_at) : t`never`, time(one.last_used_at),
    one.revoked_at ? badge(t`revoked`, "rejected") : ended(one) ? badge("expired") : badge(word("active"), "accepted"),
    ended(one) ? null : h("span", { class: "row tight end" }, button(t`Rotate`, { class: "link", "aria-label": t`Rotate ${one.name}`, onclick: () => rotate(one, reload) }), button(t`Revoke`, { class: "link", "aria-label": t`Revoke ${one.name}`, onclick: () => revoke(one, reload) }))]), { label: t`API keys` }))]);
}

const revoke = (one, reload) => ask(t`Revoke “${one.name}”?`, t`It stops working at once, with every session it opened. This cannot be undone.`, t`Revoke it`, async () => { await api("DELETE", `/v1/keys/${one.id}`); reload(); });

function rotate(one, reload) {
  const overlap = select([["0", t`at once`], ["3600", t`in an hour`], ["86400", t`in a day`], ["604800", t`in a week`]], "86400");
  form(t`Rotate “${one.name}”`, t`Create a new key`, [h("p", {}, t`A new key with the same scopes is created and shown once. The old key keeps working until it expires.`), field(t`The old key expires`, overlap)], async (close, show) => {
    const made = await api("POST", `/v1/keys/${one.id}/rotate`, { overlap_seconds: Number(overlap.value) });
    show(shownOnce(t`The key`, made.key, t`Copy it now: only its hash is stored, and it is not shown again.`, () => { close(); reload(); }));
  });
}

function newKey(apps, people, reload) {
  const name = h("input", { type: "text", required: true, placeholder: t`billing service` });
  const app = select([["", t`all apps`], ...apps.map((one) => [one.name, one.title || one.name])], "");
  const life = select(lives, "");
  const owner = select([["", t`a program`], ...people.map((one) => [one.id, t`${one.name}; revoked when they are removed`])], "");
  const rate = h("input", { type: "text", inputmode: "numeric", placeholder: t`the server’s` });
  const boxes = scopes.map(([scope, about]) => h("label", { class: "choice" }, h("input", { type: "checkbox", value: scope, checked: scope === "send" }), h("span", {}, h("strong", english, scope), h("span", { class: "hint" }, about))));
  form(t`New API key`, t`Create`, [field(t`Name`, name), h("fieldset", { class: "stack tight" }, h("legend", {}, t`Scopes`), boxes),
    h("div", { class: "two" }, field(t`Valid for`, app), field(t`Expires`, life)), h("div", { class: "two" }, field(t`Belongs to`, owner), field(t`Requests a minute`, rate))], async (close, show) => {
    const wanted = boxes.map((label) => label.firstChild).filter((box) => box.checked).map((box) => box.value);
    if (!wanted.length) throw new Error(t`choose at least one scope`);
    const made = await api("POST", "/v1/keys", { name: name.value, scopes: wanted, ...(app.value && { app: app.value }), ...(owner.value && { person: owner.value }), ...(life.value && { expires_in_seconds: Number(life.value) }), ...(rate.value.trim() && { rate_per_minute: Number(rate.value) }) });
    show(shownOnce(t`The key`, made.key, t`Copy it now: only its hash is stored, and it is not shown again.`, () => { close(); reload(); }));
  });
}

// MARK: Identity

const modes = [["off", t`tokens are ignored: an app’s key registers devices under any user`], ["optional", t`a token that is sent must be valid; requests without one work as before`], ["required", t`without a token, an app’s key registers only devices without a user`]];

export async function identity(container, { app, tools, reload }) {
  const path = at(app, "/identity");
  const shown = await api("GET", path);
  if (may()) append(tools, [button(t`Change`, { class: "quiet", onclick: () => setMode(path, shown, reload) }), button(t`New key`, { class: "primary", onclick: () => newIdentityKey(path, reload) }, "plus")]);
  append(container, [card(t`Signed identity`, h("p", { class: "hint" }, t`The app’s backend signs a token for the user who is signed in, and the app sends it when it registers the device.`),
    pairs([[t`Mode`, h("span", {}, badge(word(shown.mode), shown.mode === "required" ? "accepted" : "waiting"), " ", modes.find(([mode]) => mode === shown.mode)?.[1])]])),
  card(t`Keys`, shown.keys.length ? table([t`Key (kid)`, t`Algorithm`, t`Created`, ""], shown.keys.map((one) => [
    h("code", {}, one.id), one.algorithm, time(one.created_at), may() && button(t`Delete`, { class: "link", "aria-label": t`Delete ${one.id}`, onclick: () => ask(t`Delete the key ${one.id}?`, t`Tokens that it has signed are refused at once. This cannot be undone.`, t`Delete it`, async () => { await api("DELETE", `${path}/keys/${one.id}`); reload(); }) })]), { label: t`Identity keys` })
    : empty(t`No keys`, t`A key verifies the tokens that the backend signs. Two keys are valid while one replaces the other.`, may() && button(t`Create the first one`, { class: "primary", onclick: () => newIdentityKey(path, reload) })))]);
}

function setMode(path, shown, reload) {
  const mode = select(modes.map(([name, about]) => [name, `${word(name)}: ${about}`]), shown.mode);
  form(t`Signed identity`, t`Save`, [field(t`Mode`, mode)], async (close) => {
    await api("PUT", path, { mode: mode.value });
    close(); toast(t`Saved.`); reload();
  });
}

function newIdentityKey(path, reload) {
  const text = h("textarea", { rows: 5, class: "mono", spellcheck: "false", autocomplete: "off", placeholder: "-----BEGIN PUBLIC KEY-----" });
  form(t`New identity key`, t`Create`, [h("p", { class: "hint" }, t`With the public key of a pair that the backend created (ES256, P-256), nothing stored here can sign. Without one, a secret is created and shown once (HS256).`), field(t`Public key (PEM)`, text)], async (close, show) => {
    const pem = text.value.trim();
    const made = await api("POST", `${path}/keys`, pem ? { algorithm: "ES256", public_key: pem } : { algorithm: "HS256" });
    const done = () => { close(); reload(); };
    if (!made.secret) { toast(t`Key ${made.id} created.`); return done(); }
    show(shownOnce(t`The secret`, made.secret, t`Tokens of the key ${made.id} are signed with this secret. Copy it now: it is sealed, and not shown again.`, done));
  });
}

// MARK: Webhooks

const kinds = [["delivery.accepted", t`a provider accepted it`], ["delivery.rejected", t`a provider rejected it`], ["delivery.expired", t`it expired before it was sent`], ["delivery.cancelled", t`it was canceled`], ["delivery.unknown", t`outcome unknown`],
  ["event.received", t`it was received`], ["event.opened", t`it was opened`], ["event.action", t`a button was pressed`], ["push.finished", t`all deliveries of a push have finished`]];

export async function webhooks(container, context) {
  if (context.id) return webhook(container, context);
  const { app, link, tools, reload } = context;
  const list = (await api("GET", at(app, "/webhooks"))).webhooks;
  append(tools, [button(t`New webhook`, { class: "primary", onclick: () => edit(app, null, reload) }, "plus")]);
  append(container, [card(null, list.length ? table([t`Address`, t`Events`, t`State`, `#${t`Waiting`}`, `#${t`Dropped`}`, t`Last success`], list.map((one) => [
    h("a", { href: link(`webhooks/${one.id}`) }, one.url), one.types.length === kinds.length ? t`everything` : h("span", { class: "hint", ...english }, one.types.join(", ")), state(one), number(one.queued), number(one.dropped), time(one.succeeded_at)]), { label: t`Webhooks` })
    : empty(t`No webhooks`, t`Your server can be notified of the outcome of each delivery: signed, at least once and in order.`, button(t`Create the first one`, { class: "primary", onclick: () => edit(app, null, reload) })))]);
}

const state = (one) => (!one.enabled ? badge(t`off`, "waiting") : one.failure ? badge(t`failing`, "error") : badge(t`on`, "accepted"));

function edit(app, one, reload) {
  const url = h("input", { type: "text", inputmode: "url", required: true, value: one?.url ?? "", placeholder: t`where events are posted; https`, autocomplete: "off", spellcheck: "false" });
  const boxes = kinds.map(([type, about]) => h("label", { class: "choice" }, h("input", { type: "checkbox", value: type, checked: one ? one.types.includes(type) : ["delivery.rejected", "push.finished"].includes(type) }), h("span", {}, h("strong", english, type), h("span", { class: "hint" }, about))));
  form(one ? t`Change the webhook` : t`New webhook`, one ? t`Save` : t`Create`, [field(t`Address`, url), h("fieldset", { class: "stack tight" }, h("legend", {}, t`Events`), boxes)], async (close, show) => {
    const body = { url: url.value.trim(), types: boxes.map((label) => label.firstChild).filter((box) => box.checked).map((box) => box.value) };
    if (!body.types.length) throw new Error(t`choose at least one event`);
    const done = () => { close(); reload(); };
    if (one) { await api("PATCH", at(app, `/webhooks/${one.id}`), body); return done(); }
    const made = await api("POST", at(app, "/webhooks"), body);
    show(shownOnce(t`The secret`, made.secret, t`Each batch of events is signed with this secret. Copy it now: it is sealed, and not shown again.`, done));
  });
}

async function webhook(container, { app, id, tools, reload, go, title, link }) {
  const path = at(app, `/webhooks/${encodeURIComponent(id)}`);
  const one = await api("GET", path);
  title(t`Webhook ${one.id}`);
  append(tools, [button(one.enabled ? t`Turn off` : t`Turn on`, { class: "quiet", onclick: async () => { try { await api("PATCH", path, { enabled: !one.enabled }); reload(); } catch (error) { fail(error); } } }),
    button(t`Change`, { class: "quiet", onclick: () => edit(app, one, reload) }),
    button(t`New secret`, { class: "quiet", onclick: () => form(t`A new secret`, t`Create`, [h("p", {}, t`Both secrets sign for a day, so that the receiver can switch.`)], async (close, show) => {
      const made = await api("POST", `${path}/rotate`);
      show(shownOnce(t`The secret`, made.secret, t`Copy it now: it is sealed, and not shown again.`, () => { close(); reload(); }));
    }) }),
    button(t`Remove`, { class: "danger quiet", onclick: () => ask(t`Remove this webhook?`, t`Undelivered events are discarded.`, t`Remove it`, async () => { await api("DELETE", path); go("webhooks"); }) })]);
  const dead = pages(async (cursor) => {
    const page = await api("GET", `${path}/dead?limit=50${cursor ? `&cursor=${cursor}` : ""}`);
    return { items: page.batches, next: page.next };
  }, {
    label: t`Dead-lettered batches`, heads: [t`Batch`, t`Push`, `#${t`Events`}`, `#${t`Attempts`}`, t`Why`, t`Created`, ""],
    row: (batch) => [h("details", { class: "why" }, h("summary", {}, batch.id), h("pre", { class: "code", tabindex: "0" }, batch.notices.map((notice) => JSON.stringify(notice)).join("\n"))), h("a", { href: link(`pushes/${batch.push}`) }, pushName(batch)), number(batch.notices.length), number(batch.attempts), batch.failure ?? "–", time(batch.created_at),
      button(t`Replay`, { class: "link", "aria-label": t`Replay batch ${batch.id}`, onclick: () => replay({ batches: [batch.id] }) })],
    none: empty(t`No dead letters`, t`A batch that is not accepted is retried for about eight hours, and then listed here.`),
  });
  const replay = async (body) => { try { const { replayed } = await api("POST", `${path}/replay`, body); toast(t`${number(replayed)} replayed.`); reload(); } catch (error) { fail(error); } };
  append(container, [card(null, h("div", { class: "row" }, state(one), h("strong", {}, one.url)), one.failure && h("p", { class: "problem" }, spoken(one.failure)),
    pairs([[t`Events`, h("span", english, one.types.join(", "))], [t`Waiting`, number(one.queued)], [t`Dropped`, one.dropped > 0 && t`${number(one.dropped)} events, because the queue was full`], [t`Last success`, time(one.succeeded_at)], [t`Last failure`, one.failed_at && time(one.failed_at)], [t`Created`, time(one.created_at)]])),
  card(null, h("div", { class: "row spread" }, h("h2", {}, t`Dead letters`), button(t`Replay all`, { class: "quiet", onclick: () => replay({}) })), dead)]);
}

// MARK: Audit

// createKey → Create key
const words = (act) => { const text = act.replace(/([A-Z])/g, " $1").toLowerCase(); return text[0].toUpperCase() + text.slice(1); };

const nameOf = (act) => actName(act) ?? words(act);
// What no operation of the API does by itself: by the server, while it is stopped, or on the way in.
const otherActs = ["addOwner", "recoverKey", "linkOIDC", "forgetUnseenDevices"];
const names = ["on", "who", "act", "from", "until"];

// The address keeps what is looked for, so that it can be sent to somebody. A filter that is changed stays where it is, with the focus and
// with what is half typed into it; only the list is drawn anew.
export async function audit(container, { app, session, link, go, rest, onmove }) {
  const ofServer = !session.app && has("/v1/audit");
  // Who may see an app's log alone sees no list of people or keys.
  const [people, keys] = await Promise.all([["people", "/v1/people"], ["keys", "/v1/keys"]].map(([name, path]) => api("GET", path).then((answer) => answer[name], () => [])));
  const holders = [["", t`by anyone`], ...people.map((one) => [`person:${one.id}`, one.name]), ...keys.map((one) => [`key:${one.id}`, t`Key ${one.name}`])];
  const acts = [...new Set([...session.acts, ...otherActs])].map((act) => [act, nameOf(act)]).sort(([, one], [, other]) => one.localeCompare(other, tongue));
  const all = select(ofServer ? [["", t`On everything`], ...(app ? [["app", t`On ${app}`]] : [])] : [["", t`On ${app}`]], "", { "aria-label": t`Which` });
  const who = select(holders, "", { "aria-label": t`Who` });
  const act = select([["", t`all actions`], ...acts], "", { "aria-label": t`What` });
  const [from, until] = [t`On this day or later`, t`Before this day`].map((label) => h("input", { type: "date", min: "2000-01-01", max: "9999-12-31", "aria-label": label }));
  const controls = [all, who, act, from, until];
  // A year that is half typed is below the least one.
  const look = () => {
    if (!controls.every((one) => one.validity.valid)) return;
    const found = new URLSearchParams(controls.map((one, index) => [names[index], one.value]).filter(([, value]) => value));
    go(found.size ? `audit/find/${encodeURIComponent(found)}` : "audit");
  };
  for (const one of controls) one.addEventListener("change", look);
  const lift = h("a", { class: "button quiet", href: link("audit") }, t`All`);
  const count = h("p", { class: "hint", role: "status" });
  const list = h("div", { class: "stack" });
  let turn = 0;
  function read(parts) {
    const wanted = new URLSearchParams(parts[0] === "find" ? parts[1] ?? "" : "");
    controls.forEach((one, index) => show(one, wanted.get(names[index]) ?? ""));
    lift.hidden = !wanted.size;
    const own = ++turn;
    const report = (text) => { if (own === turn) replace(count, text); };
    replace(list, logOf(ofServer && all.value !== "app" ? "/v1/audit" : at(app, "/audit"), wanted, report));
  }
  append(container, [card(null, h("div", { class: "row filters" }, ofServer && app && all, who, act, h("label", { class: "inline" }, t`from`, from), h("label", { class: "inline" }, t`before`, until), lift), count, list)]);
  read(rest);
  onmove((parts) => { read(parts); return true; });
}

// Somebody who was removed has left acts: a value that is no choice becomes one.
function show(control, value) {
  if (control.value === value) return;
  control.value = value;
  if (control.value !== value && control.options) { append(control, [h("option", { value }, value.replace(":", " "))]); control.value = value; }
}

// The acts that are wanted, in pages; `report` gets how many there are.
function logOf(path, wanted, report) {
  const [kind, id] = (wanted.get("who") ?? "").split(":");
  const midnight = (day) => (day ? new Date(`${day}T00:00`).toISOString() : "");
  const query = new URLSearchParams([["limit", "50"], [kind, id], ["act", wanted.get("act")], ["from", midnight(wanted.get("from"))], ["until", midnight(wanted.get("until"))]].filter(([, value]) => value));
  let shown = 0;
  return pages(async (cursor) => {
    const page = await api("GET", `${path}?${query}${cursor ? `&cursor=${cursor}` : ""}`);
    shown += page.acts.length;
    report(page.next ? t`The newest ${number(shown)}; “Show more” looks further.` : shown === 1 ? t`${number(shown)} entry.` : t`${number(shown)} entries.`);
    return { items: page.acts, next: page.next };
  }, {
    label: t`Audit log, newest first`, heads: [t`When`, t`Who`, t`What`, t`Target`, t`From`, t`Request`],
    row: (one) => [time(one.at), one.author ? h("span", { title: `${one.author.kind} ${one.author.id}` }, by(one.author)) : t`the server`, actName(one.act) ?? h("span", tongue === "en" ? {} : english, words(one.act)), h("code", {}, one.target), h("span", { class: "mono" }, one.from || "–"), h("code", { class: "hint" }, one.request_id)],
    none: wanted.size ? empty(t`Nothing found`, t`No entry matches.`) : empty(t`Nothing yet`, t`Every administrative action is listed here: who, what, on which target, from where. Secrets are never recorded.`),
  });
}
