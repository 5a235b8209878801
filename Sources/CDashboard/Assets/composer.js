// The composer: a contract's fields, what the phones will show, the exact bytes, the report, and the send.
import { api, apiText, ask, at, bytes, button, card, code, dialog, empty, fail, field, findings, h, has, isDark, kind, may, number, append, picture, replace, select, toast } from "./core.js";
import { gauge } from "./charts.js";

const drafts = new Map();
const main = new Set(["title", "subtitle", "body", "headings", "contents", "adb_title", "adb_body", "messageType", "sender", "content", "loc-key", "loc-args", "titleLocKey", "bodyLocKey"]);
const long = new Set(["body", "content", "adb_body", "adb_body_ex", "adb_body_ex_alt", "adb_body_alt"]);
const locales = [["en", "English"], ["de", "Deutsch"], ["fr", "Français"], ["es", "Español"], ["pt-BR", "Português (Brasil)"], ["ja", "日本語"], ["zh-Hant", "繁體中文"], ["ar", "العربية"], ["he", "עברית"], ["hi", "हिन्दी"], ["ru", "Русский"], ["tr", "Türkçe"]];

const surfaces = [["At rest", ["lock-screen", "collapsed"]], ["In use", ["banner", "heads-up"]], ["Expanded", ["expanded"]], ["Stacked", ["notification-centre", "collapsed"]]];

// The raw text of a member inside a JSON text, byte for byte as the server wrote it.
export function rawMember(text, path) {
  let place = 0;
  const blank = () => { while (" \n\r\t".includes(text[place]) && place < text.length) place++; };
  const string = () => { const from = place++; while (text[place] !== '"') place += text[place] === "\\" ? 2 : 1; place++; return text.slice(from, place); };
  const skip = () => {
    blank();
    if (text[place] === '"') return string();
    if (text[place] !== "{" && text[place] !== "[") { while (place < text.length && !",}] \n\r\t".includes(text[place])) place++; return; }
    let depth = 0;
    do {
      if (text[place] === '"') { string(); continue; }
      if ("{[".includes(text[place])) depth++;
      if ("}]".includes(text[place])) depth--;
      place++;
    } while (depth > 0 && place < text.length);
  };
  for (const name of path) {
    blank();
    if (text[place++] !== "{") return null;
    for (;;) {
      blank();
      if (text[place] !== '"') return null;
      const found = JSON.parse(string());
      blank(); place++; blank();
      if (found === name) break;
      skip(); blank();
      if (text[place++] !== ",") return null;
    }
  }
  const from = place;
  skip();
  return text.slice(from, place);
}

// Line breaks and indents for reading; what stands between them is not touched.
export function indented(text) {
  let [result, depth, place] = ["", 0, 0];
  const line = () => { result += "\n" + "  ".repeat(depth); };
  while (place < text.length) {
    const character = text[place];
    if (character === '"') {
      const from = place++;
      while (text[place] !== '"') place += text[place] === "\\" ? 2 : 1;
      result += text.slice(from, ++place);
      continue;
    }
    if ("{[".includes(character)) {
      result += character;
      if ("}]".includes(text[place + 1])) result += text[++place];
      else { depth++; line(); }
    } else if ("}]".includes(character)) { depth--; line(); result += character; }
    else if (character === ",") { result += ","; line(); }
    else if (character === ":") result += ": ";
    else result += character;
    place++;
  }
  return result;
}

// One control per field type; `read` gives the value, undefined when the field is not set.
function control(row, value, changed) {
  const example = typeof row.example === "string" ? row.example : row.example == null ? "" : JSON.stringify(row.example);
  const on = { oninput: changed };
  const text = value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value, null, 1);
  switch (row.type) {
    case "boolean": {
      const node = select([["", "not set"], ["true", "yes"], ["false", "no"]], value === undefined ? "" : String(value), { onchange: changed });
      return { node, read: () => (node.value === "" ? undefined : node.value === "true") };
    }
    case "integer": case "number": {
      const node = h("input", { type: "text", inputmode: "decimal", autocomplete: "off", placeholder: example, value: text, ...on });
      return { node, read: () => (node.value.trim() === "" ? undefined : /^-?\d+(\.\d+)?$/.test(node.value.trim()) ? Number(node.value) : node.value) };
    }
    case "array of strings": {
      const node = h("textarea", { rows: 2, placeholder: (Array.isArray(row.example) ? row.example : []).join("\n"), value: Array.isArray(value) ? value.join("\n") : text, ...on });
      return { node, read: () => (node.value === "" ? undefined : node.value.split("\n")), hint: "One per line." };
    }
    case "texts by language": return texts(row, value, changed);
    case "object": case "array": case "any": {
      const node = h("textarea", { rows: 3, class: "mono", spellcheck: "false", placeholder: example, value: text, ...on });
      return {
        node, hint: row.type === "any" ? "JSON, or plain text." : "JSON.",
        read: () => {
          if (node.value.trim() === "") return undefined;
          try { node.setCustomValidity(""); return JSON.parse(node.value); }
          catch (error) { if (row.type === "any") return node.value; node.setCustomValidity(error.message); throw new Error(`${row.field}: this is not JSON yet`); }
        },
      };
    }
    default: {
      const tag = long.has(row.field) ? "textarea" : "input";
      const node = h(tag, { rows: tag === "textarea" ? 3 : null, type: tag === "input" ? "text" : null, autocomplete: "off", dir: "auto", placeholder: example, value: text, ...on });
      return { node, read: () => (node.value === "" ? undefined : node.value) };
    }
  }
}

function texts(row, value, changed) {
  const node = h("div", { class: "stack tight", role: "group", "aria-label": row.field });
  const rows = [];
  const add = (language = "", text = "") => {
    const inputs = [h("input", { class: "short", "aria-label": `${row.field}: language`, value: language, placeholder: "en", oninput: changed }),
      h("input", { "aria-label": `${row.field}: text`, dir: "auto", value: text, placeholder: row.example?.en ?? "", oninput: changed })];
    rows.push(inputs);
    node.insertBefore(h("div", { class: "row pair" }, inputs), node.lastChild);
  };
  node.append(button("Add a language", { class: "link", onclick: () => add() }));
  Object.entries(value ?? { en: "" }).forEach(([language, text]) => add(language, text));
  return {
    node, read: () => {
      const filled = rows.filter(([language, text]) => language.value && text.value);
      return filled.length ? Object.fromEntries(filled.map(([language, text]) => [language.value, text.value])) : undefined;
    },
  };
}

// Answers at once, and again when more was typed meanwhile: one request of a kind at a time, the last state wins.
function latest(work) {
  let [running, again] = [false, false];
  return async function run() {
    if (running) { again = true; return; }
    running = true;
    do { again = false; try { await work(); } catch (error) { fail(error); } } while (again);
    running = false;
  };
}

export async function compose(place, { app, contract: wanted, go, onleave }) {
  const [{ contracts }, shownApp, audienceNow] = await Promise.all([
    api("GET", "/v1/contracts"), api("GET", at(app)), api("POST", at(app, "/audience"), { to: { all: true } })]);
  let name = wanted ?? shownApp.contract ?? contracts[0].name;
  let table = await api("GET", `/v1/contracts/${name}`);
  const topic = (await api("GET", at(app, "/credentials"))).apns?.topic;

  const form = h("div", { class: "stack" });
  const previews = h("div", { class: "phones" });
  const wire = h("div", { class: "stack" });
  const report = h("div", { class: "stack", "aria-live": "polite" });
  const state = h("span", { class: "badge", role: "status" }, "");
  let fields = [];
  let message = {};
  let locale = "en";
  let appearance = "";
  let surface = "0";
  let platform = "apns";
  let rendered = "";

  const picker = h("div", { class: "segments thirds", role: "radiogroup", "aria-label": "Contract" }, contracts.map((contract) => {
    const input = h("input", { type: "radio", name: "contract", value: contract.name, checked: contract.name === name, onchange: () => pick(contract.name) });
    return h("label", { title: contract.summary }, input, h("span", {}, contract.name));
  }));
  const about = h("p", { class: "hint" }, table.summary);

  function build() {
    const rows = table.fields.filter((row) => row.field && !row.source);
    const saved = drafts.get(name) ?? {};
    fields = rows.map((row) => ({ row, ...control(row, saved[row.field], changed) }));
    const isMain = ({ row }) => main.has(row.field) || row.required === "yes" || row.field in saved;
    const show = ({ row, node, hint }) => {
      const label = [row.field, row.required === "yes" && h("span", { class: "must", title: "required" }, " *")];
      const where = [row.apns?.length ? null : "Android only.", row.fcm?.length ? null : "iOS only."].filter(Boolean).join(" ");
      const text = [row.doc, hint, row.apns?.length || row.fcm?.length ? where : ""].filter(Boolean).join(" ");
      return node.getAttribute("role") === "group" ? h("div", { class: "field" }, h("span", { class: "label" }, label), node, h("p", { class: "hint" }, text)) : field(label, node, text);
    };
    const [first, rest] = [fields.filter(isMain), fields.filter((one) => !isMain(one))];
    replace(form, first.map(show), rest.length > 0 && h("details", { class: "more" }, h("summary", {}, `More fields (${rest.length})`), h("div", { class: "stack" }, rest.map(show))));
    changed();
  }

  async function pick(next) {
    name = next;
    table = await api("GET", `/v1/contracts/${next}`);
    replace(about, table.summary);
    build();
  }

  const render = latest(async () => {
    const body = { contract: name, message, ...(topic && { topic }), ...(campaign.value && { campaign: campaign.value }) };
    let rows = [];
    try {
      rendered = await apiText("POST", "/v1/render", body);
      rows = JSON.parse(rendered).report ?? [];
    } catch (error) {
      if (!error.report?.length) throw error;
      rows = error.report;
      rendered = "";
    }
    const errors = rows.filter((row) => row.severity === "error").length;
    state.className = `badge ${errors ? "error" : "accepted"}`;
    replace(state, errors ? `${errors} ${errors === 1 ? "error" : "errors"}` : "legal");
    replace(report, rows.length ? findings(rows) : h("p", { class: "hint" }, "Nothing is dropped, changed or doubtful: both providers take this as it is."));
    send.disabled = errors > 0;
    showWire();
  });

  const paint = latest(async () => {
    if (!has("/v1/preview")) return;
    try {
      const answer = await api("POST", "/v1/preview", { contract: name, message, locales: [locale], svg: true, appearance: appearance || (isDark() ? "dark" : "light"), captions: surface === "", ...(surface && { surfaces: surfaces[surface][1] }), app_name: (shownApp.title || app).slice(0, 60), ...(topic && { topic }), ...(campaign.value && { campaign: campaign.value }) });
      replace(previews, answer.previews.map((one) => h("figure", { class: "phone" }, h("figcaption", {}, one.platform === "ios" ? "iPhone" : "Android"), picture(one.svg, said(one)))));
    } catch (error) {
      if (error.status !== 422) throw error;
      replace(previews, empty("Nothing to show yet", "The preview appears as soon as the message is legal."));
    }
  });

  const said = (one) => `${one.platform === "ios" ? "iPhone" : "Android phone"} showing: ${[one.title, one.body].map((part) => part?.text ?? part).filter((part) => typeof part === "string").join(", ") || "the notification"}`;

  function showWire() {
    if (!rendered) return replace(wire, empty("No bytes", "A message with errors is never written."));
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

  function changed() {
    const next = {};
    try {
      for (const one of fields) { const value = one.read(); if (value !== undefined) next[one.row.field] = value; }
    } catch (error) {
      state.className = "badge warning";
      replace(state, error.message);
      return;
    }
    message = next;
    drafts.set(name, next);
    render();
    paint();
  }

  // MARK: Audience and send

  const campaign = h("input", { type: "text", maxlength: 64, autocomplete: "off", placeholder: "spring-sale", oninput: () => changed() });
  const throttle = h("input", { type: "text", inputmode: "numeric", placeholder: "no limit" });
  const users = h("textarea", { rows: 2, placeholder: "alice\nbob", oninput: () => count() });
  const device = h("input", { type: "text", placeholder: "device id", autocomplete: "off" });
  const who = select([["all", "Every active device"], ["users", "Certain users"], ["devices", "One device"]], "all", { onchange: () => count() });
  const usersField = field("Users", users, "One per line.");
  const deviceField = field("Device id", device, "As the devices page lists it.");
  const reach = h("p", { class: "reach", "aria-live": "polite" });
  const send = button("Send", { class: "primary", onclick: () => confirm() }, "pushes");
  const list = (node) => node.value.split("\n").map((line) => line.trim()).filter(Boolean);
  const to = () => (who.value === "all" ? { all: true } : who.value === "users" ? { users: list(users) } : { devices: [device.value.trim()] });
  let total = audienceNow.total;

  const count = latest(async () => {
    usersField.hidden = who.value !== "users";
    deviceField.hidden = who.value !== "devices";
    if (who.value === "devices") { total = 1; return replace(reach, h("strong", {}, "1"), " device"); }
    if (who.value === "users" && !list(users).length) { total = 0; return replace(reach, h("strong", {}, "0"), " devices"); }
    const found = await api("POST", at(app, "/audience"), { to: to() });
    total = found.total;
    replace(reach, h("strong", {}, number(total)), ` device${total === 1 ? "" : "s"}`, h("span", { class: "hint" },
      Object.entries(found.devices).filter(([, some]) => some > 0).map(([one, some]) => `${number(some)} ${kind(one)}`).join(" · ")));
  });

  const body = (audience) => ({
    contract: name, message, to: audience, ...(campaign.value && { campaign: campaign.value }),
    ...(throttle.value && { throttle_per_minute: Number(throttle.value) }),
  });
  async function dispatch(audience) {
    const made = await api("POST", at(app, "/pushes"), body(audience));
    toast(`Push ${made.id} is kept and on its way.`);
    go(`pushes/${made.id}`);
  }
  function confirm() {
    if (who.value === "devices") return dispatch(to()).catch(fail);
    ask("Send this now?", `It goes to ${number(total)} device${total === 1 ? "" : "s"} of ${app}. It can be paused and cancelled, but not called back from a device.`, `Send to ${number(total)}`, () => dispatch(to()));
  }

  // A test goes to a device that somebody chose, never to whoever comes first.
  async function test() {
    const { devices } = await api("GET", at(app, "/devices?state=active&limit=50"));
    dialog("Send a test", (close) => {
      const known = select([["", "choose"], ...devices.map((one) => [one.id, `${one.user ?? "device"} ${one.id}, ${kind(one.type)}`])], "");
      const other = h("input", { type: "text", inputmode: "numeric", autocomplete: "off" });
      const problem = h("p", { class: "problem", role: "alert" });
      return [field("Device", known), field("Or a device id", other), problem, h("div", { class: "row end" }, button("Back", { class: "quiet", onclick: close }),
        button("Send the test", { class: "primary", onclick: async () => {
          const id = other.value.trim() || known.value;
          if (!id) return replace(problem, "Choose a device, or enter an id.");
          try {
            const answer = await api("POST", at(app, "/pushes"), { contract: name, message, to: { devices: [id] } });
            close();
            toast(`Test push ${answer.id} is on its way to device ${id}.`);
          } catch (error) { replace(problem, error.message); }
        } }))];
    });
  }

  const tabs = h("div", { class: "segments small", role: "radiogroup", "aria-label": "Provider" }, [["apns", "APNs"], ["fcm", "FCM"]].map(([value, text]) =>
    h("label", {}, h("input", { type: "radio", name: "wire", value, checked: value === platform, onchange: () => { platform = value; showWire(); } }), h("span", {}, text))));
  const options = h("div", { class: "row" },
    h("label", { class: "inline" }, h("span", {}, "Show"), select([...surfaces.map(([text], index) => [String(index), text]), ["", "Everything"]], surface, { onchange: (event) => { surface = event.target.value; paint(); } })),
    h("label", { class: "inline" }, h("span", {}, "Language"), select(locales, locale, { onchange: (event) => { locale = event.target.value; paint(); } })),
    h("label", { class: "inline" }, h("span", {}, "Look"), select([["", "As the page"], ["light", "Light"], ["dark", "Dark"]], appearance, { onchange: (event) => { appearance = event.target.value; paint(); } })));

  append(place, [h("div", { class: "composer" },
    h("div", { class: "stack" }, card("Message", picker, about, form),
      may("send") && card("Audience", field("To", who), usersField, deviceField, reach,
        h("div", { class: "two" }, field("Campaign", campaign, "A later push of the same campaign replaces this one."), field("At most, per minute", throttle)),
        h("div", { class: "row end" }, button("Send a test", { class: "quiet", onclick: () => test().catch(fail) }), send))),
    h("div", { class: "stack" },
      has("/v1/preview") && card(null, h("div", { class: "row spread" }, h("h2", {}, "On the devices"), options), previews),
      card(null, h("div", { class: "row spread" }, h("h2", {}, "Report"), state), report),
      card(null, h("div", { class: "row spread" }, h("h2", {}, "Exact bytes"), tabs), wire)))]);
  place.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !send.disabled) { event.preventDefault(); confirm(); }
  });
  addEventListener("theme", paint);
  onleave(() => removeEventListener("theme", paint));
  build();
  count();
}
