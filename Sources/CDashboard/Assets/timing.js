// When a push goes out: now, at a time, or by a schedule.
import { field, h, replace, select, weekday } from "./core.js";
import { isWhole, restore, stateOf } from "./fields.js";
import { t } from "./words.js";

const days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

// The next full hour, as a field for dates and times wants it.
function nextHour() {
  const next = new Date(Date.now() + 3600_000);
  next.setMinutes(0, 0, 0);
  return new Date(next - next.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

// The controls; `repeated` is the rule of the schedule that is edited, and `changed` is called with every change.
export function timing({ editing, rescheduling, repeated, changed }) {
  const when = select(rescheduling ? [["repeat", t`Recurring`]] : [["now", t`Now`], ["draft", t`Later: save as a draft`], ["at", t`At a time`], ["local", t`At a local time of each device`], ["repeat", t`Recurring`]], rescheduling ? "repeat" : editing ? "draft" : "now", { onchange: () => draw() });
  const instant = h("input", { type: "datetime-local", value: repeated?.start.slice(0, 16) ?? nextHour(), oninput: changed });
  const zone = h("input", { type: "text", list: "zones", value: repeated?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone, autocomplete: "off", oninput: changed });
  const zones = h("datalist", { id: "zones" }, Intl.supportedValuesOf("timeZone").map((name) => h("option", { value: name })));
  const every = select([["day", t`days`], ["week", t`weeks`], ["month", t`months`]], repeated?.every ?? "day", { onchange: () => draw() });
  const interval = h("input", { type: "text", inputmode: "numeric", value: repeated?.interval ?? "1", oninput: changed });
  const boxes = days.map((name) => h("label", { class: "check" }, h("input", { type: "checkbox", value: name, checked: repeated?.weekdays?.includes(name) === true }), weekday(name)));
  for (const label of boxes) label.firstChild.addEventListener("change", changed);
  const until = h("input", { type: "date", value: repeated?.until?.slice(0, 10) ?? "", oninput: changed });
  const times = h("div", { class: "stack" });
  function draw() {
    const clocks = field(when.value === "local" ? t`Time zone of devices without one` : t`Time zone`, zone);
    // Only what is shown is built: a control is in one field at a time.
    const shown = { now: () => [], draft: () => [], at: () => [field(t`When`, instant, t`In your time zone.`)], local: () => [h("div", { class: "two" }, field(t`When`, instant), clocks)],
      repeat: () => [h("div", { class: "two" }, field(t`Repeat every`, interval), field(t`Unit`, every)), every.value === "week" && h("fieldset", { class: "row" }, h("legend", {}, t`On`), boxes), h("div", { class: "two" }, field(t`Starts`, instant), clocks), field(t`Until`, until, t`Leave empty for no end.`)] };
    replace(times, ...shown[when.value]());
    changed();
  }

  // What the button says that sends.
  const label = () => ({ now: t`Send`, draft: editing ? t`Save` : t`Save the draft`, at: t`Schedule`, local: t`Schedule`, repeat: rescheduling ? t`Save the schedule` : t`Start the schedule` })[when.value];

  // What is not shown is not used, and cannot be wrong.
  function complainOf(need) {
    const [timed, repeats, local] = [["at", "local", "repeat"].includes(when.value), when.value === "repeat", ["local", "repeat"].includes(when.value)];
    need(t`Repeat every`, interval, !repeats || isWhole(interval, 1, 365), t`expected a whole number from 1 to 365`);
    const isPast = when.value === "at" && new Date(instant.value) <= new Date();
    need(repeats ? t`Starts` : t`When`, instant, !timed || (instant.value !== "" && !isPast), isPast ? t`this time has passed` : t`choose a date and a time`);
    need(t`Time zone`, zone, !local || zone.value.trim() !== "", t`choose one`);
    need(t`Until`, until, !repeats || !until.value || until.value >= instant.value.slice(0, 10), t`it is before the start`);
  }

  const timed = () => ({ now: {}, draft: { draft: true }, at: { send_at: instant.value && new Date(instant.value).toISOString() }, local: { send_at_local: `${instant.value}:00`, timezone: zone.value.trim() }, repeat: {} })[when.value];

  // What the original has and the form does not, such as a count, stays; members that the form knows follow it.
  function repetition() {
    const chosen = boxes.map((label) => label.firstChild).filter((box) => box.checked).map((box) => box.value);
    const { interval: before, weekdays, until: end, ...others } = repeated ?? {};
    const number = Number(interval.value);
    const last = end?.slice(0, 10) === until.value ? end : until.value && `${until.value}T23:59:59Z`;
    const start = repeated?.start.slice(0, 16) === instant.value ? repeated.start : `${instant.value}:00`;
    const next = { ...others, every: every.value, ...((before !== undefined || !repeated || number !== 1) && { interval: number }), start, timezone: zone.value.trim(), ...(every.value === "week" && chosen.length && { weekdays: chosen }), ...(last && { until: last }) };
    // In the order of the original, so that an unchanged rule is found to be one.
    return Object.fromEntries([...new Set([...Object.keys(repeated ?? {}), ...Object.keys(next)])].filter((name) => name in next).map((name) => [name, next[name]]));
  }

  // By their names in a draft.
  const controls = { when, instant, zone, every, interval, until, ...Object.fromEntries(boxes.map((label) => [label.firstChild.value, label.firstChild])) };
  return { state: () => stateOf(controls), restore: (state) => restore(controls, state), kind: () => when.value, parts: [field(t`When to send`, when), times, zones], draw, label, complainOf, timed, repetition };
}
