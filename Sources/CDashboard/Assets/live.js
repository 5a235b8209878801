// Live Activities and the channels that they listen to, with what was sent to each.
import { api, append, ask, at, badge, button, card, empty, field, findings, form, h, may, pages, pairs, said, select, table, time, toast } from "./core.js";
import { t, word } from "./words.js";

const kept = { none: t`nothing`, "most-recent": t`the latest broadcast, for eight hours at most` };
const appAtApple = (one) => `${one.bundle_id}, ${word(one.environment)}`;
const named = (one) => one.name ?? t`Channel ${one.id}`;

export async function channels(page, context) {
  if (context.id) return channel(page, context);
  const { app, link, tools, reload } = context;
  if (may("send")) append(tools, [button(t`Compare with Apple`, { class: "quiet", onclick: () => compare(app, reload) }), button(t`New channel`, { class: "primary", onclick: () => make(app, reload) }, "plus")]);
  append(page, [card(null, pages(async (cursor) => {
    const found = await api("GET", at(app, `/channels?limit=50${cursor ? `&cursor=${cursor}` : ""}`));
    return { items: found.channels, next: found.next };
  }, {
    label: t`Channels`, heads: [t`Channel`, t`App at Apple`, t`APNs storage`, t`Apple’s id`, t`Created`],
    row: (one) => [h("a", { href: link(`channels/${one.id}`) }, named(one)), appAtApple(one), word(one.storage), h("code", {}, one.channel_id), time(one.created_at)],
    none: empty(t`No channels`, t`A broadcast channel updates every Live Activity that listens to it with one request.`, may("send") && button(t`Create the first one`, { class: "primary", onclick: () => make(app, reload) })),
  }))]);
}

function make(app, reload) {
  const name = h("input", { type: "text", maxlength: 200, placeholder: "match-17" });
  const storage = select(Object.entries(kept).reverse(), "most-recent");
  const environment = select([["production", word("production")], ["development", word("development")]], "production");
  const known = h("input", { type: "text", class: "mono", spellcheck: "false", autocomplete: "off" });
  form(t`New channel`, t`Create`, [field(t`Name`, name), field(t`APNs storage`, storage, t`For devices that are away. It cannot be changed.`), field(t`Environment`, environment),
    field(t`Apple’s id`, known, t`Only for a channel that exists at Apple already; it is read there and saved.`)], async (close) => {
    const id = known.value.trim();
    await api("POST", at(app, "/channels"), { environment: environment.value, ...(name.value.trim() && { name: name.value.trim() }), ...(id ? { channel_id: id } : { storage: storage.value }) });
    close(); toast(t`Channel created.`); reload();
  });
}

function compare(app, reload) {
  const environment = select([["production", word("production")], ["development", word("development")]], "production");
  form(t`Compare with Apple’s list`, t`Compare`, [field(t`Environment`, environment)], async (close, show) => {
    const found = await api("GET", at(app, `/channels/comparison?environment=${environment.value}`));
    const done = () => { close(); reload(); };
    const save = (id) => async (event) => { event.target.disabled = true; try { await api("POST", at(app, "/channels"), { environment: environment.value, channel_id: id }); event.target.replaceWith(t`saved`); } catch (error) { toast(said(error), "bad"); } };
    show(pairs([[t`App at Apple`, appAtApple(found)], [t`In both`, found.on_both], [t`Only here`, found.only_here.map(named).join(", ") || t`none`], [t`Only at Apple`, found.only_there.length || t`none`]]),
      found.only_there.slice(0, 50).map((id) => h("p", { class: "row spread" }, h("code", {}, id), button(t`Save it here`, { class: "link", "aria-label": t`Save ${id} here`, onclick: save(id) }))),
      h("div", { class: "row end" }, button(t`Done`, { class: "primary", onclick: done })));
  });
}

async function channel(page, { app, id, link, go, title, tools, reload }) {
  const path = at(app, `/channels/${encodeURIComponent(id)}`);
  const one = await api("GET", path);
  title(named(one));
  if (may("send")) append(tools, [button(t`Broadcast`, { class: "primary", onclick: () => broadcast(path, one, reload) }), button(t`Delete`, { class: "danger quiet", onclick: () => ask(t`Delete “${named(one)}”?`, t`It is deleted at Apple, too: activities that listen to it get no more updates. What was sent stays in the ledger.`, t`Delete it`, () => remove(path, go)) })]);
  append(page, [card(null, pairs([[t`App at Apple`, appAtApple(one)], [t`APNs storage`, kept[one.storage]], [t`Apple’s id`, h("code", {}, one.channel_id)], [t`Created`, time(one.created_at)]])),
    card(t`Broadcasts`, sent(`${path}/broadcasts`, "broadcasts", link, t`Nothing was sent on it`, t`A broadcast updates or ends every activity that listens.`))]);
}

// What the server says of a send stays to be read; a send of which there is nothing to say closes its form.
function done(made, text, close, show, then) {
  if (!made.report?.length) { close(); toast(text); return then(); }
  show(h("p", {}, text), findings(made.report), h("div", { class: "row end" }, button(t`Done`, { class: "primary", onclick: () => { close(); then(); } })));
}

// A channel to which activities listen is deleted by whoever has read how many.
async function remove(path, go) {
  try { await api("DELETE", path); } catch (error) {
    if (error.status !== 409) throw error;
    return ask(t`Activities listen to this channel`, error.message, t`Delete it anyway`, async () => { await api("DELETE", `${path}?listeners=ignore`); go("channels"); });
  }
  go("channels");
}

const headsOfSends = [t`Sent`, t`Event`, t`Push`, t`Outcome`];
const send = (link) => (one) => [time(one.created_at), word(one.event), h("a", { href: link(`pushes/${one.id}`) }, t`Push ${one.number}`), outcome(one.counts)];
const outcome = (counts) => { const found = ["accepted", "rejected", "unknown", "expired", "cancelled"].filter((state) => counts[state]); return found.length ? found.map((state) => [badge(counts.targeted > 1 ? `${counts[state]} ${word(state)}` : word(state), state), " "]) : badge("waiting"); };

// What was sent, newest first, each with its state.
function sent(path, member, link, none, about) {
  return pages(async (cursor) => {
    const found = await api("GET", `${path}?limit=50${cursor ? `&cursor=${cursor}` : ""}`);
    return { items: found[member], next: found.next };
  }, { label: none, heads: headsOfSends, row: send(link), none: empty(none, about) });
}

// What it shows, as JSON, from a field.
function parsed(control, name = t`Content state`) { try { return JSON.parse(control.value); } catch (error) { throw new Error(`${name}: ${error.message}`); } }

function broadcast(path, one, reload) {
  const event = select([["update", t`update: new content`], ["end", t`end: it leaves the lock screen`]], "update");
  const state = h("textarea", { rows: 6, class: "mono", spellcheck: "false" }, "{}");
  const seconds = h("input", { type: "text", inputmode: "numeric", value: "0" });
  form(t`Broadcast`, t`Send it`, [field(t`Event`, event), field(t`Content state (JSON)`, state, t`What the app’s ContentState decodes.`),
    one.storage !== "none" && field(t`APNs stores it for (seconds)`, seconds, t`0: for devices that listen now.`)], async (close, show) => {
    const made = await api("POST", `${path}/broadcasts`, { event: event.value, content_state: parsed(state), expires_in_seconds: Number(seconds.value) });
    done(made, t`The broadcast is sending.`, close, show, reload);
  });
}

const tones = { active: "accepted", starting: "waiting", stale: "warning", ended: "waiting", over: "waiting" };

export async function activities(page, context) {
  if (context.id) return activity(page, context);
  const { app, link, go, tools } = context;
  if (may("send")) append(tools, [button(t`Start an activity`, { class: "primary", onclick: () => start(app, go) }, "plus")]);
  append(page, [card(null, pages(async (cursor) => {
    const found = await api("GET", at(app, `/activities?limit=50${cursor ? `&cursor=${cursor}` : ""}`));
    return { items: found.activities, next: found.next };
  }, {
    label: t`Live Activities`, heads: [t`Activity`, t`User`, t`Type`, t`State`, `#${t`Urgent left`}`, t`Started`],
    row: (one) => [h("a", { href: link(`activities/${encodeURIComponent(one.id)}`) }, one.id), one.user ?? "–", one.attributes_type, badge(word(one.state), tones[one.state]), t`${one.urgent_left} of ${one.urgent_per_hour}`, time(one.created_at)],
    none: empty(t`No Live Activities`, t`The app registers a push-to-start token, and a push starts an activity on the phones of a user.`, may("send") && button(t`Start the first`, { class: "primary", onclick: () => start(app, go) })),
  }))]);
}

async function start(app, go) {
  const text = (placeholder, max) => h("input", { type: "text", maxlength: max, placeholder, autocomplete: "off" });
  const json = (rows, value) => h("textarea", { rows, class: "mono", spellcheck: "false" }, value);
  const [id, user, type, title, body] = [text("order-17", 100), text("ann", 250), text("OrderAttributes", 200), text(t`Your order`, 200), text(t`It is on its way.`, 500)];
  const [attributes, state] = [json(3, "{}"), json(4, "{}")];
  const known = (await api("GET", at(app, "/channels?limit=100"))).channels;
  const channel = select([["", t`nothing: it has a token of its own`], ...known.map((one) => [one.id, `${named(one)} (${appAtApple(one)})`])], "");
  form(t`Start an activity`, t`Start it`, [h("div", { class: "two" }, field(t`Id`, id, t`Your own; the app reports its token under it.`), field(t`User`, user, t`On each device with a push-to-start token.`)),
    field(t`Type`, type, t`The name of its ActivityAttributes.`), field(t`Attributes (JSON)`, attributes, t`Values that never change. The id is added if it is missing.`),
    field(t`Content state (JSON)`, state, t`What the app’s ContentState decodes.`), h("div", { class: "two" }, field(t`Alert title`, title), field(t`Alert body`, body)), known.length > 0 && field(t`Listens to`, channel)], async (close, show) => {
    const name = id.value.trim();
    const made = { id: name, to: { user: user.value.trim() }, attributes_type: type.value.trim(), attributes: { id: name, ...parsed(attributes, t`Attributes`) }, content_state: parsed(state),
      alert: { title: title.value, body: body.value }, ...(channel.value && { channel: channel.value }) };
    const answer = await api("POST", at(app, "/activities"), made);
    done(answer, t`The activity is starting.`, close, show, () => go(`activities/${encodeURIComponent(name)}`));
  });
}

async function activity(page, { app, id, link, go, title, tools, reload }) {
  const path = at(app, `/activities/${encodeURIComponent(id)}`);
  const one = await api("GET", path);
  title(one.id);
  if (may("send")) append(tools, [!one.ended_at && !one.channel && button(t`Update`, { class: "primary", onclick: () => change(path, reload) }),
    button(t`Delete`, { class: "danger quiet", onclick: () => ask(t`Delete “${one.id}”?`, t`Its tokens are forgotten, and it gets no more updates. What was sent stays in the ledger.`, t`Delete it`, async () => { await api("DELETE", path); go("activities"); }) })]);
  append(page, [card(null, h("div", { class: "row" }, badge(word(one.state), tones[one.state]), h("strong", {}, one.attributes_type)),
    pairs([[t`User`, one.user && h("a", { href: link(`users/${encodeURIComponent(one.user)}`) }, one.user)], [t`App at Apple`, one.bundle_id], [t`Listens to`, one.channel && h("a", { href: link(`channels/${one.channel}`) }, t`channel ${one.channel}`)],
      [t`Urgent sends left in this hour`, t`${one.urgent_left} of ${one.urgent_per_hour}`], [t`Started`, time(one.created_at)], [t`Out of date`, one.stale_at && time(one.stale_at)], [t`Ended`, one.ended_at && time(one.ended_at)], [t`Leaves the lock screen`, one.dismissal_at && time(one.dismissal_at)]])),
  card(t`Phones`, one.tokens.length ? table([t`Device`, t`State`, t`Reported`], one.tokens.map((token) => [h("a", { href: link(`devices/${token.device}`) }, token.device), [badge(word(token.state), token.state === "active" ? "accepted" : "rejected"), " ", token.state_reason], time(token.registered_at)]), { label: t`Tokens` })
    : empty(t`No token yet`, t`The app reports the activity’s token once it has started.`)),
  card(t`Sends`, one.sends.length ? table(headsOfSends, one.sends.map(send(link)), { label: t`Sends` }) : empty(t`Nothing was sent`, t`Its pushes were deleted.`))]);
}

function change(path, reload) {
  const event = select([["update", t`update: new content`], ["end", t`end: it leaves the lock screen`]], "update");
  const state = h("textarea", { rows: 6, class: "mono", spellcheck: "false" }, "{}");
  const leaves = select([["", t`as iOS decides, within four hours`], ["0", t`at once`], ["900", t`after 15 minutes`], ["3600", t`after an hour`]], "");
  const leaving = field(t`Leaves the lock screen`, leaves);
  const follow = () => { leaving.hidden = event.value !== "end"; };
  event.addEventListener("change", follow);
  follow();
  const priority = select([["10", t`10: at once`], ["5", t`5: when the phone’s power allows`]], "10");
  form(t`Update the activity`, t`Send it`, [field(t`Event`, event), field(t`Content state (JSON)`, state, t`What the app’s ContentState decodes.`), leaving, field(t`Priority`, priority)], async (close, show) => {
    const dismissal = event.value === "end" && leaves.value && { dismissal_date: new Date(Date.now() + Number(leaves.value) * 1000).toISOString() };
    const made = await api("POST", `${path}/updates`, { event: event.value, content_state: parsed(state), priority: Number(priority.value), ...dismissal });
    done(made, t`It is sending.`, close, show, reload);
  });
}
