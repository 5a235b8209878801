// A user's inbox: messages that the app shows in a list of its own; left here, marked as read, removed.
import { allows, api, ask, badge, button, card, complain, dialog, empty, field, form, h, may, number, pages, pairs, replace, select, time, toast } from "./core.js";

/** The card of an inbox; `path` is the user's. */
export function inbox(path, user, link) {
  const counts = h("p", { class: "hint", role: "status" });
  const list = h("div", {});
  const only = select([["", "All messages"], ["&unread=true", "Unread only"]], "", { onchange: () => show() });
  const show = () => replace(list, pages(async (cursor) => {
    const page = await api("GET", `${path}/inbox?limit=20${only.value}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`);
    replace(counts, `${number(page.total)} messages, ${number(page.unread)} unread`);
    return { items: page.messages, next: page.next };
  }, {
    label: "Inbox", heads: ["Message", "State", "Created", "Expires", ""],
    row: (one) => [button(one.title, { class: "quiet", onclick: () => open(path, one, link, show) }), badge(one.read ? "read" : "unread", one.read ? "accepted" : "waiting"), time(one.created_at), time(one.expires_at),
      allows("updateInboxMessage", "send") && button(one.read ? "Mark as unread" : "Mark as read", { class: "quiet", onclick: async () => { await mark(path, one, !one.read); show(); } })],
    none: empty("No messages", "A message is there until it expires, with or without a push."),
  }));
  show();
  return card("Inbox", h("div", { class: "row filters" }, field("Messages shown", only), counts, may("send") && button("Mark all as read", { class: "quiet", onclick: async () => {
    const { marked } = await api("PATCH", `${path}/inbox`, { read: true });
    toast(`${number(marked)} messages were unread.`); show();
  } }), allows("leaveInboxMessage", "send") && button("Leave a message", { class: "primary", onclick: () => leave(path, user, show) })), list);
}

const mark = (path, one, read) => api("PATCH", `${path}/inbox/${encodeURIComponent(one.id)}`, { read });

function open(path, one, link, changed) {
  dialog(one.title, (close) => [pairs([["Id", one.id], ["Summary", one.summary], ["Body is", one.type], ["Leads to", one.url], ["Announced by", one.push && h("a", { href: link(`pushes/${one.push}`), onclick: close }, `push ${one.push}`)], ["Read", one.read_at && time(one.read_at)]]),
    h("pre", { class: "clip", tabindex: 0, "aria-label": "Body" }, one.body), one.data && h("pre", { tabindex: 0, "aria-label": "Data" }, JSON.stringify(one.data, null, 1)),
    h("div", { class: "row end" }, allows("deleteInboxMessage", "send") && button("Delete", { class: "danger quiet", onclick: () => ask(`Delete “${one.title}”?`, "It leaves the user’s inbox. A push that announced it is not taken back.", "Delete it", async () => {
      await api("DELETE", `${path}/inbox/${encodeURIComponent(one.id)}`);
      close(); changed();
    }) }), button("Done", { class: "primary", onclick: close }))]);
}

function leave(path, user, changed) {
  const text = (max, more = {}) => h("input", { type: "text", maxlength: max, autocomplete: "off", ...more });
  const [title, summary, url, pushTitle, pushBody] = [text(250), text(1000), text(2000), text(200), text(1000)];
  const body = h("textarea", { rows: 5, maxlength: 32768 });
  const type = select([["text", "text"], ["html", "HTML, which the app shows"]], "text");
  const lasts = select([["604800", "7 days"], ["2592000", "30 days"], ["7776000", "90 days"], ["31536000", "a year"]], "7776000");
  form(`A message for ${user}`, "Leave it", [field("Title", title), field("Summary", summary, "Shown below the title in a list."), field("Body", body), h("div", { class: "two" }, field("The body is", type), field("Expires after", lasts)),
    field("Leads to", url), field("Push title", pushTitle, "With a title or text here, a push announces the message."), field("Push text", pushBody)], async (close) => {
    for (const [node, name] of [[title, "a title"], [body, "a body"]]) complain(node, node.value.trim() ? "" : `expected ${name}`);
    if (!title.value.trim() || !body.value.trim()) throw new Error("a message has a title and a body");
    const push = (pushTitle.value || pushBody.value) && { push: { message: { ...(pushTitle.value && { title: pushTitle.value }), ...(pushBody.value && { body: pushBody.value }) } } };
    await api("POST", `${path}/inbox`, { title: title.value, body: body.value, type: type.value, expires_in_seconds: Number(lasts.value), ...(summary.value && { summary: summary.value }), ...(url.value && { url: url.value }), ...push });
    close(); toast("The message is in the inbox."); changed();
  });
}
