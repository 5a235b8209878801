// JSON as text: exact numbers, and members byte for byte as they were written.
import { t } from "./words.js";

// JSON whose numbers are kept as they are: beyond 2^53 the browser would change their last digits.
export const exact = (text) => JSON.parse(text, (name, value) => {
  if (typeof value === "number" && (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value)))) throw new Error(name ? t`the number at ${name} is too large to be exact; write it as a text` : t`the number is too large to be exact; write it as a text`);
  return value;
});

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
