// What the composer works on: the message with its languages and variants, and whether anything of it cannot be read.
import { api, at, has } from "./core.js";
import { isText } from "./fieldwords.js";
import { deviceLanguages, language, sameLanguage } from "./languages.js";
import { wires } from "./providers.js";
import { t } from "./words.js";

export const steps = [["message", t`Message`], ["audience", t`Audience`], ["time", t`Time`], ["review", t`Review`]];
const isStep = (name) => steps.some(([id]) => id === name);
const emptySheet = () => ({ message: {}, locales: {}, variants: [], unread: {} });

// What an address names: what composing begins with, and the step; `base` is the address without the step.
export function placeOf(rest) {
  const own = ["edit", "copy", "schedule", "template", "segment"].includes(rest[0]) ? rest.slice(0, 2) : rest[0] && !isStep(rest[0]) ? rest.slice(0, 1) : [];
  return { purpose: own[0], subject: own[1], base: ["compose", ...own.map(encodeURIComponent)].join("/"), step: isStep(rest[own.length]) ? rest[own.length] : "message" };
}

// As the server takes it: without what was typed and could not be read.
const bare = ({ locales, unread, ...one }) => ({ ...one, ...(Object.keys(locales ?? {}).length && { locales }) });

export async function openDesk(app, { purpose, subject }) {
  const [{ contracts }, shownApp, { templates }, credentials, segments, devices, rules] = await Promise.all([
    api("GET", "/v1/contracts"), api("GET", at(app)), api("GET", at(app, "/templates")), api("GET", at(app, "/credentials")),
    has("/v1/apps/{app}/segments") ? api("GET", at(app, "/segments")).then((all) => all.segments) : [],
    api("GET", at(app, "/devices?state=active&limit=200")).then((page) => page.devices),
    has("/v1/apps/{app}/suppression") ? api("GET", at(app, "/suppression")) : {}]);
  const types = new Set(devices.map((one) => one.type));
  const origin = { edit: "pushes", copy: "pushes", schedule: "schedules" }[purpose];
  const source = origin ? await api("GET", at(app, `/${origin}/${encodeURIComponent(subject)}`)) : null;
  const desk = {
    app, contracts, shownApp, templates, segments, purpose, subject, source, original: source?.request ?? null,
    hasCategories: has("/v1/apps/{app}/suppression"), hasBrowsers: Boolean(credentials.web),
    // What the app writes for besides APNs and FCM.
    wires: Object.keys(wires).filter((name) => wires[name].isOf?.(credentials, types)),
    editing: purpose === "edit" ? subject : null, rescheduling: purpose === "schedule" ? subject : null,
    topic: credentials.apns?.topic ?? credentials.apns_sandbox?.topic, languages: deviceLanguages(devices), zone: rules.quiet_hours?.timezone ?? "UTC",
    known: new Map(), all: {}, contract: shownApp.contract ?? contracts[0].name, variant: null, tag: "", fields: [],
  };
  return Object.assign(desk, versionsOf(desk), readingOf(desk));
}

function versionsOf(desk) {
  const sheet = () => (desk.all[desk.contract] ??= emptySheet());
  const holders = () => [sheet(), ...sheet().variants];
  const holder = () => (desk.variant == null ? sheet() : sheet().variants[desk.variant]);
  const isMissing = () => desk.tag !== "" && !(desk.tag in holder().locales);
  const versions = () => ({ ...bare({ message: sheet().message, locales: sheet().locales }), ...(sheet().variants.length && { variants: sheet().variants.map(bare) }) });
  const content = () => JSON.stringify(versions());
  return {
    sheet, holder, holders, isMissing, versions, content,
    message: () => (desk.tag ? holder().locales[desk.tag] : holder().message) ?? {},
    // What a device of the version gets: where a translation is missing, the message itself.
    seen: () => (isMissing() ? holder().message : (desk.tag ? holder().locales[desk.tag] : holder().message)),
    setMessage(next) {
      if (!desk.tag) holder().message = next;
      else if (!isMissing() || Object.keys(next).length) holder().locales[desk.tag] = next;
    },
    asTemplate: () => Boolean(sheet().template) && sheet().snapshot === content(),
    written: () => ({ contract: desk.contract, ...(sheet().template && sheet().snapshot === content() ? { template: sheet().template } : versions()) }),
    hasHoles: () => /\{[{%]/.test(content()),
    take(from, template) {
      const { message = {}, locales = {}, variants = [] } = structuredClone(from ?? {});
      desk.contract = from?.contract ?? desk.shownApp.contract ?? desk.contract;
      desk.all[desk.contract] = { message, locales, unread: {}, variants: variants.map((one) => ({ locales: {}, ...one })), template };
      [desk.variant, desk.tag] = [null, ""];
    },
    // Every version: the message and each variant, by itself and in the languages that any of them is in.
    tabs() {
      const wanted = [...new Set(holders().flatMap((one) => Object.keys(one.locales)))];
      return holders().flatMap((one, index) => {
        const name = index ? `${one.name} ${one.share} %` : t`Message`;
        const own = (tag) => Object.keys(one.locales).find((other) => sameLanguage(other, tag));
        return [{ variant: index ? index - 1 : null, tag: "", name }, ...wanted.filter((tag, index) => wanted.findIndex((other) => sameLanguage(other, tag)) === index).map((tag) => ({
          variant: index ? index - 1 : null, tag: own(tag) ?? tag, name: index ? `${one.name}: ${language(tag)}` : language(tag), isMissing: !own(tag), lacks: own(tag) ? lacking(one, own(tag)) : 0,
        }))];
      });
    },
  };

  // How many of the message's texts a translation does not have.
  function lacking(one, tag) {
    const texts = (desk.known.get(desk.contract)?.fields ?? []).filter((row) => row.field && isText(desk.contract, row) && row.field in one.message);
    return texts.filter((row) => !(row.field in one.locales[tag])).length;
  }
}

function readingOf(desk) {
  return {
    // Text that could not be read, with the reason, by field: it is kept as it was typed, and nothing is sent.
    unread: () => ((desk.holder().unread ??= {})[desk.tag] ??= {}),
    // What of the message cannot be read, in any of its versions.
    unreadable: () => desk.holders().flatMap((one, index) => Object.entries(one.unread ?? {}).flatMap(([tag, wrong]) =>
      Object.entries(wrong).map(([name, { reason }]) => `${[index ? one.name : "", tag ? language(tag) : "", name].filter(Boolean).join(", ")}: ${reason}`))),
    async rows() {
      const name = desk.contract;
      if (!desk.known.has(name)) desk.known.set(name, await api("GET", `/v1/contracts/${name}`));
      return desk.known.get(name);
    },
    isBlank: () => !Object.keys(desk.seen()).length,
  };
}
