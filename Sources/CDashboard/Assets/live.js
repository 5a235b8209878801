// What Live Activities listen to: broadcast channels, and what was sent on them.
import { api, append, ask, at, badge, button, card, empty, field, form, h, may, pages, pairs, select, time, toast } from "./core.js";

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
  if (may("send")) append(tools, [button("Broadcast", { class: "primary", onclick: () => broadcast(path, one, reload) }), button("Delete", { class: "danger quiet", onclick: () => ask(`Delete “${named(one)}”?`, "It is deleted at Apple, too: activities that listen to it get no more updates. What was sent stays in the ledger.", "Delete it", async () => { await api("DELETE", path); go("channels"); }) })]);
  append(page, [card(null, pairs([["App at Apple", place(one)], ["APNs keeps", kept[one.storage]], ["Apple’s id", h("code", {}, one.channel_id)], ["Made", time(one.created_at)]])),
    card("Broadcasts", sent(`${path}/broadcasts`, "broadcasts", link, "Nothing was sent on it", "A broadcast updates or ends every activity that listens."))]);
}

// What was sent, newest first, each with where it stands.
function sent(path, member, link, none, about) {
  return pages(async (cursor) => {
    const found = await api("GET", `${path}?limit=50${cursor ? `&cursor=${cursor}` : ""}`);
    return { items: found[member], next: found.next };
  }, {
    label: none, heads: ["Sent", "Event", "Push", "Outcome"],
    row: (one) => [time(one.created_at), one.event, h("a", { href: link(`pushes/${one.id}`) }, one.id), outcome(one.counts)], none: empty(none, about),
  });
}

const outcome = (counts) => { const name = ["accepted", "rejected", "unknown", "expired", "cancelled"].find((state) => counts[state]); return name ? badge(name) : badge("waiting"); };

function broadcast(path, one, reload) {
  const event = select([["update", "update: new content"], ["end", "end: it leaves the lock screen"]], "update");
  const state = h("textarea", { rows: 6, class: "mono", spellcheck: "false" }, "{}");
  const seconds = h("input", { type: "text", inputmode: "numeric", value: "0" });
  form("Broadcast", "Send it", [field("Event", event), field("Content state (JSON)", state, "What the app’s ContentState decodes."),
    one.storage !== "none" && field("APNs keeps it for (seconds)", seconds, "0: for devices that listen now.")], async (close) => {
    let content;
    try { content = JSON.parse(state.value); } catch (error) { throw new Error(`Content state: ${error.message}`); }
    await api("POST", `${path}/broadcasts`, { event: event.value, content_state: content, expires_in_seconds: Number(seconds.value) });
    close(); toast("The broadcast is sending."); reload();
  });
}
