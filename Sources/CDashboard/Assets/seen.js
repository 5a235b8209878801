// Beside what is written: what the phones show of it, what is found in it, and the exact bytes.
import { api, apiText, at, button, card, code, complain, empty, findings, h, isDark, latest, picture, replace, said, select, table } from "./core.js";
import { gauge } from "./charts.js";
import { segmentsOf } from "./fields.js";
import { indented, rawMember } from "./jsontext.js";
import { language } from "./languages.js";
import { previewsOf, rendering } from "./local.js";
import { fillExample } from "./message.js";
import { wires } from "./providers.js";
import { chooseTables, languages, tablesOf } from "./tables.js";
import { ruleText, t, translated } from "./words.js";

const common = ["en", "de", "fr", "es", "pt-BR", "ja", "zh-Hant", "ar", "he", "hi", "ru", "tr"];
const platforms = { ios: "iPhone", android: "Android", web: t`Browser` };
const surfaces = [[t`At rest`, ["lock-screen", "collapsed"]], [t`In use`, ["banner", "heads-up"]], [t`Expanded`, ["expanded"]], [t`Stacked`, ["notification-centre", "collapsed"]]];
const words = (one) => [one?.title, one?.body].map((part) => part?.text ?? part).filter((part) => typeof part === "string");
const heardAs = (one) => t`${{ ...platforms, android: t`Android phone` }[one.platform]} showing: ${words(one).join(", ") || t`the notification`}`;

// The bytes of a rendered message for a platform with the limit, or nothing where it has no form there.
export function sizeOf(rendered, platform) {
  const { path, headers: field, size } = wires[platform];
  const raw = rendered && rawMember(rendered, path);
  if (!raw) return null;
  const headers = JSON.parse((field && rawMember(rendered, field)) || "{}");
  const [count, most] = size(raw, headers, rawMember);
  return { raw, headers, bytes: count, most };
}

export function seen(desk) {
  const previews = h("div", { class: "phones" });
  const wire = h("div", { class: "stack" });
  const report = h("div", { class: "stack", "aria-live": "polite" });
  const state = h("span", { class: "badge", role: "status" }, "");
  const tabs = h("div", { class: "segments small", role: "radiogroup", "aria-label": t`Provider` });
  let [locale, appearance, surface, platform] = ["en", "", "0", "apns"];
  const title = (desk.shownApp.title || desk.app).slice(0, 60);
  const about = () => ({ contract: desk.contract, ...(desk.topic && { topic: desk.topic }), ...(desk.campaign() && { campaign: desk.campaign() }) });
  // What the picture and the bytes are of: the message for one recipient.
  const shown = () => ({ message: desk.seen(), ...desk.filling.shown(desk.campaign() && { push: { name: desk.campaign() } }) });
  const drawing = () => ({ svg: true, app_name: title, appearance: appearance || (isDark() ? "dark" : "light"), captions: !surfaces[surface], ...(tablesOf(desk.app) && { strings: tablesOf(desk.app) }), ...(surfaces[surface] && { surfaces: surfaces[surface][1] }) });

  // MARK: Report and bytes

  const say = (text, tone) => { state.className = `badge ${tone}`; replace(state, text); };
  const render = latest(async () => {
    if (desk.isBlank()) {
      [desk.rendered, desk.isLegal, desk.report] = ["", false, []];
      say(t`empty`, "waiting");
      replace(report, h("p", { class: "hint" }, t`What is dropped, changed, doubtful or refused is listed here as you type.`));
      desk.check();
      desk.weigh();
      return showWire();
    }
    const to = desk.filling.recipient();
    const { text, report: rows } = to ? await seenBy(to) : await rendering({ ...about(), ...shown() });
    [desk.rendered, desk.report] = [text, rows];
    adviseFields(rows);
    const errors = rows.filter((row) => row.severity === "error").length;
    say(!errors ? t`valid` : errors === 1 ? t`${errors} error` : t`${errors} errors`, errors ? "error" : "accepted");
    const broken = desk.unreadable();
    replace(report, broken.length > 0 && h("ul", { class: "findings" }, broken.map((text) => h("li", { class: "error" }, h("p", {}, text)))),
      rows.length ? findings(rows) : !broken.length && h("p", { class: "hint" }, t`Nothing is dropped, changed or doubtful: all providers accept this as it is.`));
    desk.isLegal = errors === 0;
    desk.check();
    showWire();
    desk.weigh();
  });

  // What is found in a text is shown beside its field: where Liquid is wrong, and what has no value.
  const textRules = ["push-template-syntax", "push-placeholder-empty", "push-recipient-skipped"];
  function adviseFields(rows) {
    const { variant, tag } = desk;
    const version = variant == null ? (tag ? `locales["${tag}"].` : "") : tag ? `variants[${variant}].locales["${tag}"].` : `variants[${variant}].message.`;
    const found = rows.filter((row) => textRules.includes(row.rule)).map((row) => ({ ...row, at: row.field.startsWith(version) ? row.field.slice(version.length) : row.field }));
    for (const { row: { field: name }, node } of desk.fields) {
      if (desk.unread()[name]) continue;
      const here = found.filter(({ at }) => at === name || at.startsWith(`${name}.`) || at.startsWith(`${name}[`));
      complain(node, here.map((one) => translated(one.message) ?? ruleText(one.rule) ?? one.message).join(" "), !here.some((one) => one.severity === "error"));
    }
  }

  function showWire() {
    if (desk.rendered && !["apns", "fcm"].includes(platform)) return others();
    drawWire(desk.rendered);
  }

  // Other kinds of device are written by the server, when they are looked at.
  const others = latest(async () => {
    if (!desk.rendered || ["apns", "fcm"].includes(platform)) return;
    const asked = platform;
    try {
      const text = await apiText("POST", "/v1/render", { ...about(), ...shown(), platforms: [asked] });
      if (asked === platform) drawWire(text, desk.filling.recipient() && t`With the values for everyone, not with the recipient’s own.`);
    } catch (error) {
      if (!error.report?.length) throw error;
      replace(wire, empty(t`Not sent here`, t`This message has no ${wires[asked].title} form.`), findings(error.report.filter((row) => row.severity === "error")));
    }
  });

  function drawWire(rendered, note) {
    if (!rendered) return replace(wire, empty(t`No bytes`, desk.isBlank() ? t`They are shown here as they are sent, with their size against the limit.` : t`A message with errors is never written.`));
    const size = sizeOf(rendered, platform);
    if (!size) return replace(wire, empty(t`Not sent here`, t`This message has no ${wires[platform].title} form.`));
    replace(wire, gauge(size.bytes, size.most, ["fcm", "fcm-web"].includes(platform) ? t`Keys and values of data and notification` : t`Payload`), note && h("p", { class: "hint" }, note),
      Object.keys(size.headers).length > 0 && h("dl", { class: "pairs mono" }, Object.entries(size.headers).map(([key, value]) => h("div", {}, h("dt", {}, key), h("dd", {}, value)))),
      code(indented(size.raw)));
  }

  // What the recipient that was chosen would get: asked once for each state, by the picture and by the bytes.
  let asked = ["", null];
  function seenBy(to) {
    const { tag, variant } = desk;
    const look = { ...desk.written(), ...desk.filling.body(), to, ...(desk.campaign() && { campaign: desk.campaign() }), ...(desk.category() && { category: desk.category() }), ...(tag && { locale: tag }), ...(variant != null && { variant: desk.holder().name }), ...drawing() };
    const key = JSON.stringify(look);
    if (asked[0] !== key) asked = [key, previewFor(look)];
    return asked[1];
  }
  async function previewFor(look) {
    try {
      const { previews: drawn, skipped, report: rows = [] } = await api("POST", at(desk.app, "/pushes/preview"), look);
      const request = (name) => drawn.find((one) => one.platform === name)?.request;
      const notes = skipped.map((one) => ({ rule: "push-recipient-skipped", severity: "note", field: "message", isLocal: true, message: t`this recipient gets nothing, with the reason ${one.reason}` }));
      return { text: JSON.stringify({ ...(request("ios") && { apns: request("ios") }), ...(request("android") && { fcm: request("android") }) }), previews: drawn, report: [...notes, ...rows] };
    } catch (error) {
      if (!error.report?.length) throw error;
      return { text: "", previews: null, report: error.report };
    }
  }

  // MARK: Pictures

  const paint = latest(async () => {
    if (desk.isBlank()) return replace(previews, empty(t`Nothing to show yet`, t`Both phones appear here as you type.`, button(t`Fill in an example`, { onclick: () => fillExample(desk) })));
    const tables = tablesOf(desk.app);
    previews.classList.toggle("whole", !surfaces[surface]);
    if (locale === "*") return replace(previews, await texts({ ...about(), app_name: title, ...(tables && { strings: tables }) }));
    const body = { ...about(), ...shown(), locales: [locale], ...drawing() };
    try {
      const to = desk.filling.recipient();
      const drawn = to ? (await seenBy(to)).previews : await previewsOf(surface === "web" ? { ...body, platform: "web" } : body);
      if (!drawn) return replace(previews, empty(t`Nothing to show yet`, t`The preview appears as soon as the message is valid.`));
      if (!drawn.length) return replace(previews, empty(t`Nothing to show`, t`This recipient gets nothing; the report says why.`));
      replace(previews, drawn.map((one) => h("figure", { class: "phone" }, h("figcaption", {}, platforms[one.platform]), picture(one.svg, heardAs(one)))));
    } catch (error) {
      if (error.status !== 422) throw error;
      replace(previews, empty(t`Nothing to show yet`, error.report?.some((row) => row.field === "strings") ? said(error) : t`The preview appears as soon as the message is valid.`));
    }
  });

  // What is read in each language: of the message's own versions the one that a device in it takes.
  async function texts(body) {
    const tags = choices().slice(0, 50);
    const { locales, message } = desk.holder();
    const version = (tag) => {
      for (let name = tag.toLowerCase(); name; name = name.includes("-") ? name.slice(0, name.lastIndexOf("-")) : "") {
        const found = Object.keys(locales).find((one) => one.toLowerCase() === name);
        if (found) return found;
      }
      return "";
    };
    const cells = new Map();
    for (const [name, some] of Map.groupBy(tags, version)) {
      const drawn = await previewsOf({ ...body, ...shown(), message: name ? locales[name] : message, locales: some });
      // Each platform's come together, in the order of the languages.
      drawn.forEach((one, index) => { const tag = some[index % some.length]; cells.set(tag, { ...cells.get(tag), [one.platform]: one }); });
    }
    const cell = (one) => (one ? h("span", { dir: "auto" }, words(one).join(" — ") || t`nothing`) : "–");
    return h("div", { class: "wide-cell" }, table([t`Language`, "iPhone", "Android"], tags.map((tag) => [h("span", {}, language(tag), h("span", { class: "hint" }, ` ${tag}`)), cell(cells.get(tag)?.ios), cell(cells.get(tag)?.android)]), { label: t`Texts by language` }));
  }

  // MARK: The cards

  const choices = () => [...new Set([...languages(tablesOf(desk.app)), ...desk.holders().flatMap((one) => Object.keys(one.locales)), ...(tablesOf(desk.app) ? [] : [...desk.languages, ...common])])];
  const localePicker = h("select", { onchange: (event) => { locale = event.target.value; paint(); } });
  function showLanguages(next) {
    const found = choices();
    if (next) locale = next;
    if (locale !== "*" && !found.includes(locale)) locale = found.includes("en") || !found.length ? "en" : found[0];
    replace(localePicker, (found.includes(locale) || locale === "*" ? found : [locale, ...found]).map((tag) => h("option", { value: tag, selected: tag === locale }, language(tag))), h("option", { value: "*", selected: locale === "*" }, t`All, as a table`));
  }
  const tablesButton = button("", { class: "link", onclick: () => chooseTables(desk.app, () => { nameTables(); showLanguages(); paint(); }) });
  const nameTables = () => replace(tablesButton, tablesOf(desk.app) ? t`App’s texts (${Object.keys(tablesOf(desk.app)).length})` : t`App’s texts`);
  const options = h("div", { class: "row" }, tablesButton,
    h("label", { class: "inline" }, h("span", {}, t`Show`), select([...surfaces.map(([text], index) => [String(index), text]), ["", t`Everything`], ...(desk.hasBrowsers ? [["web", t`In browsers`]] : [])], surface, { onchange: (event) => { surface = event.target.value; paint(); } })),
    h("label", { class: "inline" }, h("span", {}, t`Language`), localePicker),
    h("label", { class: "inline" }, h("span", {}, t`Look`), select([["", t`As the page`], ["light", t`Light`], ["dark", t`Dark`]], appearance, { onchange: (event) => { appearance = event.target.value; paint(); } })));
  // Those of the app; the others when somebody asks.
  function drawTabs(names) {
    segmentsOf(tabs, "wire", names.map((name) => [name, wires[name].title]), platform, (value) => { platform = value; showWire(); });
    const left = Object.keys(wires).filter((name) => !names.includes(name));
    replace(moreWires, left.length > 0 && button(t`Other devices`, { class: "link", onclick: () => { drawTabs(Object.keys(wires)); tabs.querySelector("input:checked").focus(); } }));
  }
  const moreWires = h("span", {});
  drawTabs(["apns", "fcm", ...desk.wires]);
  nameTables();
  const reportCard = card(null, h("div", { class: "row spread" }, h("h2", {}, t`Report`), state), report);
  const wireCard = card(null, h("div", { class: "row spread" }, h("h2", {}, t`Exact bytes`), h("div", { class: "row" }, tabs, moreWires)), wire);
  return {
    node: h("div", { class: "stack seen" }, card(null, h("div", { class: "row spread" }, h("h2", {}, t`On the devices`), options), previews), reportCard, wireCard),
    render, paint, showLanguages, say,
    // The report and the bytes are of the message, and looked at once more before it is sent.
    on(step) { reportCard.hidden = step !== "message"; wireCard.hidden = !["message", "review"].includes(step); },
  };
}
