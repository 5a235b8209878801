// Who may do what, who did what, and who is told: keys, webhooks, the audit log.
import { api, ask, append, at, badge, button, by, card, empty, fail, field, form, h, has, may, number, pages, pairs, select, shownOnce, table, time, toast } from "./core.js";

// MARK: Keys

const scopes = [["admin", "everything, including apps, credentials and keys"], ["send", "register devices, send pushes, see what became of them"], ["read", "look, and change nothing"], ["client", "register a device and report taps; made to be shipped inside an app"], ["compat", "use other vendors' interfaces, for one app"]];
const lives = [["", "never"], ["86400", "in a day"], ["2592000", "in 30 days"], ["7776000", "in 90 days"], ["31536000", "in a year"]];
const ended = (one) => one.revoked_at || (one.expires_at && new Date(one.expires_at) < new Date());

export async function keys(place, { tools, reload, apps }) {
  const [{ keys: list }, { people }] = await Promise.all([api("GET", "/v1/keys"), api("GET", "/v1/people")]);
  append(tools, [button("New key", { class: "primary", onclick: () => newKey(apps, people, reload) }, "plus")]);
  const whose = (id) => (id ? people.find((one) => one.id === id)?.name ?? `person ${id}` : "a program");
  append(place, [card(null, table(["Name", "Belongs to", "Key", "Scopes", "App", "#A minute", "Ends", "Last used", "State", ""], list.map((one) => [
    one.name, whose(one.person), h("code", {}, `${one.prefix}…`), one.scopes.map((scope) => [badge(scope, scope === "admin" ? "unknown" : "waiting"), " "]), one.app ?? "all", one.rate_per_minute ? number(one.rate_per_minute) : "–", one.expires_at ? time(one.expires_at) : "never", time(one.last_used_at),
    one.revoked_at ? badge("revoked", "rejected") : ended(one) ? badge("expired") : badge("active", "accepted"),
    ended(one) ? null : h("span", { class: "row tight end" }, button("Rotate", { class: "link", "aria-label": `Rotate ${one.name}`, onclick: () => rotate(one, reload) }), button("Revoke", { class: "link", "aria-label": `Revoke ${one.name}`, onclick: () => revoke(one, reload) }))]), { label: "API keys" }))]);
}

const revoke = (one, reload) => ask(`Revoke “${one.name}”?`, "It stops working at once, with every session it opened. This cannot be undone.", "Revoke it", async () => { await api("DELETE", `/v1/keys/${one.id}`); reload(); });

function rotate(one, reload) {
  const overlap = select([["0", "at once"], ["3600", "in an hour"], ["86400", "in a day"], ["604800", "in a week"]], "86400");
  form(`Rotate “${one.name}”`, "Make a new one", [h("p", {}, "A new key with the same rights is made and shown once. The old one goes on working until it ends."), field("The old one ends", overlap)], async (close, show) => {
    const made = await api("POST", `/v1/keys/${one.id}/rotate`, { overlap_seconds: Number(overlap.value) });
    show(shownOnce("The key", made.key, "Copy it now: only its hash is kept, and it is not shown again.", () => { close(); reload(); }));
  });
}

function newKey(apps, people, reload) {
  const name = h("input", { type: "text", required: true, placeholder: "billing service" });
  const app = select([["", "all apps"], ...apps.map((one) => [one.name, one.title || one.name])], "");
  const life = select(lives, "");
  const owner = select([["", "a program"], ...people.map((one) => [one.id, `${one.name}, with whom it ends`])], "");
  const rate = h("input", { type: "text", inputmode: "numeric", placeholder: "the server’s" });
  const boxes = scopes.map(([scope, about]) => h("label", { class: "choice" }, h("input", { type: "checkbox", value: scope, checked: scope === "send" }), h("span", {}, h("strong", {}, scope), h("span", { class: "hint" }, about))));
  form("New API key", "Make it", [field("Name", name), h("fieldset", { class: "stack tight" }, h("legend", {}, "Scopes"), boxes),
    h("div", { class: "two" }, field("Good for", app), field("Ends", life)), h("div", { class: "two" }, field("Belongs to", owner), field("Requests a minute", rate))], async (close, show) => {
    const wanted = boxes.map((label) => label.firstChild).filter((box) => box.checked).map((box) => box.value);
    if (!wanted.length) throw new Error("choose at least one scope");
    const made = await api("POST", "/v1/keys", { name: name.value, scopes: wanted, ...(app.value && { app: app.value }), ...(owner.value && { person: owner.value }), ...(life.value && { expires_in_seconds: Number(life.value) }), ...(rate.value.trim() && { rate_per_minute: Number(rate.value) }) });
    show(shownOnce("The key", made.key, "Copy it now: only its hash is kept, and it is not shown again.", () => { close(); reload(); }));
  });
}

// MARK: Identity

const modes = [["off", "tokens are not read: an app’s key registers devices under any user"], ["optional", "a token that is sent must be valid; one without works as before"], ["required", "without a token, an app’s key registers devices of nobody only"]];

export async function identity(place, { app, tools, reload }) {
  const path = at(app, "/identity");
  const shown = await api("GET", path);
  if (may()) append(tools, [button("Change", { class: "quiet", onclick: () => setMode(path, shown, reload) }), button("New key", { class: "primary", onclick: () => newIdentityKey(path, reload) }, "plus")]);
  append(place, [card("Signed identity", h("p", { class: "hint" }, "The app’s backend signs a token for the user who is signed in, and the app sends it when it registers the device."),
    pairs([["Mode", h("span", {}, badge(shown.mode, shown.mode === "required" ? "accepted" : "waiting"), " ", modes.find(([mode]) => mode === shown.mode)?.[1])]])),
  card("Keys", shown.keys.length ? table(["Key (kid)", "Algorithm", "Made", ""], shown.keys.map((one) => [
    h("code", {}, one.id), one.algorithm, time(one.created_at), may() && button("Delete", { class: "link", "aria-label": `Delete ${one.id}`, onclick: () => ask(`Delete the key ${one.id}?`, "Tokens that it has signed are refused at once. This cannot be undone.", "Delete it", async () => { await api("DELETE", `${path}/keys/${one.id}`); reload(); }) })]), { label: "Identity keys" })
    : empty("No keys", "A key verifies the tokens that the backend signs. Two keys are valid while one replaces the other.", may() && button("Make the first", { class: "primary", onclick: () => newIdentityKey(path, reload) })))]);
}

function setMode(path, shown, reload) {
  const mode = select(modes.map(([name, about]) => [name, `${name}: ${about}`]), shown.mode);
  form("Signed identity", "Save", [field("Mode", mode)], async (close) => {
    await api("PUT", path, { mode: mode.value });
    close(); toast("Saved."); reload();
  });
}

function newIdentityKey(path, reload) {
  const text = h("textarea", { rows: 5, class: "mono", spellcheck: "false", autocomplete: "off", placeholder: "-----BEGIN PUBLIC KEY-----" });
  form("New identity key", "Make it", [h("p", { class: "hint" }, "With the public key of a pair that the backend has made (ES256, P-256), nothing that is stored here can sign. Without one, a secret is made and shown once (HS256)."), field("Public key (PEM)", text)], async (close, show) => {
    const pem = text.value.trim();
    const made = await api("POST", `${path}/keys`, pem ? { algorithm: "ES256", public_key: pem } : { algorithm: "HS256" });
    const done = () => { close(); reload(); };
    if (!made.secret) { toast(`The key ${made.id} is there.`); return done(); }
    show(shownOnce("The secret", made.secret, `Tokens of the key ${made.id} are signed with this secret. Copy it now: it is sealed, and not shown again.`, done));
  });
}

// MARK: Webhooks

const kinds = [["delivery.accepted", "a provider took it"], ["delivery.rejected", "a provider refused it"], ["delivery.expired", "it was too late"], ["delivery.cancelled", "it was called off"], ["delivery.unknown", "nobody can say"],
  ["event.received", "it arrived"], ["event.opened", "it was opened"], ["event.action", "a button was chosen"], ["push.finished", "all of a push has ended"]];

export async function webhooks(place, context) {
  if (context.id) return webhook(place, context);
  const { app, link, tools, reload } = context;
  const list = (await api("GET", at(app, "/webhooks"))).webhooks;
  append(tools, [button("New webhook", { class: "primary", onclick: () => edit(app, null, reload) }, "plus")]);
  append(place, [card(null, list.length ? table(["Address", "Told of", "State", "#Waiting", "#Lost", "Last taken"], list.map((one) => [
    h("a", { href: link(`webhooks/${one.id}`) }, one.url), one.types.length === kinds.length ? "everything" : h("span", { class: "hint" }, one.types.join(", ")), state(one), number(one.queued), number(one.dropped), time(one.succeeded_at)]), { label: "Webhooks" })
    : empty("No webhooks", "A server of yours can be told what became of each delivery, signed, at least once and in order.", button("Make the first", { class: "primary", onclick: () => edit(app, null, reload) })))]);
}

const state = (one) => (!one.enabled ? badge("off", "waiting") : one.failure ? badge("failing", "error") : badge("on", "accepted"));

function edit(app, one, reload) {
  const url = h("input", { type: "text", inputmode: "url", required: true, value: one?.url ?? "", placeholder: "where notices are posted; https", autocomplete: "off", spellcheck: "false" });
  const boxes = kinds.map(([type, about]) => h("label", { class: "choice" }, h("input", { type: "checkbox", value: type, checked: one ? one.types.includes(type) : ["delivery.rejected", "push.finished"].includes(type) }), h("span", {}, h("strong", {}, type), h("span", { class: "hint" }, about))));
  form(one ? "Change the webhook" : "New webhook", one ? "Save" : "Make it", [field("Address", url), h("fieldset", { class: "stack tight" }, h("legend", {}, "Told of"), boxes)], async (close, show) => {
    const body = { url: url.value.trim(), types: boxes.map((label) => label.firstChild).filter((box) => box.checked).map((box) => box.value) };
    if (!body.types.length) throw new Error("choose at least one thing to tell of");
    const done = () => { close(); reload(); };
    if (one) { await api("PATCH", at(app, `/webhooks/${one.id}`), body); return done(); }
    const made = await api("POST", at(app, "/webhooks"), body);
    show(shownOnce("The secret", made.secret, "Each notice is signed with this secret. Copy it now: it is sealed, and not shown again.", done));
  });
}

async function webhook(place, { app, id, tools, reload, go, title, link }) {
  const path = at(app, `/webhooks/${encodeURIComponent(id)}`);
  const one = await api("GET", path);
  title(`Webhook ${one.id}`);
  append(tools, [button(one.enabled ? "Turn off" : "Turn on", { class: "quiet", onclick: async () => { try { await api("PATCH", path, { enabled: !one.enabled }); reload(); } catch (error) { fail(error); } } }),
    button("Change", { class: "quiet", onclick: () => edit(app, one, reload) }),
    button("New secret", { class: "quiet", onclick: () => form("A new secret", "Make it", [h("p", {}, "For a day both secrets sign, so that the receiver can change over.")], async (close, show) => {
      const made = await api("POST", `${path}/rotate`);
      show(shownOnce("The secret", made.secret, "Copy it now: it is sealed, and not shown again.", () => { close(); reload(); }));
    }) }),
    button("Remove", { class: "danger quiet", onclick: () => ask("Remove this webhook?", "What it was still to be told is dropped.", "Remove it", async () => { await api("DELETE", path); go("webhooks"); }) })]);
  const dead = pages(async (cursor) => {
    const page = await api("GET", `${path}/dead?limit=50${cursor ? `&cursor=${cursor}` : ""}`);
    return { items: page.batches, next: page.next };
  }, {
    label: "Batches given up", heads: ["Batch", "Push", "#Notices", "#Tries", "Why", "Made", ""],
    row: (batch) => [h("details", { class: "why" }, h("summary", {}, batch.id), h("pre", { class: "code", tabindex: "0" }, batch.notices.map((notice) => JSON.stringify(notice)).join("\n"))), h("a", { href: link(`pushes/${batch.push}`) }, batch.push), number(batch.notices.length), number(batch.attempts), batch.failure ?? "–", time(batch.created_at),
      button("Replay", { class: "link", "aria-label": `Replay batch ${batch.id}`, onclick: () => replay({ batches: [batch.id] }) })],
    none: empty("Nothing was given up", "A batch that is not taken is told again for about eight hours, and then waits here."),
  });
  const replay = async (body) => { try { const { replayed } = await api("POST", `${path}/replay`, body); toast(`${number(replayed)} told again.`); reload(); } catch (error) { fail(error); } };
  append(place, [card(null, h("div", { class: "row" }, state(one), h("strong", {}, one.url)), one.failure && h("p", { class: "problem" }, one.failure),
    pairs([["Told of", one.types.join(", ")], ["Waiting", number(one.queued)], ["Lost", one.dropped > 0 && `${number(one.dropped)} notices, because too many waited`], ["Last taken", time(one.succeeded_at)], ["Last failed", one.failed_at && time(one.failed_at)], ["Made", time(one.created_at)]])),
  card(null, h("div", { class: "row spread" }, h("h2", {}, "Given up"), button("Replay all", { class: "quiet", onclick: () => replay({}) })), dead)]);
}

// MARK: Audit

// createKey → Create key
const words = (act) => { const text = act.replace(/([A-Z])/g, " $1").toLowerCase(); return text[0].toUpperCase() + text.slice(1); };

export async function audit(place, { app, session }) {
  const all = select([["", app ? `On ${app}` : "Everything"], ...(session.app || !app ? [] : [["all", "On everything"]])], session.app || !app ? "" : "all", { "aria-label": "Which", onchange: () => load() });
  const list = h("div", {});
  const load = () => list.replaceChildren(pages(async (cursor) => {
    const page = await api("GET", `${all.value || !app ? "/v1/audit" : at(app, "/audit")}?limit=50${cursor ? `&cursor=${cursor}` : ""}`);
    return { items: page.acts, next: page.next };
  }, {
    label: "Audit log, newest first", heads: ["When", "Who", "What", "Upon", "From", "Request"],
    row: (one) => [time(one.at), one.author ? h("span", { title: `${one.author.kind} ${one.author.id}` }, by(one.author)) : "the server", words(one.act), h("code", {}, one.target), h("span", { class: "mono" }, one.from || "–"), h("code", { class: "hint" }, one.request_id)],
    none: empty("Nothing yet", "Every administrative act stands here: who, what, upon what, from where. Never what is secret."),
  }));
  append(place, [card(null, h("div", { class: "row filters" }, all), list)]);
  load();
}
