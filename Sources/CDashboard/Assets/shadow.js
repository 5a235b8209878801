// Requests to other vendors' interfaces before they deliver: what their outcome would be, and the switch.
import { api, append, ask, at, badge, button, card, code, empty, field, form, h, judged, may, number, pages, pairs, select, spoken, table, time, toast } from "./core.js";
import { english, t, word } from "./words.js";

const names = { onesignal: "OneSignal", powerauth: "PowerAuth", imkit: "IMKit", amba: "Amba" };
const modes = [["off", t`requests deliver`], ["observe", t`nothing is delivered; your backend calls the vendor, too`], ["forward", t`nothing is delivered; each request is passed on to the vendor`]];
const tones = { accepted: "accepted", live: "accepted", nobody: "waiting", skipped: "waiting", refused: "rejected" };
const comparisons = { same: t`both accept or both refuse`, only_here: t`accepted here only`, only_vendor: t`accepted by the vendor only`, vendor_down: t`no answer from the vendor` };
const lists = [["reasons", t`Why requests would be refused`, t`Sentence`], ["unknown", t`Unknown fields`, t`Member`], ["differences", t`Findings on the payloads`, t`Rule`], ["operations", t`Operations`, t`Operation`]];

export async function shadow(container, context) {
  if (context.id) return request(container, context);
  const { app, link, tools, reload } = context;
  const path = at(app, "/shadow");
  const { vendors } = await api("GET", path);
  if (may() && vendors.length) append(tools, [button(t`Reset the counters`, { class: "quiet", onclick: () => ask(t`Reset the counters and delete the records?`, t`The settings stay. This cannot be undone.`, t`Reset them`, async () => { await api("DELETE", path); reload(); }) })]);
  if (!vendors.length) return append(container, [empty(t`No other vendor's interface is enabled`, t`Enable one with postrider apps update, and this page shows what its requests would do before they deliver.`)]);
  append(container, [vendors.map((one) => vendor(one, app, reload)),
    card(t`Requests`, pages(async (cursor) => { const page = await api("GET", `${path}/requests?limit=50${cursor ? `&cursor=${cursor}` : ""}`); return { items: page.requests, next: page.next }; }, {
      heads: [t`Received`, t`Operation`, t`Result`, `#${t`Devices`}`, `#${t`Vendor`}`, t`Why`], label: t`Requests`,
      row: (one) => [h("a", { href: link(`shadow/${one.id}`) }, time(one.at)), one.operation, badge(word(one.outcome), tones[one.outcome]), number(one.targeted), one.vendor_status ?? "–", h("span", { class: "hint" }, spoken(one.reason ?? one.note ?? ""))],
      none: empty(t`No requests yet`, t`Each request that changes or sends something is listed here, without ids, tokens and texts.`) }))]);
}

function vendor(one, app, reload) {
  const sum = (list) => list.map((row) => h("span", {}, badge(word(row.name), tones[row.name] ?? "waiting"), ` ${number(row.count)} `));
  const live = one.mode === "off" || one.live_percent === 100 ? t`everyone` : one.live_percent ? t`${one.live_percent} of 100 users` : t`nobody`;
  return card(names[one.vendor] ?? one.vendor,
    pairs([[t`Mode`, h("span", {}, badge(word(one.mode), one.mode === "off" ? "accepted" : "waiting"), " ", modes.find(([mode]) => mode === one.mode)?.[1])],
      [t`Delivered from here`, live], [t`Forwarded to`, one.mode === "forward" && (one.url ?? t`the vendor's public address`)],
      [t`Requests`, one.outcomes.length > 0 && sum(one.outcomes)], [t`Devices reached`, one.platforms.length > 0 && sum(one.platforms)],
      [t`Compared`, one.agreement.length > 0 && one.agreement.map((row) => h("div", {}, `${comparisons[row.name] ?? row.name}: ${number(row.count)}`))]]),
    lists.filter(([member]) => one[member].length).map(([member, title, head]) => h("details", {}, h("summary", {}, `${title} (${one[member].length})`),
      table([head, `#${t`Times`}`, t`Last`], one[member].map((row) => [h("span", english, row.name), number(row.count), time(row.latest)]), { label: title }))),
    may() && h("p", {}, button(t`Change`, { class: "quiet", "aria-label": t`Change ${names[one.vendor] ?? one.vendor}`, onclick: () => change(one, app, reload) })));
}

function change(one, app, reload) {
  const mode = select(modes.map(([name, about]) => [name, `${word(name)}: ${about}`]), one.mode);
  const url = h("input", { type: "url", value: one.url ?? "" });
  const live = h("input", { type: "number", min: 0, max: 100, step: 1, required: true, value: String(one.live_percent) });
  form(t`Requests of ${names[one.vendor] ?? one.vendor}'s clients`, t`Save`, [field(t`Mode`, mode),
    field(t`Live, in percent of users`, live, t`Their messages are delivered from here. Between 0 and 100 only with forward; messages to segments stay with the vendor until 100.`),
    field(t`Forward to`, url, t`The vendor's public address unless given.`)], async (close) => {
    await api("PUT", at(app, `/compat/${one.vendor}/shadow`), { mode: mode.value, live_percent: Number(live.value), url: url.value.trim() || null });
    close(); toast(t`Saved.`); reload();
  });
}

async function request(container, { app, id, title }) {
  const one = await api("GET", at(app, `/shadow/requests/${encodeURIComponent(id)}`));
  title(t`Request ${one.id}`);
  const { detail } = one;
  append(container, [card(one.operation, pairs([[t`Received`, time(one.at)], [t`Result`, badge(word(one.outcome), tones[one.outcome])], [t`Why`, one.reason && spoken(one.reason)], [t`Note`, one.note && spoken(one.note)],
    [t`Devices`, h("span", {}, number(one.targeted), " ", Object.entries(detail.platforms ?? {}).map(([name, count]) => `${name} ${number(count)}`).join(", "))],
    [t`This server's status`, detail.status], [t`The vendor's status`, one.vendor_status], [t`The vendor's count`, detail.vendor?.recipients], [t`The vendor's error`, detail.vendor?.error],
    [t`Compared`, detail.agreement && (comparisons[detail.agreement] ?? detail.agreement)], [t`Unknown fields`, (detail.unknown ?? []).join(", ")]])),
  detail.findings?.length > 0 && card(t`Findings`, table([t`Severity`, t`Member`, t`Rule`, t`Message`], detail.findings.map((row) => [badge(row.severity), h("code", {}, row.field), h("code", {}, row.rule), judged(row)]), { label: t`Findings` })),
  detail.request && card(t`The request, without its texts`, code(JSON.stringify(detail.request, null, 2))),
  Object.entries(detail.payloads ?? {}).map(([name, shape]) => card(t`The payload for ${name}, without its texts`, code(JSON.stringify(shape, null, 2))))]);
}
