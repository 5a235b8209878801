// How an app is doing: what ended how, what is under way, the ledger, the providers, what is wrong.
import { api, append, at, badge, empty, every, fail, h, has, may, number, percent, redraw, replace, slotName, spoken, table, time } from "./core.js";
import { barOf, ledgerBar, legend, lines, spark } from "./charts.js";
import { t, tongue, word } from "./words.js";

const tile = (label, value, hint, tone, plot) => h("div", { class: `tile ${tone ?? ""}` }, h("p", { class: "label" }, label), h("p", { class: "value" }, value), plot, h("p", { class: "hint" }, hint));

export async function overview(container, { app, link, onleave }) {
  const [alerts, top, ledger, plot, providers, recent] = [0, 1, 2, 3, 4, 5].map(() => h("div", { class: "stack" }));
  const rates = [];
  let before = null;

  async function read() {
    const [now, { pushes }] = await Promise.all([api("GET", at(app, "/overview")), api("GET", at(app, "/pushes?limit=6"))]);
    const { counts } = now.ledger;
    const ended = counts.targeted - counts.waiting - counts.in_flight;
    const instant = new Date(now.at);
    // Of this app alone: the latest pushes' deliveries that have ended. An older push that leaves the sum is no rate.
    let rate = rates.at(-1)?.[1] ?? 0;
    if (before && ended >= before.ended) {
      rate = Math.round((1000 * (ended - before.ended)) / Math.max(instant - before.instant, 1));
      rates.push([instant, rate]);
      if (rates.length > 150) rates.shift();
    }
    before = { ended, instant };
    redraw(alerts, now.alerts, () => now.alerts.length > 0 && h("div", { class: "alerts", role: "alert" }, now.alerts.map((one) =>
      h("p", {}, badge(word(one.kind).replaceAll("-", " "), "error"), " ", spoken(one.detail), h("span", { class: "hint" }, t` since `, time(one.since))))));
    redraw(top, [counts, rate], () => h("div", { class: "tiles" },
      tile(t`Accepted`, percent(counts.accepted, ended), t`${number(counts.accepted)} of ${number(ended)} finished`),
      tile(t`Failed`, percent(counts.rejected, ended), t`${number(counts.rejected)} rejected, ${number(counts.expired)} expired`, counts.rejected ? "warn" : ""),
      tile(t`In progress`, number(counts.waiting + counts.in_flight), t`${number(counts.in_flight)} in flight`),
      tile(t`Throughput`, `${number(rate)}/s`, t`finished deliveries of this app`, "", rates.length > 1 && spark(rates.map(([, value]) => value)))));
    redraw(ledger, now.ledger, () => [h("div", { class: "row spread" }, h("h2", {}, t`Ledger`), badge(now.ledger.balanced ? t`balanced` : t`not balanced`, now.ledger.balanced ? "accepted" : "error")),
      ledgerBar(counts), legend(counts), h("p", { class: "hint" }, now.ledger.pushes === 1 ? t`The latest push: ${number(counts.targeted)} targeted, and each in exactly one state.` : t`The latest ${number(now.ledger.pushes)} pushes together: ${number(counts.targeted)} targeted, and each in exactly one state.`)]);
    redraw(providers, now.providers, () => [h("h2", {}, t`Providers`), now.providers.length ? h("ul", { class: "plain" }, now.providers.map((one) =>
      h("li", { class: "row" }, badge(word(one.state), one.state === "ready" ? "accepted" : "error"), h("strong", {}, slotName(one.slot)),
        one.detail && h("span", { class: "hint" }, spoken(one.detail), one.since && [t` since `, time(one.since)])))) : empty(t`No credentials`, t`Without them nothing can be sent.`, h("a", { class: "button", href: link("credentials") }, t`Set up credentials`))]);
    redraw(recent, pushes, () => [h("div", { class: "row spread" }, h("h2", {}, t`Latest pushes`), h("a", { href: link("pushes") }, t`All pushes`)),
      pushes.length ? table([t`Push`, t`State`, t`Ledger`, `#${t`Targeted`}`, `#${t`Opened`}`, t`Created`], pushes.map((push) => [
        h("a", { href: link(`pushes/${push.id}`) }, push.campaign ?? t`Push ${push.number}`), badge(push.state), barOf(push), number(push.counts.targeted), number(push.events.opened), time(push.created_at)]), { label: t`Latest pushes` })
        : empty(t`Nothing sent yet`, t`Write the first push and see it on both phones before it leaves.`, may("send") && h("a", { class: "button primary", href: link("compose") }, t`Open the composer`))]);
  }

  async function history() {
    if (!has("/v1/apps/{app}/series")) return;
    const from = new Date(Date.now() - 3600_000);
    const { points } = await api("GET", at(app, `/series?step=minute&from=${from.toISOString()}`));
    const known = new Map(points.map((point) => [Math.floor(new Date(point.at) / 60_000), point]));
    const minutes = Array.from({ length: 60 }, (_, index) => Math.floor(Date.now() / 60_000) - 59 + index);
    const clock = (minute) => new Date(minute * 60_000).toLocaleTimeString(tongue, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
    const line = (name) => ({ name: word(name), tone: name, values: minutes.map((minute) => known.get(minute)?.[name] ?? 0) });
    replace(plot, h("h2", {}, t`The last hour`), lines(minutes.map(clock), [line("accepted"), line("rejected")], { title: t`Deliveries by minute`, height: 270 }));
  }

  append(container, [alerts, top, h("div", { class: "two wide even" }, h("section", { class: "card" }, plot), h("div", { class: "stack" }, h("section", { class: "card" }, ledger), h("section", { class: "card" }, providers))), h("section", { class: "card" }, recent)]);
  await Promise.all([read(), history()]);
  every(2000, onleave, () => read().catch(fail));
  every(15000, onleave, () => history().catch(fail));
}

