// What is being written and not sent yet, kept in this browser: one draft for each app, and one for each push that is edited.
// A draft holds what was typed, never a key or a session; it is of the one who signed in, and others who sign in here do not see it.
import { session } from "./core.js";
import { t } from "./words.js";

const version = 1;
const bytesMax = 300_000;
const daysMax = 30;
// Where the browser stores nothing, such as in a private window: kept until the page is closed.
const memory = new Map();

const mine = () => `draft:${session.person ? `person-${session.person}` : session.name}:`;
const key = (app, of) => `${mine()}${app}:${of}`;

function stored(name) {
  if (memory.has(name)) return memory.get(name);
  try { return localStorage.getItem(name); } catch { return null; }
}

// The draft, or nothing where there is none that this version can read.
export function readDraft(app, of) {
  try {
    const found = JSON.parse(stored(key(app, of)) ?? "null");
    return found?.version === version && Date.now() - found.saved_at < daysMax * 86_400_000 ? found : null;
  } catch { return null; }
}

// Why it could not be kept beyond this page, or nothing.
export function keepDraft(app, of, draft) {
  const name = key(app, of);
  const text = JSON.stringify({ version, saved_at: Date.now(), ...draft });
  memory.delete(name);
  try {
    if (text.length > bytesMax) throw new Error("too large");
    localStorage.setItem(name, text);
    return "";
  } catch {
    memory.set(name, text);
    try { localStorage.removeItem(name); } catch { /* there is no storage */ }
    return text.length > bytesMax ? t`This draft is too large to survive a reload.` : t`This browser stores nothing: the draft is lost with a reload.`;
  }
}

export function dropDraft(app, of) {
  memory.delete(key(app, of));
  try { localStorage.removeItem(key(app, of)); } catch { /* there is no storage */ }
}

// The names of the apps that the one who is signed in has drafts of.
export function draftedApps() {
  let names = [...memory.keys()];
  try { names = names.concat(Object.keys(localStorage)); } catch { /* there is no storage */ }
  return [...new Set(names.filter((name) => name.startsWith(mine())).map((name) => name.slice(mine().length).split(":")[0]))];
}

export function eraseDrafts() {
  for (const name of [...memory.keys()]) if (name.startsWith(mine())) memory.delete(name);
  try { for (const name of Object.keys(localStorage)) if (name.startsWith(mine())) localStorage.removeItem(name); } catch { /* there is no storage */ }
}
