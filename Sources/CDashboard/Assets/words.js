// The language of the pages. English is written where it is used, and is the key; other languages are catalogs that are fetched
// when they are chosen, before any page is built, so that names in tables are in the language, too.

const names = { en: "English", de: "Deutsch" };
export const languageNames = Object.entries(names);

function chosen() {
  let kept = null;
  try { kept = localStorage.getItem("language"); } catch { /* private window */ }
  // Of what the browser asks for, the first that there is.
  return [kept, ...navigator.languages.map((tag) => tag.split("-")[0].toLowerCase())].find((tag) => Object.hasOwn(names, tag)) ?? "en";
}

async function read(language) {
  try {
    const answer = await fetch(`/dashboard/${language}.json`);
    return answer.ok ? await answer.json() : null;
  } catch { return null; }
}

const wanted = chosen();
const catalog = wanted === "en" ? null : await read(wanted);
// The language that is shown: English, too, where a catalog could not be fetched.
export const tongue = catalog ? wanted : "en";
document.documentElement.lang = tongue;

// Shows another language: everything is built anew, and what is being written is kept as a draft.
export function speak(language) {
  try { localStorage.setItem("language", language); } catch { /* private window: until the next choice of the browser */ }
  location.reload();
}

// A text in the language: t`Forget ${name}?` is looked up as `Forget {0}?`.
export function t(parts, ...values) {
  const key = parts.reduce((all, part, index) => `${all}{${index - 1}}${part}`);
  const text = catalog?.texts[key] ?? key;
  return values.length ? text.replace(/\{(\d)\}/g, (_, index) => values[index]) : text;
}

// A value of the API, such as a state, in words.
export const word = (value) => catalog?.values[value] ?? String(value).replaceAll("_", " ");
// The name of an operation of the API, where the language has one.
export const actName = (operation) => catalog?.acts[operation];
// What the composer calls a field of a contract.
export const fieldName = (name) => catalog?.fields[name] ?? name;
// Other words for an emoji, by which it is found; the first is its name.
export const emojiWords = (emoji, name) => catalog?.emoji[emoji] ?? name;

// A title within a sentence: German keeps its capitals.
export const within = (title) => (tongue === "en" ? title.toLowerCase() : title);
export const capital = (text) => text.charAt(0).toLocaleUpperCase(tongue) + text.slice(1);
// A, B and C.
export const listed = (list) => new Intl.ListFormat(tongue, { type: "conjunction" }).format(list);
// What stays English in every language, such as a sentence of the server that no catalog has: screen readers know.
export const english = { lang: "en", translate: "no" };

// MARK: What the server says

const placeholder = /\{\d\}/;
const translations = new Map();
let templates;

// A sentence of the server in the language, or null: it is looked up whole, in parts, and by templates such as `expected {0}, found {1}`.
export function translated(text) {
  if (!catalog || !text) return null;
  if (!translations.has(text)) {
    if (translations.size > 2000) translations.clear();
    translations.set(text, lookUp(text));
  }
  return translations.get(text);
}
// A rule by its id: what is wrong and what helps, for findings whose own sentence no catalog has.
export const ruleText = (rule) => catalog?.rules[rule] ?? null;

function lookUp(text) {
  const { said } = catalog;
  if (Object.hasOwn(said, text)) return said[text];
  if (text.length > 2000) return null;
  for (const { 0: mark, index } of text.matchAll(/[;:] |(?<=\.) /g)) {
    const first = translated(text.slice(0, index));
    const rest = first != null ? translated(text.slice(index + mark.length)) : null;
    if (rest != null) return first + mark + rest;
  }
  for (const { part, pattern, translation } of templates ??= compiled(said)) {
    const values = text.includes(part) && pattern.exec(text)?.slice(1).map(filled);
    if (values && !values.includes(null)) return translation.replace(/\{(\d)\}/g, (_, index) => values[index]);
  }
  return null;
}

// What is in a placeholder is looked up, too, unless it is a name. An English phrase that is not known is none: half a sentence in each
// language helps nobody.
const phrase = /[;:] |(?<![\w.])(an?|the|of|from|to|in|for|with|or|and|is|are|not|no|it)(?![\w.])|\p{L}+( \p{L}+){3}/u;
const filled = (text) => (text.includes(" ") ? translated(text) : null) ?? (/^["“].*["”]$/s.test(text) || !text.includes(" ") || !phrase.test(text) ? text : null);

// The templates, those with the most words of their own first.
const compiled = (said) => Object.entries(said).filter(([key]) => placeholder.test(key)).map(([key, translation]) => {
  const parts = key.split(placeholder);
  const own = parts.map((one) => one.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return { translation, length: parts.join("").length, part: parts.reduce((one, other) => (other.length > one.length ? other : one)), pattern: new RegExp(`^${own.join("(.*?)")}$`, "s") };
}).sort((one, other) => other.length - one.length);
