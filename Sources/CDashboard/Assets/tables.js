// The app's own string tables, so that a preview shows the texts which exist only on the device. They stay in this browser.
import { badge, button, bytes, dialog, field, h, replace, toast } from "./core.js";
import { t } from "./words.js";

const known = new Map();
const kept = (app) => `tables:${app}`;
const bytesMax = 400_000;

export function tablesOf(app) {
  if (!known.has(app)) {
    let found = null;
    try { found = JSON.parse(localStorage.getItem(kept(app)) ?? "null"); } catch { /* a private window */ }
    known.set(app, found);
  }
  return known.get(app);
}

function keep(app, tables) {
  const left = Object.keys(tables ?? {}).length ? tables : null;
  known.set(app, left);
  try { if (left) localStorage.setItem(kept(app), JSON.stringify(left)); else localStorage.removeItem(kept(app)); } catch { /* no room, or a private window: kept until the page is closed */ }
}

// The languages that tables are in, by their folders or by what they hold.
export function languages(tables) {
  const found = new Set();
  for (const [path, text] of Object.entries(tables ?? {})) {
    const folder = path.match(/(?:^|\/)([A-Za-z-_]+)\.lproj\//)?.[1];
    if (folder && folder !== "Base") found.add(folder.replace("_", "-"));
    const values = path.match(/(?:^|\/)values(?:-([a-z]{2,3})(?:-r([A-Z]{2}))?)?\//);
    if (values) found.add(values[1] ? [values[1], values[2]].filter(Boolean).join("-") : "en");
    if (path.endsWith(".xcstrings")) {
      try { for (const one of Object.values(JSON.parse(text).strings ?? {})) for (const tag of Object.keys(one.localizations ?? {})) found.add(tag); } catch { /* the report says what is wrong with it */ }
    }
  }
  return [...found].sort();
}

const wanted = /(\.strings|\.stringsdict|\.xcstrings|(^|\/)values[^/]*\/[^/]*\.xml)$/;

async function read(file) {
  const raw = new Uint8Array(await file.arrayBuffer());
  if (new TextDecoder().decode(raw.subarray(0, 6)) === "bplist") throw new Error(t`${file.name} is a binary property list; plutil -convert xml1 makes a text of it`);
  const wide = raw[0] === 0xff && raw[1] === 0xfe ? "utf-16le" : raw[0] === 0xfe && raw[1] === 0xff ? "utf-16be" : "utf-8";
  return new TextDecoder(wide).decode(raw);
}

export function chooseTables(app, changed) {
  dialog(t`The app’s texts`, (close) => {
    const list = h("div", { class: "stack tight" });
    const problem = h("p", { class: "problem", role: "alert" });
    const path = h("input", { type: "text", class: "mono", placeholder: "de.lproj/Localizable.strings", autocomplete: "off", spellcheck: "false" });
    const text = h("textarea", { rows: 4, class: "mono", placeholder: "\"im_loc_text\" = \"%@: %@\";", spellcheck: "false" });
    const folder = h("input", { type: "file", multiple: true, webkitdirectory: true, "aria-label": t`Folder of the project`, onchange: () => take([...folder.files]) });
    const add = (more) => {
      const next = { ...(tablesOf(app) ?? {}), ...more };
      const size = bytes(JSON.stringify(next));
      if (size > bytesMax) throw new Error(t`${Math.round(size / 1000)} kB of tables; at most ${bytesMax / 1000} kB go with a preview: choose the folder with the notification texts`);
      keep(app, next);
      draw();
      changed();
    };
    async function take(files) {
      replace(problem);
      try {
        const found = files.filter((file) => wanted.test(file.webkitRelativePath || file.name));
        if (!found.length) throw new Error(t`no .strings, .stringsdict, .xcstrings or strings.xml among them`);
        add(Object.fromEntries(await Promise.all(found.map(async (file) => [file.webkitRelativePath || file.name, await read(file)]))));
        toast(found.length === 1 ? t`${found.length} table loaded.` : t`${found.length} tables loaded.`);
      } catch (error) { replace(problem, error.message); }
    }
    function draw() {
      const tables = tablesOf(app);
      replace(list, tables ? [h("p", {}, languages(tables).map((tag) => [badge(tag, "waiting"), " "])),
        h("ul", { class: "plain paths" }, Object.keys(tables).map((name) => h("li", { class: "row spread" }, h("code", {}, name), button(t`Remove`, { class: "link", "aria-label": t`Remove ${name}`, onclick: () => { const { [name]: gone, ...rest } = tables; keep(app, rest); draw(); changed(); } }))))] : h("p", { class: "hint" }, t`None yet. With them a loc-key shows the text that the app has for it, in each language, as each platform looks it up.`));
    }
    draw();
    return [list, field(t`Folder of the project`, folder, t`Xcode: .strings, .stringsdict, .xcstrings. Android: values*/strings.xml. They stay in this browser and are sent with each preview.`),
      h("details", { class: "more" }, h("summary", {}, t`Paste one`), h("div", { class: "stack" }, field(t`Path in the project`, path), field(t`Table`, text), h("div", { class: "row" }, button(t`Load it`, { onclick: () => {
        replace(problem);
        try {
          if (!wanted.test(path.value.trim())) throw new Error(t`the path says what it is, and in which language: de.lproj/Localizable.strings, values-de/strings.xml`);
          add({ [path.value.trim()]: text.value });
          path.value = text.value = "";
        } catch (error) { replace(problem, error.message); }
      } })))), problem,
      h("div", { class: "row end" }, button(t`Done`, { class: "primary", onclick: close }))];
  });
}
