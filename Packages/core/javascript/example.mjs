// What a push to a German phone looks like, and what is wrong with it:  node example.mjs [MESSAGE.json]
import { readFile } from "node:fs/promises";
import { load, PostriderError } from "postrider";

const postrider = await load();
const path = process.argv[2];
const message = path ? await readFile(path) : { title: "Parcel on its way", body: "It arrives today.", badg: 1 };
const options = { contract: "native", topic: "com.example.app" };

try {
  const { findings } = postrider.check(message, options);
  for (const { line, column, severity, rule, message } of findings) console.log(`${line}:${column} ${severity} ${rule}: ${message}`);
  for (const { platform, title, body } of postrider.preview(message, { ...options, locales: ["de"] }).previews) {
    console.log(`${platform}: ${title?.text ?? ""} / ${body?.text ?? ""}`);
  }
  const { apns, fcm } = postrider.render(message, options);
  console.log(JSON.stringify(apns?.payload));
  console.log(JSON.stringify(fcm));
} catch (error) {
  if (!(error instanceof PostriderError)) throw error;
  console.error(`${error.what}\n${error.fix}`);
  process.exitCode = 1;
}
