// The last step of the composer: who gets what, when, how large it is, what is dropped, and how the last one like it went.
import { api, ask, at, badge, button, card, dialog, fail, field, findings, form, h, has, kind, latest, number, percent, replace, toast, zoned } from "./core.js";
import { gauge } from "./charts.js";
import { steps } from "./desk.js";
import { sizeOf } from "./seen.js";

const providers = { apns: "iPhone", fcm: "FCM", web: "Browser", hms: "Huawei" };
const spell = (count, one) => `${number(count)} ${one}${count === 1 ? "" : "s"}`;

// How long something took, in the two largest units.
export function duration(milliseconds) {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  const units = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];
  let left = seconds;
  const parts = units.map(([size, name]) => { const count = Math.floor(left / size); left -= count * size; return count ? `${count} ${name}` : ""; }).filter(Boolean);
  return parts.slice(0, 2).join(" ") || "less than a second";
}

// A time by the app's clock, for the line below the reader's own.
const byZone = (moment, zone) => `${new Date(moment).toLocaleString("en", { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", hour12: false, timeZone: zone })} in ${zone}`;

export function review(desk) {
  const who = h("div", { class: "stack tight" });
  const what = h("div", { class: "stack tight" });
  const when = h("div", { class: "stack tight" });
  const size = h("div", { class: "stack tight" });
  const dropped = h("div", { class: "stack tight" });
  const before = h("div", { class: "stack tight" });
  const blockers = h("div", { class: "stack tight" });
  const part = (title, step, node) => h("section", { class: "part-of" }, h("div", { class: "row spread" }, h("h3", {}, title), step && h("a", { href: desk.link(step), "aria-label": `Change: ${title}` }, "Change")), node);
  const reader = Intl.DateTimeFormat().resolvedOptions().timeZone;

  // MARK: The worst case of the audience

  // The largest that anyone of the audience would get; asked when nothing was typed for a moment.
  let timer;
  let found = null;
  const later = () => { clearTimeout(timer); timer = setTimeout(weigh, 400); };
  const weigh = latest(async () => {
    if (!has("/v1/apps/{app}/pushes/check") || !who.isConnected) return;
    desk.doubts = [];
    found = null;
    if (desk.isBlank() || !desk.rendered || desk.whom.isEmpty()) return draw();
    try {
      found = await api("POST", at(desk.app, "/pushes/check"), desk.body());
      desk.doubts = found.report?.filter((row) => row.rule.startsWith("push-") && row.rule !== "push-worst-size").map((row) => row.message) ?? [];
    } catch (error) {
      if (![409, 422].includes(error.status)) throw error;
      found = { problem: error };
    }
    draw();
  });

  const worst = (one) => h("div", {}, h("p", { class: "hint" }, `${providers[one.provider]}, at worst`, one.user ? `: ${one.user}` : one.device ? `: device ${one.device}` : ""), gauge(one.bytes, one.bytes_max, `${providers[one.provider]}, at worst`));
  function drawSize() {
    if (found?.sizes) return replace(size, found.sizes.map(worst),
      h("p", { class: "hint" }, found.complete ?? found.tried === found.total ? `Tried for ${found.total === 1 ? "the one device" : `all ${number(found.total)} devices`}.` : `Tried for ${number(found.tried)} of ${number(found.total)} devices, from all over the audience.`,
        found.over > 0 && h("strong", {}, ` ${number(found.over)} of them ${found.over === 1 ? "is" : "are"} over the limit and would get nothing.`)));
    const sizes = ["apns", "fcm"].map((platform) => [platform, sizeOf(desk.rendered, platform)]).filter(([, one]) => one);
    replace(size, sizes.length ? sizes.map(([platform, one]) => h("div", {}, h("p", { class: "hint" }, providers[platform]), gauge(one.bytes, one.most, providers[platform]))) : h("p", { class: "hint" }, "Nothing is written yet."),
      found?.problem?.status === 409 && h("p", { class: "hint" }, found.problem.message));
  }

  // MARK: Parts

  // Each version in one line, as a person reads it.
  function lines() {
    const text = (message) => desk.texts(message).slice(0, 2).join(" — ");
    return desk.tabs().map((one) => {
      const holder = one.variant == null ? desk.sheet() : desk.sheet().variants[one.variant];
      return h("li", {}, h("strong", {}, one.name), " ", one.isMissing ? badge("missing: the message itself is sent", "warning") : h("span", { dir: "auto", lang: one.tag || null }, text(one.tag ? holder.locales[one.tag] : holder.message) || "no text"));
    });
  }

  function times() {
    const { clock } = desk;
    const kindOf = clock.kind();
    const both = (moment) => [h("p", {}, zoned(moment), h("span", { class: "hint" }, ` your time (${reader})`)), h("p", { class: "hint" }, byZone(moment, desk.zone), " (the app’s time zone)")];
    const { send_at: at, send_at_local: local, timezone } = clock.timed();
    if (kindOf === "now") return [h("p", {}, "Now, as soon as you send it."), h("p", { class: "hint" }, `It is ${byZone(Date.now(), reader)}`, reader !== desk.zone && `, ${byZone(Date.now(), desk.zone)} (the app’s time zone)`, ".")];
    if (kindOf === "draft") return h("p", {}, "Not yet: it is kept as a draft on the server, and nothing is sent.");
    if (kindOf === "at") return at ? both(at) : h("p", {}, "No time is chosen yet.");
    if (kindOf === "local") return h("p", {}, `${local.replace("T", " ").slice(0, 16)} by each device’s own clock; in ${timezone || "no time zone yet"} where a device has none.`);
    const { every, interval = 1, start, timezone: zone, until } = clock.repetition();
    return h("p", {}, `Every ${interval > 1 ? `${number(interval)} ${every}s` : every}, from ${start.replace("T", " ").slice(0, 16)} in ${zone || "no time zone yet"}${until ? `, until ${until.slice(0, 10)}` : ", until you pause or delete it"}.`);
  }

  function draw() {
    const { whom, options } = desk;
    const blocked = desk.problems();
    replace(blockers, blocked.length > 0 && [h("p", { class: "problem" }, "This cannot be sent yet:"), h("ul", { class: "plain" }, blocked.map(({ step, text }) =>
      h("li", {}, h("a", { href: desk.link(step) }, steps.find(([id]) => id === step)[1]), `: ${text}`)))],
      !blocked.length && !desk.isLegal && h("p", { class: "problem" }, desk.isBlank() ? "The message is empty." : "The message has errors: ", !desk.isBlank() && h("a", { href: desk.link("message") }, "see the report")));
    replace(who, h("p", {}, whom.words(), "."), whom.kind() !== "as" && h("p", { class: "hint" }, `${spell(whom.total(), "device")} now`, whom.kinds() && `: ${whom.kinds()}`),
      options.category.value.trim() && h("p", { class: "hint" }, `Not to users who opted out of “${options.category.value.trim()}”.`), options.urgent.checked && h("p", { class: "hint" }, "Urgent: also in quiet hours and beyond the cap."));
    replace(what, h("ul", { class: "plain" }, lines()));
    replace(when, times(), options.throttle.value.trim() && h("p", { class: "hint" }, `At most ${options.throttle.value.trim()} a minute.`), h("p", { class: "hint" }, options.lifetime.value ? `Unsent messages are discarded ${options.lifetime.selectedOptions[0].textContent}.` : "Unsent messages are kept until they are sent."));
    drawSize();
    const report = found?.report ?? found?.problem?.report ?? desk.report ?? [];
    replace(dropped, report.length ? findings(report) : h("p", { class: "hint" }, "Nothing is dropped, changed or doubtful."));
  }

  // MARK: The last one like it

  // The last push that ended: of the same campaign, else the last one to more than a person's devices.
  const recall = latest(async () => {
    const { pushes } = await api("GET", at(desk.app, "/pushes?limit=100"));
    const ended = pushes.filter((one) => one.finished_at && one.counts.targeted > 0);
    const same = desk.campaign() && ended.find((one) => one.campaign === desk.campaign());
    const last = same || ended.find((one) => one.counts.targeted > 1) || ended[0];
    if (!last) return replace(before, h("p", { class: "hint" }, "No push of this app has ended yet."));
    const failed = last.counts.rejected + last.counts.expired + last.counts.unknown;
    replace(before, h("p", {}, h("a", { href: desk.pushLink(last.id) }, last.campaign ?? `Push ${last.number}`), `: ${spell(last.counts.targeted, "device")} in ${duration(new Date(last.finished_at) - new Date(last.start_at))}, ${failed ? `${number(failed)} failed (${percent(failed, last.counts.targeted)})` : "none failed"}.`),
      h("p", { class: "hint" }, same ? "The last push of this campaign. " : "The last push that ended; none of this campaign has. ", zoned(last.finished_at)));
  });

  const node = card("Review", blockers, part("Who gets it", "audience", who), part("What they get", "message", what), part("When", "time", when),
    part("How large it is", null, size), part("What is dropped or changed", null, dropped), part("Last time", null, before));
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
    return desk.done(rescheduling ? "Saved." : "Schedule started.", `schedules/${made.id}`);
  }
  if (editing) {
    await api("PATCH", at(app, `/pushes/${editing}`), { ...next, ...gone() });
    if (clock.kind() === "now" && !wait.undo_seconds) await api("POST", at(app, `/pushes/${editing}/send`));
    else if (clock.kind() !== "draft") await api("POST", at(app, `/pushes/${editing}/schedule`), { ...clock.timed(), ...wait });
    return desk.done("Saved.", `pushes/${editing}`);
  }
  const made = await api("POST", at(app, "/pushes"), { ...next, ...clock.timed(), ...wait });
  desk.done(clock.kind() === "draft" ? "The draft is kept." : clock.kind() === "now" ? (wait.undo_seconds ? "The push starts soon; it can still be stopped." : "The push is sending.") : "The push is scheduled.", `pushes/${made.id}`);
}

export function confirm(desk) {
  const { app, clock, whom, doubts } = desk;
  const explain = (error) => (error.report?.length ? dialog("Couldn’t save", (close) => [findings(error.report), h("div", { class: "row end" }, button("Back", { class: "primary", onclick: close }))]) : fail(error));
  const run = () => dispatch(desk).catch(explain);
  const doubt = doubts.length > 0 && [h("p", {}, "Check before you go on:"), h("ul", { class: "plain" }, doubts.map((text) => h("li", {}, text)))];
  if (clock.kind() === "repeat") {
    const { every, interval = 1, start, timezone } = clock.repetition();
    const first = `the first time at ${start.replace("T", " ").slice(0, 16)}, ${timezone}`;
    return ask(desk.rescheduling ? "Save this schedule?" : "Start this schedule?", [`It sends a push every ${interval > 1 ? `${number(interval)} ${every}s` : every}, ${first}, to ${whom.kind() === "as" ? "the same audience" : `its audience of then (${spell(whom.total(), "device")} of ${app} now)`}.`, doubt], desk.rescheduling ? "Save" : "Start", run);
  }
  if (clock.kind() !== "now" || ((whom.kind() === "devices" || whom.kind() === "as") && !doubt)) return run();
  ask("Send this now?", [`It goes to ${whom.kind() === "as" ? "the same audience" : `${spell(whom.total(), "device")} of ${app}`}. It can be paused and cancelled, but not called back from a device.`, doubt], whom.kind() === "as" ? "Send" : `Send to ${number(whom.total())}`, run);
}

// A test goes to a device that somebody chose, never to whoever comes first: the version that is being looked at.
export async function test(desk) {
  if (desk.refused()) return;
  const { devices } = await api("GET", at(desk.app, "/devices?state=active&limit=50"));
  const choice = h("select", {}, h("option", { value: "" }, "choose"), devices.map((one) => h("option", { value: one.id }, `${one.user ?? "device"} ${one.id}, ${kind(one.type)}`)));
  const other = h("input", { type: "text", inputmode: "numeric", autocomplete: "off" });
  form("Send a test", "Send the test", [field("Device", choice), field("Or a device id", other)], async (close) => {
    const id = other.value.trim() || choice.value;
    if (!id) throw new Error("choose a device, or enter an id");
    const answer = await api("POST", at(desk.app, "/test-pushes"), { contract: desk.contract, message: desk.seen(), ...desk.filling.body(), to: { device: id } });
    close();
    toast(`Test push ${answer.id} is on its way to device ${id}.`);
  });
}
