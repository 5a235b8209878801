// The time of `parse` through the JavaScript package, as a multiple of the C library's:  node core_ratio.mjs [PAYLOADS]
//
// Both are in this process and take turns, payload by payload, so that other work on the machine slows down both. The payloads
// are those of Vectors; the input of both is bytes, and the answer of both a string of JavaScript. `parse` in the last line is
// the package's own function, whose input is text and whose answer is an object; the library's answer is then read by
// `JSON.parse`, too. Needs what script/core has built, a C compiler, and Node's headers (NODE_INCLUDE, /usr/include/node).
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { load } from "../Packages/core/javascript/postrider.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const others = new Set(["api", "browser", "devicetext", "fcm-tokens", "fcm-v1", "rules", "wirejson"]);
const machine = { x64: "x86_64", arm64: "aarch64" }[process.arch];

function nativeParse() {
  const folder = mkdtempSync(join(tmpdir(), "core-"));
  const library = join(root, `dist/${machine}-linux/libpostrider.a`);
  const flags = ["-O2", "-shared", "-fPIC", "-I", process.env.NODE_INCLUDE ?? "/usr/include/node", "-I", join(root, "dist/include")];
  execFileSync("cc", [...flags, "-o", join(folder, "native.node"), join(root, "Benchmarks/core_native.c"), library]);
  const { parse } = createRequire(import.meta.url)(join(folder, "native.node"));
  rmSync(folder, { recursive: true });
  return parse;
}

function* payloads() {
  for (const folder of readdirSync(join(root, "Vectors"), { withFileTypes: true })) {
    if (!folder.isDirectory() || others.has(folder.name)) continue;
    for (const name of readdirSync(join(root, "Vectors", folder.name))) {
      if (!name.endsWith(".json")) continue;
      const { raw, platform } = JSON.parse(readFileSync(join(root, "Vectors", folder.name, name), "utf8"));
      if (raw !== undefined) yield { text: JSON.stringify(raw), bytes: Buffer.from(JSON.stringify(raw)), platform };
    }
  }
}

const median = (times) => Float64Array.from(times).sort()[times.length >> 1] / 1000;
const sum = (times) => times.reduce((total, time) => total + time, 0);

/** Times both, in turns, and prints how they compare. */
function compare(name, count, cases, native, module) {
  const times = [new Float64Array(count), new Float64Array(count)];
  for (let index = 0; index < count; index++) {
    const payload = cases[index % cases.length];
    const start = process.hrtime.bigint();
    native(payload);
    const middle = process.hrtime.bigint();
    module(payload);
    times[0][index] = Number(middle - start);
    times[1][index] = Number(process.hrtime.bigint() - middle);
  }
  const sums = times.map(sum);
  const medians = times.map(median);
  console.log(
    `${name}, ${count} payloads: module / native = ${(sums[1] / sums[0]).toFixed(2)} of the sums, ` +
      `${(medians[1] / medians[0]).toFixed(2)} of the medians (here ${medians[0].toFixed(1)} and ${medians[1].toFixed(1)} us)`);
}

const count = Number(process.argv[2] ?? 10_000);
const parse = nativeParse();
const postrider = await load(readFileSync(join(root, "dist/postrider.wasm")));
const cases = [...payloads()].map((payload) => ({
  ...payload, options: { platform: payload.platform }, given: Buffer.from(JSON.stringify({ platform: payload.platform })),
}));
for (const { bytes, options, given } of cases) {
  if (parse(bytes, given) !== postrider.answer("parse", bytes, options)) throw new Error(`different answers to ${bytes}`);
}
const start = performance.now();
await load(readFileSync(join(root, "dist/postrider.wasm")));
console.log(`load: ${(performance.now() - start).toFixed(0)} ms in Node`);
const native = ({ bytes, given }) => parse(bytes, given);
compare("bytes to text", count, cases, native, ({ bytes, options }) => postrider.answer("parse", bytes, options));
compare("parse", count, cases, (payload) => JSON.parse(native(payload)), ({ text, options }) => postrider.parse(text, options));
