// Tests of the installed package: `node --test`, where "postrider" is in node_modules.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import test from "node:test";
import { Worker } from "node:worker_threads";
import { INTERFACE_VERSION, PostriderError, compile, load } from "postrider";

const postrider = await load();
const modulePath = createRequire(import.meta.url).resolve("postrider/postrider.wasm");
const payload = { aps: { alert: { title: "T", body: "B" }, badge: 3 }, deep_link: "/home" };

test("every operation answers", () => {
  assert.equal(INTERFACE_VERSION, 1);
  assert.equal(postrider.parse(payload, { platform: "ios" }).notification.title, "T");
  const rendering = postrider.render({ title: "T", body: "B" }, { contract: "amba", topic: "com.example.app", token: "abc" });
  assert.equal(rendering.apns.headers["apns-topic"], "com.example.app");
  assert.equal(rendering.fcm.message.token, "abc");
  assert.deepEqual(rendering.report, []);
  assert.equal(postrider.check('{"message":{"notification":{"title":"T"}}}').errors, 1);
  assert.equal(postrider.explain("BadDeviceToken")[0].status, 400);
  assert.ok(postrider.explain(410).every(({ status }) => status === 410));
  assert.equal(postrider.explain({ reason: "Unregistered", timestamp: 1 })[0].reason, "Unregistered");
  const [preview] = postrider.preview(payload, { platform: "ios", locales: ["de"] }).previews;
  assert.deepEqual([preview.locale, preview.title.text, preview.badge], ["de", "T", { set: 3 }]);
  assert.match(postrider.preview(payload, { format: "text" }).text, /T/);
  const names = postrider.contracts().map(({ name }) => name);
  assert.ok(names.includes("onesignal") && names.includes("amba"));
  for (const name of names) assert.equal(postrider.contractTable(name).contract, name);
  assert.equal(postrider.diff({ title: "T", body: "B" }, "amba", "native").message.title, "T");
});

test("an input is text, bytes or a value", () => {
  const text = JSON.stringify(payload);
  const bytes = new TextEncoder().encode(text);
  const padded = new TextEncoder().encode(`  ${text}  `);
  const expected = postrider.answer("parse", text);
  for (const input of [payload, bytes, bytes.buffer, Buffer.from(text), new DataView(bytes.buffer), new Uint8Array(padded.buffer, 2, bytes.length)]) {
    assert.equal(postrider.answer("parse", input), expected);
  }
});

test("texts of every length and script arrive whole", () => {
  for (const length of [0, 1, 21_844, 21_845, 21_846, 65_535, 65_536, 65_537, 200_000]) {
    for (const letter of ["a", "é", "字", "🙂"]) {
      const body = letter.repeat(length);
      const answer = postrider.parse({ aps: { alert: { title: "T", body } } }, { platform: "ios" });
      assert.equal(answer.notification.body ?? "", body, `${length} × ${letter}`);
    }
  }
});

test("answer() keeps the text of numbers and the order of members", () => {
  const message = '{"title":"T","body":"B","data":{"b":12345678901234567890,"2":1.0,"1":1e0}}';
  const text = postrider.answer("render", message, { contract: "amba", platform: "ios" });
  assert.ok(text.includes('"b":12345678901234567890,"2":1.0,"1":1e0'), text);
});

test("the time is the clock's, the caller's or none", () => {
  const expiration = (options) =>
    postrider.render({ contents: "T", ttl: 60 }, { contract: "onesignal", platform: "ios", ...options }).apns.headers["apns-expiration"];
  const before = Math.floor(Date.now() / 1000);
  const read = Number(expiration());
  assert.ok(read >= before + 60 && read <= before + 120, `${read}`);
  assert.equal(expiration({ now: 1_790_000_000 }), "1790000060");
  assert.equal(expiration({ now: new Date(1_790_000_000_999) }), "1790000060");
  assert.equal(expiration({ now: null }), undefined);
});

function refusal(attempt) {
  try {
    attempt();
  } catch (error) {
    assert.ok(error instanceof PostriderError && error instanceof Error, `${error}`);
    assert.equal(error.name, "PostriderError");
    for (const member of ["kind", "what", "where", "fix"]) assert.equal(typeof error[member], "string");
    assert.ok(error.message.includes(error.what) && error.message.includes(error.fix));
    return error;
  }
  assert.fail("nothing was thrown");
}

test("wrong options are named", () => {
  const unknown = refusal(() => postrider.parse(payload, { platfrom: "ios" }));
  assert.deepEqual([unknown.kind, unknown.where], ["usage", "platfrom"]);
  assert.match(unknown.what, /did you mean platform/);
  assert.equal(refusal(() => postrider.parse(payload, { platform: "windows" })).where, "platform");
  assert.equal(refusal(() => postrider.render({ title: "T" })).where, "contract");
  assert.equal(refusal(() => postrider.render({ title: "T" }, { contract: "amba", now: 1.5 })).where, "now");
  for (const options of [[], "ios", 7, true]) {
    for (const operation of ["parse", "render", "check", "preview"]) {
      assert.equal(refusal(() => postrider[operation](payload, options)).where, "options");
    }
  }
  assert.equal(refusal(() => postrider.contractTable("apple")).kind, "usage");
  assert.equal(refusal(() => postrider.explain("NoSuchReason")).kind, "unknown");
});

test("what is null or undefined is not given", () => {
  const options = { platform: null, contract: undefined, badge: null };
  assert.equal(postrider.answer("parse", payload, options), postrider.answer("parse", payload));
  assert.equal(postrider.parse(payload, null).notification.body, "B");
});

test("an input that is not JSON is refused with its position", () => {
  const error = refusal(() => postrider.parse('{"aps":\n nothing}'));
  assert.deepEqual([error.kind, error.line, error.column, error.byte, error.pointer], ["unreadable", 2, 2, 9, "/aps"]);
  for (const input of ["", " ", "{", "nul", '{"a":1}}', "\u0000", "[".repeat(10_000), Uint8Array.of(0xff), Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22)]) {
    assert.equal(refusal(() => postrider.parse(input, { platform: "ios" })).kind, "unreadable");
  }
});

test("half a surrogate pair is not replaced", () => {
  for (const [text, byte] of [['{"a":"é\ud800"}', 8], ['{"a":"\udc00"}', 6], ['"🙂\ud83d', 5]]) {
    const error = refusal(() => postrider.parse(text));
    assert.deepEqual([error.kind, error.byte], ["unreadable", byte], text);
  }
  assert.equal(postrider.parse('{"aps":{"alert":"🙂"}}').notification.body, "🙂");
});

test("what JSON does not have is a TypeError", () => {
  for (const input of [undefined, () => 1, Symbol("s"), 1n, { a: Number.NaN }, { a: [Infinity] }]) {
    assert.throws(() => postrider.parse(input), TypeError);
  }
  assert.throws(() => postrider.parse(payload, { badge: Number.NaN }), TypeError);
  assert.throws(() => postrider.answer("constructor", payload), TypeError);
  assert.equal(postrider.parse(payload).notification.title, "T");
});

test("what is too large is refused, and its memory is given back", async () => {
  const own = await load();
  own.parse(payload);
  const used = own.memoryUsed;
  for (const input of [" ".repeat((16 << 20) + 1), new Uint8Array((16 << 20) + 1), new Uint8Array(40 << 20)]) {
    const error = refusal(() => own.parse(input));
    assert.deepEqual([error.kind, error.where], ["unreadable", "input"]);
    assert.match(error.what, /16 MiB/);
  }
  assert.equal(own.memoryUsed, used);
  const size = own.memorySize;
  for (let count = 0; count < 5; count++) refusal(() => own.parse(new Uint8Array((16 << 20) + 1)));
  assert.equal(own.memorySize, size);
});

test("an instance that has grown is replaced", async () => {
  const own = await load();
  own.parse(payload);
  const size = own.memorySize;
  for (let count = 0; count < 2; count++) {
    own.parse(`{"aps":{"alert":"Hi"},"list":[${"{},".repeat(5_000_000)}{}]}`);
    assert.equal(own.memorySize, 0, "more than 256 MiB");
    assert.equal(own.parse(payload).notification.title, "T");
    assert.equal(own.memorySize, size);
  }
});

test("instances are independent", async () => {
  const [first, second] = await Promise.all([load(), load()]);
  assert.notEqual(first, second);
  const before = second.memorySize;
  first.parse({ aps: { alert: "x".repeat(5_000_000) } });
  assert.ok(first.memorySize > before);
  assert.equal(second.memorySize, before);
  assert.equal(second.answer("parse", payload), first.answer("parse", payload));
});

test("calls do not need more and more memory", async () => {
  const own = await load();
  const call = (count) => {
    own.answer("parse", count % 10 === 9 ? '{"aps":' : payload, { platform: count % 100 === 7 ? "android" : "ios" });
    if (count % 1000 === 1) own.render({ title: "T", body: "x".repeat(count % 3000) }, { contract: "amba" });
  };
  // What the first calls build, such as tables, stays.
  for (let count = 0; count < 3000; count++) call(count);
  const [size, used] = [own.memorySize, own.memoryUsed];
  const calls = Number(process.env.POSTRIDER_CALLS ?? 20_000);
  for (let count = 3000; count < 3000 + calls; count++) call(count);
  call(2999);
  assert.deepEqual([own.memorySize, own.memoryUsed], [size, used]);
});

test("the module comes from bytes, a response, an address or a compiled module", async (context) => {
  const bytes = await readFile(modulePath);
  const types = { "/right": "application/wasm", "/parameters": "Application/WASM; charset=x", "/wrong": "text/plain" };
  const server = createServer((request, response) => {
    const type = types[request.url];
    response.writeHead(type ? 200 : 404, { "content-type": type ?? "text/html" });
    response.end(type ? bytes : "not here");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  context.after(() => server.close());
  const origin = `http://127.0.0.1:${server.address().port}`;
  const sources = [
    bytes, new Uint8Array(bytes), bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), await compile(), compile(),
    new URL(`file://${modulePath}`), `${origin}/right`, `${origin}/parameters`, new URL(`${origin}/wrong`), fetch(`${origin}/right`),
  ];
  for (const source of sources) assert.equal((await load(source)).parse(payload).notification.title, "T");
  await assert.rejects(load(`${origin}/missing`), /missing cannot be loaded: 404/);
  await assert.rejects(load(new Uint8Array([1, 2, 3])), WebAssembly.CompileError);
  await assert.rejects(load("nowhere"), TypeError);
});

test("another interface is refused", async () => {
  // (module (func (export "postrider_interface_version") (result i32) i32.const 2))
  const name = [...new TextEncoder().encode("postrider_interface_version")];
  const other = Uint8Array.of(
    0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 5, 1, 0x60, 0, 1, 0x7f, 3, 2, 1, 0, 7, name.length + 4, 1, name.length, ...name, 0, 0, 10, 6, 1,
    4, 0, 0x41, 2, 0x0b);
  await assert.rejects(load(other), /has interface 2, and this package is for 1/);
});

test("a worker has its own instance of the same module", async () => {
  const source = `
    import { parentPort, workerData } from "node:worker_threads";
    import { load } from ${JSON.stringify(import.meta.resolve?.("postrider") ?? new URL("./postrider.mjs", `file://${modulePath}`).href)};
    const own = await load(workerData.module);
    parentPort.postMessage(own.answer("parse", workerData.payload));`;
  const module = await compile();
  const workers = [1, 2].map(() =>
    new Worker(new URL(`data:text/javascript,${encodeURIComponent(source)}`), { workerData: { module, payload } }));
  const answers = await Promise.all(workers.map((worker) => new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject))));
  assert.deepEqual(answers, Array(2).fill(postrider.answer("parse", payload)));
});
