// The last step of the composer: who gets what, when, how large it is, what is dropped, and how the last one like it went.
import { api, ask, at, badge, button, byZone, cadence, card, devicesOf, dialog, fail, field, findings, form, h, has, judged, latest, number, percent, replace, said, toast, zoned } from "./core.js";
import { gauge } from "./charts.js";
import { steps } from "./desk.js";
import { kind, readers } from "./providers.js";
import { sizeOf } from "./seen.js";
import { capital, listed, t } from "./words.js";

// How long something took, in the two largest units.
export function duration(milliseconds) {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  const units = [[86400, t`d`], [3600, "h"], [60, "min"], [1, "s"]];
  let left = seconds;
  const parts = units.map(([size, name]) => { const count = Math.floor(left / size); left -= count * size; return count ? `${count} ${name}` : ""; }).filter(Boolean);
  return parts.slice(0, 2).join(" ") || t`less than a second`;
}

export function review(desk) {
  const who = h("div", { class: "stack tight" });
  const what = h("div", { class: "stack tight" });
  const when = h("div", { class: "stack tight" });
  const size = h("div", { class: "stack tight" });
  const dropped = h("div", { class: "stack tight" });
  const before = h("div", { class: "stack tight" });
  const blockers = h("div", { class: "stack tight" });
  const part = (title, step, node) => h("section", { class: "part-of" }, h("div", { class: "row spread" }, h("h3", {}, title), step && h("a", { href: desk.link(step), "aria-label": t`Change: ${title}` }, t`Change`)), node);
  const reader = Intl.DateTimeFormat().resolvedOptions().timeZone;

  // MARK: The worst case of the audience

  // The largest that anyone of the audience would get; asked when nothing was typed for a moment.
  let timer;
  let found = null;
  const later = () => { clearTimeout(timer); timer = setTimeout(weigh, 400); };
  const weigh = latest(async () => {
    if (!has("/v1/apps/{app}/pushes/check") || !who.isConnected) return;
    found = null;
    if (desk.isBlank() || !desk.rendered || desk.whom.isEmpty()) return draw();
    try { found = await api("POST", at(desk.app, "/pushes/check"), desk.body()); } catch (error) {
      if (![409, 422].includes(error.status)) throw error;
      found = { problem: error };
    }
    draw();
  });

  const worst = (one) => h("div", {}, h("p", { class: "hint" }, t`${readers[one.provider]}, at worst`, one.user ? `: ${one.user}` : one.device ? t`: device ${one.device}` : ""), gauge(one.bytes, one.bytes_max, t`${readers[one.provider]}, at worst`));
  function drawSize() {
    if (found?.sizes) return replace(size, found.sizes.map(worst),
      h("p", { class: "hint" }, found.complete ?? found.tried === found.total ? found.total === 1 ? t`Checked for the one device.` : t`Checked for all ${number(found.total)} devices.` : t`Checked for ${number(found.tried)} of ${number(found.total)} devices, sampled from the whole audience.`,
        found.over > 0 && h("strong", {}, found.over === 1 ? t` ${number(found.over)} of them is over the limit and would get nothing.` : t` ${number(found.over)} of them are over the limit and would get nothing.`)));
    const sizes = ["apns", "fcm"].map((platform) => [platform, sizeOf(desk.rendered, platform)]).filter(([, one]) => one);
    replace(size, sizes.length ? sizes.map(([platform, one]) => h("div", {}, h("p", { class: "hint" }, readers[platform]), gauge(one.bytes, one.most, readers[platform]))) : h("p", { class: "hint" }, t`Nothing is written yet.`),
      found?.problem?.status === 409 && h("p", { class: "hint" }, said(found.problem)));
  }

  // MARK: Parts

  // Each version in one line, as a person reads it.
  function lines() {
    const text = (message) => desk.texts(message).slice(0, 2).join(" — ");
    return desk.tabs().map((one) => {
      const holder = one.variant == null ? desk.sheet() : desk.sheet().variants[one.variant];
      return h("li", {}, h("strong", {}, one.name), " ", one.isMissing ? badge(t`missing: the original is sent`, "warning") : h("span", { dir: "auto", lang: one.tag || null }, text(one.tag ? holder.locales[one.tag] : holder.message) || t`no text`));
    });
  }

  function times() {
    const { clock } = desk;
    const kindOf = clock.kind();
    const both = (instant) => [h("p", {}, zoned(instant), h("span", { class: "hint" }, t` your time (${reader})`)), h("p", { class: "hint" }, byZone(instant, desk.zone), t` (the app’s time zone)`)];
    const { send_at: at, send_at_local: local, timezone } = clock.timed();
    if (kindOf === "now") return [h("p", {}, t`Now, as soon as you send it.`), h("p", { class: "hint" }, t`It is ${byZone(Date.now(), reader)}`, reader !== desk.zone && t`, ${byZone(Date.now(), desk.zone)} (the app’s time zone)`, ".")];
    if (kindOf === "draft") return h("p", {}, t`Not yet: it is saved as a draft on the server, and nothing is sent.`);
    if (kindOf === "at") return at ? both(at) : h("p", {}, t`No time is chosen yet.`);
    if (kindOf === "local") return h("p", {}, t`${local.replace("T", " ").slice(0, 16)} in each device’s time zone; in ${timezone || t`no time zone yet`} where a device has none.`);
    const { every, interval = 1, start, timezone: zone, until } = clock.repetition();
    return h("p", {}, t`${capital(cadence(every, interval))}, from ${start.replace("T", " ").slice(0, 16)} in ${zone || t`no time zone yet`}${until ? t`, until ${until.slice(0, 10)}` : t`, until you pause or delete it`}.`);
  }

  function draw() {
    const { whom, options } = desk;
    const blocked = desk.problems();
    replace(blockers, blocked.length > 0 && [h("p", { class: "problem" }, t`This cannot be sent yet:`), h("ul", { class: "plain" }, blocked.map(({ step, text }) =>
      h("li", {}, h("a", { href: desk.link(step) }, steps.find(([id]) => id === step)[1]), `: ${text}`)))],
      !blocked.length && !desk.isLegal && h("p", { class: "problem" }, desk.isBlank() ? t`The message is empty.` : t`The message has errors: `, !desk.isBlank() && h("a", { href: desk.link("message") }, t`see the report`)));
    replace(who, h("p", {}, whom.words(), "."), whom.kind() !== "as" && h("p", { class: "hint" }, t`${devicesOf(whom.total())} now`, whom.kinds() && `: ${whom.kinds()}`),
      options.category.value.trim() && h("p", { class: "hint" }, t`Not to users who opted out of “${options.category.value.trim()}”.`), options.urgent.checked && h("p", { class: "hint" }, t`Urgent: also in quiet hours and beyond the cap.`));
    replace(what, h("ul", { class: "plain" }, lines()));
    replace(when, times(), options.throttle.value.trim() && h("p", { class: "hint" }, t`At most ${options.throttle.value.trim()} a minute.`), h("p", { class: "hint" }, options.lifetime.value ? t`Unsent messages are discarded ${options.lifetime.selectedOptions[0].textContent}.` : t`Unsent messages do not expire.`));
    drawSize();
    const report = found?.report ?? found?.problem?.report ?? desk.report ?? [];
    replace(dropped, report.length ? findings(report) : h("p", { class: "hint" }, t`Nothing is dropped, changed or doubtful.`));
  }

  // MARK: The last one like it

  // The last push that ended: of the same campaign, else the last one to more than a person's devices.
  const recall = latest(async () => {
    const { pushes } = await api("GET", at(desk.app, "/pushes?limit=100"));
    const ended = pushes.filter((one) => one.finished_at && one.counts.targeted > 0);
    const same = desk.campaign() && ended.find((one) => one.campaign === desk.campaign());
    const last = same || ended.find((one) => one.counts.targeted > 1) || ended[0];
    if (!last) return replace(before, h("p", { class: "hint" }, t`No push of this app has finished yet.`));
    const failed = last.counts.rejected + last.counts.expired + last.counts.unknown;
    replace(before, h("p", {}, h("a", { href: desk.pushLink(last.id) }, last.campaign ?? t`Push ${last.number}`), t`: ${devicesOf(last.counts.targeted)} in ${duration(new Date(last.finished_at) - new Date(last.start_at))}, ${failed ? t`${number(failed)} failed (${percent(failed, last.counts.targeted)})` : t`none failed`}.`),
      h("p", { class: "hint" }, same ? t`The last push of this campaign. ` : t`The last finished push; none of this campaign has finished. `, zoned(last.finished_at)));
  });

  const node = card(t`Review`, blockers, part(t`Who gets it`, "audience", who), part(t`What they get`, "message", what), part(t`When`, "time", when),
    part(t`How large it is`, null, size), part(t`What is dropped or changed`, null, dropped), part(t`Last time`, null, before));
  return { node, later, draw, recall, stop: () => clearTimeout(timer) };
}

// MARK: Sending

// Members of the form that are not set any more; what the form does not know stays.
const managed = ["template", "message", "locales", "variants", "values", "undefined", "campaign", "throttle_per_minute", "expires_in_seconds", "category", "urgent"];

// A campaign from here can be stopped for a while before it starts; what goes to chosen devices starts at once.
const undo = ({ clock, whom, shownApp }) => (clock.kind() === "now" && whom.kind() !== "devices" && shownApp.undo_seconds > 0 ? { undo_seconds: shownApp.undo_seconds } : {});

async function dispatch(desk) {
  const { app, clock, editing, rescheduling, original } = desk;
  const wait = undo(desk);
  const next = desk.body();
  const gone = () => Object.fromEntries(managed.filter((name) => name in original && !(name in next)).map((name) => [name, null]));
  if (clock.kind() === "repeat") {
    const repeat = clock.repetition();
    // The times of a schedule start anew with its rule, so it is sent only when it changed.
    const isSame = rescheduling && JSON.stringify(repeat) === JSON.stringify(original.repeat);
    const made = await (rescheduling ? api("PATCH", at(app, `/schedules/${encodeURIComponent(rescheduling)}`), { ...next, ...gone(), ...(!isSame && { repeat }) }) : api("POST", at(app, "/schedules"), { ...next, repeat }));
    return desk.done(rescheduling ? t`Saved.` : t`Schedule started.`, `schedules/${made.id}`);
  }
  if (editing) {
    await api("PATCH", at(app, `/pushes/${editing}`), { ...next, ...gone() });
    if (clock.kind() === "now" && !wait.undo_seconds) await api("POST", at(app, `/pushes/${editing}/send`));
    else if (clock.kind() !== "draft") await api("POST", at(app, `/pushes/${editing}/schedule`), { ...clock.timed(), ...wait });
    return desk.done(t`Saved.`, `pushes/${editing}`);
  }
  const made = await api("POST", at(app, "/pushes"), { ...next, ...clock.timed(), ...wait });
  desk.done(clock.kind() === "draft" ? t`Draft saved.` : clock.kind() === "now" ? (wait.undo_seconds ? t`The push starts soon; it can still be stopped.` : t`The push is sending.`) : t`The push is scheduled.`, `pushes/${made.id}`);
}

// What is asked before it is sent, found anew for the audience of now. `holes` are placeholders that may stay empty.
async function doubtsOf(desk) {
  let rows = desk.report;
  try { if (has("/v1/apps/{app}/pushes/check")) rows = (await api("POST", at(desk.app, "/pushes/check"), desk.body())).report ?? []; } catch { /* sending it says why */ }
  const own = rows.filter((row) => row.rule.startsWith("push-") && row.rule !== "push-worst-size");
  const placeholders = own.filter((row) => row.rule === "push-placeholder-empty").map((row) => row.message.match(/\{\{[^{}|]+\}\}/)?.[0]).filter(Boolean);
  return { doubts: own, placeholders: [...new Set(placeholders)], isOpen: own.some((row) => row.rule.startsWith("push-placeholder-")) };
}

let isAsking = false;

export async function confirm(desk) {
  const { app, clock, whom } = desk;
  const explain = (error) => (error.report?.length ? dialog(t`Couldn’t save`, (close) => [findings(error.report), h("div", { class: "row end" }, button(t`Back`, { class: "primary", onclick: close }))]) : fail(error));
  const run = () => dispatch(desk).catch(explain);
  if (clock.kind() === "draft") return run();
  if (isAsking) return;
  isAsking = true;
  const { doubts, placeholders, isOpen } = await doubtsOf(desk).finally(() => { isAsking = false; });
  // Meanwhile the page may have been left.
  if (!document.querySelector(".composer")) return;
  const doubt = doubts.length > 0 && [placeholders.length > 0 && h("p", { class: "problem" }, t`Not everyone has a value for ${listed(placeholders)}: the placeholder may stay empty.`), h("p", {}, t`Check before you continue:`), h("ul", { class: "plain" }, doubts.map((row) => h("li", {}, judged(row))))];
  if (clock.kind() === "repeat") {
    const { every, interval = 1, start, timezone } = clock.repetition();
    const first = t`the first time at ${start.replace("T", " ").slice(0, 16)}, ${timezone}`;
    return ask(desk.rescheduling ? t`Save this schedule?` : t`Start this schedule?`, [t`It sends a push ${cadence(every, interval)}, ${first}, to ${whom.kind() === "as" ? t`the same audience` : t`its audience at that time (${devicesOf(whom.total())} of ${app} now)`}.`, doubt], desk.rescheduling ? t`Save` : t`Start`, run);
  }
  if (["at", "local"].includes(clock.kind()) && isOpen) return ask(t`Schedule this push?`, doubt, t`Schedule`, run);
  if (clock.kind() !== "now" || ((whom.kind() === "devices" || whom.kind() === "as") && !doubt)) return run();
  ask(t`Send this now?`, [t`It goes to ${whom.kind() === "as" ? t`the same audience` : t`${devicesOf(whom.total())} of ${app}`}. It can be paused and canceled, but not recalled from a device.`, doubt], whom.kind() === "as" ? t`Send` : t`Send to ${number(whom.total())}`, run);
}

// A test goes to a device that somebody chose, never to whoever comes first: the version that is being looked at.
export async function test(desk) {
  if (desk.refused()) return;
  const { devices } = await api("GET", at(desk.app, "/devices?state=active&limit=50"));
  const choice = h("select", {}, h("option", { value: "" }, t`choose`), devices.map((one) => h("option", { value: one.id }, `${one.user ?? t`device`} ${one.id}, ${kind(one.type)}`)));
  const other = h("input", { type: "text", inputmode: "numeric", autocomplete: "off" });
  form(t`Send a test`, t`Send the test`, [field(t`Device`, choice), field(t`Or a device id`, other)], async (close) => {
    const id = other.value.trim() || choice.value;
    if (!id) throw new Error(t`choose a device, or enter an id`);
    const answer = await api("POST", at(desk.app, "/test-pushes"), { contract: desk.contract, message: desk.seen(), ...desk.filling.body(), to: { device: id } });
    close();
    toast(t`Test push ${answer.id} is sending to device ${id}.`);
  });
}
