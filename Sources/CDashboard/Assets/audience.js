// Whom a push goes to, and how many devices that is.
import { api, at, field, h, latest, number, replace, segmentTitle, select } from "./core.js";
import { restore, stateOf } from "./fields.js";
import { kind } from "./providers.js";
import { t } from "./words.js";

// The controls; `original` is the push or schedule that they begin with, `segment` the name of one that is chosen, and `changed` is
// called with every change.
export function audience({ app, original, segments, segment, changed }) {
  const users = h("textarea", { rows: 2, placeholder: "alice\nbob", value: original?.to.users?.join("\n") ?? "", oninput: () => count() });
  const device = h("input", { type: "text", placeholder: t`device id`, autocomplete: "off", value: original?.to.devices?.[0] ?? "", oninput: changed });
  const segmentChoice = select(segments.map((one) => [one.name, segmentTitle(one)]), segment ?? original?.to.segment, { onchange: () => count() });
  const leftOut = h("select", { multiple: true, size: Math.min(4, Math.max(2, segments.length)), onchange: () => count() },
    segments.map((one) => h("option", { value: one.name, selected: original?.to.exclude_segments?.includes(one.name) ?? false }, segmentTitle(one))));
  const odd = original && !["all", "users", "segment"].some((name) => original.to[name]) && original.to.devices?.length !== 1;
  const who = select([["all", t`Every active device`], ...(segments.length ? [["segment", t`A segment`]] : []), ["users", t`Specific users`], ["devices", t`One device`], ...(odd ? [["as", t`Unchanged`]] : [])],
    segment || original?.to.segment ? "segment" : original?.to.users ? "users" : odd ? "as" : original?.to.devices ? "devices" : "all", { onchange: () => count() });
  const excludeField = field(t`Without`, leftOut, t`Devices in these segments are excluded.`);
  const [usersField, deviceField, segmentField] = [field(t`Users`, users, t`One per line.`), field(t`Device id`, device, t`As the devices page lists it.`), field(t`Segment`, segmentChoice)];
  const reach = h("p", { class: "reach", "aria-live": "polite" });
  const list = (node) => node.value.split("\n").map((line) => line.trim()).filter(Boolean);
  const without = () => {
    const names = [...leftOut.selectedOptions].map((one) => one.value);
    return names.length ? { exclude_segments: names } : {};
  };
  const to = () => ({ all: { all: true, ...without() }, as: original?.to, users: { users: list(users) }, segment: { segment: segmentChoice.value, ...without() }, devices: { devices: [device.value.trim()] } })[who.value];
  let total = 0;
  let kinds = "";

  const count = latest(async () => {
    for (const [name, node] of [["users", usersField], ["devices", deviceField], ["segment", segmentField]]) node.hidden = who.value !== name;
    excludeField.hidden = !segments.length || !["all", "segment"].includes(who.value);
    kinds = "";
    changed();
    if (who.value === "devices") { total = 1; return replace(reach, h("strong", {}, "1"), t` device`); }
    if (who.value === "as") return replace(reach, h("span", { class: "hint" }, t`The audience of the original push.`));
    if (who.value === "users" && !list(users).length) { total = 0; return replace(reach, h("strong", {}, "0"), t` devices`); }
    const found = await api("POST", at(app, "/audience"), { to: to() });
    total = found.total;
    kinds = Object.entries(found.devices).filter(([, some]) => some > 0).map(([one, some]) => `${number(some)} ${kind(one)}`).join(" · ");
    replace(reach, h("strong", {}, number(total)), total === 1 ? t` device` : t` devices`, h("span", { class: "hint" }, kinds));
    changed();
  });

  const isEmpty = () => (who.value === "users" && !list(users).length) || (who.value === "devices" && !device.value.trim());

  function complainOf(need) {
    need(t`Users`, users, who.value !== "users" || list(users).length > 0, t`name at least one`);
    need(t`Device id`, device, who.value !== "devices" || device.value.trim() !== "", t`enter one`);
  }

  // In words, for the review.
  function words() {
    const names = [...leftOut.selectedOptions].map((one) => one.textContent);
    const less = names.length && ["all", "segment"].includes(who.value) ? t`, without ${names.join(", ")}` : "";
    const some = list(users);
    return { all: t`Every active device${less}`, as: t`The audience of the original push`, segment: t`Segment ${segmentChoice.selectedOptions[0]?.textContent ?? ""}${less}`,
      users: some.length > 3 ? t`${number(some.length)} users: ${some.slice(0, 3).join(", ")} …` : t`Users: ${some.join(", ") || t`none yet`}`, devices: t`Device ${device.value.trim() || t`not chosen yet`}` }[who.value];
  }

  const controls = { who, users, device, segmentChoice, leftOut };
  return { state: () => stateOf(controls), restore: (state) => restore(controls, state), words, kinds: () => kinds, kind: () => who.value, total: () => total, parts: [field(t`To`, who), segmentField, usersField, deviceField, excludeField, reach], to, isEmpty, count, complainOf };
}
