// Segments: parts of the audience by what is known of people, counted while they are built.
import { api, append, ask, at, badge, button, by, card, code, empty, fail, field, form, h, judged, latest, may, number, replace, segmentTitle, select, table, time, toast } from "./core.js";
import { kind, kindNames } from "./providers.js";
import { t, word } from "./words.js";

const span = ["within", "not_within"];
const alone = ["exists", "not_exists"];
const verbs = { eq: t`is`, neq: t`is not`, gt: t`is above`, gte: t`is at least`, lt: t`is below`, lte: t`is at most`, contains: t`contains`, not_contains: t`does not contain`, exists: t`is known`, not_exists: t`is not known`, within: t`was within`, not_within: t`was not within` };
const [text, instants, set, choice, any] = [["eq", "neq", "contains", "not_contains", "gt", "lt", ...alone], [...span, "gt", "lt", ...alone], ["contains", "not_contains", ...alone], ["eq", "neq"], Object.keys(verbs)];
// Field, what people call it, which comparisons fit, and for a choice its values.
const fields = [
  ["id", t`User`, text], ["tags", t`Tags`, set], ["entitlements", t`Entitlements`, set], ["platform", t`Platform`, choice, ["ios", "android", "web"]], ["type", t`Type of device`, choice, kindNames.map(([name]) => name)], ["locale", t`Language`, text], ["timezone", t`Time zone`, text], ["app_version", t`App version`, text],
  ["registered_at", t`Registered`, instants], ["created_at", t`First seen`, instants], ["last_seen_at", t`Last seen`, instants], ["environment", t`Environment`, choice, ["production", "development"]], ["display_name", t`Name`, text], ["email", t`Email`, text],
  ["properties.", t`Property …`, any], ["entitlements.", t`Entitlement …`, any], ["aliases.", t`Alias …`, ["eq", "neq", "contains", "not_contains", ...alone]],
];
const known = (name) => fields.find(([id]) => id === name || (id.endsWith(".") && name?.startsWith(id)));

export async function segments(container, context) {
  if (context.id) return builder(container, context);
  const { app, link, tools } = context;
  const list = (await api("GET", at(app, "/segments"))).segments;
  if (may("send")) append(tools, [h("a", { class: "button primary", href: link("segments/new") }, t`New segment`)]);
  const counts = list.map(() => h("span", { class: "hint" }, "…"));
  append(container, [card(null, table([t`Segment`, t`ID (used in URLs)`, "", `#${t`Devices`}`, t`By`, t`Changed`], list.map((one, index) => [
    h("a", { href: link(`segments/${encodeURIComponent(one.name)}`) }, segmentTitle(one)), h("code", {}, one.name), one.system ? badge(t`in every app`, "waiting") : "", counts[index], by(one.author), one.updated_at ? time(one.updated_at) : "–"]), { label: t`Segments` }))]);
  // One after another: a count may look at every device.
  for (const [index, one] of list.entries()) {
    if (!container.isConnected) return;
    try { replace(counts[index], number((await api("GET", at(app, `/segments/${encodeURIComponent(one.name)}/count?sample=0`))).devices)); } catch (error) { replace(counts[index], "–"); }
  }
}

// MARK: The builder

// What a field and a value make in JSON: numbers, true and false where they look so, text otherwise.
const typed = (name, value) => (name.startsWith("properties.") || name.startsWith("entitlements.")) && /^(-?\d+(\.\d+)?|true|false)$/.test(value) ? JSON.parse(value) : value;

function condition(start, changed, remove) {
  const found = known(start.field) ?? fields[0];
  const what = select(fields.map(([id, title]) => [id, title]), found[0], { "aria-label": t`Field`, onchange: () => { shape(); changed(); } });
  const name = h("input", { type: "text", class: "short", "aria-label": t`Name`, placeholder: "plan", value: found[0].endsWith(".") ? (start.field ?? "").slice(found[0].length) : "", oninput: changed });
  const verb = h("select", { "aria-label": t`Comparison`, onchange: () => { shape(); changed(); } });
  const value = h("input", { type: "text", "aria-label": t`Value`, value: start.value ?? "", oninput: changed });
  const options = h("select", { "aria-label": t`Value`, onchange: changed });
  function shape() {
    const [id, , fitting, values] = known(what.value);
    const before = verb.value || start.op;
    replace(verb, fitting.map((one) => h("option", { value: one, selected: one === before }, verbs[one])));
    name.hidden = !id.endsWith(".");
    value.hidden = alone.includes(verb.value) || Boolean(values);
    options.hidden = !values;
    if (values) replace(options, values.map((one) => h("option", { value: one, selected: one === (options.value || start.value) }, word(one))));
    value.placeholder = span.includes(verb.value) ? "7d, 12h, 30m" : fitting === instants ? "2026-11-20T12:00:00Z" : id === "locale" ? "de" : "";
  }
  shape();
  const node = h("div", { class: "condition" }, what, name, verb, value, options, button(t`Remove`, { class: "link", "aria-label": t`Remove this condition`, onclick: () => { remove(); changed(); } }));
  // What still has to be filled in, in words.
  const lacks = () => {
    const title = what.selectedOptions[0].textContent;
    if (!name.hidden && !name.value.trim()) return t`“${title}” needs a name`;
    return !value.hidden && !value.value.trim() ? t`“${title} ${verb.selectedOptions[0].textContent}” needs a value` : null;
  };
  return { node, lacks, read: () => {
    const field = name.hidden ? what.value : what.value + name.value.trim();
    if (alone.includes(verb.value)) return { field, op: verb.value };
    return { field, op: verb.value, value: options.hidden ? typed(field, value.value.trim()) : options.value };
  } };
}

function group(start, changed, remove, depth = 0) {
  const joined = select([["AND", t`all of these`], ["OR", t`any of these`], ["NOT", t`none of these`]], start.operator ?? "AND", { "aria-label": t`Join`, onchange: changed });
  let parts = [];
  const rows = h("div", { class: "stack tight" });
  const add = (part) => {
    const drop = () => { parts = parts.filter((one) => one !== made); made.node.remove(); };
    const made = part.conditions ? group(part, changed, drop, depth + 1) : condition(part, changed, drop);
    parts.push(made);
    rows.append(made.node);
    return made;
  };
  (start.conditions ?? [start]).forEach(add);
  const node = h("fieldset", { class: "group-of" }, h("legend", { class: "unseen" }, t`Conditions`),
    h("div", { class: "row" }, h("span", { class: "hint" }, depth ? t`where` : t`Matching devices`), joined, remove && button(t`Remove the group`, { class: "link", onclick: () => { remove(); changed(); } })), rows,
    h("div", { class: "row" }, button(t`Add a condition`, { class: "link", onclick: () => { add({ field: "tags", op: "contains" }).node.querySelector("select").focus(); changed(); } }, "plus"),
      depth < 3 && button(t`Add a group`, { class: "link", onclick: () => { add({ operator: "OR", conditions: [{ field: "tags", op: "contains" }] }); changed(); } }, "plus")));
  return { node, lacks: () => parts.map((part) => part.lacks()).find(Boolean) ?? null, read: () => ({ operator: joined.value, conditions: parts.map((part) => part.read()) }) };
}

async function builder(container, { app, id, link, go, title, tools }) {
  const saved = id === "new" ? null : await api("GET", at(app, `/segments/${encodeURIComponent(id)}`));
  title(saved ? segmentTitle(saved) : t`New segment`);
  const result = h("div", { class: "stack", "aria-live": "polite" });
  const json = h("div", {});
  const words = h("textarea", { rows: 3, spellcheck: "false", "aria-label": t`The segment as text`, placeholder: 'plan = "pro" and last_seen < 7d', oninput: () => { isTyped = true; changed(); } });
  const wrong = h("p", { class: "hint" });
  // Whether the text is what counts: it was changed after the conditions were.
  let isTyped = false;
  const fixed = saved?.system || !may("send");
  let timer;

  // What is on the page: the text as it is, so that what cannot be read is never saved as something else.
  const given = () => (isTyped ? { expression: words.value } : { filter: root.read() });
  const count = latest(async () => {
    const lacks = isTyped ? !words.value.trim() && t`the text is empty` : root.lacks();
    replace(json, code(JSON.stringify(root.read(), null, 2)));
    if (lacks) return replace(result, h("p", { class: "hint" }, t`Counted when it is complete: ${lacks}.`));
    try {
      const found = await api("POST", at(app, "/segments/count"), { ...given(), sample: 10 });
      replace(wrong, (found.report ?? []).map((row) => [judged(row), " "]));
      if (isTyped) { draw(found.filter); replace(json, code(JSON.stringify(found.filter, null, 2))); } else words.value = found.expression;
      replace(result, h("p", { class: "figure" }, h("strong", {}, number(found.devices)), h("span", {}, found.devices === 1 ? t` active device` : t` active devices`)),
        found.activity_tokens > 0 && h("p", { class: "hint" }, t`And ${number(found.activity_tokens)} of Live Activities, which get no messages.`),
        found.sample.length > 0 && table([t`Device`, t`User`, t`Type`, t`Language`, t`Registered`], found.sample.map((one) => [h("a", { href: link(`devices/${one.id}`) }, one.name ?? t`Device ${one.id}`), one.user ?? "–", kind(one.type), one.locale ?? "–", time(one.registered_at)]), { label: t`Some of them` }));
    } catch (error) {
      if (error.status !== 422) throw error;
      if (isTyped) { replace(result, h("p", { class: "hint" }, t`Counted when the text can be read.`)); return replace(wrong, (error.report ?? []).map((row) => [judged(row), " "])); }
      replace(result, h("ul", { class: "plain" }, (error.report ?? []).map((row) => h("li", { class: "hint" }, h("code", {}, row.field), " ", judged(row)))));
    }
  });
  const changed = () => { clearTimeout(timer); timer = setTimeout(count, 200); };
  const conditions = h("div", {});
  let root;
  // The conditions of a filter; changing them makes them what counts.
  function draw(filter) {
    root = group(filter?.conditions ? filter : { operator: "AND", conditions: [filter ?? { field: "last_seen_at", op: "within", value: "7d" }] }, () => { isTyped = false; changed(); });
    replace(conditions, root.node);
  }
  draw(saved?.filter);

  function save() {
    const name = h("input", { type: "text", required: true, autocomplete: "off", placeholder: "loyal" });
    const heading = h("input", { type: "text", autocomplete: "off", placeholder: t`Loyal customers` });
    form(t`Save the segment`, t`Save`, [field(t`ID (used in URLs)`, name, t`Letters, digits, - _ and .`), field(t`Title`, heading)], async (close) => {
      await api("POST", at(app, "/segments"), { name: name.value.trim(), ...given(), ...(heading.value && { title: heading.value }) });
      close(); toast(t`Saved.`); go(`segments/${encodeURIComponent(name.value.trim())}`);
    });
  }
  if (saved && may("send")) append(tools, [h("a", { class: "button quiet", href: link(`compose/segment/${encodeURIComponent(saved.name)}`) }, t`Compose for it`)]);
  if (!fixed && saved) append(tools, [button(t`Delete`, { class: "danger quiet", onclick: () => ask(t`Delete this segment?`, t`Pushes sent to it keep their audience.`, t`Delete it`, async () => { await api("DELETE", at(app, `/segments/${encodeURIComponent(saved.name)}`)); go("segments"); }) }),
    button(t`Save`, { class: "primary", onclick: async () => { try { await api("PATCH", at(app, `/segments/${encodeURIComponent(saved.name)}`), given()); toast(t`Saved.`); } catch (error) { fail(error); } } })]);
  if (may("send") && (!saved || saved.system)) append(tools, [button(saved ? t`Save as a new segment` : t`Save`, { class: "primary", onclick: save })]);
  append(container, [h("div", { class: "two wide" }, card(t`Who`, saved?.system && h("p", { class: "hint" }, t`Every app has this segment. You can change it here to see the result, and save it under another name.`), conditions, h("details", { class: "more" }, h("summary", {}, t`As text`), words, wrong)),
    card(t`Now`, result, h("details", { class: "more" }, h("summary", {}, t`As JSON`), json)))]);
  await count();
}
