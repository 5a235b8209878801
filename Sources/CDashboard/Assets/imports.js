// Imports of devices: a file goes as it is, its progress is shown while the server reads it, and the result of its lines.
import { api, at, badge, button, card, fail, field, form, h, has, number, pairs, percent, replace, session, spoken, table, time } from "./core.js";
import { t } from "./words.js";

const listOf = async (app) => (has("/v1/apps/{app}/devices/imports") ? (await api("GET", at(app, "/devices/imports"))).imports : []);
const counts = (one) => [[t`Lines`, number(one.lines)], [t`New`, number(one.created)], [t`Known`, number(one.updated)], [t`Older than known`, number(one.older)], [t`Failed`, number(one.failed)]];

// How far one import is; `size` is the file's, where it is known here.
function progress(one, size) {
  const said = t`${number(one.lines)} lines read, ${number(one.created)} new, ${number(one.failed)} failed`;
  return h("div", { class: "stack tight" }, h("progress", { max: size ?? 1, value: size ? Math.min(one.bytes, size) : null, "aria-label": t`Import` }), h("p", { class: "hint" }, size ? `${percent(Math.min(one.bytes, size), size)}: ` : "", said));
}

export function importFile(app, reload) {
  const file = h("input", { type: "file", accept: ".csv,.ndjson,.jsonl", required: true });
  const container = h("div", { role: "status" });
  form(t`Import devices`, t`Import`, [field(t`File`, file, t`CSV with a header, or NDJSON with one registration per line; docs/api.md lists the fields.`), container], async (close, show) => {
    const chosen = file.files[0];
    const before = Math.max(0, ...(await listOf(app)).map((one) => one.id));
    let isRunning = true;
    // One question at a time, for as long as the file is on its way; the dialog may be closed meanwhile.
    const follow = async () => {
      while (isRunning && container.isConnected) {
        const mine = (await listOf(app)).filter((one) => one.id > before).at(-1);
        if (mine?.running && isRunning) replace(container, progress(mine, chosen.size));
        await new Promise((next) => setTimeout(next, 500));
      }
    };
    follow().catch(fail);
    try {
      const answer = await fetch(at(app, "/devices/import"), { method: "PUT", credentials: "same-origin", body: chosen,
        headers: { "Content-Type": chosen.name.endsWith(".csv") ? "text/csv" : "application/x-ndjson", "X-CSRF-Token": session.token } });
      const result = await answer.json();
      if (!answer.ok) throw new Error(result.detail ?? t`the server answered ${answer.status}`);
      show(pairs(counts(result)),
        result.errors.length > 0 && table([`#${t`Line`}`, t`Field`, t`What is wrong`], result.errors.slice(0, 20).map((one) => [one.line, h("code", {}, one.field || "–"), one.message]), { label: t`Lines that failed` }),
        result.warnings.length > 0 && table([`#${t`Line`}`, t`Field`, t`Ignored fields`], result.warnings.slice(0, 20).map((one) => [one.line, h("code", {}, one.field || "–"), one.message]), { label: t`Ignored fields by name` }),
        h("div", { class: "row end" }, button(t`Done`, { class: "primary", onclick: () => { close(); reload(); } })));
    } finally {
      isRunning = false;
      replace(container);
    }
  });
}

// The newest imports of an app, whoever began them and whichever server reads them; empty where there was none.
export function imports(app, onleave) {
  const container = h("div", { class: "stack" });
  let [timer, isOver] = [null, false];
  async function read() {
    const all = await listOf(app);
    replace(container, all.length > 0 && card(t`Imports`, all.slice(0, 5).map((one) => h("div", { class: "stack tight" },
      h("p", { class: "row" }, badge(one.running ? t`running` : t`finished`, one.running ? "waiting" : "accepted"), t`started `, time(one.started_at)),
      one.running ? progress(one) : h("p", { class: "hint" }, counts(one).map(([name, value]) => `${name}: ${value}`).join(" · ")),
      one.problem && h("p", { class: "problem" }, spoken(one.problem))))));
    // Looked at often only while something moves.
    if (!isOver) timer = setTimeout(() => read().catch(fail), all.some((one) => one.running) ? 1000 : 15_000);
  }
  onleave(() => { isOver = true; clearTimeout(timer); });
  read().catch(fail);
  return container;
}
