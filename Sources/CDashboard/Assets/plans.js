// What waits and what is kept: schedules, templates.
import { api, append, ask, at, badge, button, by, cadence, card, code, devicesOf, empty, fail, h, may, number, pages, pairs, pushName, spoken, table, time, toast, toCome, weekday, zoneOf } from "./core.js";
import { language } from "./languages.js";
import { t } from "./words.js";

const rule = ({ every, interval = 1, weekdays, start, timezone }) => [cadence(every, interval), weekdays?.length ? t`on ${weekdays.map((name) => weekday(name, "long")).join(", ")}` : "", t`at ${start.slice(11, 16)}`, timezone].filter(Boolean).join(" ");
const whom = (to = {}) => (to.all ? t`every active device` : to.segment ? t`segment ${to.segment}` : to.users ? (to.users.length === 1 ? t`${to.users.length} user` : t`${to.users.length} users`) : to.devices ? devicesOf(to.devices.length) : to.filter ? t`a filter` : t`addresses`);

export async function schedules(container, context) {
  if (context.id) return schedule(container, context);
  const { app, link, tools } = context;
  const zone = await zoneOf(app);
  if (may("send")) append(tools, [h("a", { class: "button primary", href: link("compose") }, t`New schedule`)]);
  append(container, [card(null, pages(async (cursor) => {
    const page = await api("GET", at(app, `/schedules?limit=50${cursor ? `&cursor=${cursor}` : ""}`));
    return { items: page.schedules, next: page.next };
  }, {
    label: t`Schedules`, heads: [t`Schedule`, t`Repeats`, t`Next run`, `#${t`Runs`}`, `#${t`Missed`}`, t`By`, t`State`],
    row: (one) => [h("a", { href: link(`schedules/${one.id}`) }, one.request.campaign ?? t`Schedule ${one.id}`), rule(one.request.repeat), one.next[0] ? toCome(one.next[0], zone) : "–", number(one.made), number(one.missed), by(one.author), mark(one)],
    none: empty(t`No schedules`, t`A push can repeat: compose it, and choose “Recurring” as the time.`, may("send") && h("a", { class: "button primary", href: link("compose") }, t`Open the composer`)),
  }))]);
}

const mark = (one) => (one.ended_at || (!one.next.length && !one.paused_at) ? badge(t`finished`, "waiting") : one.paused_at ? badge(t`paused`, "warning") : one.problem ? badge(t`failing`, "error") : badge(t`on`, "accepted"));

async function schedule(container, { app, id, link, go, title, tools, reload }) {
  const path = at(app, `/schedules/${encodeURIComponent(id)}`);
  const [one, zone] = await Promise.all([api("GET", path), zoneOf(app)]);
  title(one.request.campaign ?? t`Schedule ${one.id}`);
  const hold = (verb, said) => async () => { try { await api("POST", `${path}/${verb}`); toast(said); reload(); } catch (error) { fail(error); } };
  if (may("send") && !one.ended_at) append(tools, [h("a", { class: "button quiet", href: link(`compose/schedule/${one.id}`) }, t`Edit`), one.paused_at ? button(t`Resume`, { class: "primary", onclick: hold("resume", t`Resumes at the next run.`) }) : button(t`Pause`, { class: "quiet", onclick: hold("pause", t`Paused until resumed.`) }), button(t`End the schedule`, { class: "danger quiet", onclick: () => ask(t`End this schedule?`, t`It has no more runs. Pushes that it has created are not affected.`, t`End the schedule`, async () => { await api("DELETE", path); toast(t`Schedule ended.`); go("schedules"); }) })]);
  append(container, [h("div", { class: "two" },
    card(null, h("div", { class: "row" }, mark(one), h("strong", {}, rule(one.request.repeat))), one.problem && h("p", { class: "problem" }, spoken(one.problem)),
      pairs([[t`For`, whom(one.request.to)], [t`Runs`, number(one.made)], [t`Missed`, number(one.missed)], [t`Last push`, one.last_push && h("a", { href: link(`pushes/${one.last_push}`) }, pushName({ push_number: one.last_push_number }))], [t`Since`, time(one.created_at)], [t`Paused`, one.paused_at && time(one.paused_at)], [t`Ended`, one.ended_at && time(one.ended_at)]])),
    card(t`Next runs (your time)`, one.next.length ? h("ol", { class: "plain" }, one.next.map((instant) => h("li", {}, toCome(instant, zone)))) : h("p", { class: "hint" }, t`No more runs.`))),
  card(t`What it sends`, code(JSON.stringify(one.request.message ?? { template: one.request.template }, null, 2)))]);
}

export async function templates(container, context) {
  if (context.id) return template(container, context);
  const { app, link, tools } = context;
  const list = (await api("GET", at(app, "/templates"))).templates;
  if (may("send")) append(tools, [h("a", { class: "button primary", href: link("compose") }, t`New template`)]);
  append(container, [card(null, list.length ? table([t`Template`, t`Contract`, t`Languages`, t`Variants`, t`Placeholders`, t`Changed`], list.map((one) => [
    h("a", { href: link(`templates/${encodeURIComponent(one.name)}`) }, one.name), one.contract ?? t`the app’s`, Object.keys(one.locales ?? {}).join(", ") || "–", (one.variants ?? []).map((variant) => `${variant.name} ${variant.share} %`).join(", ") || "–", placeholders(one).join(", ") || "–", time(one.updated_at)]), { label: t`Templates` })
    : empty(t`No templates`, t`A message, with its languages and variants, can be saved under a name: compose it, and choose “Save as a template”.`, may("send") && h("a", { class: "button primary", href: link("compose") }, t`Open the composer`)))]);
}

const placeholders = (one) => [...new Set([...JSON.stringify([one.message, one.locales, one.variants]).matchAll(/\{\{\s*([^{}|]+?)\s*(?:\|[^{}]*)?\}\}/g)].map((found) => found[1]))];

async function template(container, { app, id, link, go, title, tools }) {
  const path = at(app, `/templates/${encodeURIComponent(id)}`);
  const one = await api("GET", path);
  title(one.name);
  if (may("send")) append(tools, [h("a", { class: "button primary", href: link(`compose/template/${encodeURIComponent(one.name)}`) }, t`Use in the composer`),
    button(t`Delete`, { class: "danger quiet", onclick: () => ask(t`Delete “${one.name}”?`, t`Waiting pushes that use it will fail.`, t`Delete it`, async () => { await api("DELETE", path); go("templates"); }) })]);
  const part = (name, message, note) => card(h("span", { class: "row" }, name, note && badge(note, "waiting")), code(JSON.stringify(message, null, 2)));
  append(container, [card(null, pairs([[t`Contract`, one.contract ?? t`the app’s own`], [t`Placeholders`, placeholders(one).join(", ") || t`none`], [t`Values for everyone`, Object.keys(one.values ?? {}).length ? JSON.stringify(one.values) : t`none`], [t`Changed`, time(one.updated_at)], [t`Created`, time(one.created_at)]])),
    h("div", { class: "two" }, part(t`Message`, one.message), Object.entries(one.locales ?? {}).map(([tag, message]) => part(language(tag), message, t`language`)), (one.variants ?? []).map((variant) => [part(variant.name, variant.message, `${variant.share} %`), Object.entries(variant.locales ?? {}).map(([tag, message]) => part(`${variant.name}: ${language(tag)}`, message, t`language`))]))]);
}
