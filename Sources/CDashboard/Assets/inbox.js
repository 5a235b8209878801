// A user's inbox: messages that the app shows in a list of its own; left here, marked as read, removed.
import { allows, api, ask, badge, button, card, complain, dialog, empty, field, form, h, may, number, pages, pairs, replace, select, time, toast } from "./core.js";
import { t, word } from "./words.js";

// The card of an inbox; `path` is the user's.
export function inbox(path, user, link) {
  const counts = h("p", { class: "hint", role: "status" });
  const list = h("div", {});
  const only = select([["", t`All messages`], ["&unread=true", t`Unread only`]], "", { onchange: () => show() });
  const show = () => replace(list, pages(async (cursor) => {
    const page = await api("GET", `${path}/inbox?limit=20${only.value}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`);
    replace(counts, t`${number(page.total)} messages, ${number(page.unread)} unread`);
    return { items: page.messages, next: page.next };
  }, {
    label: t`Inbox`, heads: [t`Message`, t`State`, t`Created`, t`Expires`, ""],
    row: (one) => [button(one.title, { class: "quiet", onclick: () => open(path, one, link, show) }), badge(one.read ? t`read` : t`unread`, one.read ? "accepted" : "waiting"), time(one.created_at), time(one.expires_at),
      allows("updateInboxMessage", "send") && button(one.read ? t`Mark as unread` : t`Mark as read`, { class: "quiet", onclick: async () => { await mark(path, one, !one.read); show(); } })],
    none: empty(t`No messages`, t`A message is stored until it expires, with or without a push.`),
  }));
  show();
  return card(t`Inbox`, h("div", { class: "row filters" }, field(t`Messages shown`, only), counts, may("send") && button(t`Mark all as read`, { class: "quiet", onclick: async () => {
    const { marked } = await api("PATCH", `${path}/inbox`, { read: true });
    toast(marked === 1 ? t`${number(marked)} message was unread.` : t`${number(marked)} messages were unread.`); show();
  } }), allows("leaveInboxMessage", "send") && button(t`Add a message`, { class: "primary", onclick: () => leave(path, user, show) })), list);
}

const mark = (path, one, read) => api("PATCH", `${path}/inbox/${encodeURIComponent(one.id)}`, { read });

function open(path, one, link, changed) {
  dialog(one.title, (close) => [pairs([[t`Id`, one.id], [t`Summary`, one.summary], [t`Body is`, word(one.type)], [t`Link`, one.url], [t`Announced by`, one.push && h("a", { href: link(`pushes/${one.push}`), onclick: close }, pushName(one))], [t`Read`, one.read_at && time(one.read_at)]]),
    h("pre", { class: "clip", tabindex: 0, "aria-label": t`Body` }, one.body), one.data && h("pre", { tabindex: 0, "aria-label": t`Data` }, JSON.stringify(one.data, null, 1)),
    h("div", { class: "row end" }, allows("deleteInboxMessage", "send") && button(t`Delete`, { class: "danger quiet", onclick: () => ask(t`Delete “${one.title}”?`, t`It is removed from the user’s inbox. A push that announced it is not recalled.`, t`Delete it`, async () => {
      await api("DELETE", `${path}/inbox/${encodeURIComponent(one.id)}`);
      close(); changed();
    }) }), button(t`Done`, { class: "primary", onclick: close }))]);
}

function leave(path, user, changed) {
  const text = (max, more = {}) => h("input", { type: "text", maxlength: max, autocomplete: "off", ...more });
  const [title, summary, url, pushTitle, pushBody] = [text(250), text(1000), text(2000), text(200), text(1000)];
  const body = h("textarea", { rows: 5, maxlength: 32768 });
  const type = select([["text", t`plain text`], ["html", t`HTML, which the app shows`]], "text");
  const lasts = select([["604800", t`7 days`], ["2592000", t`30 days`], ["7776000", t`90 days`], ["31536000", t`a year`]], "7776000");
  form(t`A message for ${user}`, t`Add it`, [field(t`Title`, title), field(t`Summary`, summary, t`Shown below the title in a list.`), field(t`Body`, body), h("div", { class: "two" }, field(t`The body is`, type), field(t`Expires after`, lasts)),
    field(t`Link`, url), field(t`Push title`, pushTitle, t`With a title or text here, a push announces the message.`), field(t`Push text`, pushBody)], async (close) => {
    for (const [node, text] of [[title, t`expected a title`], [body, t`expected a body`]]) complain(node, node.value.trim() ? "" : text);
    if (!title.value.trim() || !body.value.trim()) throw new Error(t`a message has a title and a body`);
    const push = (pushTitle.value || pushBody.value) && { push: { message: { ...(pushTitle.value && { title: pushTitle.value }), ...(pushBody.value && { body: pushBody.value }) } } };
    await api("POST", `${path}/inbox`, { title: title.value, body: body.value, type: type.value, expires_in_seconds: Number(lasts.value), ...(summary.value && { summary: summary.value }), ...(url.value && { url: url.value }), ...push });
    close(); toast(t`The message is in the inbox.`); changed();
  });
}
