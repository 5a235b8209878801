// Requests to other vendors' interfaces before they deliver: what would become of them, and the switch.
import { api, append, ask, at, badge, button, card, code, empty, field, form, h, may, number, pages, pairs, select, table, time, toast } from "./core.js";

const names = { onesignal: "OneSignal", powerauth: "PowerAuth", imkit: "IMKit", amba: "Amba" };
const modes = [["off", "requests deliver"], ["observe", "nothing is delivered; your backend calls the vendor, too"], ["forward", "nothing is delivered; each request is passed on to the vendor"]];
const tones = { accepted: "accepted", live: "accepted", nobody: "waiting", skipped: "waiting", refused: "rejected" };
const comparisons = { same: "both accept or both refuse", only_here: "accepted here only", only_vendor: "accepted by the vendor only", vendor_down: "no answer of the vendor" };
const lists = [["reasons", "Why requests would be refused", "Sentence"], ["unknown", "Members that are not known here", "Member"], ["differences", "Findings on the payloads", "Rule"], ["operations", "Operations", "Operation"]];

export async function shadow(place, context) {
  if (context.id) return request(place, context);
  const { app, link, tools, reload } = context;
  const path = at(app, "/shadow");
  const { vendors } = await api("GET", path);
  if (may() && vendors.length) append(tools, [button("Clear the numbers", { class: "quiet", onclick: () => ask("Clear the numbers and records?", "The settings stay. This cannot be undone.", "Clear them", async () => { await api("DELETE", path); reload(); }) })]);
  if (!vendors.length) return append(place, [empty("No other vendor's interface is enabled", "Enable one with postrider apps update, and this page shows what its requests would do before they deliver.")]);
  append(place, [vendors.map((one) => vendor(one, app, reload)),
    card("Requests", pages(async (cursor) => { const page = await api("GET", `${path}/requests?limit=50${cursor ? `&cursor=${cursor}` : ""}`); return { items: page.requests, next: page.next }; }, {
      heads: ["Received", "Operation", "Result", "#Devices", "#Vendor", "Why"], label: "Requests",
      row: (one) => [h("a", { href: link(`shadow/${one.id}`) }, time(one.at)), one.operation, badge(one.outcome, tones[one.outcome]), number(one.targeted), one.vendor_status ?? "–", h("span", { class: "hint" }, one.reason ?? one.note ?? "")],
      none: empty("No requests yet", "Each request that changes or sends something is listed here, without ids, tokens and texts.") }))]);
}

function vendor(one, app, reload) {
  const sum = (list) => list.map((row) => h("span", {}, badge(row.name, tones[row.name] ?? "waiting"), ` ${number(row.count)} `));
  const live = one.mode === "off" || one.live_percent === 100 ? "everyone" : one.live_percent ? `${one.live_percent} of 100 users` : "nobody";
  return card(names[one.vendor] ?? one.vendor,
    pairs([["Mode", h("span", {}, badge(one.mode, one.mode === "off" ? "accepted" : "waiting"), " ", modes.find(([mode]) => mode === one.mode)?.[1])],
      ["Delivered from here", live], ["Forwarded to", one.mode === "forward" && (one.url ?? "the vendor's public address")],
      ["Requests", one.outcomes.length > 0 && sum(one.outcomes)], ["Devices reached", one.platforms.length > 0 && sum(one.platforms)],
      ["Compared", one.agreement.length > 0 && one.agreement.map((row) => h("div", {}, `${comparisons[row.name] ?? row.name}: ${number(row.count)}`))]]),
    lists.filter(([member]) => one[member].length).map(([member, title, head]) => h("details", {}, h("summary", {}, `${title} (${one[member].length})`),
      table([head, "#Times", "Last"], one[member].map((row) => [row.name, number(row.count), time(row.latest)]), { label: title }))),
    may() && h("p", {}, button("Change", { class: "quiet", "aria-label": `Change ${names[one.vendor] ?? one.vendor}`, onclick: () => change(one, app, reload) })));
}

function change(one, app, reload) {
  const mode = select(modes.map(([name, about]) => [name, `${name}: ${about}`]), one.mode);
  const url = h("input", { type: "url", value: one.url ?? "" });
  const live = h("input", { type: "number", min: 0, max: 100, step: 1, required: true, value: String(one.live_percent) });
  form(`Requests of ${names[one.vendor] ?? one.vendor}'s clients`, "Save", [field("Mode", mode),
    field("Live, in percent of users", live, "Their messages are delivered from here. Between 0 and 100 only with forward; messages to segments stay with the vendor until 100."),
    field("Forward to", url, "The vendor's public address unless given.")], async (close) => {
    await api("PUT", at(app, `/compat/${one.vendor}/shadow`), { mode: mode.value, live_percent: Number(live.value), url: url.value.trim() || null });
    close(); toast("Saved."); reload();
  });
}

async function request(place, { app, id, title }) {
  const one = await api("GET", at(app, `/shadow/requests/${encodeURIComponent(id)}`));
  title(`Request ${one.id}`);
  const { detail } = one;
  append(place, [card(one.operation, pairs([["Received", time(one.at)], ["Result", badge(one.outcome, tones[one.outcome])], ["Why", one.reason], ["Note", one.note],
    ["Devices", h("span", {}, number(one.targeted), " ", Object.entries(detail.platforms ?? {}).map(([name, count]) => `${name} ${number(count)}`).join(", "))],
    ["This server's status", detail.status], ["The vendor's status", one.vendor_status], ["The vendor's count", detail.vendor?.recipients], ["The vendor's error", detail.vendor?.error],
    ["Compared", detail.agreement && (comparisons[detail.agreement] ?? detail.agreement)], ["Not known here", (detail.unknown ?? []).join(", ")]])),
  detail.findings?.length > 0 && card("Findings", table(["Severity", "Member", "Rule", "Message"], detail.findings.map((row) => [badge(row.severity), h("code", {}, row.field), h("code", {}, row.rule), row.message]), { label: "Findings" })),
  detail.request && card("The request, without its texts", code(JSON.stringify(detail.request, null, 2))),
  Object.entries(detail.payloads ?? {}).map(([name, shape]) => card(`The payload for ${name}, without its texts`, code(JSON.stringify(shape, null, 2))))]);
}
