// The controls of a contract's fields.
import { button, h, replace, select } from "./core.js";
import { emojiButton } from "./emoji.js";
import { exact } from "./jsontext.js";
import { languagePicker } from "./languages.js";
import { english, t, translated } from "./words.js";

const long = new Set(["body", "content", "adb_body", "adb_body_ex", "adb_body_ex_alt", "adb_body_alt"]);

// One control per field type; `read` gives the value, undefined when the field is not set. `prose` says that people read the text,
// in the language `lang` where one is known; `languages` are those of the app.
export function control(row, value, changed, { prose = false, lang = "", languages = [] } = {}) {
  const example = typeof row.example === "string" ? row.example : row.example == null ? "" : JSON.stringify(row.example);
  const on = { oninput: changed };
  const text = value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value, null, 1);
  switch (row.type) {
    case "boolean": {
      const node = select([["", t`not set`], ["true", t`yes`], ["false", t`no`]], value === undefined ? "" : String(value), { onchange: changed });
      return { node, read: () => (node.value === "" ? undefined : node.value === "true") };
    }
    case "integer": case "number": {
      const node = h("input", { type: "text", inputmode: "decimal", autocomplete: "off", placeholder: example, value: text, ...on });
      return { node, read: () => {
        const text = node.value.trim();
        if (text === "") return undefined;
        if (!(row.type === "integer" ? /^-?\d+$/ : /^-?\d+(\.\d+)?$/).test(text)) throw new Error(row.type === "integer" ? t`expected a whole number` : t`expected a number`);
        return exact(text);
      } };
    }
    case "array of strings": {
      const node = h("textarea", { rows: 2, placeholder: (Array.isArray(row.example) ? row.example : []).join("\n"), value: Array.isArray(value) ? value.join("\n") : text, ...on });
      return { node, read: () => (node.value === "" ? undefined : node.value.split("\n")), hint: t`One per line.` };
    }
    case "texts by language": return texts(row, value, changed, languages);
    case "object": case "array": case "any": {
      const node = h("textarea", { rows: 3, class: "mono", spellcheck: "false", placeholder: example, value: text, ...on });
      return {
        node, hint: row.type === "any" ? t`JSON, or plain text.` : t`JSON.`,
        read: () => {
          if (node.value.trim() === "") return undefined;
          let value;
          try { value = exact(node.value); } catch (error) {
            if (!(error instanceof SyntaxError)) throw error;
            if (row.type === "any") return node.value;
            throw new Error(t`this is not JSON yet`);
          }
          if (row.type === "object" && (value === null || typeof value !== "object" || Array.isArray(value))) throw new Error(t`expected an object, such as {"screen": "home"}`);
          if (row.type === "array" && !Array.isArray(value)) throw new Error(t`expected an array, such as ["a", "b"]`);
          return value;
        },
      };
    }
    default: {
      const tag = long.has(row.field) ? "textarea" : "input";
      const node = h(tag, { rows: tag === "textarea" ? 3 : null, type: tag === "input" ? "text" : null, autocomplete: "off", dir: "auto", spellcheck: String(prose), lang: lang || null, placeholder: example, value: text, ...on });
      return { node, isProse: prose, read: () => (node.value === "" ? undefined : node.value) };
    }
  }
}

function texts(row, value, changed, languages) {
  const node = h("div", { class: "stack tight", role: "group", "aria-label": row.field });
  const rows = [];
  const add = (tag = "", text = "") => {
    const input = h("input", { "aria-label": t`${row.field}: text`, dir: "auto", spellcheck: "true", lang: tag || null, value: text, placeholder: row.example?.en ?? "", oninput: changed });
    const picker = languagePicker({ value: tag, first: languages, label: t`${row.field}: language`, changed: () => { input.lang = picker.raw(); changed(); } });
    const container = h("div", { class: "row pair text-of" }, picker.node, input, emojiButton(input, row.field));
    rows.push({ picker, input, container });
    node.insertBefore(container, node.lastChild);
  };
  node.append(button(t`Add a language`, { class: "link", onclick: () => add() }));
  Object.entries(value ?? { en: "" }).forEach(([tag, text]) => add(tag, text));
  return {
    node, raw: () => rows.map(({ picker, input }) => [picker.raw(), input.value]),
    restore: (list) => { rows.splice(0).forEach(({ container }) => container.remove()); list.forEach((one) => add(...one)); },
    read: () => {
      const filled = rows.filter(({ input }) => input.value).map(({ picker, input }) => {
        if (!picker.raw()) throw new Error(t`“${input.value.slice(0, 40)}” has no language`);
        return [picker.read(), input.value];
      });
      const twice = filled.find(([tag], index) => filled.findIndex(([other]) => other === tag) < index);
      if (twice) throw new Error(t`${twice[0]} is given twice`);
      return filled.length ? Object.fromEntries(filled) : undefined;
    },
  };
}

// What the controls of a form hold, by their names, and the same put back: a draft's.
export const stateOf = (controls) => Object.fromEntries(Object.entries(controls).map(([name, node]) =>
  [name, node.type === "checkbox" ? node.checked : node.multiple ? [...node.selectedOptions].map((one) => one.value) : node.value]));
export function restore(controls, state) {
  for (const [name, value] of Object.entries(state ?? {})) {
    const node = controls[name];
    if (!node) continue;
    if (node.type === "checkbox") node.checked = value === true;
    else if (node.multiple) for (const one of node.options) one.selected = value.includes(one.value);
    // A choice that there is no more, such as a deleted segment, stays what it is.
    else if (!node.options || [...node.options].some((one) => one.value === value)) node.value = value;
  }
}

// Choices side by side, one of them chosen. Drawn anew, they keep the focus that was among them, so that arrow keys keep working.
export function segmentsOf(node, name, options, chosen, change) {
  const focused = node.contains(document.activeElement);
  replace(node, options.map(([value, text, about]) =>
    h("label", about ? { title: translated(about) ?? about, ...(!translated(about) && english) } : {}, h("input", { type: "radio", name, value, checked: value === chosen, onchange: () => change(value) }), h("span", {}, text))));
  if (focused) node.querySelector("input:checked")?.focus();
}

// Whether a control has a whole number in bounds.
export const isWhole = (node, least, most) => /^\d{1,9}$/.test(node.value.trim()) && Number(node.value) >= least && Number(node.value) <= most;
