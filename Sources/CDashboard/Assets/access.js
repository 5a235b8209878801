// Who may do what, who did what, and who is told: keys, webhooks, the audit log.
import { api, append, ask, at, badge, button, by, card, empty, fail, field, form, h, has, may, number, pages, pairs, pushName, replace, select, shownOnce, spoken, table, time, toast } from "./core.js";
import { actName, english, t, tongue, word } from "./words.js";

// MARK: Keys

const scopes = [["admin", t`everything, including apps, credentials and keys`], ["send", t`register devices, send pushes, see what became of them`], ["read", t`look, and change nothing`], ["client", t`register a device and report taps; made to be shipped inside an app`], ["compat", t`use other vendors' interfaces, for one app`]];
const lives = [["", t`never`], ["86400", t`in a day`], ["2592000", t`in 30 days`], ["7776000", t`in 90 days`], ["31536000", t`in a year`]];
const ended = (one) => one.revoked_at || (one.expires_at && new Date(one.expires_at) < new Date());

export async function keys(place, { tools, reload, apps }) {
  const [{ keys: list }, { people }] = await Promise.all([api("GET", "/v1/keys"), api("GET", "/v1/people")]);
  append(tools, [button(t`New key`, { class: "primary", onclick: () => newKey(apps, people, reload) }, "plus")]);
  const whose = (id) => (id ? people.find((one) => one.id === id)?.name ?? t`person ${id}` : t`a program`);
  append(place, [card(null, table([t`Name`, t`Belongs to`, t`Key`, t`Scopes`, t`App`, `#${t`A minute`}`, t`Ends`, t`Last used`, t`State`, ""], list.map((one) => [
    one.name, whose(one.person), h("code", {}, `${one.prefix}…`), one.scopes.map((scope) => [h("span", english, badge(scope, scope === "admin" ? "unknown" : "waiting")), " "]), one.app ?? t`all`, one.rate_per_minute ? number(one.rate_per_minute) : "–", one.expires_at ? time(one.expires_at) : t`never`, time(one.last_used_at),
    one.revoked_at ? badge(t`revoked`, "rejected") : ended(one) ? badge("expired") : badge(word("active"), "accepted"),
    ended(one) ? null : h("span", { class: "row tight end" }, button(t`Rotate`, { class: "link", "aria-label": t`Rotate ${one.name}`, onclick: () => rotate(one, reload) }), button(t`Revoke`, { class: "link", "aria-label": t`Revoke ${one.name}`, onclick: () => revoke(one, reload) }))]), { label: t`API keys` }))]);
}

const revoke = (one, reload) => ask(t`Revoke “${one.name}”?`, t`It stops working at once, with every session it opened. This cannot be undone.`, t`Revoke it`, async () => { await api("DELETE", `/v1/keys/${one.id}`); reload(); });

function rotate(one, reload) {
  const overlap = select([["0", t`at once`], ["3600", t`in an hour`], ["86400", t`in a day`], ["604800", t`in a week`]], "86400");
  form(t`Rotate “${one.name}”`, t`Make a new one`, [h("p", {}, t`A new key with the same rights is made and shown once. The old one goes on working until it ends.`), field(t`The old one ends`, overlap)], async (close, show) => {
    const made = await api("POST", `/v1/keys/${one.id}/rotate`, { overlap_seconds: Number(overlap.value) });
    show(shownOnce(t`The key`, made.key, t`Copy it now: only its hash is kept, and it is not shown again.`, () => { close(); reload(); }));
  });
}

function newKey(apps, people, reload) {
  const name = h("input", { type: "text", required: true, placeholder: t`billing service` });
  const app = select([["", t`all apps`], ...apps.map((one) => [one.name, one.title || one.name])], "");
  const life = select(lives, "");
  const owner = select([["", t`a program`], ...people.map((one) => [one.id, t`${one.name}, with whom it ends`])], "");
  const rate = h("input", { type: "text", inputmode: "numeric", placeholder: t`the server’s` });
  const boxes = scopes.map(([scope, about]) => h("label", { class: "choice" }, h("input", { type: "checkbox", value: scope, checked: scope === "send" }), h("span", {}, h("strong", english, scope), h("span", { class: "hint" }, about))));
  form(t`New API key`, t`Make it`, [field(t`Name`, name), h("fieldset", { class: "stack tight" }, h("legend", {}, t`Scopes`), boxes),
    h("div", { class: "two" }, field(t`Good for`, app), field(t`Ends`, life)), h("div", { class: "two" }, field(t`Belongs to`, owner), field(t`Requests a minute`, rate))], async (close, show) => {
    const wanted = boxes.map((label) => label.firstChild).filter((box) => box.checked).map((box) => box.value);
    if (!wanted.length) throw new Error(t`choose at least one scope`);
    const made = await api("POST", "/v1/keys", { name: name.value, scopes: wanted, ...(app.value && { app: app.value }), ...(owner.value && { person: owner.value }), ...(life.value && { expires_in_seconds: Number(life.value) }), ...(rate.value.trim() && { rate_per_minute: Number(rate.value) }) });
    show(shownOnce(t`The key`, made.key, t`Copy it now: only its hash is kept, and it is not shown again.`, () => { close(); reload(); }));
  });
}

// MARK: Identity

const modes = [["off", t`tokens are not read: an app’s key registers devices under any user`], ["optional", t`a token that is sent must be valid; one without works as before`], ["required", t`without a token, an app’s key registers devices of nobody only`]];

export async function identity(place, { app, tools, reload }) {
  const path = at(app, "/identity");
  const shown = await api("GET", path);
  if (may()) append(tools, [button(t`Change`, { class: "quiet", onclick: () => setMode(path, shown, reload) }), button(t`New key`, { class: "primary", onclick: () => newIdentityKey(path, reload) }, "plus")]);
  append(place, [card(t`Signed identity`, h("p", { class: "hint" }, t`The app’s backend signs a token for the user who is signed in, and the app sends it when it registers the device.`),
    pairs([[t`Mode`, h("span", {}, badge(word(shown.mode), shown.mode === "required" ? "accepted" : "waiting"), " ", modes.find(([mode]) => mode === shown.mode)?.[1])]])),
  card(t`Keys`, shown.keys.length ? table([t`Key (kid)`, t`Algorithm`, t`Made`, ""], shown.keys.map((one) => [
    h("code", {}, one.id), one.algorithm, time(one.created_at), may() && button(t`Delete`, { class: "link", "aria-label": t`Delete ${one.id}`, onclick: () => ask(t`Delete the key ${one.id}?`, t`Tokens that it has signed are refused at once. This cannot be undone.`, t`Delete it`, async () => { await api("DELETE", `${path}/keys/${one.id}`); reload(); }) })]), { label: t`Identity keys` })
    : empty(t`No keys`, t`A key verifies the tokens that the backend signs. Two keys are valid while one replaces the other.`, may() && button(t`Make the first`, { class: "primary", onclick: () => newIdentityKey(path, reload) })))]);
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
  form(t`New identity key`, t`Make it`, [h("p", { class: "hint" }, t`With the public key of a pair that the backend has made (ES256, P-256), nothing that is stored here can sign. Without one, a secret is made and shown once (HS256).`), field(t`Public key (PEM)`, text)], async (close, show) => {
    const pem = text.value.trim();
    const made = await api("POST", `${path}/keys`, pem ? { algorithm: "ES256", public_key: pem } : { algorithm: "HS256" });
    const done = () => { close(); reload(); };
    if (!made.secret) { toast(t`The key ${made.id} is there.`); return done(); }
    show(shownOnce(t`The secret`, made.secret, t`Tokens of the key ${made.id} are signed with this secret. Copy it now: it is sealed, and not shown again.`, done));
  });
}

// MARK: Webhooks

const kinds = [["delivery.accepted", t`a provider took it`], ["delivery.rejected", t`a provider refused it`], ["delivery.expired", t`it was too late`], ["delivery.cancelled", t`it was called off`], ["delivery.unknown", t`nobody can say`],
  ["event.received", t`it arrived`], ["event.opened", t`it was opened`], ["event.action", t`a button was chosen`], ["push.finished", t`all of a push has ended`]];

export async function webhooks(place, context) {
  if (context.id) return webhook(place, context);
  const { app, link, tools, reload } = context;
  const list = (await api("GET", at(app, "/webhooks"))).webhooks;
  append(tools, [button(t`New webhook`, { class: "primary", onclick: () => edit(app, null, reload) }, "plus")]);
  append(place, [card(null, list.length ? table([t`Address`, t`Told of`, t`State`, `#${t`Waiting`}`, `#${t`Lost`}`, t`Last taken`], list.map((one) => [
    h("a", { href: link(`webhooks/${one.id}`) }, one.url), one.types.length === kinds.length ? t`everything` : h("span", { class: "hint", ...english }, one.types.join(", ")), state(one), number(one.queued), number(one.dropped), time(one.succeeded_at)]), { label: t`Webhooks` })
    : empty(t`No webhooks`, t`A server of yours can be told what became of each delivery, signed, at least once and in order.`, button(t`Make the first`, { class: "primary", onclick: () => edit(app, null, reload) })))]);
}

const state = (one) => (!one.enabled ? badge(t`off`, "waiting") : one.failure ? badge(t`failing`, "error") : badge(t`on`, "accepted"));

function edit(app, one, reload) {
  const url = h("input", { type: "text", inputmode: "url", required: true, value: one?.url ?? "", placeholder: t`where notices are posted; https`, autocomplete: "off", spellcheck: "false" });
  const boxes = kinds.map(([type, about]) => h("label", { class: "choice" }, h("input", { type: "checkbox", value: type, checked: one ? one.types.includes(type) : ["delivery.rejected", "push.finished"].includes(type) }), h("span", {}, h("strong", english, type), h("span", { class: "hint" }, about))));
  form(one ? t`Change the webhook` : t`New webhook`, one ? t`Save` : t`Make it`, [field(t`Address`, url), h("fieldset", { class: "stack tight" }, h("legend", {}, t`Told of`), boxes)], async (close, show) => {
    const body = { url: url.value.trim(), types: boxes.map((label) => label.firstChild).filter((box) => box.checked).map((box) => box.value) };
    if (!body.types.length) throw new Error(t`choose at least one thing to tell of`);
    const done = () => { close(); reload(); };
    if (one) { await api("PATCH", at(app, `/webhooks/${one.id}`), body); return done(); }
    const made = await api("POST", at(app, "/webhooks"), body);
    show(shownOnce(t`The secret`, made.secret, t`Each notice is signed with this secret. Copy it now: it is sealed, and not shown again.`, done));
  });
}

async function webhook(place, { app, id, tools, reload, go, title, link }) {
  const path = at(app, `/webhooks/${encodeURIComponent(id)}`);
  const one = await api("GET", path);
  title(t`Webhook ${one.id}`);
  append(tools, [button(one.enabled ? t`Turn off` : t`Turn on`, { class: "quiet", onclick: async () => { try { await api("PATCH", path, { enabled: !one.enabled }); reload(); } catch (error) { fail(error); } } }),
    button(t`Change`, { class: "quiet", onclick: () => edit(app, one, reload) }),
    button(t`New secret`, { class: "quiet", onclick: () => form(t`A new secret`, t`Make it`, [h("p", {}, t`For a day both secrets sign, so that the receiver can change over.`)], async (close, show) => {
      const made = await api("POST", `${path}/rotate`);
      show(shownOnce(t`The secret`, made.secret, t`Copy it now: it is sealed, and not shown again.`, () => { close(); reload(); }));
    }) }),
    button(t`Remove`, { class: "danger quiet", onclick: () => ask(t`Remove this webhook?`, t`What it was still to be told is dropped.`, t`Remove it`, async () => { await api("DELETE", path); go("webhooks"); }) })]);
  const dead = pages(async (cursor) => {
    const page = await api("GET", `${path}/dead?limit=50${cursor ? `&cursor=${cursor}` : ""}`);
    return { items: page.batches, next: page.next };
  }, {
    label: t`Batches given up`, heads: [t`Batch`, t`Push`, `#${t`Notices`}`, `#${t`Tries`}`, t`Why`, t`Made`, ""],
    row: (batch) => [h("details", { class: "why" }, h("summary", {}, batch.id), h("pre", { class: "code", tabindex: "0" }, batch.notices.map((notice) => JSON.stringify(notice)).join("\n"))), h("a", { href: link(`pushes/${batch.push}`) }, pushName(batch)), number(batch.notices.length), number(batch.attempts), batch.failure ?? "–", time(batch.created_at),
      button(t`Replay`, { class: "link", "aria-label": t`Replay batch ${batch.id}`, onclick: () => replay({ batches: [batch.id] }) })],
    none: empty(t`Nothing was given up`, t`A batch that is not taken is told again for about eight hours, and then waits here.`),
  });
  const replay = async (body) => { try { const { replayed } = await api("POST", `${path}/replay`, body); toast(t`${number(replayed)} told again.`); reload(); } catch (error) { fail(error); } };
  append(place, [card(null, h("div", { class: "row" }, state(one), h("strong", {}, one.url)), one.failure && h("p", { class: "problem" }, spoken(one.failure)),
    pairs([[t`Told of`, h("span", english, one.types.join(", "))], [t`Waiting`, number(one.queued)], [t`Lost`, one.dropped > 0 && t`${number(one.dropped)} notices, because too many waited`], [t`Last taken`, time(one.succeeded_at)], [t`Last failed`, one.failed_at && time(one.failed_at)], [t`Made`, time(one.created_at)]])),
  card(null, h("div", { class: "row spread" }, h("h2", {}, t`Given up`), button(t`Replay all`, { class: "quiet", onclick: () => replay({}) })), dead)]);
}

// MARK: Audit

// createKey → Create key
const words = (act) => { const text = act.replace(/([A-Z])/g, " $1").toLowerCase(); return text[0].toUpperCase() + text.slice(1); };

const nameOf = (act) => actName(act) ?? words(act);
// What no operation of the API does by itself: by the server, while it is stopped, or on the way in.
const otherActs = ["addOwner", "recoverKey", "linkOIDC", "forgetUnseenDevices"];
const names = ["on", "who", "act", "from", "until"];

// The address keeps what is looked for, so that it can be sent to somebody.
export async function audit(place, { app, session, link, go, rest }) {
  const wanted = new URLSearchParams(rest[0] === "find" ? rest[1] ?? "" : "");
  const ofServer = !session.app && has("/v1/audit");
  const all = select(ofServer ? [["", t`On everything`], ...(app ? [["app", t`On ${app}`]] : [])] : [["", t`On ${app}`]], wanted.get("on") ?? "", { "aria-label": t`Which` });
  // Who may see an app's log alone sees no list of people or keys.
  const [people, keys] = await Promise.all([["people", "/v1/people"], ["keys", "/v1/keys"]].map(([name, path]) => api("GET", path).then((answer) => answer[name], () => [])));
  const holders = [["", t`by anybody`], ...people.map((one) => [`person:${one.id}`, one.name]), ...keys.map((one) => [`key:${one.id}`, t`Key ${one.name}`])];
  const asked = wanted.get("who") ?? "";
  // Somebody who was removed has left acts.
  if (!holders.some(([id]) => id === asked)) holders.push([asked, asked.replace(":", " ")]);
  const who = select(holders, asked, { "aria-label": t`Who` });
  const acts = [...new Set([...session.acts, ...otherActs, ...(wanted.get("act") ? [wanted.get("act")] : [])])].map((act) => [act, nameOf(act)]).sort(([, one], [, other]) => one.localeCompare(other, tongue));
  const act = select([["", t`all acts`], ...acts], wanted.get("act") ?? "", { "aria-label": t`What` });
  const [from, until] = [["from", t`On this day or later`], ["until", t`Before this day`]].map(([name, label]) => h("input", { type: "date", "aria-label": label, value: wanted.get(name) ?? "" }));
  const controls = [all, who, act, from, until];
  const look = () => {
    const found = new URLSearchParams(controls.map((one, index) => [names[index], one.value]).filter(([, value]) => value));
    go(found.size ? `audit/find/${encodeURIComponent(found)}` : "audit");
  };
  for (const one of controls) one.addEventListener("change", look);
  const [kind, id] = asked.split(":");
  const midnight = (day) => (day ? new Date(`${day}T00:00`).toISOString() : "");
  const query = new URLSearchParams([["limit", "50"], [kind, id], ["act", act.value], ["from", midnight(from.value)], ["until", midnight(until.value)]].filter(([, value]) => value));
  const count = h("p", { class: "hint", role: "status" });
  let shown = 0;
  const list = pages(async (cursor) => {
    const page = await api("GET", `${ofServer && all.value !== "app" ? "/v1/audit" : at(app, "/audit")}?${query}${cursor ? `&cursor=${cursor}` : ""}`);
    shown += page.acts.length;
    replace(count, page.next ? t`The newest ${number(shown)}; “Show more” looks further.` : shown === 1 ? t`${number(shown)} act.` : t`${number(shown)} acts.`);
    return { items: page.acts, next: page.next };
  }, {
    label: t`Audit log, newest first`, heads: [t`When`, t`Who`, t`What`, t`Upon`, t`From`, t`Request`],
    row: (one) => [time(one.at), one.author ? h("span", { title: `${one.author.kind} ${one.author.id}` }, by(one.author)) : t`the server`, actName(one.act) ?? h("span", tongue === "en" ? {} : english, words(one.act)), h("code", {}, one.target), h("span", { class: "mono" }, one.from || "–"), h("code", { class: "hint" }, one.request_id)],
    none: wanted.size ? empty(t`Nothing found`, t`No act in the log has all of that.`) : empty(t`Nothing yet`, t`Every administrative act stands here: who, what, upon what, from where. Never what is secret.`),
  });
  append(place, [card(null, h("div", { class: "row filters" }, ofServer && app && all, who, act, h("label", { class: "inline" }, t`from`, from), h("label", { class: "inline" }, t`before`, until), wanted.size > 0 && h("a", { class: "button quiet", href: link("audit") }, t`All`)), count, list)]);
}
