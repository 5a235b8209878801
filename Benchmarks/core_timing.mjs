// Times the WebAssembly module in Node for core_ratio.py: core_timing.mjs MODULE REQUESTS. Each line on standard input is answered
// with the nanoseconds that all requests took, with the copies of input, options and answer; the first line printed is how long
// the module took to compile and to answer once.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const bytes = readFileSync(process.argv[2]);
const file = readFileSync(process.argv[3]);
const requests = [];
for (let at = 0; at < file.length;) {
  const end = file.indexOf(10, at);
  const [, input, options] = file.toString("utf8", at, end).split(" ").map(Number);
  const start = end + 1;
  requests.push([file.subarray(start, start + input), file.subarray(start + input, start + input + options)]);
  at = start + input + options;
}

const began = process.hrtime.bigint();
const { instance } = await WebAssembly.instantiate(bytes, {});
const core = instance.exports;
const length = core.postrider_alloc(4);

function put(content) {
  const address = core.postrider_alloc(content.length);
  new Uint8Array(core.memory.buffer, address, content.length).set(content);
  return address;
}

function parse(input, options) {
  const text = put(input);
  const given = put(options);
  const answer = core.postrider_parse(text, input.length, given, options.length, length);
  const count = new Uint32Array(core.memory.buffer, length, 1)[0];
  const result = new Uint8Array(core.memory.buffer, answer >>> 0, count).slice();
  core.postrider_free(answer);
  core.postrider_free(text);
  core.postrider_free(given);
  return result;
}

parse(...requests[0]);
console.log(String(process.hrtime.bigint() - began));
for await (const _ of createInterface({ input: process.stdin })) {
  const start = process.hrtime.bigint();
  for (const [input, options] of requests) parse(input, options);
  console.log(String(process.hrtime.bigint() - start));
}
