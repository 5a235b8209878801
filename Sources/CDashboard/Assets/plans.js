// What waits and what is kept: schedules, templates.
import { api, ask, append, at, badge, button, by, card, code, empty, fail, h, may, number, pages, pairs, table, time, toast, zoned } from "./core.js";

const rule = ({ every, interval = 1, weekdays, start, timezone }) => [interval > 1 ? `every ${interval} ${every}s` : `every ${every}`, weekdays?.length ? `on ${weekdays.join(", ")}` : "", `at ${start.slice(11, 16)}`, timezone].filter(Boolean).join(" ");
const whom = (to = {}) => (to.all ? "every active device" : to.segment ? `segment ${to.segment}` : to.users ? `${to.users.length} users` : to.devices ? `${to.devices.length} devices` : to.filter ? "a filter" : "addresses");

export async function schedules(place, context) {
  if (context.id) return schedule(place, context);
  const { app, link, tools } = context;
  if (may("send")) append(tools, [h("a", { class: "button primary", href: link("compose") }, "New schedule")]);
  append(place, [card(null, pages(async (cursor) => {
    const page = await api("GET", at(app, `/schedules?limit=50${cursor ? `&cursor=${cursor}` : ""}`));
    return { items: page.schedules, next: page.next };
  }, {
    label: "Schedules", heads: ["Schedule", "Comes", "Next", "#Made", "#Missed", "By", "State"],
    row: (one) => [h("a", { href: link(`schedules/${one.id}`) }, one.request.campaign ?? `Schedule ${one.id}`), rule(one.request.repeat), one.next[0] ? zoned(one.next[0]) : "–", number(one.made), number(one.missed), by(one.author), mark(one)],
    none: empty("No schedules", "A push can come again and again: compose it, and choose “Again and again” for when.", may("send") && h("a", { class: "button primary", href: link("compose") }, "Open the composer")),
  }))]);
}

const mark = (one) => (one.ended_at || (!one.next.length && !one.paused_at) ? badge("over", "waiting") : one.paused_at ? badge("held", "warning") : one.problem ? badge("failing", "error") : badge("on", "accepted"));

async function schedule(place, { app, id, link, go, title, tools, reload }) {
  const path = at(app, `/schedules/${encodeURIComponent(id)}`);
  const one = await api("GET", path);
  title(one.request.campaign ?? `Schedule ${one.id}`);
  const hold = (verb, said) => async () => { try { await api("POST", `${path}/${verb}`); toast(said); reload(); } catch (error) { fail(error); } };
  if (may("send") && !one.ended_at) append(tools, [h("a", { class: "button quiet", href: link(`compose/schedule/${one.id}`) }, "Edit"), one.paused_at ? button("Let it go on", { class: "primary", onclick: hold("resume", "It goes on with its next moment.") }) : button("Hold it", { class: "quiet", onclick: hold("pause", "Nothing is made until it goes on.") }), button("End it", { class: "danger quiet", onclick: () => ask("End this schedule?", "It comes no more. The pushes it has made stay.", "End it", async () => { await api("DELETE", path); toast("It comes no more."); go("schedules"); }) })]);
  append(place, [h("div", { class: "two" },
    card(null, h("div", { class: "row" }, mark(one), h("strong", {}, rule(one.request.repeat))), one.problem && h("p", { class: "problem" }, one.problem),
      pairs([["For", whom(one.request.to)], ["Made", number(one.made)], ["Missed", number(one.missed)], ["Last push", one.last_push && h("a", { href: link(`pushes/${one.last_push}`) }, one.last_push)], ["Since", time(one.created_at)], ["Held", one.paused_at && time(one.paused_at)], ["Ended", one.ended_at && time(one.ended_at)]])),
    card("Comes next, by your clock", one.next.length ? h("ol", { class: "plain" }, one.next.map((moment) => h("li", {}, zoned(moment)))) : h("p", { class: "hint" }, "Not any more."))),
  card("What it sends", code(JSON.stringify(one.request.message ?? { template: one.request.template }, null, 2)))]);
}

export async function templates(place, context) {
  if (context.id) return template(place, context);
  const { app, link, tools } = context;
  const list = (await api("GET", at(app, "/templates"))).templates;
  if (may("send")) append(tools, [h("a", { class: "button primary", href: link("compose") }, "New template")]);
  append(place, [card(null, list.length ? table(["Template", "Contract", "Languages", "Variants", "Placeholders", "Changed"], list.map((one) => [
    h("a", { href: link(`templates/${encodeURIComponent(one.name)}`) }, one.name), one.contract ?? "the app’s", Object.keys(one.locales ?? {}).join(", ") || "–", (one.variants ?? []).map((variant) => `${variant.name} ${variant.share} %`).join(", ") || "–", holes(one).join(", ") || "–", time(one.updated_at)]), { label: "Templates" })
    : empty("No templates", "A message, with its languages and variants, can be kept under a name: compose it, and choose “Save as a template”.", may("send") && h("a", { class: "button primary", href: link("compose") }, "Open the composer")))]);
}

const holes = (one) => [...new Set([...JSON.stringify([one.message, one.locales, one.variants]).matchAll(/\{\{\s*([^{}|]+?)\s*(?:\|[^{}]*)?\}\}/g)].map((found) => found[1]))];

async function template(place, { app, id, link, go, title, tools }) {
  const path = at(app, `/templates/${encodeURIComponent(id)}`);
  const one = await api("GET", path);
  title(one.name);
  if (may("send")) append(tools, [h("a", { class: "button primary", href: link(`compose/template/${encodeURIComponent(one.name)}`) }, "Compose with it"),
    button("Delete", { class: "danger quiet", onclick: () => ask(`Delete “${one.name}”?`, "Pushes that wait with it will fail.", "Delete it", async () => { await api("DELETE", path); go("templates"); }) })]);
  const part = (name, message, note) => card(h("span", { class: "row" }, name, note && badge(note, "waiting")), code(JSON.stringify(message, null, 2)));
  append(place, [card(null, pairs([["Contract", one.contract ?? "the app’s own"], ["Placeholders", holes(one).join(", ") || "none"], ["Values without a recipient’s own", Object.keys(one.values ?? {}).length ? JSON.stringify(one.values) : "none"], ["Changed", time(one.updated_at)], ["Made", time(one.created_at)]])),
    h("div", { class: "two" }, part("Message", one.message), Object.entries(one.locales ?? {}).map(([tag, message]) => part(tag, message, "language")), (one.variants ?? []).map((variant) => [part(variant.name, variant.message, `${variant.share} %`), Object.entries(variant.locales ?? {}).map(([tag, message]) => part(`${variant.name}: ${tag}`, message, "language"))]))]);
}
