// Finding pushes: what is looked for, saved views, results side by side, what is planned, and what happened with a device or a user.
import { api, append, ask, at, badge, button, by, card, clockOf, empty, field, form, h, may, number, pages, percent, pushName, replace, select, table, time, toCome, toast, weekday, zoneOf } from "./core.js";
import { barOf } from "./charts.js";
import { capital, t, tongue, word } from "./words.js";

const states = ["draft", "scheduled", "sending", "paused", "cancelled", "sent", "expired", "failed"];
const comparedMax = 4;
const named = (one) => one.title ?? one.campaign ?? t`Push ${one.number}`;

// MARK: The list

// The address keeps what is looked for, so that it can be sent to somebody and the way back leads to it.
export async function list(container, { app, link, go, rest, reload }) {
  const zone = await zoneOf(app);
  const wanted = new URLSearchParams(rest[0] === "find" ? rest[1] ?? "" : "");
  const { views } = await api("GET", at(app, "/views"));
  const input = (name, placeholder, label, props) => h("input", { type: "search", name, value: wanted.get(name) ?? "", placeholder, "aria-label": label, ...props });
  const text = input("query", t`title or text`, t`Title or text`, { class: "wide" });
  const [campaign, segment, author] = [input("campaign", t`campaign`, t`Campaign`), input("segment", t`segment`, t`Segment`), input("author", t`author`, t`Author: a person or an API key, by name`)];
  const state = select([["", t`all states`], ...states.map((one) => [one, word(one)])], wanted.get("state") ?? "", { "aria-label": t`State` });
  const type = select([["", t`all pushes`], ["campaign", t`campaigns only`]], wanted.get("kind") ?? "", { "aria-label": t`Kind` });
  const day = (name, label) => h("input", { type: "date", "aria-label": label, value: (wanted.get(name) ?? "").slice(0, 10) });
  const [from, until] = [day("from", t`Created on this day or later`), day("until", t`Created before this day`)];
  const midnight = (control) => (control.value ? new Date(`${control.value}T00:00`).toISOString() : "");
  const query = () => {
    const pairs = { query: text.value.trim(), campaign: campaign.value.trim(), segment: segment.value.trim(), author: author.value.trim(), state: state.value, kind: type.value, from: midnight(from), until: midnight(until) };
    return Object.fromEntries(Object.entries(pairs).filter(([, value]) => value));
  };
  const address = (one) => (Object.keys(one).length ? `pushes/find/${encodeURIComponent(new URLSearchParams(one))}` : "pushes");
  const look = () => go(address(query()));
  const more = ["campaign", "segment", "author", "from", "until"].some((name) => wanted.has(name));
  const saved = views.length > 0 && select([["", t`saved views`], ...views.map((one) => [one.name, one.name])], views.find((one) => new URLSearchParams(one.query).toString() === wanted.toString())?.name ?? "",
    { "aria-label": t`Saved view`, onchange: (event) => { const view = views.find((one) => one.name === event.target.value); go(view ? address(view.query) : "pushes"); } });
  const keep = () => {
    const name = h("input", { type: "text", maxlength: 100, required: true });
    form(t`Save this view`, t`Save`, [field(t`Name`, name), h("p", { class: "hint" }, t`For everyone who works with this app.`)], async (close) => {
      if (!name.value.trim()) throw new Error(t`a view needs a name`);
      await api("PUT", at(app, `/views/${encodeURIComponent(name.value.trim())}`), { query: query() });
      close(); toast(t`Saved.`); reload();
    });
  };
  const forget = () => ask(t`Delete the view “${saved.value}”?`, t`The pushes stay.`, t`Delete it`, async () => { await api("DELETE", at(app, `/views/${encodeURIComponent(saved.value)}`)); go("pushes"); });
  const chosen = new Set();
  const shown = [];
  const compare = h("a", { class: "button quiet" }, t`Compare`);
  const csv = h("a", { class: "button quiet", download: "results.csv" }, t`Export CSV`);
  const follow = () => {
    compare.hidden = chosen.size < 2;
    compare.href = link(`pushes/compare/${[...chosen].join(",")}`);
    compare.textContent = t`Compare ${chosen.size}`;
    const ids = chosen.size ? [...chosen] : shown.slice(0, 100);
    csv.hidden = !ids.length;
    csv.href = at(app, `/results/export?format=csv&pushes=${ids.join(",")}`);
  };
  const pick = (one) => h("input", { type: "checkbox", "aria-label": t`Compare ${named(one)}`, onchange: (event) => {
    if (event.target.checked && chosen.size >= comparedMax) { event.target.checked = false; return toast(t`${comparedMax} pushes can be compared at once.`, "bad"); }
    if (event.target.checked) chosen.add(one.id); else chosen.delete(one.id);
    follow();
  } });
  const bound = h("p", { class: "hint", role: "status" });
  const rows = pages(async (cursor) => {
    const page = await api("GET", at(app, `/pushes?limit=30&${wanted}${cursor ? `&cursor=${cursor}` : ""}`));
    replace(bound, page.looked_back_to && page.next && [t`Searched back to `, time(page.looked_back_to), t`; “Show more” looks further.`]);
    shown.push(...page.pushes.map((one) => one.id));
    setTimeout(follow);
    return { items: page.pushes, next: page.next };
  }, {
    label: t`Pushes, newest first`, heads: ["", t`Push`, t`State`, t`Ledger`, `#${t`Targeted`}`, `#${t`Accepted`}`, `#${t`Rejected`}`, `#${t`Opened`}`, t`By`, t`When`],
    row: (one) => [pick(one), h("span", {}, h("a", { href: link(`pushes/${one.id}`) }, one.campaign ?? t`Push ${one.number}`), one.title && h("span", { class: "hint" }, ` ${one.title}`)), badge(one.state), barOf(one),
      number(one.counts.targeted), number(one.counts.accepted), number(one.counts.rejected), number(one.events.opened), by(one.author), one.state === "scheduled" ? (one.send_at_local ? t`${one.send_at_local.replace("T", " ").slice(0, 16)}, each device’s clock` : toCome(one.start_at, zone)) : time(one.created_at)],
    none: wanted.size ? empty(t`Nothing found`, t`No push matches. Deleted and redacted messages cannot be searched.`)
      : empty(t`No pushes yet`, t`Sent pushes appear here, with the state of each delivery.`, may("send") && h("a", { class: "button primary", href: link("compose") }, t`Compose the first push`)),
  });
  const search = h("form", { class: "stack tight", role: "search", onsubmit: (event) => { event.preventDefault(); look(); } },
    h("div", { class: "row filters" }, text, state, type, h("button", { type: "submit", class: "primary" }, t`Find`), wanted.size > 0 && h("a", { class: "button quiet", href: link("pushes") }, t`All`), saved),
    h("details", { open: more }, h("summary", {}, t`More`), h("div", { class: "row filters" }, campaign, segment, author, h("label", { class: "inline" }, t`from`, from), h("label", { class: "inline" }, t`before`, until))));
  follow();
  append(container, [card(null, search, h("div", { class: "row" }, compare, csv, h("span", { class: "grow" }), wanted.size > 0 && may("send") && button(t`Save this view`, { class: "quiet", onclick: keep }), saved && saved.value && may("send") && button(t`Delete this view`, { class: "danger quiet", onclick: forget })), bound, rows)]);
}

// MARK: Side by side

const share = (value) => (value == null ? "–" : percent(value, 1));

export async function compare(container, { app, link, rest, title }) {
  title(t`Compare pushes`);
  const ids = (rest[1] ?? "").split(",").filter((id) => /^\d{1,19}$/.test(id)).slice(0, comparedMax);
  if (ids.length < 2) return append(container, [empty(t`Nothing to compare`, t`Choose two to four pushes in the list.`, h("a", { class: "button primary", href: link("pushes") }, t`To the pushes`))]);
  const [{ results }, zone] = await Promise.all([api("GET", at(app, `/results?pushes=${ids.join(",")}`)), zoneOf(app)]);
  const row = (label, value) => [label, ...results.map(value)];
  const counts = ["targeted", "accepted", "rejected", "expired", "cancelled", "unknown", "received", "opened", "action"];
  append(container, [card(null, table(["", ...results.map((one) => `#${named(one)}`)], [
    row(t`Push`, (one) => h("a", { href: link(`pushes/${one.id}`) }, one.campaign ?? t`Push ${one.number}`)), row(t`State`, (one) => badge(one.state)), row(t`Started`, (one) => (one.start_at ? toCome(one.start_at, zone) : "–")),
    ...counts.map((name) => row(capital(word(name)), (one) => number(one[name]))),
    row(t`Accepted of targeted`, (one) => share(one.acceptance_rate)), row(t`Opened of accepted`, (one) => share(one.open_rate))], { label: t`Results side by side` }),
    h("div", { class: "row end" }, h("a", { class: "button quiet", download: "results.csv", href: at(app, `/results/export?format=csv&pushes=${ids.join(",")}`) }, t`Export CSV`))),
    results.some((one) => one.variants) && card(t`By variant`, table([t`Push`, t`Variant`, `#${t`Accepted`}`, `#${t`Rejected`}`, `#${t`Received`}`, `#${t`Opened`}`, `#${t`Acted`}`, t`Opened of accepted`], results.flatMap((one) => (one.variants ?? []).map((variant) => [
      named(one), variant.name ?? t`Original`, ...["accepted", "rejected", "received", "opened", "action"].map((name) => number(variant[name])), share(variant.open_rate)])), { label: t`Results by variant` }))]);
}

// MARK: What is planned

const dayOf = (instant) => `${instant.getFullYear()}-${String(instant.getMonth() + 1).padStart(2, "0")}-${String(instant.getDate()).padStart(2, "0")}`;

export async function calendar(container, { app, link, rest }) {
  const zone = await zoneOf(app);
  const today = new Date();
  const [year, month] = /^\d{4}-\d{2}$/.test(rest[0] ?? "") ? rest[0].split("-").map(Number) : [today.getFullYear(), today.getMonth() + 1];
  const first = new Date(year, month - 1, 1);
  const begin = new Date(year, month - 1, 1 - ((first.getDay() + 6) % 7));
  const weeks = Math.ceil((new Date(year, month, 0).getDate() + ((first.getDay() + 6) % 7)) / 7);
  const end = new Date(begin.getFullYear(), begin.getMonth(), begin.getDate() + 7 * weeks);
  const { entries, complete } = await api("GET", at(app, `/calendar?from=${encodeURIComponent(begin.toISOString())}&until=${encodeURIComponent(end.toISOString())}`));
  const byDay = Map.groupBy(entries, (one) => dayOf(new Date(one.at)));
  const other = (step) => { const next = new Date(year, month - 1 + step, 1); return link(`calendar/${dayOf(next).slice(0, 7)}`); };
  const name = (one) => one.title ?? one.campaign ?? `${word(one.kind)} ${one.id}`;
  const go = (one) => h("a", { href: link(`${one.kind === "push" ? "pushes" : "schedules"}/${one.id}`) }, name(one));
  const heading = first.toLocaleDateString(tongue, { month: "long", year: "numeric" });
  const cell = (index) => {
    const day = new Date(begin.getFullYear(), begin.getMonth(), begin.getDate() + index);
    const here = byDay.get(dayOf(day)) ?? [];
    return h("td", { class: `${day.getMonth() === month - 1 ? "" : "other"} ${dayOf(day) === dayOf(today) ? "today" : ""}` }, h("time", { datetime: dayOf(day) }, day.getDate()),
      h("ul", { class: "plain" }, here.slice(0, 4).map((one) => h("li", { class: one.waits_for_approval ? "waits" : one.kind }, clockOf(one.at, zone), " ", go(one))), here.length > 4 && h("li", { class: "hint" }, t`and ${here.length - 4} more`)));
  };
  append(container, [card(null, h("div", { class: "row spread pair" }, h("a", { class: "button quiet", href: other(-1) }, t`← Earlier`), h("h2", {}, heading), h("a", { class: "button quiet", href: other(1) }, t`Later →`)),
    h("table", { class: "month" }, h("caption", { class: "unseen" }, t`Planned in ${heading}`), h("thead", {}, h("tr", {}, ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"].map((name) => h("th", { scope: "col" }, weekday(name))))),
      h("tbody", {}, Array.from({ length: weeks }, (_, week) => h("tr", {}, Array.from({ length: 7 }, (_, index) => cell(7 * week + index))))))),
  card(t`As a list`, h("p", { class: "hint" }, t`In your time zone, and in the app’s (${zone}) where it differs. Upcoming runs of schedules, and scheduled pushes; those for single users are on the users’ pages.`),
    entries.length ? table([t`When`, t`What`, t`Kind`], entries.map((one) => [toCome(one.at, zone), go(one), one.waits_for_approval ? badge(t`waits for an approval`, "warning") : one.kind === "push" ? t`scheduled push` : t`run of a schedule`]), { label: t`Planned pushes` })
      : empty(t`Nothing planned`, t`A push with a time, and each run of a schedule, appears here.`), !complete && h("p", { class: "hint" }, t`There is more than can be shown.`))]);
}

// MARK: What happened

const words = { first_registered: t`registered for the first time`, registered: t`registered again`, token_replaced: t`got a new token`, state_changed: t`was deactivated`, settings_changed: t`settings changed`, user_created: t`first seen`, sent: t`sent`, received: t`received`, opened: t`opened`, action: t`pressed` };

// The events of a device or a user, the newest first.
export async function timeline(path, { app, link }) {
  const zone = await zoneOf(app);
  return pages(async (cursor) => {
    const page = await api("GET", `${path}/timeline?limit=50${cursor ? `&cursor=${cursor}` : ""}`);
    return { items: page.events, next: page.next };
  }, {
    label: t`Timeline, newest first`, heads: [t`When`, t`What`, t`Push`, t`Device`],
    row: (one) => [toCome(one.at, zone), h("span", {}, one.kind === "sent" ? badge(one.state) : words[one.kind] ?? word(one.kind), one.kind === "state_changed" && [" ", badge(word(one.state), "error")], one.action && ` “${one.action}”`, one.reason && h("span", { class: "hint" }, ` ${one.reason}`)),
      one.push ? h("a", { href: link(`pushes/${one.push}`) }, one.title ?? one.campaign ?? pushName(one)) : "–", one.device ? h("a", { href: link(`devices/${one.device}`) }, t`device ${one.device}`) : "–"],
    none: empty(t`Nothing happened yet`, t`Registrations, pushes and what the app reports appear here.`),
  });
}

