/** The version of the core's interface that this package is for. */
export const INTERFACE_VERSION: number;

/** A compiled module: `WebAssembly.Module`, where the types of the platform have it. */
export type CompiledModule = typeof globalThis extends { WebAssembly: { Module: { prototype: infer Module } } } ? Module : object;

/** What `fetch` answers with. */
export interface FetchedModule {
  readonly ok: boolean;
  readonly status: number;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** What the module is loaded from: an address, a response, bytes, or the module of `compile`. */
export type Source = string | { readonly href: string } | FetchedModule | ArrayBuffer | ArrayBufferView | CompiledModule;

/**
 * Loads the core: by default from `postrider.wasm` beside this file, which is read in Node and fetched elsewhere.
 *
 * Each call makes an instance of its own; the module of the default source is compiled once.
 */
export function load(source?: Source | PromiseLike<Source>): Promise<Postrider>;

/** Compiles the module without an instance of it: for `load` in workers, to which a module can be sent. */
export function compile(source?: Source | PromiseLike<Source>): Promise<CompiledModule>;

/** A value of JSON. */
export type JSONValue = null | boolean | number | string | JSONValue[] | JSONObject;
/** An object of JSON. */
export type JSONObject = { [name: string]: JSONValue };

/**
 * An input: JSON as text or bytes in UTF-8, or a value.
 *
 * Give text or bytes where the order of members, the text of numbers or the positions of findings matter: JavaScript keeps
 * none of them.
 */
export type Input = string | ArrayBuffer | ArrayBufferView | object;

export type Platform = "ios" | "android";
export type Contract = "amba" | "imkit" | "powerauth" | "adobe" | "onesignal" | "native";
export type Severity = "error" | "warning" | "note";
/** The time: seconds since 1970, or null for no time at all. If absent, it is read from the clock. */
export type Now = number | Date | null;

/** An option that is wrong, or an input that cannot be read. What is wrong with a payload or message is in its report. */
export class PostriderError extends Error {
  constructor(error: { kind: string; what: string; where: string; fix: string; [member: string]: unknown });
  /** `usage` for options, `unreadable` for an input, `unknown` for a reason that no provider has. */
  readonly kind: "usage" | "unreadable" | "unknown";
  /** What is wrong, in one sentence. */
  readonly what: string;
  /** The option, or the position in the input. */
  readonly where: string;
  /** What to do about it. */
  readonly fix: string;
  /** The position in a text that is not JSON: the line and the column from 1, the byte from 0, and a JSON pointer. */
  readonly line?: number;
  readonly column?: number;
  readonly byte?: number;
  readonly pointer?: string;
}

/** An instance of the core, for one thread: a worker loads its own. */
export class Postrider {
  private constructor();

  /** Reads a raw payload back into typed properties, and names its contract. */
  parse(payload: Input, options?: ParseOptions): Parsed;

  /** Writes a message in a contract: the exact requests, and a report. With an error in the report do not send them. */
  render(message: Input, options: RenderOptions): Rendering;

  /** Checks a payload or request, or with `contract` a message, against the providers' rules. */
  check(document: Input, options?: CheckOptions): Checked;

  /** Explains a reason of APNs, an error code of FCM, a status, or the whole body of a provider's answer. */
  explain(reason: Input | number): Explanation[];

  /** Shows what devices make of a raw payload, or with `contract` of a message. */
  preview(document: Input, options: PreviewOptions & { format: "text" }): { text: string };
  preview(document: Input, options?: PreviewOptions & { format?: "json" }): Previews;

  /** The payload contracts. */
  contracts(): ContractSummary[];

  /** Where each field of a contract is in the requests. */
  contractTable(contract: Contract): ContractTable;

  /** What changes for a message when its app moves from one contract to another. */
  diff(message: Input, from: Contract, to: Contract, options?: DiffOptions): ContractDiff;

  /**
   * The core's answer as text, errors included, with every number as the core writes it; a request without options has no
   * time. docs/core.md describes operations and options.
   */
  answer(operation: Operation, document: Input, options?: object | null): string;

  /** The bytes of the instance's memory, and those of it that are in use; 0 when the next call makes a new one. */
  readonly memorySize: number;
  readonly memoryUsed: number;
}

export type Operation = "parse" | "render" | "check" | "explain" | "preview" | "contracts";

export interface ParseOptions {
  /** The platform and contract of the payload; if absent, its members say what it is. */
  platform?: Platform | null;
  contract?: Contract | null;
  /** The header `apns-push-type` that came with it. */
  push_type?: string | null;
  /** The number on the app's icon before; the answer then has `behavior`. */
  badge?: number | null;
}

/** What a message is sent with. */
export interface SendOptions {
  /** The bundle id of the app. */
  topic?: string | null;
  campaign?: string | null;
  /** The contract's options that are enabled. */
  options?: readonly string[] | null;
  now?: Now;
}

export interface RenderOptions extends SendOptions {
  contract: Contract;
  platform?: Platform | null;
  /** The FCM target: one of these. */
  token?: string | null;
  fid?: string | null;
  fcm_topic?: string | null;
  condition?: string | null;
  /** A UUID for the header `apns-id`. */
  apns_id?: string | null;
  /** The language of the recipients, for contracts whose texts have several. */
  language?: string | null;
  /** Without the findings of the providers' rules. */
  no_provider_rules?: boolean | null;
}

export interface CheckOptions {
  contract?: Contract | null;
  platform?: Platform | null;
  options?: readonly string[] | null;
  push_type?: string | null;
  topic?: string | null;
  /** Rules that apply differently, such as `apns-unknown-key=off`. */
  rules?: readonly string[] | null;
  apns_auth?: "token" | "certificate" | null;
  channel_storage?: 0 | 1 | null;
  fcm_topic_bytes?: number | null;
  /** Counts bytes as they are sent: without the spaces between values. */
  as_sent?: boolean | null;
  now?: Now;
  /** The name of the document in the answer. */
  file?: string | null;
}

export interface PreviewOptions extends SendOptions {
  platform?: Platform | null;
  contract?: Contract | null;
  /** Language tags such as `de`, `pt-BR` or `zh-Hant`; `en` if absent. */
  locales?: readonly string[] | null;
  /** The app's string tables: paths in its project, and their texts. */
  strings?: { readonly [path: string]: string } | null;
  development_locale?: string | null;
  ios_first?: "key" | "text" | null;
  ios_missing_argument?: "specifier" | "empty" | "null" | null;
  /** The name of the app. */
  app?: string | null;
  /** How many seconds ago the notification arrived. */
  age?: number | null;
  collapse_id?: string | null;
  push_type?: string | null;
  format?: "json" | "text" | null;
  /** Whether each preview has a picture. */
  svg?: boolean | null;
  appearance?: "light" | "dark" | null;
  /** The surfaces that are drawn; all if absent. */
  surfaces?: readonly SurfaceText["surface"][] | null;
  /** Whether the picture has the names of its surfaces; true if absent. */
  captions?: boolean | null;
  /** What the document is; if absent, its members say it. */
  form?: "message" | "payload" | null;
}

export interface DiffOptions extends SendOptions {
  language?: string | null;
}

/** One thing there is to say about a payload or message. */
export interface Finding {
  /** The id of the rule; docs/rules.md lists them. */
  rule: string;
  severity: Severity;
  /** Where it is, as a path. */
  field: string;
  message: string;
}

/** A text that the app finds in its string tables. */
export interface LocalizedText {
  key: string;
  args?: string[];
}

/** The members that all contracts share, and one that is named after the contract and has its own properties. */
export interface Notification extends Partial<Record<Contract, JSONObject>> {
  title?: string;
  subtitle?: string;
  body?: string;
  title_loc?: LocalizedText;
  subtitle_loc?: LocalizedText;
  body_loc?: LocalizedText;
  badge?: number;
  sound?: string | JSONObject;
  image?: string;
  /** What a tap opens. */
  link?: string;
  category?: string;
  thread?: string;
  collapse?: string;
  actions?: JSONObject[];
  /** The app's own members. */
  data?: JSONObject;
  /** True when nothing is shown. */
  silent?: boolean;
}

export interface Parsed {
  /** What the payload was recognized as; absent when the options say it. */
  platform?: Platform;
  contract: Contract;
  /** What identifies the contract. */
  reason: string;
  notification: Notification;
  /** What the contract's app does with it; with the option `badge`. */
  behavior?: JSONObject;
  report: Finding[];
}

export interface Rendering {
  /** The request to APNs; absent when the message is not valid there. */
  apns?: { headers: { [name: string]: string }; payload: JSONObject };
  /**
   * The body of the request to FCM; absent when the message is not valid there. Only IMKit's legacy form has no `message`.
   */
  fcm?: { message?: JSONObject; [member: string]: JSONValue | undefined };
  report: Finding[];
}

/** A finding, and where it is in the document. */
export interface LocatedFinding extends Finding {
  file: string;
  line: number;
  column: number;
  byte: number;
  pointer: string;
  /** What to do about it. */
  fix?: string;
}

export interface Checked {
  files: number;
  errors: number;
  warnings: number;
  notes: number;
  findings: LocatedFinding[];
  unreadable: { file: string; message: string }[];
}

export interface Explanation {
  service: "apns" | "apns-broadcast" | "fcm" | "web-push";
  reason: string;
  /** Absent when it varies. */
  status?: number;
  meaning: string;
  /** What Postrider's server does. */
  action: string;
  /** What to check next. */
  next: string;
}

export interface ContractSummary {
  name: Contract;
  summary: string;
}

export interface ContractTable {
  contract: Contract;
  summary: string;
  android_style: "message.notification" | "message.android.notification" | "message.data";
  data_coercion: string;
  rules: string[];
  options: { name: string; doc: string }[];
  fields: ContractField[];
}

export interface ContractField {
  /** Absent for a value that is the same in every message. */
  field?: string;
  aliases?: string[];
  /** Absent for a field of the message. */
  source?: "context" | "computed" | "fixed";
  value?: JSONValue;
  type: string;
  required: string;
  role?: string;
  apns: ContractSlot[];
  fcm: ContractSlot[];
  rule: string;
  doc: string;
  example?: JSONValue;
  delivery?: true;
}

export interface ContractSlot {
  path: string;
  form: string;
  header?: true;
  condition?: string;
}

/** A key that differs; `before` is absent when it is new, `after` when it is gone. */
export interface KeyChange {
  path: string;
  before?: JSONValue;
  after?: JSONValue;
}

export interface ContractDiff {
  from: Contract;
  to: Contract;
  /** The message in the fields of the new contract. */
  message: JSONObject;
  apns: KeyChange[];
  fcm: KeyChange[];
  report: Finding[];
}

export interface Previews {
  /** One for each platform and language. */
  previews: Preview[];
  report: Finding[];
}

/** What a device shows in one language; docs/preview.md describes the members. */
export interface Preview {
  platform: Platform;
  contract: Contract;
  locale: string;
  direction: "ltr" | "rtl";
  /** What the device does with the push as a whole. */
  outcome: "shown" | "fallback" | "silent" | "nothing";
  /** True when nothing is shown. */
  silent: boolean;
  /** Why nothing is shown. */
  silence?: string;
  title?: ShownText;
  subtitle?: ShownText;
  body?: ShownText;
  expanded_title?: ShownText;
  expanded_body?: ShownText;
  ticker?: string;
  badge?: { set: number } | { add: number };
  sound?: string;
  critical?: true;
  image?: string;
  images?: string[];
  large_icon?: string;
  small_icon?: string;
  buttons?: ShownButton[];
  colors?: { title?: string; body?: string; background?: string; accent?: string };
  layout?: JSONObject;
  targets?: ShownButton[];
  group?: string;
  group_message?: string;
  replaces?: string;
  category?: string;
  channel?: string;
  interruption_level?: string;
  priority?: number;
  visibility?: number;
  sticky?: true;
  expires?: number;
  reminder?: { at: number } | { after: number };
  template?: string;
  asked_template?: string;
  identifier?: string;
  /** Absent when nothing is shown. */
  tap?: { effect: Effect; link?: string; click_action?: string };
  surfaces?: SurfaceText[];
  report: Finding[];
  /** The picture; with the option `svg`. */
  svg?: string;
}

export type Effect = "action" | "web" | "deep-link" | "open-app" | "dismiss" | "remind-later" | "reply" | "nothing";

/** A text and where it comes from. */
export interface ShownText {
  text: string;
  origin: "payload" | "table" | "built-in" | "fallback" | "key";
  key?: string;
  locale?: string;
}

export interface ShownButton {
  id: string;
  label: string;
  effect: Effect;
  link?: string;
  icon?: string;
}

/** The lines of one surface, and the names of what does not fit. */
export interface SurfaceText {
  surface: "banner" | "lock-screen" | "expanded" | "notification-centre" | "collapsed" | "heads-up";
  title?: string[];
  subtitle?: string[];
  body?: string[];
  cut?: ("title" | "subtitle" | "body")[];
}
