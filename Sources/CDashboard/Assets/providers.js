// The providers, and the kinds of device that they reach: what pages need to know of each, one row each.

import { bytes, slotName } from "./core.js";
import { t } from "./words.js";

// What a credential is made of: member, name, and what there is to know of the input. `kept` shows what is saved, `half` is beside another.
const key = [{ name: "topic", title: t`Bundle id`, placeholder: "com.example.app" }, { name: "key_id", title: t`Key id`, placeholder: "ABC123DEFG", half: true }, { name: "team_id", title: t`Team id`, placeholder: "DEF123GHIJ", half: true }, { name: "key", title: t`Key (.p8)`, file: "-----BEGIN PRIVATE KEY-----" }];
const account = [{ name: "service_account", title: t`Service account (JSON)`, file: "{\"type\": \"service_account\", …}", isJSON: true }];
const client = [{ name: "client_id", title: t`Client id`, hint: t`of the app’s OAuth 2.0 client in AppGallery Connect`, kept: true }, { name: "client_secret", title: t`Client secret`, type: "password" }, { name: "project_id", title: t`Project id`, hint: t`needed only for the project’s URL`, kept: true, optional: true }];

// The credentials that an app may have: member, name, what they are for, and what they are made of unless it has a dialog of its own.
export const slots = [["apns", t`iPhones with the app from the store or TestFlight`, key], ["apns_sandbox", t`iPhones with the app from Xcode`, key], ["fcm", t`Android phones, and iPhones and browsers by their FCM tokens`, account], ["web", t`Browsers, without any account: the server creates the key`], ["hms", t`Huawei’s phones, over Push Kit`, client]]
  .map(([slot, ...rest]) => [slot, slotName(slot), ...rest]);
// The same by provider: both environments of APNs are one.
export const providers = slots.filter(([name]) => name !== "apns_sandbox");

// What a provider's messages are read on, where their size is said.
export const readers = { apns: "iPhone", fcm: "FCM", web: t`Browser`, hms: "Huawei" };

const kinds = { ios: "iPhone", "ios-voip": "iPhone (VoIP)", "ios-live-activity": "Live Activity", "ios-live-activity-start": t`Live Activity (start)`, "ios-broadcast": t`Broadcast channel`, android: "Android", "android-fid": "Android (FID)", web: t`Browser`, "fcm-ios": "iPhone (FCM)", "fcm-web": t`Browser (FCM)`, hms: "Huawei" };
// Those of devices: nobody registers a channel.
export const kindNames = Object.entries(kinds).filter(([name]) => name !== "ios-broadcast");
export const kind = (name) => kinds[name] ?? name ?? "–";

// What a virtual device is: its type as a device of the app, its name, and what the emulator is given of it.
export const virtual = [["ios", "iPhone", { provider: "apns" }], ["android", t`Android phone`, { provider: "fcm" }], ["web", t`browser`, { provider: "web" }], ["fcm-ios", "iPhone (FCM)", { provider: "fcm", platform: "ios" }], ["fcm-web", t`browser (FCM)`, { provider: "fcm", platform: "web" }], ["hms", t`Huawei phone`, { provider: "hms" }]];
// How a report names the push that a virtual device got.
export const reported = { apns: (tap) => ({ apns_id: tap.push_id }), fcm: (tap) => ({ message_name: tap.push_id }), web: (tap) => ({ push: tap.push_id, token: tap.token }), hms: (tap) => ({ request_id: tap.push_id }) };

// What FCM counts: keys and values of data and notification.
const fcmBytes = (...parts) => parts.flatMap((part) => Object.entries(part ?? {}))
  .reduce((sum, [key, value]) => sum + bytes(key) + bytes(typeof value === "string" ? value : JSON.stringify(value)), 0);
const ofFCM = ["fcm", "message"];

// The bytes that are sent, by the names of /v1/render: the first two are in every rendering. Where they are, which headers go with
// them, and how the provider counts them against its limit: what browsers get is encrypted and has the push's id, Push Kit counts
// the message without the tokens. `member` reads a part of the text byte for byte; it is no import, since the first view needs none.
export const wires = {
  apns: { title: "APNs", path: ["apns", "payload"], headers: ["apns", "headers"], size: (raw, headers) => [bytes(raw), headers["apns-push-type"] === "voip" ? 5120 : 4096] },
  fcm: { title: "FCM", path: ofFCM, size: (raw) => { const { data, notification } = JSON.parse(raw); return [fcmBytes(data, notification), 4096]; } },
  web: { title: slotName("web"), path: ["web", "payload"], headers: ["web", "headers"], isOf: (credentials) => credentials.web, size: (raw) => [bytes(raw), 3964] },
  hms: { title: "Push Kit", path: ["hms"], isOf: (credentials) => credentials.hms, size: (raw, _, member) => [bytes(raw) - bytes(member(raw, ["message", "token"]) ?? ""), 4096] },
  "fcm-ios": { title: kind("fcm-ios"), path: ofFCM, isOf: (_, types) => types.has("fcm-ios"), size: (raw, _, member) => [bytes(member(raw, ["apns", "payload"]) ?? ""), 4096] },
  "fcm-web": { title: kind("fcm-web"), path: ofFCM, isOf: (_, types) => types.has("fcm-web"), size: (raw) => { const { webpush } = JSON.parse(raw); return [fcmBytes(webpush?.data, webpush?.notification), 4096]; } },
};
