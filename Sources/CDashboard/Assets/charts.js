// Plots, drawn as SVG by hand: each has a title for those who listen, and a legend for those who look.
import { h, s, number, percent } from "./core.js";
import { t, word } from "./words.js";

const tones = ["accepted", "in_flight", "waiting", "rejected", "expired", "cancelled", "unknown"];

// The states of the deliveries of a push: one bar, each state a part.
export function ledgerBar(counts, expected = 0) {
  const whole = Math.max(counts.targeted, expected) || 1;
  const shown = tones.filter((name) => counts[name] > 0);
  const words = shown.map((name) => `${number(counts[name])} ${word(name)}`).join(", ");
  let x = 0;
  const parts = shown.map((name) => {
    const width = (100 * counts[name]) / whole;
    const part = s("rect", { x, y: 0, width, height: 10, class: `fill-${name}` });
    x += width;
    return part;
  });
  return s("svg", { class: "bar", viewBox: "0 0 100 10", preserveAspectRatio: "none", role: "img", "aria-label": words || t`nothing yet` },
    s("rect", { x: 0, y: 0, width: 100, height: 10, class: "fill-none" }), parts);
}

// The bar of a push in a list. While its audience is still being expanded nobody knows the whole, so there is none.
export const barOf = (push) => (push.audience_complete || push.state === "draft" || push.state === "scheduled" ? ledgerBar(push.counts) : h("span", { class: "hint" }, t`expanding: ${number(push.counts.targeted)} so far`));

export function legend(counts) {
  return h("dl", { class: "legend" }, tones.filter((name) => counts[name] > 0 || name === "accepted").map((name) =>
    h("div", {}, h("dt", {}, h("i", { class: `dot dot-${name}` }), word(name)), h("dd", {}, number(counts[name])))));
}

// From the audience to the person.
export function funnel(steps) {
  const whole = steps[0]?.[1] || 0;
  return h("ol", { class: "funnel" }, steps.map(([name, count], index) =>
    h("li", {}, h("span", { class: "funnel-name" }, name), share(count, whole, `step${index}`),
      h("span", { class: "funnel-count" }, number(count)), h("span", { class: "hint" }, percent(count, whole)))));
}

// A part of a whole, for a cell of a table; the words are beside it.
export function share(part, whole, tone) {
  return s("svg", { class: "bar", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
    s("rect", { x: 0, y: 0, width: 100, height: 10, class: "fill-none" }),
    s("rect", { x: 0, y: 0, width: whole ? (100 * part) / whole : 0, height: 10, class: `fill-${tone}` }));
}

const nice = (top) => {
  if (top <= 10) return [2, 4, 6, 10].find((limit) => limit >= top);
  const power = 10 ** Math.floor(Math.log10(Math.max(top, 1)));
  return [1, 2, 2.5, 5, 10].map((step) => step * power).find((limit) => limit >= top) ?? power * 10;
};

// Lines over time. `series` is [{name, tone, values}], all as long as `labels`. What is under the pointer is shown below.
export function lines(labels, series, { title, unit = "", height = 190 }) {
  const [width, left, bottom] = [720, 52, 24];
  const top = nice(Math.max(2, ...series.flatMap((line) => line.values)));
  const count = Math.max(labels.length - 1, 1);
  const x = (index) => left + ((width - left - 8) * index) / count;
  const y = (value) => 8 + (height - bottom - 8) * (1 - value / top);
  const grid = [0, 0.5, 1].map((share) => s("g", { class: "grid" },
    s("line", { x1: left, x2: width - 8, y1: y(top * share), y2: y(top * share) }),
    s("text", { x: left - 8, y: y(top * share) + 4, "text-anchor": "end" }, number(top * share))));
  const marks = series.map((line) => {
    const points = line.values.map((value, index) => `${x(index).toFixed(1)},${y(value).toFixed(1)}`);
    return s("g", { class: `line-${line.tone}` },
      points.length > 1 && s("polygon", { points: `${x(0)},${y(0)} ${points.join(" ")} ${x(points.length - 1)},${y(0)}` }),
      s("polyline", { points: points.join(" ") }),
      points.length === 1 && s("circle", { cx: x(0), cy: y(line.values[0]), r: 4 }));
  });
  const steps = Math.min(4, count);
  const ends = [...new Set(Array.from({ length: steps + 1 }, (_, step) => Math.round((step * (labels.length - 1)) / steps)))].filter((index) => index >= 0);
  const ticks = ends.map((index) => s("text", { x: x(index), y: height - 6, "text-anchor": index === 0 ? "start" : index === labels.length - 1 ? "end" : "middle" }, labels[index]));
  const cursor = s("line", { class: "cursor", y1: 8, y2: y(0), visibility: "hidden" });
  const values = series.map(() => h("strong", {}));
  const moment = h("span", { class: "moment" });
  const last = series.map((line) => `${line.name} ${number(line.values.at(-1))}${unit}`).join(", ");
  const svg = s("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": t`${title}; latest ${last}` }, grid, marks, cursor, ticks);
  function point(event) {
    const box = svg.getBoundingClientRect();
    const index = Math.round((((event.clientX - box.left) * width) / box.width - left) * (count / (width - left - 8)));
    const there = event.type === "pointermove" && labels[index] !== undefined;
    cursor.setAttribute("visibility", there ? "visible" : "hidden");
    if (there) for (const name of ["x1", "x2"]) cursor.setAttribute(name, x(index));
    moment.textContent = there ? labels[index] : "";
    series.forEach((line, row) => { values[row].textContent = there ? `${number(line.values[index])}${unit}` : ""; });
  }
  svg.addEventListener("pointermove", point);
  svg.addEventListener("pointerleave", point);
  return h("figure", { class: "plot" }, svg, h("figcaption", {}, series.map((line, index) => h("span", {}, h("i", { class: `dot dot-${line.tone}` }), line.name, " ", values[index])), moment));
}

// How full something is.
export function gauge(value, limit, label) {
  const share = Math.min(1, value / limit);
  return h("div", { class: "gauge" },
    s("svg", { class: "bar", viewBox: "0 0 100 10", preserveAspectRatio: "none", role: "img", "aria-label": t`${label}: ${value} of ${limit} bytes` },
      s("rect", { x: 0, y: 0, width: 100, height: 10, class: "fill-none" }),
      s("rect", { x: 0, y: 0, width: 100 * share, height: 10, class: value > limit ? "fill-rejected" : share > 0.85 ? "fill-unknown" : "fill-accepted" })),
    h("span", {}, h("strong", {}, number(value)), t` of ${number(limit)} bytes`));
}

// A small line without axes, for the corner of a number.
export function spark(values) {
  const top = Math.max(1, ...values);
  const points = values.map((value, index) => `${((100 * index) / (values.length - 1)).toFixed(1)},${(22 - (20 * value) / top).toFixed(1)}`).join(" ");
  return s("svg", { class: "spark line-accepted", viewBox: "0 0 100 24", preserveAspectRatio: "none", "aria-hidden": "true" }, s("polyline", { points }));
}
