// Postrider's core for Node, browsers and their workers: one WebAssembly module, and what makes it convenient to call.
// README.md says how to use it; postrider.d.ts documents each function.

/** The version of the core's interface that this package is for. */
export const INTERFACE_VERSION = 1;

// The most bytes of an input that the core reads; it says so itself when there are more.
const BYTES_MAX = 16 * 1024 * 1024;
// An input of this size or less is written to memory that the instance keeps.
const BUFFER = 64 * 1024;
// The memory of an instance only grows; one that a huge input has made larger than this is replaced.
const MEMORY_MAX = 256 * 1024 * 1024;
const OPERATIONS = ["parse", "render", "check", "explain", "preview", "contracts"];

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** An option that is wrong, or an input that cannot be read. */
export class PostriderError extends Error {
  constructor(error) {
    super(`${error.what} (${error.fix})`);
    this.name = "PostriderError";
    for (const member of ["kind", "what", "where", "fix", "line", "column", "byte", "pointer"]) {
      if (error[member] !== undefined) this[member] = error[member];
    }
  }
}

let compiled;

/** Compiles the module without an instance of it; see postrider.d.ts. */
export async function compile(source) {
  const given = await source;
  if (given instanceof WebAssembly.Module) return given;
  if (isBuffer(given) || ArrayBuffer.isView(given)) return WebAssembly.compile(given);
  if (typeof Response !== "undefined" && given instanceof Response) return compileResponse(given);
  if (given !== undefined) return compileAt(new URL(given, globalThis.location?.href));
  // A fetch that failed is not remembered: the next load attempts it again.
  compiled ??= compileAt(new URL("./postrider.wasm", import.meta.url)).catch((error) => {
    compiled = undefined;
    throw error;
  });
  return compiled;
}

async function compileAt(url) {
  if (url.protocol !== "file:") return compileResponse(await fetch(url));
  const { readFile } = await platformModule("node:fs/promises");
  return WebAssembly.compile(await readFile(url));
}

async function compileResponse(response) {
  if (!response.ok) throw new Error(`${response.url || "the module"} cannot be loaded: ${response.status}`);
  // The bytes are compiled while they arrive only if they have exactly this type; not every server gives it to the file.
  const isTyped = response.headers.get("content-type") === "application/wasm";
  if (isTyped && WebAssembly.compileStreaming) return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}

// Bundlers for browsers look at import() with a literal, and do not know Node's modules.
function platformModule(name) {
  return import(/* webpackIgnore: true */ /* @vite-ignore */ name);
}

/** Loads the core; see postrider.d.ts. */
export async function load(source) {
  const module = await compile(source);
  // Node 18 has no global of this name.
  const random = globalThis.crypto ?? (await platformModule("node:crypto")).webcrypto;
  return new Postrider(module, new Instance(await WebAssembly.instantiate(module), random), random);
}

/** An instance of the module with its memory: it answers one request after the other and remembers none. */
class Instance {
  #exports;
  #view;
  #buffer;
  #answerLength;
  #options = 0;
  #optionsLength = 0;
  #optionsText = "";

  constructor({ exports }, random) {
    const found = exports.postrider_interface_version();
    if (found !== INTERFACE_VERSION) {
      throw new Error(`postrider.wasm has interface ${found}, and this package is for ${INTERFACE_VERSION}`);
    }
    this.#exports = exports;
    this.#buffer = this.#allocate(BUFFER);
    this.#answerLength = this.#allocate(4);
    random.getRandomValues(this.#bytes.subarray(this.#buffer, this.#buffer + 16));
    exports.postrider_seed(this.#buffer, 16);
  }

  get memorySize() {
    return this.#exports.memory.buffer.byteLength;
  }

  get memoryUsed() {
    return this.#exports.postrider_memory_used();
  }

  /** The whole memory; it is another buffer after it has grown. */
  get #bytes() {
    const { buffer } = this.#exports.memory;
    if (this.#view?.buffer !== buffer) this.#view = new Uint8Array(buffer);
    return this.#view;
  }

  #allocate(size) {
    const address = this.#exports.postrider_alloc(size) >>> 0;
    if (address === 0) throw new RangeError(`there is no memory for ${size} bytes`);
    return address;
  }

  /** Writes bytes to memory of their own, of too many only so many that the core sees it. */
  #write(bytes) {
    const length = Math.min(bytes.length, BYTES_MAX + 1);
    const address = this.#allocate(length);
    this.#bytes.set(length < bytes.length ? bytes.subarray(0, length) : bytes, address);
    return [address, length];
  }

  /** Writes an input, where possible to the buffer; returns its address and length. */
  #writeInput(input) {
    if (typeof input === "string") {
      if (input.length > BUFFER / 3) return this.#write(encoder.encode(input));
      const { written } = encoder.encodeInto(input, this.#bytes.subarray(this.#buffer, this.#buffer + BUFFER));
      return [this.#buffer, written];
    }
    if (input.length > BUFFER) return this.#write(input);
    this.#bytes.set(input, this.#buffer);
    return [this.#buffer, input.length];
  }

  #setOptions(text) {
    if (text === this.#optionsText) return;
    this.#exports.postrider_free(this.#options);
    [this.#options, this.#optionsLength] = text === "" ? [0, 0] : this.#write(encoder.encode(text));
    this.#optionsText = text;
  }

  /** The answer to a request. After an exception the instance is used no more, and its memory goes with it. */
  answer(operation, input, options) {
    this.#setOptions(options);
    const [address, length] = this.#writeInput(input);
    const answer =
      this.#exports["postrider_" + operation](address, length, this.#options, this.#optionsLength, this.#answerLength) >>> 0;
    const bytes = this.#bytes;
    const answerLength = new DataView(bytes.buffer).getUint32(this.#answerLength, true);
    const text = decoder.decode(bytes.subarray(answer, answer + answerLength));
    this.#exports.postrider_free(answer);
    if (address !== this.#buffer) this.#exports.postrider_free(address);
    return text;
  }
}

/** The functions of the core; see postrider.d.ts. */
export class Postrider {
  #module;
  #instance;
  #random;

  /** For `load`. */
  constructor(module, instance, random) {
    this.#module = module;
    this.#instance = instance;
    this.#random = random;
  }

  parse(payload, options) {
    return this.#result("parse", payload, options);
  }

  render(message, options) {
    return this.#result("render", message, withClock(options));
  }

  check(document, options) {
    return this.#result("check", document, withClock(options));
  }

  explain(reason) {
    return this.#result("explain", typeof reason === "number" ? String(reason) : reason);
  }

  preview(document, options) {
    return this.#result("preview", document, withClock(options));
  }

  contracts() {
    return this.#result("contracts", "");
  }

  contractTable(contract) {
    return this.#result("contracts", "", { show: contract });
  }

  diff(message, from, to, options) {
    return this.#result("contracts", message, withClock({ ...options, diff: [from, to] }));
  }

  answer(operation, document, options) {
    if (!OPERATIONS.includes(operation)) throw new TypeError(`there is no operation ${operation}`);
    const [input, text] = [inputOf(document), optionsText(options)];
    // One that an error has stopped, such as a lack of memory, is not used again.
    const instance = this.#instance ?? new Instance(new WebAssembly.Instance(this.#module), this.#random);
    this.#instance = undefined;
    const answer = instance.answer(operation, input, text);
    if (instance.memorySize <= MEMORY_MAX) this.#instance = instance;
    return answer;
  }

  get memorySize() {
    return this.#instance?.memorySize ?? 0;
  }

  get memoryUsed() {
    return this.#instance?.memoryUsed ?? 0;
  }

  #result(operation, document, options) {
    const result = JSON.parse(this.answer(operation, document, options));
    if (result.error) throw new PostriderError(result.error);
    return result;
  }
}

/** Options with the time of the clock; with `now: null` they have none. */
function withClock(options) {
  if (options !== undefined && (typeof options !== "object" || Array.isArray(options))) return options;
  const now = options?.now;
  if (now === undefined) return { ...options, now: Math.floor(Date.now() / 1000) };
  return now instanceof Date ? { ...options, now: Math.floor(now.getTime() / 1000) } : options;
}

/** Options as JSON; those that are null or undefined are not given. */
function optionsText(options) {
  if (options === undefined || options === null) return "";
  return JSON.stringify(options, function (name, value) {
    return this === options && value === null ? undefined : finite(name, value);
  });
}

/** The text or bytes of an input. */
function inputOf(document) {
  if (document instanceof Uint8Array) return document;
  if (ArrayBuffer.isView(document)) return new Uint8Array(document.buffer, document.byteOffset, document.byteLength);
  if (isBuffer(document)) return new Uint8Array(document);
  if (typeof document === "string") return isWellFormed(document) ? document : encodeUnpaired(document);
  const text = JSON.stringify(document, finite);
  if (text === undefined) throw new TypeError(`the input is a text, bytes or a value of JSON, not ${typeof document}`);
  return text;
}

/** An ArrayBuffer, also that of another realm, such as the one of a test runner. */
function isBuffer(value) {
  return Object.prototype.toString.call(value) === "[object ArrayBuffer]";
}

/** JSON has no NaN and no infinity; `JSON.stringify` would write null. */
function finite(name, value) {
  if (typeof value === "number" && !Number.isFinite(value)) {
    throw new TypeError(`${name || "the value"} is ${value}, which JSON does not have`);
  }
  return value;
}

function isWellFormed(text) {
  return text.isWellFormed ? text.isWellFormed() : !/\p{Surrogate}/u.test(text);
}

/** Half a surrogate pair as the three bytes that no UTF-8 has, so that the core names its position in the input. */
function encodeUnpaired(text) {
  const parts = text.split(/(\p{Surrogate})/u).map((part, index) => {
    if (index % 2 === 0) return encoder.encode(part);
    const unit = part.charCodeAt(0);
    return Uint8Array.of(0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f));
  });
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}
