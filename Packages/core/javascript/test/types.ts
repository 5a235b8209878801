// Compiled, never run: what the types allow and what they refuse.
import { INTERFACE_VERSION, PostriderError, compile, load } from "postrider";
import type { Checked, Notification, Parsed, Postrider, Rendering } from "postrider";

const version: number = INTERFACE_VERSION;
const postrider: Postrider = await load();
await load(await compile());
await load(new Uint8Array(8));
await load("https://example.com/postrider.wasm");

const parsed: Parsed = postrider.parse("{}", { platform: "ios", badge: version });
const notification: Notification = parsed.notification;
const title: string | undefined = notification.title;
const key: string | undefined = notification.title_loc?.key;
const own = notification.onesignal?.["launchURL"];

const rendering: Rendering = postrider.render({ title }, { contract: "amba", now: null, options: ["a"] });
const topic: string | undefined = rendering.apns?.headers["apns-topic"];
const checked: Checked = postrider.check(new Uint8Array(2), { rules: ["apns-unknown-key=off"], now: new Date() });
const line: number | undefined = checked.findings[0]?.line;
const meaning: string | undefined = postrider.explain(410)[0]?.meaning;
const text: string = postrider.preview("{}", { format: "text" }).text;
const shown: string | undefined = postrider.preview("{}", { locales: ["de"] }).previews[0]?.title?.text;
const paths: string[] = postrider.contractTable("adobe").fields.flatMap(({ apns }) => apns.map(({ path }) => path));
const before = postrider.diff("{}", "amba", "native", { topic: "a" }).apns[0]?.before;
const raw: string = postrider.answer("parse", "{}", { platform: "ios" });

try {
  postrider.parse("{");
} catch (error) {
  if (error instanceof PostriderError) console.log(error.kind, error.what, error.where, error.fix, error.line, error.pointer);
}
console.log(key, own, topic, line, meaning, text, shown, paths, before, raw, postrider.memoryUsed);

// @ts-expect-error a contract is required
postrider.render({});
// @ts-expect-error no such option
postrider.parse("{}", { platfrom: "ios" });
// @ts-expect-error no such platform
postrider.parse("{}", { platform: "windows" });
// @ts-expect-error no such contract
postrider.contractTable("apple");
// @ts-expect-error a number is no input
postrider.parse(7);
// @ts-expect-error an answer as text has no previews
postrider.preview("{}", { format: "text" }).previews;
// @ts-expect-error no such operation
postrider.answer("send", "{}");
// @ts-expect-error an optional member is not a string without a check
const certain: string = notification.title;
// @ts-expect-error instances come from load
new Postrider();
