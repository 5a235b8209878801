// Pushes, their progress, and what became of each delivery.
import { api, ask, at, badge, button, card, empty, fail, field, h, has, kind, may, number, pages, percent, append, replace, select, time, toast, dialog } from "./core.js";
import { funnel, ledgerBar, legend, lines } from "./charts.js";

export function list(place, { app, link }) {
  append(place, [card(null, pages(async (cursor) => {
    const page = await api("GET", at(app, `/pushes?limit=30${cursor ? `&cursor=${cursor}` : ""}`));
    return { items: page.pushes, next: page.next };
  }, {
    label: "Pushes, newest first", heads: ["Push", "State", "Ledger", "#Targeted", "#Accepted", "#Rejected", "Created"],
    row: (push) => [h("a", { href: link(`pushes/${push.id}`) }, push.campaign ?? `Push ${push.id}`), badge(push.state), ledgerBar(push.counts),
      number(push.counts.targeted), number(push.counts.accepted), number(push.counts.rejected), time(push.created_at)],
    none: empty("No pushes yet", "What is sent appears here, with where each delivery stands.", may("send") && h("a", { class: "button primary", href: link("compose") }, "Compose the first")),
  }))]);
}

const over = new Set(["sent", "cancelled", "expired"]);

export async function show(place, { app, id, link, onleave, title }) {
  const path = at(app, `/pushes/${encodeURIComponent(id)}`);
  let push = await api("GET", path);
  title(push.campaign ?? `Push ${push.id}`);
  const head = h("div", { class: "row" });
  const big = h("div", { class: "ledger", "aria-live": "polite" });
  const rate = h("div", {});
  const rateTitle = h("h2", {}, "Outcomes by minute");
  const steps = h("div", {});
  const seen = [];

  const act = (verb, tone) => button(verb[0].toUpperCase() + verb.slice(1), { class: tone ?? "quiet", onclick: () => {
    const run = async () => { push = await api("POST", `${path}/${verb}`); draw(); watch(); };
    if (verb === "cancel") ask("Cancel this push?", "What waits is not sent any more. What is on the wire still ends. This cannot be undone.", "Cancel the push", run);
    else run().catch(fail);
  } });

  function throttle() {
    dialog("Slow down or speed up", (close) => {
      const input = h("input", { type: "text", inputmode: "numeric", value: push.throttle_per_minute ?? "", placeholder: "no limit" });
      return [field("At most, per minute", input, "Empty lifts the limit."), h("div", { class: "row end" },
        button("Back", { class: "quiet", onclick: close }),
        button("Apply", { class: "primary", onclick: async () => {
          try { push = await api("PATCH", path, { throttle_per_minute: input.value ? Number(input.value) : null }); close(); draw(); toast("Applied."); } catch (error) { fail(error); }
        } }))];
    });
  }

  function draw() {
    const { counts } = push;
    const done = counts.targeted - counts.waiting - counts.in_flight;
    replace(head, badge(push.state), h("span", { class: "hint" }, "created ", time(push.created_at)),
      push.finished_at && h("span", { class: "hint" }, "finished ", time(push.finished_at)),
      push.throttle_per_minute && h("span", { class: "hint" }, `at most ${number(push.throttle_per_minute)} a minute`),
      h("span", { class: "grow" }),
      may("send") && !over.has(push.state) && [push.state === "paused" ? act("resume", "primary") : act("pause"), button("Throttle", { class: "quiet", onclick: throttle }), act("cancel", "danger quiet")]);
    const sum = ["waiting", "in_flight", "accepted", "rejected", "expired", "cancelled", "unknown"].reduce((all, name) => all + counts[name], 0);
    replace(big, h("p", { class: "figure" }, h("strong", {}, percent(done, counts.targeted)), h("span", {}, ` ${number(done)} of ${number(counts.targeted)}${push.audience_complete ? "" : " so far"}`)),
      ledgerBar(counts), legend(counts),
      h("p", { class: "hint" }, sum === counts.targeted ? "The ledger balances: every device is in exactly one state." : "The ledger does not balance; run postrider’s ledger check.", push.resent > 0 && ` ${number(push.resent)} were sent again after a crash.`));
    note(done);
  }

  function note(done) {
    seen.push([Date.now(), done]);
    if (seen.length > 240) seen.shift();
    if (seen.length < 3) return;
    replace(rateTitle, "Throughput");
    const rates = seen.slice(1).map(([moment, value], index) => Math.max(0, (1000 * (value - seen[index][1])) / Math.max(moment - seen[index][0], 1)));
    const clock = (moment) => new Date(moment).toLocaleTimeString("en", { hour12: false });
    replace(rate, lines(seen.slice(1).map(([moment]) => clock(moment)), [{ name: "deliveries a second", tone: "accepted", values: rates.map(Math.round) }], { title: "Throughput as watched" }));
  }

  // What the server has counted, for a push that nobody watched.
  async function history() {
    if (seen.length >= 3 || !has("/v1/apps/{app}/pushes/{push}/series")) return;
    const { points } = await api("GET", `${path}/series?step=minute`);
    const clock = (text) => new Date(text).toLocaleTimeString("en", { hour: "2-digit", minute: "2-digit", hour12: false });
    const line = (name) => ({ name, tone: name, values: points.map((point) => point[name] ?? 0) });
    if (points.length) replace(rate, lines(points.map((point) => clock(point.at)), [line("accepted"), line("rejected")], { title: "Outcomes by minute" }));
    else replace(rate, h("p", { class: "hint" }, "Nothing has ended yet."));
  }

  async function record() {
    await history();
    if (has("/v1/apps/{app}/pushes/{push}/funnel")) {
      const found = await api("GET", `${path}/funnel`);
      replace(steps, funnel([["Targeted", found.targeted], ["Accepted", found.accepted], ["Received", found.received], ["Opened", found.opened], ["Acted", found.action]]),
        found.actions.length > 0 && h("p", { class: "hint" }, found.actions.map((one) => `${one.action}: ${number(one.count)}`).join(" · ")));
    }
  }

  let events = null;
  function watch() {
    events?.close();
    if (over.has(push.state) && push.finished_at) return;
    events = new EventSource(`${path}/progress`);
    events.addEventListener("progress", (event) => {
      push = JSON.parse(event.data);
      draw();
      if (over.has(push.state) && !push.counts.waiting && !push.counts.in_flight) { events.close(); record().catch(fail); failures.load(); }
    });
    // The server ends the stream when the push is over; the browser would ask again forever.
    events.onerror = async () => { try { push = await api("GET", path); draw(); if (over.has(push.state)) events.close(); } catch { events.close(); } };
  }
  onleave(() => events?.close());

  const failures = deliveries({ app, base: `${path}/deliveries`, link });
  append(place, [card(null, head, big), h("div", { class: "two wide" },
    card(null, rateTitle, rate),
    has("/v1/apps/{app}/pushes/{push}/funnel") && card("Funnel", steps)), card("Deliveries", failures.node)]);
  draw();
  record().catch(fail);
  watch();
}

const states = ["waiting", "in_flight", "accepted", "rejected", "expired", "cancelled", "unknown"];

export function deliveries({ app, base, link, only }) {
  const rich = has("/v1/apps/{app}/deliveries");
  const state = select([["", "all states"], ...states.map((name) => [name, name.replace("_", " ")])], "", { "aria-label": "State", onchange: () => load() });
  const provider = select([["", "both providers"], ["apns", "APNs"], ["fcm", "FCM"]], "", { "aria-label": "Provider", onchange: () => load() });
  const reason = h("input", { type: "search", placeholder: "reason, e.g. Unregistered", "aria-label": "Reason", onchange: () => load() });
  const user = h("input", { type: "search", placeholder: "user", "aria-label": "User", onchange: () => load() });
  const place = h("div", {});
  const query = () => {
    const pairs = { state: state.value, provider: rich && provider.value, reason: rich && reason.value, user: rich && user.value };
    return Object.entries(pairs).filter(([, value]) => value).map(([name, value]) => `&${name}=${encodeURIComponent(value)}`).join("");
  };
  function load() {
    if (only && !user.value) return replace(place, empty("Whose deliveries?", "Enter a user; a push’s own deliveries stand on its page."));
    replace(place, pages(async (cursor) => {
      const page = await api("GET", `${base}?limit=50${query()}${cursor ? `&cursor=${cursor}` : ""}`);
      return { items: page.deliveries, next: page.next };
    }, {
      label: "Deliveries", heads: [...(only ? ["Push"] : []), "Device", "Type", "State", "What happened", "#Tries", "When"],
      row: (one) => [...(only ? [h("a", { href: link(`pushes/${one.push}`) }, one.push)] : []), h("span", {}, one.user ?? (one.device ? `device ${one.device}` : "address"), one.user && h("span", { class: "hint" }, ` ${one.device ?? ""}`)),
        kind(one.type), badge(one.state), story(one), number(one.attempts), time(one.at)],
      none: empty("None", "No delivery matches."),
    }));
  }
  load();
  return { load, node: h("div", { class: "stack" }, h("div", { class: "row filters" }, state, rich && [provider, reason, user],
    rich && !only && h("a", { class: "button quiet", href: `${base}/export?format=csv`, download: "" }, "Export CSV")), place) };
}

function story(one) {
  const id = one.apns_id ?? one.message_name;
  if (!one.reason) return h("span", { class: "hint" }, one.actions?.length ? `chose ${one.actions.join(", ")} ` : one.opened_at ? "opened " : one.received_at ? "received " : "", h("span", { class: "mono", title: id ?? "" }, !id ? "–" : id.length > 20 ? `…${id.slice(-16)}` : id));
  const first = h("span", {}, h("strong", {}, one.reason), one.status ? h("span", { class: "hint" }, ` ${one.provider === "fcm" ? "FCM" : "APNs"} ${one.status}`) : null);
  if (!one.explanation) return first;
  return h("details", { class: "why" }, h("summary", {}, first),
    h("dl", { class: "pairs" }, [["Means", "meaning"], ["Done about it", "action"], ["Look at next", "next"]].map(([label, name]) =>
      one.explanation[name] && h("div", {}, h("dt", {}, label), h("dd", {}, one.explanation[name])))));
}

export function all(place, context) {
  append(place, [card(null, deliveries({ app: context.app, base: at(context.app, "/deliveries"), link: context.link, only: true }).node)]);
}
