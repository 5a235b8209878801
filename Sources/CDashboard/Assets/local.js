// What the composer asks at each change: of the contract core in this page, where the server has it as a module, or of the server.
import { api, apiText, Problem } from "./core.js";
import { load } from "./postrider.mjs";

let core = null;
let loading;

// Begins to load the module. Until it is there, and where there is none, the server answers; both say the same.
export function prepare() {
  loading ??= begin().catch(() => { core = null; }).then(() => { document.documentElement.dataset.core = core ? "module" : "server"; });
}

async function begin() {
  const answer = await fetch("/dashboard/postrider.wasm");
  if (answer.status !== 200) return;
  const probe = { contract: "native", message: { title: "T", body: "B" }, topic: "com.example.app" };
  const drawn = { ...probe, locales: ["en"], svg: true, appearance: "dark", captions: false };
  const expected = JSON.stringify(await Promise.all([rendering(probe), previewsOf(drawn)]));
  core = await load(answer);
  // A module that answers otherwise than the server, such as one of another version, is not used.
  if (JSON.stringify(await Promise.all([rendering(probe), previewsOf(drawn)])) !== expected) core = null;
}

// The module has no Liquid and no browsers: messages with placeholders, and what browsers show, are the server's.
const isOurs = ({ message, platform }) => core && platform !== "web" && !/\{[{%]/.test(JSON.stringify(message));

function ask(operation, message, options) {
  const text = core.answer(operation, JSON.stringify(message), { ...options, now: Math.floor(Date.now() / 1000) });
  const answer = JSON.parse(text);
  if (answer.error) throw new Problem(422, { detail: answer.error.what, report: [{ field: answer.error.where }] });
  return [answer, text];
}

// The exact requests as text, empty when there is an error, and the report.
export async function rendering(body) {
  if (isOurs(body)) {
    const { message, ...options } = body;
    const [{ report }, text] = ask("render", message, options);
    return { text: report.some((row) => row.severity === "error") ? "" : text, report };
  }
  try {
    const text = await apiText("POST", "/v1/render", body);
    return { text, report: JSON.parse(text).report ?? [] };
  } catch (error) {
    if (!error.report?.length) throw error;
    return { text: "", report: error.report };
  }
}

// What devices show; nothing for a recipient who gets nothing.
export async function previewsOf(body) {
  if (!isOurs(body)) return (await api("POST", "/v1/preview", body)).previews;
  const { message, app_name: app, ...options } = body;
  const [{ previews, report }] = ask("preview", message, { ...options, app, form: "message" });
  if (!previews.length) throw new Problem(422, { report });
  return previews;
}
