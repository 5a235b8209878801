// The first step of the composer: what the push says, in which languages and variants, with which placeholders.
import { api, at, button, card, complain, field, form, h, has, may, replace, said, select, spoken, toast } from "./core.js";
import { emojiButton } from "./emoji.js";
import { control, restore, segmentsOf, stateOf } from "./fields.js";
import { groups, isText, orderOf, wordsOf } from "./fieldwords.js";
import { exact } from "./jsontext.js";
import { language, languagePicker } from "./languages.js";
import { english, t, within } from "./words.js";

// Something to begin with, for those who look around.
const examples = {
  amba: { title: "Welcome back!", body: "Your streak is waiting for you." }, imkit: { messageType: "text", sender: "Alice", content: "Shall we meet at seven?" },
  powerauth: { title: "Balance update", body: "Your balance is now $745.00" }, adobe: { adb_version: "1", adb_title: "Game request", adb_body: "Shall we play a game of chess?", adb_body_ex: "Bob wants to play a game of chess with you." },
  onesignal: { headings: { en: "Spring sale" }, contents: { en: "20 % off all items, today only." } }, native: { title: "Parcel on its way", body: "It arrives today between 14:00 and 16:00." },
};

function readObject(box) {
  let value;
  try { value = exact(box.value || "{}"); } catch (error) { throw new Error(error instanceof SyntaxError ? t`this is not JSON yet` : error.message); }
  if (value === null || typeof value !== "object" || Array.isArray(value)) throw new Error(t`expected an object, such as {"offer": "20 %"}`);
  return value;
}

// MARK: Placeholders

export function fillings(desk) {
  const changed = () => desk.changed();
  const fills = h("input", { type: "checkbox", checked: true, onchange: changed });
  const values = h("textarea", { rows: 2, class: "mono", spellcheck: "false", placeholder: "{\"offer\": \"20 %\"}", oninput: changed });
  const missing = select([["strict", t`Report it`], ["lax", t`Leave it empty`], ["skip", t`Skip the recipient`]], "strict", { onchange: changed });
  const sampled = select([["", t`Nobody in particular`], ["sample", t`Sample values`], ...(has("/v1/apps/{app}/pushes/preview") ? [["user", t`A user`], ["device", t`A device`]] : [])], "", { onchange: changed });
  const sample = h("textarea", { rows: 3, class: "mono", spellcheck: "false", placeholder: "{\"user\": {\"first_name\": \"Ann\"}, \"device\": {\"locale\": \"de\"}}", oninput: changed });
  const whose = h("input", { type: "text", autocomplete: "off", spellcheck: "false", placeholder: "ann", oninput: changed });
  const sampleField = field(t`Sample values`, sample, t`JSON, for the preview only: a recipient’s values by name, or in user, device, push and request.`);
  const subjectField = field(t`User or device id`, whose, t`The preview shows what this user’s newest device, or this device, would get.`);
  const node = h("div", { class: "stack tight" }, h("label", { class: "check" }, fills, t`Fill in the placeholders`),
    field(t`Values for everyone`, values, t`JSON. Recipient values win, then these, then device and user data, then the default: {{ first_name | default: "there" }}. Liquid works too: {{ city | upcase }}, {% if vip %}…{% endif %}, {% abort %}.`),
    h("div", { class: "two" }, field(t`Missing values`, missing), field(t`Preview for`, sampled)), sampleField, subjectField);
  const isFilled = () => desk.hasHoles() && fills.checked;
  const readOr = (box) => { try { return readObject(box); } catch { return {}; } };
  const controls = { fills, values, missing, sampled, sample, whose };
  return {
    node, isFilled, values: () => readOr(values), state: () => stateOf(controls), restore: (state) => restore(controls, state),
    set(next, undefinedValues) { values.value = Object.keys(next ?? {}).length ? JSON.stringify(next) : ""; if (undefinedValues) missing.value = undefinedValues; },
    // What goes along with a push.
    body: () => (isFilled() ? { values: readOr(values), ...(missing.value !== "strict" && { undefined: missing.value }) } : {}),
    // What the picture and the bytes are filled with; `push` is what is known of the push.
    shown: (push) => (isFilled() && { values: { ...push, ...readOr(values), ...(sampled.value === "sample" && readOr(sample)) }, undefined: missing.value }),
    // The recipient whose stored values the preview has.
    recipient: () => (isFilled() && ["user", "device"].includes(sampled.value) && whose.value.trim() ? { [sampled.value]: whose.value.trim() } : null),
    draw() {
      node.hidden = !desk.hasHoles();
      sampleField.hidden = sampled.value !== "sample";
      subjectField.hidden = !["user", "device"].includes(sampled.value);
    },
    complainOf(need) {
      const wrong = (box, counts) => { if (counts) try { readObject(box); } catch (error) { return error.message; } return ""; };
      const reason = wrong(values, isFilled());
      need(t`Values for everyone`, values, !reason, reason);
      complain(sample, wrong(sample, isFilled() && sampled.value === "sample"));
    },
  };
}

// MARK: Versions

// The message, its languages and its variants as tabs. Arrow keys go from one to the next.
export function versionTabs(desk) {
  const node = h("div", { class: "tabs", role: "tablist", "aria-label": t`Versions of the message` });
  const note = h("div", { class: "row" });
  function draw() {
    const tabs = desk.tabs();
    const here = Math.max(0, tabs.findIndex((one) => one.variant === desk.variant && one.tag === desk.tag));
    const hadFocus = node.contains(document.activeElement);
    replace(node, tabs.map((one, index) => h("button", { type: "button", role: "tab", id: `version-${index}`, "aria-selected": String(index === here), "aria-controls": "version", tabindex: index === here ? "0" : "-1",
      onclick: () => desk.choose(one.variant, one.tag),
      onkeydown: (event) => {
        const next = { ArrowRight: tabs[index + 1], ArrowLeft: tabs[index - 1], Home: tabs[0], End: tabs.at(-1) }[event.key];
        if (next) { event.preventDefault(); desk.choose(next.variant, next.tag); }
      } }, one.name, " ", one.isMissing ? h("span", { class: "badge warning" }, t`missing`) : one.lacks > 0 && h("span", { class: "badge warning" }, one.lacks === 1 ? t`${one.lacks} text missing` : t`${one.lacks} texts missing`))));
    node.hidden = tabs.length < 2;
    document.getElementById("version")?.setAttribute("aria-labelledby", `version-${here}`);
    if (hadFocus) node.querySelector("[aria-selected=true]")?.focus();
    drawNote(tabs[here]);
  }
  function drawNote(here) {
    const { variant, tag } = here;
    const written = desk.holders().flatMap((one) => Object.keys(one.locales));
    const others = variant == null && !tag && written.length > 0 ? desk.languages.filter((one) => !written.some((other) => one.toLowerCase().startsWith(other.toLowerCase()))) : [];
    replace(note,
      here.isMissing ? h("span", { class: "hint" }, variant == null ? t`There is no ${language(tag)} version: devices in ${language(tag)} get the original. ` : t`There is no ${language(tag)} version of ${desk.holder().name}: devices in ${language(tag)} get ${desk.holder().name} as it is. `)
        : tag ? h("span", { class: "hint" }, variant == null ? t`For devices in ${language(tag)}. ` : t`For devices in ${language(tag)} that get ${desk.holder().name}. `) : variant != null && h("span", { class: "hint" }, t`Assigned by user; everyone else gets the original. `),
      others.length > 0 && h("span", { class: "hint" }, t`Devices of this app are also in ${others.map((one) => language(one)).join(", ")}; they get the original. `),
      here.isMissing && button(t`Start from the message`, { class: "link", onclick: () => { desk.touch(); desk.holder().locales[tag] = structuredClone(desk.holder().message); desk.choose(variant, tag); } }),
      !here.isMissing && (tag || variant != null) && button(t`Remove`, { class: "link", onclick: remove }),
      button(variant == null ? t`Add a language` : t`Add a language to ${desk.holder().name}`, { class: "link", onclick: () => addLanguage(desk) }), button(t`Add a variant`, { class: "link", onclick: () => addVariant(desk) }));
  }
  function remove() {
    desk.touch();
    delete desk.holder().unread?.[desk.tag];
    if (desk.tag) { delete desk.holder().locales[desk.tag]; desk.choose(desk.variant, ""); } else { desk.sheet().variants.splice(desk.variant, 1); desk.choose(null, ""); }
  }
  return { node, note, draw };
}

function addLanguage(desk) {
  const picker = languagePicker({ first: desk.languages, label: t`Language` });
  form(t`Add a language`, t`Add it`, [h("div", { class: "field" }, h("span", { class: "label" }, t`Language`), picker.node, h("p", { class: "hint" }, t`Devices use the closest language, or the original.`))], async (close) => {
    const next = picker.read();
    desk.touch();
    desk.holder().locales[next] ??= structuredClone(desk.holder().message);
    close();
    desk.choose(desk.variant, next);
  });
}

function addVariant(desk) {
  const { variants, message } = desk.sheet();
  const left = 100 - variants.reduce((sum, one) => sum + one.share, 0);
  const name = h("input", { type: "text", required: true, value: String.fromCharCode(66 + variants.length), autocomplete: "off" });
  const share = h("input", { type: "text", inputmode: "numeric", required: true, value: Math.max(1, Math.min(50, left)) });
  form(t`Add a variant`, t`Add it`, [h("div", { class: "two" }, field(t`Name`, name), field(t`Share, in percent`, share)), h("p", { class: "hint" }, t`All devices of a user get the same one, also when it is sent again.`)], async (close) => {
    const part = Number(share.value);
    if (!Number.isInteger(part) || part < 1 || part > left) throw new Error(t`expected a whole number from 1 to ${left}; ${100 - left} percent are already assigned`);
    desk.touch();
    variants.push({ name: name.value.trim(), share: part, message: structuredClone(message), locales: {}, unread: {} });
    close();
    desk.choose(variants.length - 1, "");
  });
}

// MARK: Fields

function show(desk, { row, node, hint, isProse }) {
  const { name } = wordsOf(desk.contract, row);
  const label = [name, row.required === "yes" && h("span", { class: "must", title: t`required` }, " *"), " ", h("span", { class: "own-name mono", ...english }, row.field)];
  const where = [row.apns?.length ? null : t`Android only.`, row.fcm?.length ? null : t`iOS only.`].filter(Boolean).join(" ");
  const text = [row.doc && [spoken(row.doc), " "], [hint, row.apns?.length || row.fcm?.length ? where : ""].filter(Boolean).join(" ")].filter(Boolean);
  if (node.getAttribute("role") === "group") return h("div", { class: "field" }, h("span", { class: "label" }, label), node, h("p", { class: "hint" }, text));
  const made = field(label, node, text);
  made.querySelector("label").dataset.field = row.field;
  if (isProse) made.insertBefore(h("div", { class: "row spread label-row" }, made.firstChild, emojiButton(node, name)), made.firstChild);
  return made;
}

// The fields of the version that is looked at, by group: what is used often is open, and what has a value.
export function buildFields(desk, container) {
  const [saved, wrong, base] = [desk.message(), desk.unread(), desk.tag ? desk.holder().message : {}];
  const order = orderOf(desk.contract);
  const rank = ({ field: name }) => (order.includes(name) ? order.indexOf(name) : order.length);
  const rows = desk.known.get(desk.contract).fields.filter((row) => row.field && !row.source && !row.delivery).sort((one, two) => rank(one) - rank(two));
  desk.fields = rows.map((row) => {
    const prose = isText(desk.contract, row);
    const made = control(typeof base[row.field] === "string" ? { ...row, example: base[row.field] } : row, saved[row.field], () => desk.changed(), { prose, lang: desk.tag, languages: desk.languages });
    const one = { row, raw: () => made.node.value, restore: (text) => { made.node.value = text; }, ...made };
    if (wrong[row.field]) one.restore(wrong[row.field].raw);
    return one;
  });
  const isOpen = ({ row }) => wordsOf(desk.contract, row).open || row.required === "yes" || row.field in saved || row.field in wrong;
  replace(container, groups.map(([group, title]) => {
    const all = desk.fields.filter(({ row }) => wordsOf(desk.contract, row).group === group);
    const [first, others] = [all.filter(isOpen), all.filter((one) => !isOpen(one))];
    return all.length > 0 && h("fieldset", { class: "field-group" }, h("legend", {}, title), first.map((one) => show(desk, one)),
      others.length > 0 && h("details", { class: "more" }, h("summary", {}, first.length ? t`More fields: ${within(title)} (${others.length})` : t`Fields: ${within(title)} (${others.length})`), h("div", { class: "stack" }, others.map((one) => show(desk, one)))));
  }));
}

// Reads what was typed into the version that is looked at; what cannot be read is named beside its field and kept as typed.
export function readFields(desk) {
  const next = {};
  const wrong = desk.unread();
  for (const one of desk.fields) {
    const name = one.row.field;
    delete wrong[name];
    try { const value = one.read(); if (value !== undefined) next[name] = value; } catch (error) { wrong[name] = { raw: one.raw(), reason: error.message }; }
    complain(one.node, wrong[name]?.reason);
    const part = wrong[name] && one.node.closest("details");
    if (part) part.open = true;
  }
  desk.setMessage(next);
}

export function fillExample(desk) {
  desk.touch();
  desk.setMessage(structuredClone(examples[desk.contract] ?? examples.native));
  desk.choose(desk.variant, desk.tag);
}

// MARK: Contract and templates

// The contract is the app's setting; another one is behind a link, and asked for first only where the app has none.
export function contractChoice(desk) {
  const picker = h("div", { class: "segments thirds", role: "radiogroup", "aria-label": t`Contract` });
  const about = h("p", { class: "hint" });
  const name = h("strong", {});
  const makeDefault = button("", { class: "link", onclick: async () => {
    try { desk.shownApp = await api("PATCH", at(desk.app, ""), { contract: desk.contract }); toast(t`Saved.`); draw(); } catch (error) { toast(said(error), "bad"); }
  } });
  const node = h("details", { class: "contract", open: !desk.shownApp.contract }, h("summary", {}, h("span", {}, t`Payloads for `), name, " ", h("span", { class: "as-link" }, t`Change`)),
    h("div", { class: "stack tight" }, h("p", { class: "hint" }, t`The contract is the payload format that your app’s code reads. It is a setting of the app.`), picker, about, makeDefault));
  function draw() {
    segmentsOf(picker, "contract", desk.contracts.map((one) => [one.name, one.name, one.summary]), desk.contract, (next) => { desk.touch(); desk.pick(next); });
    replace(name, desk.contract);
    replace(about, spoken(desk.known.get(desk.contract)?.summary ?? ""));
    makeDefault.hidden = !may() || desk.shownApp.contract === desk.contract;
    replace(makeDefault, t`Set ${desk.contract} for this app`);
  }
  return { node, draw };
}

export function templateChoice(desk) {
  const node = h("div", { class: "slot" });
  const note = h("p", { class: "hint" }, t`Sent as this template; any change here makes it a separate message.`);
  const draw = () => {
    if (desk.templates.length) replace(node, field(t`Start from a template`, select([["", t`none`], ...desk.templates.map((one) => [one.name, one.name])], desk.sheet().template ?? "", { onchange: (event) => {
      desk.touch();
      desk.load(desk.templates.find((one) => one.name === event.target.value), event.target.value);
    } })), note);
  };
  function save() {
    if (desk.refused()) return;
    const name = h("input", { type: "text", required: true, value: desk.sheet().template ?? "", placeholder: "welcome", autocomplete: "off" });
    form(t`Save as a template`, t`Save it`, [field(t`Name`, name, t`An existing template of that name is replaced.`)], async (close) => {
      const saved = { contract: desk.contract, ...structuredClone(desk.versions()), values: desk.filling.values() };
      await api("PUT", at(desk.app, `/templates/${encodeURIComponent(name.value.trim())}`), saved);
      close();
      toast(t`Template saved.`);
      desk.touch();
      desk.sheet().template = name.value.trim();
      const index = desk.templates.findIndex((one) => one.name === desk.sheet().template);
      desk.templates.splice(index < 0 ? desk.templates.length : index, index < 0 ? 0 : 1, { name: desk.sheet().template, ...saved });
      desk.sheet().snapshot = desk.content();
      draw();
      desk.changed();
    });
  }
  return { node, draw, save, mark: () => { note.hidden = !desk.asTemplate(); } };
}

export const messageCard = (desk, parts) => card(t`Message`, parts.contract.node, parts.templates.node, parts.tabs.note,
  h("div", { id: "version", role: "tabpanel", "aria-labelledby": "version-0", class: "stack fields" }, parts.fields), parts.filling.node,
  field(t`Campaign`, parts.campaign, t`A name to find it by. A later push of the same campaign replaces this one.`),
  may("send") && h("div", { class: "row end" }, button(t`Save as a template`, { class: "link", onclick: parts.templates.save })));
