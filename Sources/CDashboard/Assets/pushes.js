// Pushes, their progress, and the outcome of each delivery.
import { api, append, ask, at, badge, button, by, card, dialog, empty, every, fail, field, form, h, has, isDark, latest, may, number, pages, percent, picture, pushName, redraw, replace, said, select, slotName, spoken, table, time, toast, toCome, zoneOf } from "./core.js";
import { approval, awaited, undo } from "./care.js";
import { compare, list } from "./finding.js";
import { funnel, ledgerBar, legend, lines, share } from "./charts.js";
import { language } from "./languages.js";
import { kind, providers } from "./providers.js";
import { english, t, tongue, word } from "./words.js";

export async function pushes(container, context) {
  const { app, link, tools, rest } = context;
  // By its number: the address of its own is that of its id.
  if (context.id === "number") {
    const [found] = (await api("GET", at(app, `/pushes?number=${encodeURIComponent(rest[1] ?? "")}`))).pushes;
    if (!found) throw new Error(t`${app} has no push ${rest[1] ?? ""}`);
    return location.replace(link(`pushes/${found.id}`));
  }
  if (context.id === "compare") return compare(container, context);
  if (context.id && context.id !== "find") return show(container, context);
  if (may("send")) append(tools, [h("a", { class: "button primary", href: link("compose") }, t`New push`)]);
  const waiting = h("div", {});
  if (has("/v1/apps/{app}/approvals")) awaited(waiting, context).catch(fail);
  append(container, [waiting]);
  await list(container, context);
}

const over = new Set(["sent", "cancelled", "expired", "failed"]);
const before = new Set(["draft", "scheduled"]);

async function show(container, { app, id, link, go, reload, onleave, title }) {
  const path = at(app, `/pushes/${encodeURIComponent(id)}`);
  let push = await api("GET", path);
  const zone = before.has(push.state) ? await zoneOf(app) : "UTC";
  title(push.campaign ?? t`Push ${push.number}`);
  const head = h("div", { class: "row" });
  const big = h("div", { class: "ledger", "aria-live": "polite" });
  const rate = h("div", {});
  const rateTitle = h("h2", {}, t`Outcomes by minute`);
  const steps = h("div", {});
  const seen = [];
  // How many devices a push reaches whose audience is still being expanded; null when that cannot be counted.
  let audience = null;
  async function expect() {
    const to = push.request?.to;
    if (push.audience_complete || !to || !["all", "segment", "filter", "users"].some((name) => name in to)) return;
    audience = (await api("POST", at(app, "/audience"), { to })).total;
    draw();
  }
  // What the funnel shows beside the push: buttons that were chosen, why deliveries failed, the outcome of the variants.
  let details = { actions: [], reasons: [], variants: [] };
  const [why, parts] = [0, 1].map(() => h("section", { class: "card", hidden: true }));

  const act = (verb, tone) => button({ pause: t`Pause`, resume: t`Resume`, cancel: t`Cancel` }[verb], { class: tone ?? "quiet", onclick: () => {
    const run = async () => { push = await api("POST", `${path}/${verb}`); draw(); watch(); };
    const cancel = async () => {
      await run();
      toast(t`${number(push.stopped)} stopped.` + (push.not_stopped > 0 ? t` ${number(push.not_stopped)} could not be stopped: they are being sent, or may have been sent before.` : ""));
    };
    if (verb === "cancel") ask(t`Cancel this push?`, t`Deliveries that have not been sent are stopped. Those being sent, or that may have been sent before, cannot be stopped. This cannot be undone.`, t`Cancel the push`, cancel);
    else run().catch(fail);
  } });

  function throttle() {
    dialog(t`Slow down or speed up`, (close) => {
      const input = h("input", { type: "text", inputmode: "numeric", value: push.throttle_per_minute ?? "", placeholder: t`no limit` });
      return [field(t`At most, per minute`, input, t`Leave empty for no limit.`), h("div", { class: "row end" },
        button(t`Back`, { class: "quiet", onclick: close }),
        button(t`Apply`, { class: "primary", onclick: async () => {
          try { push = await api("PATCH", path, { throttle_per_minute: input.value ? Number(input.value) : null }); close(); draw(); toast(t`Applied.`); } catch (error) { fail(error); }
        } }))];
    });
  }

  // What can be done with a push that has not started, and with a finished campaign.
  const step = (verb, path, done) => button(verb, { class: "quiet", onclick: async () => { try { done(await api(...path)); } catch (error) { fail(error); } } });
  const plan = () => [
    h("a", { class: "button quiet", href: link(`compose/edit/${push.id}`) }, t`Edit`),
    button(t`Schedule`, { class: "quiet", onclick: schedule }),
    push.state === "scheduled" && step(t`Back to draft`, ["POST", `${path}/unschedule`], reload),
    button(t`Delete`, { class: "danger quiet", onclick: () => ask(t`Delete this push?`, t`Nothing has been sent.`, t`Delete it`, async () => { await api("DELETE", path); go("pushes"); }) }),
    push.approval?.state !== "waiting" && button(t`Send now`, { class: "primary", onclick: () => ask(t`Send this now?`, t`It starts after the app’s wait, during which it can be stopped, and goes to the audience at that time.`, t`Send it`, async () => {
      const { undo_seconds } = await api("GET", at(app));
      await (undo_seconds && !push.request?.to?.devices ? api("POST", `${path}/schedule`, { undo_seconds }) : api("POST", `${path}/send`));
      reload();
    }) })];
  const again = () => [push.request && h("a", { class: "button quiet", href: link(`compose/copy/${push.id}`) }, t`Compose a copy`),
    push.campaign && push.request && button(t`Send again`, { class: "quiet", onclick: () => ask(t`Send this campaign again?`, t`It goes to the current audience, and replaces the notification where it is still shown.`, t`Send it again`, async () => { go(`pushes/${(await api("POST", `${path}/resend`)).id}`); }) }),
    push.campaign && push.request && !push.restored_at && ended("rejected", "expired", "cancelled") > 0 && button(t`Send what failed`, { class: "quiet", onclick: failed })];
  const ended = (...states) => states.reduce((sum, state) => sum + push.counts[state], 0);

  // Counts before it sends: by state, or by one of the reasons that the push's deliveries have.
  async function failed() {
    const { reasons } = await api("GET", `${path}/funnel`);
    const options = [...["rejected", "expired", "cancelled"].filter((state) => push.counts[state]).map((state) => [`state:${state}`, t`all that are ${word(state)}`]),
      ...reasons.filter(({ reason }) => reason).map(({ reason }) => [`reason:${reason}`, reason])];
    const choice = select(options, options[0][0]);
    const count = h("p", { class: "hint", role: "status" });
    const body = () => choice.value.startsWith("state:") ? { states: [choice.value.slice(6)] } : { reasons: [choice.value.slice(7)] };
    const look = async () => {
      const found = await api("POST", `${path}/resend-failed`, { ...body(), preview: true });
      count.textContent = [t`${number(found.devices)} of ${number(found.deliveries)} would be sent again.`, found.left_out && t`The others may have arrived, or their devices are gone.`, found.next && t`It takes several pushes.`].filter(Boolean).join(" ");
    };
    choice.addEventListener("change", () => look().catch((error) => { count.textContent = error.message; }));
    form(t`Send what failed`, t`Send`, [field(t`Deliveries`, choice), count, h("p", { class: "hint" }, t`A new push goes to devices that no provider can have reached, as far as they are active now.`)], async (close) => {
      const made = await api("POST", `${path}/resend-failed`, body());
      close(); go(`pushes/${made.id}`);
    });
    await look();
  }

  function schedule() {
    const when = h("input", { type: "datetime-local", required: true });
    const clock = select([["", t`my clock`], ["local", t`each device’s own clock`]], "");
    form(t`Schedule`, t`Schedule`, [field(t`When`, when), field(t`By`, clock)], async (close) => {
      await api("POST", `${path}/schedule`, clock.value ? { send_at_local: `${when.value}:00`, timezone: Intl.DateTimeFormat().resolvedOptions().timeZone } : { send_at: new Date(when.value).toISOString() });
      close(); reload();
    });
  }

  function draw() {
    const { counts } = push;
    const done = counts.targeted - counts.waiting - counts.in_flight;
    redraw(head, [push.state, push.start_at, push.send_at_local, push.finished_at, push.throttle_per_minute, push.problem], () => [badge(push.state), h("span", { class: "hint" }, t`created `, time(push.created_at), push.author && push.author.kind !== "schedule" && t` by ${by(push.author)}`, t`, id ${push.id}`),
      push.state === "scheduled" && h("span", {}, push.send_at_local ? t`starts at ${push.send_at_local.replace("T", " ")} in each device’s time zone, ${push.timezone ?? "UTC"} without one` : [t`starts `, toCome(push.start_at, zone)]),
      push.schedule && h("a", { href: link(`schedules/${push.schedule}`) }, t`from a schedule`),
      push.finished_at && h("span", { class: "hint" }, t`finished `, time(push.finished_at)),
      push.throttle_per_minute && h("span", { class: "hint" }, t`at most ${number(push.throttle_per_minute)} a minute`),
      h("span", { class: "grow" }),
      may("send") && !push.undo_until && (before.has(push.state) ? plan() : over.has(push.state) ? again()
        : [push.state === "paused" ? act("resume", "primary") : act("pause"), button(t`Throttle`, { class: "quiet", onclick: throttle }), act("cancel", "danger quiet")]),
      push.problem && h("p", { class: "problem", role: "alert" }, spoken(push.problem))]);
    if (push.state === "cancelled" && !counts.targeted) return replace(big, h("p", {}, t`Stopped before it started: nothing was sent.`));
    if (before.has(push.state)) return replace(big, h("p", { class: "hint" }, t`Nothing has been sent. It is checked again when it starts, with the audience at that time.`));
    const { received, opened, action } = push.events;
    replace(steps, funnel([[t`Targeted`, counts.targeted], [t`Accepted`, counts.accepted], [t`Received`, received], [t`Opened`, opened], [t`Acted`, action]]),
      details.actions.length > 0 && h("p", { class: "hint" }, details.actions.map((one) => `${one.action}: ${number(one.count)}`).join(" · ")));
    const sum = ["waiting", "in_flight", "accepted", "rejected", "expired", "cancelled", "unknown"].reduce((all, name) => all + counts[name], 0);
    // While the audience is being expanded, the whole is what was counted for it; without that there is no percentage.
    const total = push.audience_complete ? counts.targeted : audience && Math.max(audience, counts.targeted);
    const figure = (part, of, text) => h("p", { class: "figure" }, h("strong", {}, percent(part, of)), h("span", {}, ` ${text}`));
    replace(big, figure(done, total, !total ? t`finished: ${number(done)} of ${number(counts.targeted)} so far` : push.audience_complete ? t`finished: ${number(done)} of ${number(total)}` : t`finished: ${number(done)} of ${number(total)} expected`),
      done > 0 && figure(counts.accepted, done, t`of these accepted: ${number(counts.accepted)}`),
      total ? ledgerBar(counts, total) : null, legend(counts),
      h("p", { class: "hint" }, sum === counts.targeted ? t`The ledger balances: every device is in exactly one state.` : t`The ledger does not balance; run “postrider ledger check” on the server.`, push.resent > 0 && t` ${number(push.resent)} were sent again after a crash.`, push.repeats > 0 && t` ${number(push.repeats)} entries of the list were repeats; each recipient gets the push once.`));
  }

  function note() {
    seen.push([Date.now(), push.counts.targeted - push.counts.waiting - push.counts.in_flight]);
    if (seen.length > 240) seen.shift();
    if (seen.length < 3) return;
    replace(rateTitle, t`Throughput`);
    const rates = seen.slice(1).map(([instant, value], index) => Math.max(0, (1000 * (value - seen[index][1])) / Math.max(instant - seen[index][0], 1)));
    const clock = (instant) => new Date(instant).toLocaleTimeString(tongue, { hourCycle: "h23" });
    replace(rate, lines(seen.slice(1).map(([instant]) => clock(instant)), [{ name: t`deliveries a second`, tone: "accepted", values: rates.map(Math.round) }], { title: t`Throughput while this page is open` }));
  }

  // What the server has counted, for a push that nobody watched.
  async function history() {
    if (seen.length >= 3 || !has("/v1/apps/{app}/pushes/{push}/series")) return;
    const { points } = await api("GET", `${path}/series?step=minute`);
    const at = (point) => Math.floor(new Date(point.at) / 60_000);
    const known = new Map(points.map((point) => [at(point), point]));
    const [first, last] = points.length ? [at(points[0]) - 1, at(points.at(-1)) + 1] : [0, -1];
    // A push that went on for days is shown by its own minutes, one of a few by the clock's.
    const minutes = last - first < 240 ? Array.from({ length: Math.max(last - first + 1, 0) }, (_, index) => first + index) : points.map(at);
    const clock = (minute) => new Date(minute * 60_000).toLocaleTimeString(tongue, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
    const line = (name) => ({ name: word(name), tone: name, values: minutes.map((minute) => known.get(minute)?.[name] ?? 0) });
    if (points.length) replace(rate, lines(minutes.map(clock), [line("accepted"), line("rejected"), line("opened")], { title: t`Outcomes by minute` }));
    else replace(rate, h("p", { class: "hint" }, t`Nothing has finished yet.`));
  }

  // Reports come in long after a push is finished, so the funnel is asked for as long as it is looked at.
  const look = latest(async () => {
    const found = await api("GET", `${path}/funnel`);
    const text = JSON.stringify(found);
    if (text === details.text) return;
    const { received, opened, action } = found;
    push.events = { ...push.events, received, opened, action };
    details = { ...found, text };
    draw();
    reasons();
    variants();
    await history();
  });

  // What failed, by what the provider said: each with what it means, and the way to the devices behind it.
  function reasons() {
    const list = details.reasons ?? [];
    why.hidden = !list.length;
    const whole = list.reduce((sum, one) => sum + one.count, 0);
    const open = new Set([...why.querySelectorAll("details[open]")].map((one) => one.dataset.key));
    replace(why, h("h2", {}, t`Why deliveries failed`), list.length > 0 && table([t`Reason`, `#${t`Deliveries`}`, t`Share`, ""], list.map((one) => {
      const about = story(one);
      about.dataset.key = `${one.provider} ${one.reason}`;
      if (about.matches("details")) about.open = open.has(about.dataset.key);
      return [about, number(one.count), h("span", { class: "part" }, share(one.count, whole, "rejected"), h("span", { class: "hint" }, percent(one.count, whole))),
        button(t`Show them`, { class: "link", "aria-label": t`Show the deliveries with ${one.reason}`, onclick: () => failures.show({ state: "rejected", provider: one.provider ?? "", reason: one.reason }) })];
    }), { label: t`Failures by reason` }));
  }

  function variants() {
    const list = details.variants ?? [];
    parts.hidden = !list.length;
    const best = Math.max(...list.map((one) => one.open_rate ?? 0));
    replace(parts, h("h2", {}, t`Variants`), list.length > 0 && table([t`Variant`, `#${t`Share`}`, `#${t`Accepted`}`, `#${t`Rejected`}`, `#${t`Received`}`, `#${t`Opened`}`, `#${t`Acted`}`, t`Open rate`], list.map((one) => [
      one.name ? h("strong", {}, one.name) : t`Original`, `${one.share ?? 100 - list.reduce((sum, other) => sum + (other.share ?? 0), 0)} %`, ...["accepted", "rejected", "received", "opened", "action"].map((name) => number(one[name])),
      h("span", { class: "part" }, share(one.open_rate ?? 0, best, "accepted"), h("span", { class: "hint" }, one.accepted ? percent(one.opened, one.accepted) : "–"))]), { label: t`Results by variant` }));
  }

  let events = null;
  function watch() {
    events?.close();
    if (over.has(push.state)) return;
    events = new EventSource(`${path}/progress`);
    events.addEventListener("progress", (event) => {
      // Of whoever made it the stream has no name.
      push = { ...JSON.parse(event.data), author: push.author };
      draw();
      note();
      if (over.has(push.state) && !push.counts.waiting && !push.counts.in_flight) { events.close(); look(); failures.load(); }
    });
    // The server ends the stream when the push is finished; the browser would ask again forever.
    events.onerror = async () => { try { push = await api("GET", path); draw(); if (over.has(push.state)) events.close(); } catch { events.close(); } };
  }
  onleave(() => events?.close());

  const what = h("section", { class: "card" });
  const failures = deliveries({ app, base: `${path}/deliveries`, link });
  const waits = before.has(push.state);
  append(container, [push.undo_until && undo({ push, path, link, reload, onleave }), approval({ push, path, reload, zone }), (push.request || push.message) && what, card(null, head, big), !waits && h("div", { class: "two wide" },
    card(null, rateTitle, rate),
    card(t`Funnel`, steps)), !waits && [parts, why], !waits && card(t`Deliveries`, failures.node)]);
  draw();
  content(push.request ?? { message: push.message }, app, what, onleave).catch(fail);
  if (waits) return;
  expect().catch(() => { /* its segment may be gone: no percentage until it is complete */ });
  look();
  every(3000, onleave, look);
  watch();
}

// What a push says: both phones, with its languages and variants beside them.
async function content(request, app, container, onleave) {
  if (!request) return;
  const from = request.template && !request.message ? await api("GET", at(app, `/templates/${encodeURIComponent(request.template)}`)) : request;
  const contract = request.contract ?? from.contract ?? (await api("GET", at(app))).contract;
  const versions = [{ ...from, name: t`Message` }, ...(from.variants ?? [])].flatMap((one, index) => [
    { name: index ? `${one.name}, ${one.share} %` : one.name, message: one.message, locale: "en" },
    ...Object.entries(one.locales ?? {}).map(([locale, message]) => ({ name: index ? `${one.name}: ${language(locale)}` : language(locale), message, locale }))]).filter((one) => one.message);
  const phones = h("div", { class: "phones small" });
  const quote = h("div", { class: "said" });
  const texts = ({ message }) => ["title", "subtitle", "body"].map((name) => message[name]).filter((text) => typeof text === "string" && text);
  const paint = async (index) => {
    const [first, ...others] = texts(versions[index]);
    replace(quote, first && h("p", { lang: versions[index].locale }, h("strong", {}, first)), others.map((text) => h("p", { lang: versions[index].locale }, text)));
    try {
      const { previews } = await api("POST", "/v1/preview", { contract, message: versions[index].message, ...((request.values || from.values) && { values: { ...from.values, ...request.values } }), locales: [versions[index].locale], svg: true, captions: false, surfaces: ["lock-screen", "collapsed"], appearance: isDark() ? "dark" : "light", app_name: app.slice(0, 60) });
      replace(phones, previews.map((one) => h("figure", { class: "phone" }, h("figcaption", {}, one.platform === "ios" ? "iPhone" : "Android"), picture(one.svg, t`${one.platform === "ios" ? "iPhone" : t`Android phone`} showing: ${`${one.title?.text ?? ""} ${one.body?.text ?? ""}`}`))));
    } catch (error) { replace(phones, empty(t`No picture`, said(error))); }
  };
  const choose = versions.length > 1 && select(versions.map(({ name }, index) => [String(index), name]), "0", { "aria-label": t`Version`, onchange: (event) => paint(Number(event.target.value)) });
  append(container, [h("div", { class: "row spread" }, h("h2", {}, t`What it says`), h("div", { class: "row filters" }, contract && badge(contract, "waiting"), request.template && badge(t`template ${request.template}`, "waiting"), choose)), quote, phones]);
  const again = () => paint(Number(choose ? choose.value : 0));
  addEventListener("theme", again);
  onleave(() => removeEventListener("theme", again));
  if (versions.length) await paint(0);
}

const states = ["waiting", "in_flight", "accepted", "rejected", "expired", "cancelled", "unknown"];

export function deliveries({ app, base, link, only }) {
  const rich = has("/v1/apps/{app}/deliveries");
  const state = select([["", t`all states`], ...states.map((name) => [name, word(name)])], "", { "aria-label": t`State`, onchange: () => load() });
  const provider = select([["", t`all providers`], ...providers.map(([name, title]) => [name, title])], "", { "aria-label": t`Provider`, onchange: () => load() });
  const reason = h("input", { type: "search", placeholder: t`reason, e.g. Unregistered`, "aria-label": t`Reason`, onchange: () => load() });
  const user = h("input", { type: "search", placeholder: t`user`, "aria-label": t`User`, onchange: () => load() });
  const device = h("input", { type: "search", placeholder: t`or a device’s id`, "aria-label": t`Device`, inputmode: "numeric", onchange: () => load() });
  const container = h("div", {});
  const query = () => {
    const pairs = { state: state.value, provider: rich && provider.value, reason: rich && reason.value, user: rich && !only && user.value };
    return Object.entries(pairs).filter(([, value]) => value).map(([name, value]) => `&${name}=${encodeURIComponent(value)}`).join("");
  };
  function load() {
    const whose = only === true ? (user.value.trim() && `user=${encodeURIComponent(user.value.trim())}`) || (device.value.trim() && `device=${encodeURIComponent(device.value.trim())}`) : only;
    if (only && !whose) return replace(container, empty(t`Whose deliveries?`, t`Enter a user or a device’s id; a push’s own deliveries are on its page.`));
    replace(container, pages(async (cursor) => {
      const page = await api("GET", `${base}?limit=50${query()}${whose ? `&${whose}` : ""}${cursor ? `&cursor=${cursor}` : ""}`);
      return { items: page.deliveries, next: page.next };
    }, {
      label: t`Deliveries`, heads: [...(only ? [t`Push`] : []), t`Device`, t`Type`, t`State`, t`What happened`, `#${t`Attempts`}`, t`When`],
      row: (one) => [...(only ? [h("a", { href: link(`pushes/${one.push}`) }, pushName(one))] : []), h("span", {}, one.user && [h("a", { href: link(`users/${encodeURIComponent(one.user)}`) }, one.user), " "], one.device ? h("a", { class: one.user ? "hint" : null, href: link(`devices/${one.device}`) }, t`device ${one.device}`) : !one.user && t`address`),
        kind(one.type), badge(one.state), story(one), number(one.attempts), time(one.at)],
      none: empty(t`None`, t`No delivery matches.`),
    }));
  }
  load();
  // Shows those that are meant, and takes the reader there.
  function show(wanted) {
    [state.value, provider.value, reason.value] = [wanted.state, wanted.provider, wanted.reason];
    load();
    node.scrollIntoView({ block: "start" });
    state.focus({ preventScroll: true });
  }
  const node = h("div", { class: "stack" }, h("div", { class: "row filters" }, only === true && [user, device], state, rich && [provider, reason, !only && user],
    rich && !only && h("a", { class: "button quiet", href: `${base}/export?format=csv`, download: "" }, t`Export CSV`)), container);
  return { load, show, node };
}

function story(one) {
  const id = one.apns_id ?? one.message_name;
  if (!one.reason) return h("span", { class: "hint" }, one.actions?.length ? t`pressed ${one.actions.join(", ")} ` : one.opened_at ? t`opened ` : one.received_at ? t`received ` : "", h("span", { class: "mono", title: id ?? "" }, !id ? "–" : id.length > 20 ? `…${id.slice(-16)}` : id));
  const first = h("span", {}, h("strong", english, one.reason), one.status ? h("span", { class: "hint" }, ` ${slotName(one.provider ?? "apns")} ${one.status}`) : null);
  if (!one.explanation) return first;
  return h("details", { class: "why" }, h("summary", {}, first),
    h("dl", { class: "pairs" }, [[t`Meaning`, "meaning"], [t`Action taken`, "action"], [t`Check next`, "next"]].map(([label, name]) =>
      one.explanation[name] && h("div", {}, h("dt", {}, label), h("dd", {}, spoken(one.explanation[name]))))));
}

export function all(container, context) {
  append(container, [card(null, deliveries({ app: context.app, base: at(context.app, "/deliveries"), link: context.link, only: true }).node)]);
}
