// The composer: a contract's fields, what the phones will show, the exact bytes, the report, and the send.
import { api, append, ask, at, button, bytes, card, code, complain, dialog, empty, fail, field, findings, form, h, has, isDark, isLanguage, kind, languageAdvice, latest, may, number, picture, replace, select, table, toast } from "./core.js";
import { audience } from "./audience.js";
import { gauge } from "./charts.js";
import { control, isWhole, segmentsOf } from "./fields.js";
import { exact, indented, rawMember } from "./jsontext.js";
import { prepare, previewsOf, rendering } from "./local.js";
import { chooseTables, languages, tablesOf } from "./tables.js";
import { timing } from "./timing.js";

// What is being written, for each app; it stays while other pages are looked at.
const sheets = new Map();
// Text that could not be read, with the reason: by sheet or variant, then by language and field. It is kept, and nothing is sent.
const unread = new WeakMap();
function unreadOf(one, tag) {
  if (!unread.has(one)) unread.set(one, new Map());
  const tags = unread.get(one);
  if (!tags.has(tag)) tags.set(tag, new Map());
  return tags.get(tag);
}

const emptySheet = () => ({ message: {}, locales: {}, variants: [], values: {} });
const main = new Set(["title", "subtitle", "body", "headings", "contents", "adb_title", "adb_body", "messageType", "sender", "content", "loc-key", "loc-args", "titleLocKey", "bodyLocKey"]);
const common = ["en", "de", "fr", "es", "pt-BR", "ja", "zh-Hant", "ar", "he", "hi", "ru", "tr"];
const named = new Intl.DisplayNames("en", { type: "language" });
const language = (tag) => { try { return named.of(tag) ?? tag; } catch { return tag; } };

// Something to begin with, for those who look around.
const examples = {
  amba: { title: "Welcome back!", body: "Your streak is waiting for you." }, imkit: { messageType: "text", sender: "Alice", content: "Shall we meet at seven?" },
  powerauth: { title: "Balance update", body: "Your balance is now $745.00" }, adobe: { adb_version: "1", adb_title: "Game request", adb_body: "Shall we play a game of chess?", adb_body_ex: "Bob wants to play a game of chess with you." },
  onesignal: { headings: { en: "Spring sale" }, contents: { en: "20 % off all items, today only." } }, native: { title: "Parcel on its way", body: "It arrives today between 14:00 and 16:00." },
};

const platforms = { ios: "iPhone", android: "Android", web: "Browser" };
const surfaces = [["At rest", ["lock-screen", "collapsed"]], ["In use", ["banner", "heads-up"]], ["Expanded", ["expanded"]], ["Stacked", ["notification-centre", "collapsed"]]];

export async function compose(place, { app, rest, go, onleave, title }) {
  prepare();
  const [{ contracts }, shownApp, { templates }, credentials, segments] = await Promise.all([
    api("GET", "/v1/contracts"), api("GET", at(app)), api("GET", at(app, "/templates")), api("GET", at(app, "/credentials")), has("/v1/apps/{app}/segments") ? api("GET", at(app, "/segments")).then((all) => all.segments) : []]);
  const topic = credentials.apns?.topic ?? credentials.apns_sandbox?.topic;
  const kept = sheets.get(app) ?? { contract: shownApp.contract ?? contracts[0].name, all: {} };
  sheets.set(app, kept);
  const [purpose, subject] = rest;
  const origin = { edit: "pushes", copy: "pushes", schedule: "schedules" }[purpose];
  const source = origin ? await api("GET", at(app, `/${origin}/${encodeURIComponent(subject)}`)) : null;
  const original = source?.request ?? null;
  const editing = purpose === "edit" ? subject : null;
  const rescheduling = purpose === "schedule" ? subject : null;
  if (editing) title(`Edit push ${source.number}`);
  if (rescheduling) title(`Edit schedule ${rescheduling}`);
  const known = new Map();
  const tableOf = async (name) => { if (!known.has(name)) known.set(name, await api("GET", `/v1/contracts/${name}`)); return known.get(name); };

  const fieldsPlace = h("div", { class: "stack" });
  const previews = h("div", { class: "phones" });
  const wire = h("div", { class: "stack" });
  const report = h("div", { class: "stack", "aria-live": "polite" });
  const state = h("span", { class: "badge", role: "status" }, "");
  const about = h("p", { class: "hint" });
  const versionTabs = h("div", { class: "segments small", role: "radiogroup", "aria-label": "Version" });
  const versionNote = h("div", { class: "row" });
  let contract;
  let sheet;
  let fields = [];
  // Which message is looked at: the message itself or a variant of it, and of that one in which language.
  let variant = null;
  let tag = "";
  let locale = "en";
  let appearance = "";
  let surface = "0";
  let platform = "apns";
  let rendered = "";

  // MARK: The message and its versions

  const picker = h("div", { class: "segments thirds", role: "radiogroup", "aria-label": "Contract" });
  const holder = () => (variant == null ? sheet : sheet.variants[variant]);
  const message = () => (tag ? holder().locales[tag] : holder().message) ?? {};
  const setMessage = (next) => { if (tag) holder().locales[tag] = next; else holder().message = next; };
  const all = () => [sheet, ...sheet.variants].flatMap((one) => [one.message, ...Object.values(one.locales)]);
  const hasHoles = () => /\{[{%]/.test(JSON.stringify(all()));
  const isFilled = () => hasHoles() && fills.checked;
  const readObject = (box) => {
    let value;
    try { value = exact(box.value || "{}"); } catch (error) { throw new Error(error instanceof SyntaxError ? "this is not JSON yet" : error.message); }
    if (value === null || typeof value !== "object" || Array.isArray(value)) throw new Error("expected an object, such as {\"offer\": \"20 %\"}");
    return value;
  };
  const readValues = () => readObject(valuesBox);
  // For the preview; nothing is sent while they cannot be read.
  const values = () => { try { return readValues(); } catch { return {}; } };
  // What the picture and the bytes are of: the message for one recipient.
  const shown = () => ({
    message: message(),
    ...(isFilled() && { values: { ...(campaign.value && { push: { name: campaign.value } }), ...values(), ...(sampled.value === "sample" && sample()) }, undefined: missing.value }),
  });

  async function pick(next) {
    contract = kept.contract = next;
    sheet = kept.all[next] ??= emptySheet();
    [variant, tag] = [null, ""];
    const rows = await tableOf(next);
    if (contract !== next) return;
    segmentsOf(picker, "contract", contracts.map((one) => [one.name, one.name, one.summary]), contract, (name) => pick(name).catch(fail));
    replace(about, rows.summary);
    showVersions();
    build();
    fieldsPlace.dataset.contract = next;
  }

  function choose(nextVariant, nextTag) {
    [variant, tag] = [nextVariant, nextTag];
    if (tag) { locale = tag; showLanguages(); }
    showVersions();
    build();
  }

  function showVersions() {
    const kinds = [sheet, ...sheet.variants].flatMap((one, index) => {
      const [place, name] = index ? [index - 1, `${one.name} ${one.share} %`] : [null, "Message"];
      return [{ place, tag: "", name }, ...Object.keys(one.locales).map((own) => ({ place, tag: own, name: index ? `${one.name}: ${language(own)}` : language(own) }))];
    });
    const here = kinds.findIndex((one) => one.place === variant && one.tag === tag);
    versionTabs.hidden = kinds.length < 2;
    segmentsOf(versionTabs, "version", kinds.map((one, index) => [String(index), one.name]), String(here), (index) => choose(kinds[index].place, kinds[index].tag));
    const remove = () => { unread.get(holder())?.delete(tag); if (tag) { delete holder().locales[tag]; choose(variant, ""); } else { sheet.variants.splice(variant, 1); choose(null, ""); } };
    const whose = variant == null ? "" : ` that get ${holder().name}`;
    replace(versionNote,
      tag ? h("span", { class: "hint" }, `For devices in ${language(tag)}${whose}. `) : variant != null && h("span", { class: "hint" }, "Shared out by user; the rest gets the message itself. "),
      (tag || variant != null) && button("Remove", { class: "link", onclick: remove }),
      button(variant == null ? "Add a language" : `Add a language to ${holder().name}`, { class: "link", onclick: addLanguage }), button("Add a variant", { class: "link", onclick: addVariant }));
  }

  function addLanguage() {
    const name = h("input", { type: "text", required: true, placeholder: "de, pt-BR, zh-Hant", autocomplete: "off" });
    form("Add a language", "Add it", [field("Language", name, "A BCP 47 tag. Devices take the closest one, or the message itself.")], async (close) => {
      const next = name.value.trim();
      if (!isLanguage(next)) throw new Error(languageAdvice);
      holder().locales[next] ??= structuredClone(holder().message);
      close();
      choose(variant, next);
    });
  }

  function addVariant() {
    const left = 100 - sheet.variants.reduce((sum, one) => sum + one.share, 0);
    const name = h("input", { type: "text", required: true, value: String.fromCharCode(66 + sheet.variants.length), autocomplete: "off" });
    const share = h("input", { type: "text", inputmode: "numeric", required: true, value: Math.max(1, Math.min(50, left)) });
    form("Add a variant", "Add it", [h("div", { class: "two" }, field("Name", name), field("Share, in percent", share)), h("p", { class: "hint" }, "All devices of a user get the same one, also when it is sent again.")], async (close) => {
      const part = Number(share.value);
      if (!Number.isInteger(part) || part < 1 || part > left) throw new Error(`expected a whole number from 1 to ${left}; ${100 - left} percent are shared out already`);
      sheet.variants.push({ name: name.value.trim(), share: part, message: structuredClone(sheet.message), locales: {} });
      close();
      choose(sheet.variants.length - 1, "");
    });
  }

  function build() {
    const saved = message();
    const wrong = unreadOf(holder(), tag);
    const rows = known.get(contract).fields.filter((row) => row.field && !row.source && !row.delivery);
    fields = rows.map((row) => {
      const made = control(row, saved[row.field], changed);
      const one = { row, raw: () => made.node.value, restore: (text) => { made.node.value = text; }, ...made };
      if (wrong.has(row.field)) one.restore(wrong.get(row.field).raw);
      return one;
    });
    const isMain = ({ row }) => main.has(row.field) || row.required === "yes" || row.field in saved || wrong.has(row.field);
    const show = ({ row, node, hint }) => {
      const label = [row.field, row.required === "yes" && h("span", { class: "must", title: "required" }, " *")];
      const where = [row.apns?.length ? null : "Android only.", row.fcm?.length ? null : "iOS only."].filter(Boolean).join(" ");
      const text = [row.doc, hint, row.apns?.length || row.fcm?.length ? where : ""].filter(Boolean).join(" ");
      return node.getAttribute("role") === "group" ? h("div", { class: "field" }, h("span", { class: "label" }, label), node, h("p", { class: "hint" }, text)) : field(label, node, text);
    };
    const [first, others] = [fields.filter(isMain), fields.filter((one) => !isMain(one))];
    replace(fieldsPlace, first.map(show), others.length > 0 && h("details", { class: "more" }, h("summary", {}, `More fields (${others.length})`), h("div", { class: "stack" }, others.map(show))));
    changed();
  }

  function changed() {
    const next = {};
    const wrong = unreadOf(holder(), tag);
    for (const one of fields) {
      wrong.delete(one.row.field);
      try { const value = one.read(); if (value !== undefined) next[one.row.field] = value; } catch (error) {
        wrong.set(one.row.field, { raw: one.raw(), reason: error.message });
      }
      complain(one.node, wrong.get(one.row.field)?.reason);
      const part = wrong.has(one.row.field) && one.node.closest("details");
      if (part) part.open = true;
    }
    setMessage(next);
    valuesPlace.hidden = !hasHoles();
    for (const [node, kinds] of [[sampleField, ["sample"]], [subjectField, ["user", "device"]]]) node.hidden = !kinds.includes(sampled.value);
    templateNote.hidden = !asTemplate();
    check();
    render();
    paint();
    later();
  }

  // MARK: Templates

  const templateNote = h("p", { class: "hint" }, "Sent as this template; a change here makes it a message of its own.");
  const content = () => JSON.stringify([sheet.message, sheet.locales, sheet.variants]);
  const asTemplate = () => sheet.template && sheet.snapshot === content();
  const templateChoice = () => select([["", "none"], ...templates.map((one) => [one.name, one.name])], sheet?.template ?? "", { onchange: (event) => load(templates.find((one) => one.name === event.target.value), event.target.value) });
  const templatePlace = h("div", { class: "slot" });

  async function load(from, template) {
    const next = from?.contract ?? shownApp.contract ?? contract;
    const { message = {}, locales = {}, variants = [], values = {} } = structuredClone(from ?? {});
    if (from?.undefined) missing.value = from.undefined;
    kept.all[next] = { message, locales, variants: variants.map((one) => ({ locales: {}, ...one })), values, template };
    sheet = kept.all[next];
    valuesBox.value = Object.keys(sheet.values).length ? JSON.stringify(sheet.values) : "";
    await pick(next);
    // What the fields make of it, so that only a person's change counts as one.
    sheet.snapshot = template && content();
    templateNote.hidden = !asTemplate();
    if (templates.length) replace(templatePlace, field("Start from a template", templateChoice()), templateNote);
  }

  function saveTemplate() {
    if (refused()) return;
    const name = h("input", { type: "text", required: true, value: sheet.template ?? "", placeholder: "welcome", autocomplete: "off" });
    form("Save as a template", "Save it", [field("Name", name, "One that is there is replaced.")], async (close) => {
      await api("PUT", at(app, `/templates/${encodeURIComponent(name.value.trim())}`), { contract, ...versions(), values: values() });
      close();
      toast("The template is kept.");
      sheet.template = name.value.trim();
      const saved = { name: sheet.template, contract, ...structuredClone(versions()), values: values() };
      const place = templates.findIndex((one) => one.name === saved.name);
      templates.splice(place < 0 ? templates.length : place, place < 0 ? 0 : 1, saved);
      sheet.snapshot = content();
      replace(templatePlace, field("Start from a template", templateChoice()), templateNote);
      templateNote.hidden = !asTemplate();
    });
  }

  const fills = h("input", { type: "checkbox", checked: true, onchange: () => changed() });
  const valuesBox = h("textarea", { rows: 2, class: "mono", spellcheck: "false", placeholder: "{\"offer\": \"20 %\"}", oninput: () => changed() });
  const missing = select([["strict", "Report it"], ["lax", "Leave it empty"], ["skip", "Skip the recipient"]], "strict", { onchange: () => changed() });
  const canPreview = has("/v1/apps/{app}/pushes/preview");
  const sampled = select([["", "Nobody in particular"], ["sample", "Sample values"], ...(canPreview ? [["user", "A user"], ["device", "A device"]] : [])], "", { onchange: () => changed() });
  const sampleBox = h("textarea", { rows: 3, class: "mono", spellcheck: "false", placeholder: "{\"user\": {\"first_name\": \"Ann\"}, \"device\": {\"locale\": \"de\"}}", oninput: () => changed() });
  const whose = h("input", { type: "text", autocomplete: "off", placeholder: "ann", oninput: () => changed() });
  const sampleField = field("Sample values", sampleBox, "JSON, for the preview only: a recipient’s values by name, or in user, device, push and request.");
  const subjectField = field("User or device id", whose, "The preview shows what this user’s newest device, or this device, would get.");
  const sample = () => { try { return readObject(sampleBox); } catch { return {}; } };
  // The recipient whose stored values the preview has.
  const recipient = () => (isFilled() && ["user", "device"].includes(sampled.value) && whose.value.trim() ? { [sampled.value]: whose.value.trim() } : null);
  const valuesPlace = h("div", { class: "stack tight" }, h("label", { class: "check" }, fills, "Fill in the placeholders"),
    field("Values for everyone", valuesBox, "JSON. Before these come a recipient’s own; after them what is known of device and user, then the default: {{first_name|there}}. Liquid works too: {{ city | upcase }}, {% if vip %}…{% endif %}, {% abort %}."),
    h("div", { class: "two" }, field("A value that is missing", missing), field("Preview for", sampled)), sampleField, subjectField);

  // MARK: What keeps it from being sent

  let isLegal = false;
  const why = h("p", { class: "problem", role: "status", id: "send-problem" });

  // What of the message cannot be read, in any of its versions.
  function unreadable() {
    return [sheet, ...sheet.variants].flatMap((one, index) => [...(unread.get(one) ?? [])].flatMap(([tag, wrong]) =>
      [...wrong].map(([name, { reason }]) => `${[index ? one.name : "", tag ? language(tag) : "", name].filter(Boolean).join(", ")}: ${reason}`)));
  }

  // Everything that is wrong, with the reason beside each control. What is not shown is not used, and cannot be wrong.
  function problems() {
    const found = unreadable();
    const need = (label, control, isRight, text) => { complain(control, isRight ? "" : text); if (!isRight) found.push(`${label}: ${text}`); };
    let wrong = "";
    if (isFilled()) try { readValues(); } catch (error) { wrong = error.message; }
    need("Values for everyone", valuesBox, !wrong, wrong);
    let odd = "";
    if (isFilled() && sampled.value === "sample") try { readObject(sampleBox); } catch (error) { odd = error.message; }
    complain(sampleBox, odd);
    whom.complainOf(need);
    need("At most, per minute", throttle, !throttle.value.trim() || isWhole(throttle, 1, 100_000_000), "expected a whole number from 1 to 100,000,000");
    clock.complainOf(need);
    return found;
  }

  function check() {
    if (!sheet) return;
    const found = problems();
    const broken = unreadable().length;
    if (broken) { state.className = "badge warning"; replace(state, `${broken} ${broken === 1 ? "field" : "fields"} not readable`); }
    if (why.textContent !== (found[0] ?? "")) replace(why, found[0] ?? "");
    send.disabled = !isLegal || found.length > 0;
  }

  // For what is done with the message besides sending it.
  function refused() {
    const found = problems().filter((text) => unreadable().includes(text) || text.startsWith("Values for everyone"));
    if (found.length) fail(new Error(found[0]));
    return found.length > 0;
  }

  // MARK: What is shown

  // Nothing is asked of the server, and nothing complained of, before something is written.
  const isBlank = () => !Object.keys(message()).length;
  function example() {
    setMessage(structuredClone(examples[contract] ?? examples.native));
    build();
  }

  const render = latest(async () => {
    if (isBlank()) {
      rendered = "";
      state.className = "badge waiting";
      replace(state, "empty");
      replace(report, h("p", { class: "hint" }, "What is dropped, changed, doubtful or refused stands here as you type."));
      isLegal = false;
      check();
      return showWire();
    }
    const body = { contract, ...shown(), ...(topic && { topic }), ...(campaign.value && { campaign: campaign.value }) };
    const { text, report: rows } = recipient() ? await seenBy(recipient()) : await rendering(body);
    rendered = text;
    adviseFields(rows);
    const errors = rows.filter((row) => row.severity === "error").length;
    state.className = `badge ${errors ? "error" : "accepted"}`;
    replace(state, errors ? `${errors} ${errors === 1 ? "error" : "errors"}` : "legal");
    const broken = unreadable();
    replace(report, broken.length > 0 && h("ul", { class: "findings" }, broken.map((text) => h("li", { class: "error" }, h("p", {}, text)))),
      rows.length ? findings(rows) : !broken.length && h("p", { class: "hint" }, "Nothing is dropped, changed or doubtful: both providers take this as it is."));
    isLegal = errors === 0;
    check();
    showWire();
  });

  // What the recipient that was chosen would get: asked once for each state, by the picture and by the bytes.
  let asked = ["", null];
  function seenBy(to) {
    const look = { ...written(), ...filling(), to, ...(campaign.value && { campaign: campaign.value }), ...(category.value.trim() && { category: category.value.trim() }), ...(tag && { locale: tag }), ...(variant != null && { variant: holder().name }), ...drawing() };
    const key = JSON.stringify(look);
    if (asked[0] !== key) asked = [key, previewFor(look)];
    return asked[1];
  }
  async function previewFor(look) {
    try {
      const { previews: shown, skipped, report: rows = [] } = await api("POST", at(app, "/pushes/preview"), look);
      const request = (platform) => shown.find((one) => one.platform === platform)?.request;
      const notes = skipped.map((one) => ({ rule: "push-recipient-skipped", severity: "note", field: "message", message: `this recipient gets nothing, with the reason ${one.reason}` }));
      const text = JSON.stringify({ ...(request("ios") && { apns: request("ios") }), ...(request("android") && { fcm: request("android") }) });
      return { text, previews: shown, report: [...notes, ...rows] };
    } catch (error) {
      if (!error.report?.length) throw error;
      return { text: "", previews: null, report: error.report };
    }
  }

  // What is found in a text stands beside its field: where Liquid is wrong, and what has no value.
  const textRules = ["push-template-syntax", "push-placeholder-empty", "push-recipient-skipped"];
  function adviseFields(rows) {
    const version = variant == null ? (tag ? `locales["${tag}"].` : "") : tag ? `variants[${variant}].locales["${tag}"].` : `variants[${variant}].message.`;
    const found = rows.filter((row) => textRules.includes(row.rule)).map((row) => ({ ...row, place: row.field.startsWith(version) ? row.field.slice(version.length) : row.field }));
    const wrong = unreadOf(holder(), tag);
    for (const { row: { field: name }, node } of fields) {
      if (wrong.has(name)) continue;
      const here = found.filter(({ place }) => place === name || place.startsWith(`${name}.`) || place.startsWith(`${name}[`));
      complain(node, here.map((one) => one.message).join(" "), !here.some((one) => one.severity === "error"));
    }
  }

  const drawing = () => ({ svg: true, app_name: (shownApp.title || app).slice(0, 60), appearance: appearance || (isDark() ? "dark" : "light"), captions: !surfaces[surface], ...(tablesOf(app) && { strings: tablesOf(app) }), ...(surfaces[surface] && { surfaces: surfaces[surface][1] }) });

  const paint = latest(async () => {
    if (isBlank()) return replace(previews, empty("Nothing to show yet", "Both phones appear here as you type.", button("Fill in an example", { onclick: example })));
    const tables = tablesOf(app);
    previews.classList.toggle("whole", !surfaces[surface]);
    const common = { contract, app_name: (shownApp.title || app).slice(0, 60), ...(tables && { strings: tables }), ...(topic && { topic }), ...(campaign.value && { campaign: campaign.value }) };
    if (locale === "*") return replace(previews, await texts(common));
    const body = { ...common, ...shown(), locales: [locale], ...drawing() };
    try {
      const drawn = recipient() ? (await seenBy(recipient())).previews : await previewsOf(surface === "web" ? { ...body, platform: "web" } : body);
      if (!drawn) return replace(previews, empty("Nothing to show yet", "The preview appears as soon as the message is legal."));
      if (!drawn.length) return replace(previews, empty("Nothing to show", "This recipient gets nothing; the report says why."));
      replace(previews, drawn.map((one) => h("figure", { class: "phone" }, h("figcaption", {}, platforms[one.platform]), picture(one.svg, said(one)))));
    } catch (error) {
      if (error.status !== 422) throw error;
      replace(previews, empty("Nothing to show yet", error.report?.some((row) => row.field === "strings") ? error.message : "The preview appears as soon as the message is legal."));
    }
  });

  const words = (one) => [one?.title, one?.body].map((part) => part?.text ?? part).filter((part) => typeof part === "string");
  const said = (one) => `${{ ...platforms, android: "Android phone" }[one.platform]} showing: ${words(one).join(", ") || "the notification"}`;

  // What is read in each language: of the message's own versions the one that a device in it takes.
  async function texts(common) {
    const tags = choices().slice(0, 50);
    const version = (tag) => {
      for (let name = tag.toLowerCase(); name; name = name.includes("-") ? name.slice(0, name.lastIndexOf("-")) : "") {
        const found = Object.keys(holder().locales).find((one) => one.toLowerCase() === name);
        if (found) return found;
      }
      return "";
    };
    const groups = Map.groupBy(tags, version);
    const cells = new Map();
    for (const [name, some] of groups) {
      const message = name ? holder().locales[name] : holder().message;
      const previews = await previewsOf({ ...common, ...shown(), message, locales: some });
      // Each platform's come together, in the order of the languages.
      previews.forEach((one, index) => { const tag = some[index % some.length]; cells.set(tag, { ...cells.get(tag), [one.platform]: one }); });
    }
    const cell = (one) => (one ? h("span", { dir: "auto" }, words(one).join(" — ") || "nothing") : "–");
    return h("div", { class: "wide-cell" }, table(["Language", "iPhone", "Android"], tags.map((tag) => [h("span", {}, language(tag), h("span", { class: "hint" }, ` ${tag}`)), cell(cells.get(tag)?.ios), cell(cells.get(tag)?.android)]), { label: "Texts by language" }));
  }

  function showWire() {
    if (!rendered) return replace(wire, empty("No bytes", isBlank() ? "They stand here as they are sent, with their size against the limit." : "A message with errors is never written."));
    const raw = platform === "apns" ? rawMember(rendered, ["apns", "payload"]) : rawMember(rendered, ["fcm", "message"]);
    const headers = platform === "apns" ? JSON.parse(rawMember(rendered, ["apns", "headers"]) ?? "{}") : {};
    if (!raw) return replace(wire, empty("Not sent here", `This message has no ${platform === "apns" ? "APNs" : "FCM"} form.`));
    const measured = platform === "apns" ? bytes(raw) : fcmBytes(JSON.parse(raw));
    replace(wire, gauge(measured, headers["apns-push-type"] === "voip" ? 5120 : 4096, platform === "apns" ? "Payload" : "Keys and values of data and notification"),
      Object.keys(headers).length > 0 && h("dl", { class: "pairs mono" }, Object.entries(headers).map(([key, value]) => h("div", {}, h("dt", {}, key), h("dd", {}, value)))),
      code(indented(raw)));
  }

  // What FCM counts: keys and values of data and notification.
  const fcmBytes = ({ data, notification }) => [data, notification].flatMap((part) => Object.entries(part ?? {}))
    .reduce((sum, [key, value]) => sum + bytes(key) + bytes(typeof value === "string" ? value : JSON.stringify(value)), 0);

  // MARK: Whom and when

  const campaign = h("input", { type: "text", maxlength: 64, autocomplete: "off", placeholder: "spring-sale", value: original?.campaign ?? "", oninput: () => changed() });
  const throttle = h("input", { type: "text", inputmode: "numeric", placeholder: "no limit", value: original?.throttle_per_minute ?? "", oninput: () => check() });
  const category = h("input", { type: "text", placeholder: "news", autocomplete: "off", value: original?.category ?? "" });
  const urgent = h("input", { type: "checkbox", checked: original?.urgent === true });
  const lives = [["", "never"], ["3600", "after an hour"], ["21600", "after six hours"], ["86400", "after a day"], ["604800", "after a week"]];
  const life = String(original?.expires_in_seconds ?? "");
  const lifetime = select(lives.some(([seconds]) => seconds === life) ? lives : [...lives, [life, `after ${number(Number(life))} seconds`]], life);
  const whom = audience({ app, original, segments, segment: purpose === "segment" ? subject : undefined, changed: () => { later(); check(); } });
  const worst = h("div", { class: "stack tight" });

  // What is doubtful about this message for this audience.
  let doubts = [];
  // The largest that anyone of the audience would get; asked when nothing was typed for a moment.
  let timer;
  const later = () => { clearTimeout(timer); timer = setTimeout(weigh, 400); };
  const weigh = latest(async () => {
    if (!has("/v1/apps/{app}/pushes/check") || !place.isConnected) return;
    doubts = [];
    if (isBlank() || !rendered || whom.isEmpty()) return replace(worst);
    try {
      const found = await api("POST", at(app, "/pushes/check"), body(whom.to()));
      const personal = found.report?.filter((row) => row.rule.startsWith("push-") && row.rule !== "push-worst-size") ?? [];
      doubts = personal.map((row) => row.message);
      replace(worst, found.sizes.map((one) => h("div", {}, h("p", { class: "hint" }, `${{ apns: "iPhone", fcm: "FCM", web: "Browser", hms: "Huawei" }[one.provider]}, at worst`, one.user ? `: ${one.user}` : one.device ? `: device ${one.device}` : ""), gauge(one.bytes, one.bytes_max, "At worst"))),
        h("p", { class: "hint" }, found.complete ?? found.tried === found.total ? `Tried for ${found.total === 1 ? "the one device" : `all ${number(found.total)} devices`}.` : `Tried for ${number(found.tried)} of ${number(found.total)} devices, from all over the audience.`, found.over > 0 && h("strong", {}, ` ${number(found.over)} of them ${found.over === 1 ? "is" : "are"} over the limit and would get nothing.`)),
        personal.length > 0 && findings(personal));
    } catch (error) {
      if (![409, 422].includes(error.status)) throw error;
      replace(worst, error.status === 409 && h("p", { class: "hint" }, error.message));
    }
  });

  const repeated = rescheduling ? original.repeat : null;
  const clock = timing({ editing, rescheduling, repeated, changed: () => { replace(send, clock.label()); check(); } });

  const versions = () => {
    const inLanguages = ({ locales, ...one }) => ({ ...one, ...(Object.keys(locales).length && { locales }) });
    const { message, locales, variants } = sheet;
    return { ...inLanguages({ message, locales }), ...(variants.length && { variants: variants.map(inLanguages) }) };
  };
  const written = () => ({ contract, ...(asTemplate() ? { template: sheet.template } : versions()) });
  const filling = () => (isFilled() ? { values: values(), ...(missing.value !== "strict" && { undefined: missing.value }) } : {});
  const body = (audience) => ({
    ...written(), ...filling(), to: audience, ...(campaign.value && { campaign: campaign.value }),
    ...(throttle.value && { throttle_per_minute: Number(throttle.value) }), ...(lifetime.value && { expires_in_seconds: Number(lifetime.value) }), ...(category.value.trim() && { category: category.value.trim() }),
    ...(urgent.checked && { urgent: true }),
  });

  // Members of the form that are not set any more; what the form does not know stays.
  const managed = ["template", "message", "locales", "variants", "values", "undefined", "campaign", "throttle_per_minute", "expires_in_seconds", "category", "urgent"];
  const gone = (next) => Object.fromEntries(managed.filter((name) => name in original && !(name in next)).map((name) => [name, null]));

  // A campaign from here can be stopped for a while before it starts; what goes to chosen devices starts at once.
  const undo = () => (clock.kind() === "now" && whom.kind() !== "devices" && shownApp.undo_seconds > 0 ? { undo_seconds: shownApp.undo_seconds } : {});

  async function dispatch() {
    if (clock.kind() === "repeat") {
      const repeat = clock.repetition();
      const next = body(whom.to());
      // The times of a schedule start anew with its rule, so it is sent only when it changed.
      const isSame = rescheduling && JSON.stringify(repeat) === JSON.stringify(repeated);
      const made = await (rescheduling ? api("PATCH", at(app, `/schedules/${encodeURIComponent(rescheduling)}`), { ...next, ...gone(next), ...(!isSame && { repeat }) }) : api("POST", at(app, "/schedules"), { ...next, repeat }));
      delete kept.all[contract];
      toast(rescheduling ? "Saved." : "Schedule started.");
      return go(`schedules/${made.id}`);
    }
    if (editing) {
      const next = body(whom.to());
      await api("PATCH", at(app, `/pushes/${editing}`), { ...next, ...gone(next) });
      if (clock.kind() === "now" && !undo().undo_seconds) await api("POST", at(app, `/pushes/${editing}/send`));
      else if (clock.kind() !== "draft") await api("POST", at(app, `/pushes/${editing}/schedule`), { ...clock.timed(), ...undo() });
      delete kept.all[contract];
      toast("Saved.");
      return go(`pushes/${editing}`);
    }
    const made = await api("POST", at(app, "/pushes"), { ...body(whom.to()), ...clock.timed(), ...undo() });
    delete kept.all[contract];
    toast(clock.kind() === "draft" ? "The draft is kept." : clock.kind() === "now" ? (undo().undo_seconds ? "The push starts soon; it can still be stopped." : "The push is sending.") : "The push is scheduled.");
    go(`pushes/${made.id}`);
  }
  function confirm() {
    const explain = (error) => (error.report?.length ? dialog("It is not taken", (close) => [findings(error.report), h("div", { class: "row end" }, button("Back", { class: "primary", onclick: close }))]) : fail(error));
    const run = () => dispatch().catch(explain);
    const doubt = doubts.length > 0 && [h("p", {}, "Check before you go on:"), h("ul", { class: "plain" }, doubts.map((text) => h("li", {}, text)))];
    if (clock.kind() === "repeat") {
      const { every, interval = 1, start, timezone } = clock.repetition();
      const first = `the first time at ${start.replace("T", " ").slice(0, 16)}, ${timezone}`;
      return ask(rescheduling ? "Save this schedule?" : "Start this schedule?", [`It sends a push every ${interval > 1 ? `${number(interval)} ${every}s` : every}, ${first}, to ${whom.kind() === "as" ? "the same audience" : `its audience of then (${number(whom.total())} device${whom.total() === 1 ? "" : "s"} of ${app} now)`}.`, doubt], rescheduling ? "Save" : "Start", run);
    }
    if (clock.kind() !== "now" || ((whom.kind() === "devices" || whom.kind() === "as") && !doubt)) return run();
    ask("Send this now?", [`It goes to ${whom.kind() === "as" ? "the same audience" : `${number(whom.total())} device${whom.total() === 1 ? "" : "s"} of ${app}`}. It can be paused and cancelled, but not called back from a device.`, doubt], whom.kind() === "as" ? "Send" : `Send to ${number(whom.total())}`, run);
  }
  const send = button("Send", { class: "primary", "aria-describedby": "send-problem", onclick: () => confirm() });

  // A test goes to a device that somebody chose, never to whoever comes first: the version that is being looked at.
  async function test() {
    if (refused()) return;
    const { devices } = await api("GET", at(app, "/devices?state=active&limit=50"));
    const choice = select([["", "choose"], ...devices.map((one) => [one.id, `${one.user ?? "device"} ${one.id}, ${kind(one.type)}`])], "");
    const other = h("input", { type: "text", inputmode: "numeric", autocomplete: "off" });
    form("Send a test", "Send the test", [field("Device", choice), field("Or a device id", other)], async (close) => {
      const id = other.value.trim() || choice.value;
      if (!id) throw new Error("choose a device, or enter an id");
      const answer = await api("POST", at(app, "/test-pushes"), { contract, message: message(), ...filling(), to: { device: id } });
      close();
      toast(`Test push ${answer.id} is on its way to device ${id}.`);
    });
  }

  // MARK: The page

  const tabs = h("div", { class: "segments small", role: "radiogroup", "aria-label": "Provider" });
  const showTabs = () => segmentsOf(tabs, "wire", [["apns", "APNs"], ["fcm", "FCM"]], platform, (value) => { platform = value; showWire(); });
  const choices = () => [...new Set([...languages(tablesOf(app)), ...(sheet ? [sheet, ...sheet.variants] : []).flatMap((one) => Object.keys(one.locales)), ...(tablesOf(app) ? [] : common)])];
  const localePicker = h("select", { onchange: (event) => { locale = event.target.value; paint(); } });
  function showLanguages() {
    const found = choices();
    if (locale !== "*" && !found.includes(locale)) locale = found.includes("en") || !found.length ? "en" : found[0];
    replace(localePicker, (found.includes(locale) || locale === "*" ? found : [locale, ...found]).map((tag) => h("option", { value: tag, selected: tag === locale }, language(tag))), h("option", { value: "*", selected: locale === "*" }, "All, as a table"));
  }
  const tablesButton = button("", { class: "link", onclick: () => chooseTables(app, () => { nameTables(); showLanguages(); paint(); }) });
  const nameTables = () => replace(tablesButton, tablesOf(app) ? `App’s texts (${Object.keys(tablesOf(app)).length})` : "App’s texts");
  const options = h("div", { class: "row" }, tablesButton,
    h("label", { class: "inline" }, h("span", {}, "Show"), select([...surfaces.map(([text], index) => [String(index), text]), ["", "Everything"], ...(credentials.web ? [["web", "In browsers"]] : [])], surface, { onchange: (event) => { surface = event.target.value; paint(); } })),
    h("label", { class: "inline" }, h("span", {}, "Language"), localePicker),
    h("label", { class: "inline" }, h("span", {}, "Look"), select([["", "As the page"], ["light", "Light"], ["dark", "Dark"]], appearance, { onchange: (event) => { appearance = event.target.value; paint(); } })));

  append(place, [h("div", { class: "composer" },
    card("Message", picker, about, templatePlace, versionTabs, versionNote, fieldsPlace, valuesPlace, h("div", { class: "row end" }, button("Clear", { class: "link", onclick: () => { delete kept.all[contract]; valuesBox.value = ""; pick(contract).catch(fail); } }), may("send") && button("Save as a template", { class: "link", onclick: saveTemplate }))),
    h("div", { class: "stack seen" },
      card(null, h("div", { class: "row spread" }, h("h2", {}, "On the devices"), options), previews),
      card(null, h("div", { class: "row spread" }, h("h2", {}, "Report"), state), report),
      card(null, h("div", { class: "row spread" }, h("h2", {}, "Exact bytes"), tabs), wire)),
    may("send") && h("div", { class: "stack rest" },
      card("Audience", ...whom.parts, worst,
        h("div", { class: "two" }, field("Campaign", campaign, "A later push of the same campaign replaces this one."), field("At most, per minute", throttle)),
        h("div", { class: "two" }, field("Expires", lifetime, "What has not gone out by then does not."), has("/v1/apps/{app}/suppression") && field("Category", category, "People may refuse one.")),
        has("/v1/apps/{app}/suppression") && h("label", { class: "check" }, urgent, "Urgent: also in quiet hours and beyond the cap")),
      card("When", ...clock.parts, h("div", { class: "row end" }, button("Send a test", { class: "quiet", onclick: () => test().catch(fail) }), send), why)))]);
  place.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !send.disabled && may("send")) { event.preventDefault(); confirm(); }
  });
  addEventListener("theme", paint);
  onleave(() => { removeEventListener("theme", paint); clearTimeout(timer); });
  showTabs();
  clock.draw();
  nameTables();
  if (original) await load(original.template && !original.message ? { ...templates.find((one) => one.name === original.template), values: original.values } : original, original.message ? undefined : original.template);
  else if (purpose === "template") await load(templates.find((one) => one.name === subject), subject);
  else {
    if (contracts.some((one) => one.name === purpose)) kept.contract = purpose;
    if (templates.length) replace(templatePlace, field("Start from a template", templateChoice()), templateNote);
    await pick(kept.contract);
  }
  showLanguages();
  await whom.count();
}
