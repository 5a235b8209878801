// Languages by their names: what a person chooses; messages and devices have the tags.
import { h, isLanguage, languageAdvice, replace } from "./core.js";
import { t, tongue } from "./words.js";

// The languages of ISO 639-1 that have a locale on phones, and the regions and scripts in which texts differ.
const tags = ("af am ar az be bg bn bs ca cs cy da de de-AT de-CH el en en-AU en-CA en-GB en-IN en-US es es-419 es-AR es-ES es-MX es-US et eu fa fi fil fr fr-BE fr-CA "
  + "fr-CH ga gl gu ha he hi hr hu hy id ig is it it-CH ja ka kk km kn ko ky lb lo lt lv mi mk ml mn mr ms mt my nb ne nl nl-BE nn or pa pl ps pt pt-BR pt-PT ro ru rw "
  + "sd si sk sl so sq sr sr-Latn sv sw ta te tg th tk tr tt uk ur uz vi wo xh yo zh-Hans zh-Hant zh-HK zh-TW zu").split(" ");
const named = new Intl.DisplayNames(tongue, { type: "language" });
const plain = (tag) => tag.replaceAll("_", "-");

// A language's name; the tag itself where it has none.
export const language = (tag) => { try { return named.of(plain(tag)) ?? tag; } catch { return tag; } };
export const sameLanguage = (one, other) => plain(one).toLowerCase() === plain(other).toLowerCase();

// A choice of one language by name: those of the app first, and at the end a field for any other tag.
export function languagePicker({ value = "", first = [], label, changed }) {
  const other = h("input", { type: "text", class: "short", "aria-label": t`${label}: tag`, placeholder: "gsw", autocomplete: "off", spellcheck: "false", hidden: true, oninput: () => changed?.() });
  const choice = h("select", { "aria-label": label, onchange: () => { other.hidden = choice.value !== "other"; if (!other.hidden) other.focus(); changed?.(); } });
  const node = h("div", { class: "row pair" }, choice, other);
  const option = (tag) => h("option", { value: tag }, language(tag));
  const byName = (list) => [...list].sort((one, two) => language(one).localeCompare(language(two), tongue));
  function set(next) {
    const own = [...new Set(first)].filter(isLanguage);
    const rest = byName(tags.filter((tag) => !own.some((one) => sameLanguage(one, tag))));
    replace(choice, h("option", { value: "" }, t`Choose a language`), own.length > 0 && h("optgroup", { label: t`Of this app` }, own.map(option)),
      h("optgroup", { label: t`All languages` }, rest.map(option)), h("option", { value: "other" }, t`Another, by its tag …`));
    const known = [...own, ...rest].find((tag) => sameLanguage(tag, next));
    choice.value = known ?? (next ? "other" : "");
    other.hidden = choice.value !== "other";
    other.value = other.hidden ? "" : next;
  }
  set(value);
  const raw = () => (choice.value === "other" ? other.value.trim() : choice.value);
  const read = () => {
    const tag = raw();
    if (!isLanguage(tag)) throw new Error(tag ? `“${tag}”: ${languageAdvice}` : t`choose a language`);
    return tag;
  };
  return { node, raw, read, set };
}

// The languages of an app, most devices first: of the devices that were registered last.
export function deviceLanguages(devices) {
  const counts = new Map();
  for (const { locale } of devices) if (locale && isLanguage(locale)) counts.set(plain(locale), (counts.get(plain(locale)) ?? 0) + 1);
  return [...counts].sort((one, two) => two[1] - one[1]).map(([tag]) => tag).slice(0, 12);
}
