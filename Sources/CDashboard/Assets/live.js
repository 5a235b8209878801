// Live Activities and the channels that they listen to, with what was sent to each.
import { api, append, ask, at, badge, button, card, empty, field, findings, form, h, may, pages, pairs, select, table, time, toast } from "./core.js";

const kept = { none: "nothing", "most-recent": "the latest broadcast, for eight hours at most" };
const place = (one) => `${one.bundle_id}, ${one.environment}`;
const named = (one) => one.name ?? `Channel ${one.id}`;

export async function channels(page, context) {
  if (context.id) return channel(page, context);
  const { app, link, tools, reload } = context;
  if (may("send")) append(tools, [button("Compare with Apple", { class: "quiet", onclick: () => compare(app, reload) }), button("New channel", { class: "primary", onclick: () => make(app, reload) }, "plus")]);
  append(page, [card(null, pages(async (cursor) => {
    const found = await api("GET", at(app, `/channels?limit=50${cursor ? `&cursor=${cursor}` : ""}`));
    return { items: found.channels, next: found.next };
  }, {
    label: "Channels", heads: ["Channel", "App at Apple", "APNs keeps", "Apple’s id", "Made"],
    row: (one) => [h("a", { href: link(`channels/${one.id}`) }, named(one)), place(one), one.storage, h("code", {}, one.channel_id), time(one.created_at)],
    none: empty("No channels", "A broadcast channel updates every Live Activity that listens to it with one request.", may("send") && button("Make the first", { class: "primary", onclick: () => make(app, reload) })),
  }))]);
}

function make(app, reload) {
  const name = h("input", { type: "text", maxlength: 200, placeholder: "match-17" });
  const storage = select(Object.entries(kept).reverse(), "most-recent");
  const environment = select([["production", "production"], ["development", "development"]], "production");
  const known = h("input", { type: "text", class: "mono", spellcheck: "false", autocomplete: "off" });
  form("New channel", "Make it", [field("Name", name), field("APNs keeps", storage, "For devices that are away. It cannot be changed."), field("Environment", environment),
    field("Apple’s id", known, "Only for a channel that exists at Apple already; it is read there and saved.")], async (close) => {
    const id = known.value.trim();
    await api("POST", at(app, "/channels"), { environment: environment.value, ...(name.value.trim() && { name: name.value.trim() }), ...(id ? { channel_id: id } : { storage: storage.value }) });
    close(); toast("The channel is there."); reload();
  });
}

function compare(app, reload) {
  const environment = select([["production", "production"], ["development", "development"]], "production");
  form("Compare with Apple’s list", "Compare", [field("Environment", environment)], async (close, show) => {
    const found = await api("GET", at(app, `/channels/comparison?environment=${environment.value}`));
    const done = () => { close(); reload(); };
    const save = (id) => async (event) => { event.target.disabled = true; try { await api("POST", at(app, "/channels"), { environment: environment.value, channel_id: id }); event.target.replaceWith("saved"); } catch (error) { toast(error.message, "bad"); } };
    show(pairs([["App at Apple", place(found)], ["Here and there", found.on_both], ["Only here", found.only_here.map(named).join(", ") || "none"], ["Only at Apple", found.only_there.length || "none"]]),
      found.only_there.slice(0, 50).map((id) => h("p", { class: "row spread" }, h("code", {}, id), button("Save it here", { class: "link", "aria-label": `Save ${id} here`, onclick: save(id) }))),
      h("div", { class: "row end" }, button("Done", { class: "primary", onclick: done })));
  });
}

async function channel(page, { app, id, link, go, title, tools, reload }) {
  const path = at(app, `/channels/${encodeURIComponent(id)}`);
  const one = await api("GET", path);
  title(named(one));
  if (may("send")) append(tools, [button("Broadcast", { class: "primary", onclick: () => broadcast(path, one, reload) }), button("Delete", { class: "danger quiet", onclick: () => ask(`Delete “${named(one)}”?`, "It is deleted at Apple, too: activities that listen to it get no more updates. What was sent stays in the ledger.", "Delete it", () => remove(path, go)) })]);
  append(page, [card(null, pairs([["App at Apple", place(one)], ["APNs keeps", kept[one.storage]], ["Apple’s id", h("code", {}, one.channel_id)], ["Made", time(one.created_at)]])),
    card("Broadcasts", sent(`${path}/broadcasts`, "broadcasts", link, "Nothing was sent on it", "A broadcast updates or ends every activity that listens."))]);
}

// What the server says of a send stays to be read; a send of which there is nothing to say closes its form.
function done(made, text, close, show, then) {
  if (!made.report?.length) { close(); toast(text); return then(); }
  show(h("p", {}, text), findings(made.report), h("div", { class: "row end" }, button("Done", { class: "primary", onclick: () => { close(); then(); } })));
}

// A channel to which activities listen is deleted by whoever has read how many.
async function remove(path, go) {
  try { await api("DELETE", path); } catch (error) {
    if (error.status !== 409) throw error;
    return ask("Activities listen to it", error.message, "Delete it anyway", async () => { await api("DELETE", `${path}?listeners=ignore`); go("channels"); });
  }
  go("channels");
}

const headsOfSends = ["Sent", "Event", "Push", "Outcome"];
const send = (link) => (one) => [time(one.created_at), one.event, h("a", { href: link(`pushes/${one.id}`) }, one.id), outcome(one.counts)];
const outcome = (counts) => { const found = ["accepted", "rejected", "unknown", "expired", "cancelled"].filter((state) => counts[state]); return found.length ? found.map((state) => [badge(counts.targeted > 1 ? `${counts[state]} ${state}` : state, state), " "]) : badge("waiting"); };

// What was sent, newest first, each with where it stands.
function sent(path, member, link, none, about) {
  return pages(async (cursor) => {
    const found = await api("GET", `${path}?limit=50${cursor ? `&cursor=${cursor}` : ""}`);
    return { items: found[member], next: found.next };
  }, { label: none, heads: headsOfSends, row: send(link), none: empty(none, about) });
}

// What it shows, as JSON, from a field.
function parsed(control, name = "Content state") { try { return JSON.parse(control.value); } catch (error) { throw new Error(`${name}: ${error.message}`); } }

function broadcast(path, one, reload) {
  const event = select([["update", "update: new content"], ["end", "end: it leaves the lock screen"]], "update");
  const state = h("textarea", { rows: 6, class: "mono", spellcheck: "false" }, "{}");
  const seconds = h("input", { type: "text", inputmode: "numeric", value: "0" });
  form("Broadcast", "Send it", [field("Event", event), field("Content state (JSON)", state, "What the app’s ContentState decodes."),
    one.storage !== "none" && field("APNs keeps it for (seconds)", seconds, "0: for devices that listen now.")], async (close, show) => {
    const made = await api("POST", `${path}/broadcasts`, { event: event.value, content_state: parsed(state), expires_in_seconds: Number(seconds.value) });
    done(made, "The broadcast is sending.", close, show, reload);
  });
}

const tones = { active: "accepted", starting: "waiting", stale: "warning", ended: "waiting", over: "waiting" };

export async function activities(page, context) {
  if (context.id) return activity(page, context);
  const { app, link, go, tools } = context;
  if (may("send")) append(tools, [button("Start an activity", { class: "primary", onclick: () => start(app, go) }, "plus")]);
  append(page, [card(null, pages(async (cursor) => {
    const found = await api("GET", at(app, `/activities?limit=50${cursor ? `&cursor=${cursor}` : ""}`));
    return { items: found.activities, next: found.next };
  }, {
    label: "Live Activities", heads: ["Activity", "User", "Type", "State", "#Urgent left", "Started"],
    row: (one) => [h("a", { href: link(`activities/${encodeURIComponent(one.id)}`) }, one.id), one.user ?? "–", one.attributes_type, badge(one.state, tones[one.state]), `${one.urgent_left} of ${one.urgent_per_hour}`, time(one.created_at)],
    none: empty("No Live Activities", "The app registers a push-to-start token, and a push starts an activity on the phones of a user.", may("send") && button("Start the first", { class: "primary", onclick: () => start(app, go) })),
  }))]);
}

async function start(app, go) {
  const text = (placeholder, max) => h("input", { type: "text", maxlength: max, placeholder, autocomplete: "off" });
  const json = (rows, value) => h("textarea", { rows, class: "mono", spellcheck: "false" }, value);
  const [id, user, type, title, body] = [text("order-17", 100), text("ann", 250), text("OrderAttributes", 200), text("Your order", 200), text("It is on its way.", 500)];
  const [attributes, state] = [json(3, "{}"), json(4, "{}")];
  const known = (await api("GET", at(app, "/channels?limit=100"))).channels;
  const channel = select([["", "nothing: it has a token of its own"], ...known.map((one) => [one.id, `${named(one)} (${place(one)})`])], "");
  form("Start an activity", "Start it", [h("div", { class: "two" }, field("Id", id, "Your own; the app reports its token under it."), field("User", user, "On each device with a push-to-start token.")),
    field("Type", type, "The name of its ActivityAttributes."), field("Attributes (JSON)", attributes, "What never changes. The id is added where there is none."),
    field("Content state (JSON)", state, "What the app’s ContentState decodes."), h("div", { class: "two" }, field("Alert title", title), field("Alert body", body)), known.length > 0 && field("Listens to", channel)], async (close, show) => {
    const name = id.value.trim();
    const made = { id: name, to: { user: user.value.trim() }, attributes_type: type.value.trim(), attributes: { id: name, ...parsed(attributes, "Attributes") }, content_state: parsed(state),
      alert: { title: title.value, body: body.value }, ...(channel.value && { channel: channel.value }) };
    const answer = await api("POST", at(app, "/activities"), made);
    done(answer, "The activity is starting.", close, show, () => go(`activities/${encodeURIComponent(name)}`));
  });
}

async function activity(page, { app, id, link, go, title, tools, reload }) {
  const path = at(app, `/activities/${encodeURIComponent(id)}`);
  const one = await api("GET", path);
  title(one.id);
  if (may("send")) append(tools, [!one.ended_at && !one.channel && button("Update", { class: "primary", onclick: () => change(path, reload) }),
    button("Delete", { class: "danger quiet", onclick: () => ask(`Delete “${one.id}”?`, "Its tokens are forgotten, and it gets no more updates. What was sent stays in the ledger.", "Delete it", async () => { await api("DELETE", path); go("activities"); }) })]);
  append(page, [card(null, h("div", { class: "row" }, badge(one.state, tones[one.state]), h("strong", {}, one.attributes_type)),
    pairs([["User", one.user && h("a", { href: link(`users/${encodeURIComponent(one.user)}`) }, one.user)], ["App at Apple", one.bundle_id], ["Listens to", one.channel && h("a", { href: link(`channels/${one.channel}`) }, `channel ${one.channel}`)],
      ["Urgent sends left in this hour", `${one.urgent_left} of ${one.urgent_per_hour}`], ["Started", time(one.created_at)], ["Out of date", one.stale_at && time(one.stale_at)], ["Ended", one.ended_at && time(one.ended_at)], ["Leaves the lock screen", one.dismissal_at && time(one.dismissal_at)]])),
  card("Phones", one.tokens.length ? table(["Device", "State", "Reported"], one.tokens.map((token) => [h("a", { href: link(`devices/${token.device}`) }, token.device), [badge(token.state, token.state === "active" ? "accepted" : "rejected"), " ", token.state_reason], time(token.registered_at)]), { label: "Tokens" })
    : empty("No token yet", "The app reports the activity’s token once it has started.")),
  card("Sends", one.sends.length ? table(headsOfSends, one.sends.map(send(link)), { label: "Sends" }) : empty("Nothing was sent", "Its pushes were deleted."))]);
}

function change(path, reload) {
  const event = select([["update", "update: new content"], ["end", "end: it leaves the lock screen"]], "update");
  const state = h("textarea", { rows: 6, class: "mono", spellcheck: "false" }, "{}");
  const leaves = select([["", "as iOS decides, within four hours"], ["0", "at once"], ["900", "after 15 minutes"], ["3600", "after an hour"]], "");
  const leaving = field("Leaves the lock screen", leaves);
  const follow = () => { leaving.hidden = event.value !== "end"; };
  event.addEventListener("change", follow);
  follow();
  const priority = select([["10", "10: at once"], ["5", "5: when the phone’s power allows"]], "10");
  form("Update the activity", "Send it", [field("Event", event), field("Content state (JSON)", state, "What the app’s ContentState decodes."), leaving, field("Priority", priority)], async (close, show) => {
    const dismissal = event.value === "end" && leaves.value && { dismissal_date: new Date(Date.now() + Number(leaves.value) * 1000).toISOString() };
    const made = await api("POST", `${path}/updates`, { event: event.value, content_state: parsed(state), priority: Number(priority.value), ...dismissal });
    done(made, "It is sending.", close, show, reload);
  });
}
