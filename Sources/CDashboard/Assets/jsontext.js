// JSON as text: exact numbers, and members byte for byte as they were written.
import { t } from "./words.js";

// JSON whose numbers are kept as they are: beyond 2^53 the browser would change their last digits.
export const exact = (text) => JSON.parse(text, (name, value) => {
  if (typeof value === "number" && (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value)))) throw new Error(name ? t`the number at ${name} is too large to be exact; write it as a text` : t`the number is too large to be exact; write it as a text`);
  return value;
});

// The raw text of a member inside a JSON text, byte for byte as the server wrote it.
export function rawMember(text, path) {
  let offset = 0;
  const blank = () => { while (" \n\r\t".includes(text[offset]) && offset < text.length) offset++; };
  const string = () => { const from = offset++; while (text[offset] !== '"') offset += text[offset] === "\\" ? 2 : 1; offset++; return text.slice(from, offset); };
  const skip = () => {
    blank();
    if (text[offset] === '"') return string();
    if (text[offset] !== "{" && text[offset] !== "[") { while (offset < text.length && !",}] \n\r\t".includes(text[offset])) offset++; return; }
    let depth = 0;
    do {
      if (text[offset] === '"') { string(); continue; }
      if ("{[".includes(text[offset])) depth++;
      if ("}]".includes(text[offset])) depth--;
      offset++;
    } while (depth > 0 && offset < text.length);
  };
  for (const name of path) {
    blank();
    if (text[offset++] !== "{") return null;
    for (;;) {
      blank();
      if (text[offset] !== '"') return null;
      const found = JSON.parse(string());
      blank(); offset++; blank();
      if (found === name) break;
      skip(); blank();
      if (text[offset++] !== ",") return null;
    }
  }
  const from = offset;
  skip();
  return text.slice(from, offset);
}

// Line breaks and indents for reading; what is between them is not touched.
export function indented(text) {
  let [result, depth, offset] = ["", 0, 0];
  const line = () => { result += "\n" + "  ".repeat(depth); };
  while (offset < text.length) {
    const character = text[offset];
    if (character === '"') {
      const from = offset++;
      while (text[offset] !== '"') offset += text[offset] === "\\" ? 2 : 1;
      result += text.slice(from, ++offset);
      continue;
    }
    if ("{[".includes(character)) {
      result += character;
      if ("}]".includes(text[offset + 1])) result += text[++offset];
      else { depth++; line(); }
    } else if ("}]".includes(character)) { depth--; line(); result += character; }
    else if (character === ",") { result += ","; line(); }
    else if (character === ":") result += ": ";
    else result += character;
    offset++;
  }
  return result;
}
