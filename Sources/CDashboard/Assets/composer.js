// The composer: message, audience, time and review, one after the other, each with its own address. What is typed is kept as a draft.
import { append, ask, button, card, complain, fail, field, h, has, may, number, replace, select, time, toast } from "./core.js";
import { audience } from "./audience.js";
import { openDesk, placeOf, steps } from "./desk.js";
import { dropDraft, keepDraft, readDraft } from "./drafts.js";
import { isWhole, restore, stateOf } from "./fields.js";
import { isText } from "./fieldwords.js";
import { prepare } from "./local.js";
import { buildFields, contractChoice, fillings, messageCard, readFields, templateChoice, versionTabs } from "./message.js";
import { confirm, review, test } from "./review.js";
import { seen } from "./seen.js";
import { timing } from "./timing.js";
import { t, within } from "./words.js";

const lives = [["", t`never`], ["3600", t`after an hour`], ["21600", t`after six hours`], ["86400", t`after a day`], ["604800", t`after a week`]];

// What is said of a push beside its message: by their names in a draft.
function optionsOf(desk) {
  const { original } = desk;
  const life = String(original?.expires_in_seconds ?? "");
  const changed = () => desk.changed();
  return {
    campaign: h("input", { type: "text", maxlength: 64, autocomplete: "off", spellcheck: "false", placeholder: "spring-sale", value: original?.campaign ?? "", oninput: changed }),
    throttle: h("input", { type: "text", inputmode: "numeric", placeholder: t`no limit`, value: original?.throttle_per_minute ?? "", oninput: changed }),
    category: h("input", { type: "text", placeholder: "news", autocomplete: "off", value: original?.category ?? "", oninput: changed }),
    urgent: h("input", { type: "checkbox", checked: original?.urgent === true, onchange: changed }),
    lifetime: select(lives.some(([seconds]) => seconds === life) ? lives : [...lives, [life, t`after ${number(Number(life))} seconds`]], life, { onchange: changed }),
  };
}

// Everything that is wrong, with its step, and the reason beside each control. What is not shown is not used, and cannot be wrong.
function problemsOf(desk) {
  const found = desk.unreadable().map((text) => ({ step: "message", text, isMessage: true }));
  const needing = (step) => (label, control, isRight, text) => {
    complain(control, isRight ? "" : text);
    if (!isRight) found.push({ step, text: `${label}: ${text}`, isMessage: step === "message" });
  };
  desk.filling.complainOf(needing("message"));
  desk.whom.complainOf(needing("audience"));
  const { throttle } = desk.options;
  needing("time")(t`At most, per minute`, throttle, !throttle.value.trim() || isWhole(throttle, 1, 100_000_000), t`expected a whole number from 1 to ${number(100_000_000)}`);
  desk.clock.complainOf(needing("time"));
  return found;
}

// The push as it would be sent to an audience; without its time.
function bodyOf(desk) {
  const { campaign, throttle, lifetime, category, urgent } = desk.options;
  return {
    ...desk.written(), ...desk.filling.body(), to: desk.whom.to(), ...(campaign.value && { campaign: campaign.value }),
    ...(throttle.value && { throttle_per_minute: Number(throttle.value) }), ...(lifetime.value && { expires_in_seconds: Number(lifetime.value) }),
    ...(category.value.trim() && { category: category.value.trim() }), ...(urgent.checked && { urgent: true }),
  };
}

// MARK: The draft

// Stores what is typed, a moment after the last key; nothing before a person has changed something.
function draftOf(desk, of, note) {
  let [timer, isTouched] = [null, false];
  function store() {
    clearTimeout(timer);
    timer = null;
    const { contract, all } = desk;
    const reason = keepDraft(desk.app, of, { contract, all, audience: desk.whom.state(), time: desk.clock.state(), options: stateOf(desk.options), fills: desk.filling.state() });
    replace(note, reason || t`Draft saved in this browser`);
  }
  return {
    touch() { isTouched = true; },
    save() { if (!isTouched) return; clearTimeout(timer); timer = setTimeout(store, 300); },
    flush() { if (timer != null) store(); },
    drop() { clearTimeout(timer); [timer, isTouched] = [null, false]; dropDraft(desk.app, of); },
  };
}

// Puts a draft back into the controls; the message is built from it afterwards.
function resume(desk, kept) {
  [desk.contract, desk.all] = [desk.contracts.some((one) => one.name === kept.contract) ? kept.contract : desk.contract, kept.all];
  desk.whom.restore(kept.audience);
  desk.clock.restore(kept.time);
  restore(desk.options, kept.options);
  desk.filling.restore(kept.fills);
}

// MARK: Steps

function stepsOf(desk) {
  const marks = new Map(steps.map(([id]) => [id, h("span", { class: "badge error" })]));
  const links = steps.map(([id, title], index) => h("a", { href: desk.link(id), data: { step: id } }, h("span", { class: "step-number", "aria-hidden": "true" }, index + 1), h("span", {}, title), marks.get(id)));
  return {
    node: h("nav", { class: "steps", "aria-label": t`Steps` }, h("ol", {}, links.map((link) => h("li", {}, link)))),
    show(step) { for (const link of links) if (link.dataset.step === step) link.setAttribute("aria-current", "step"); else link.removeAttribute("aria-current"); },
    mark(problems) {
      for (const [id, mark] of marks) {
        const count = problems.filter((one) => one.step === id).length;
        const text = count ? (count === 1 ? t`${count} problem` : t`${count} problems`) : "";
        if (mark.textContent !== text) replace(mark, text);
      }
    },
  };
}

function audienceCard(desk) {
  const { category, urgent } = desk.options;
  return card(t`Audience`, ...desk.whom.parts, desk.hasCategories && field(t`Category`, category, t`Users can opt out of a category.`),
    desk.hasCategories && h("label", { class: "check" }, urgent, t`Urgent: also in quiet hours and beyond the cap`));
}

const timeCard = (desk) => card(t`Time`, ...desk.clock.parts,
  h("div", { class: "two" }, field(t`At most, per minute`, desk.options.throttle), field(t`Expires`, desk.options.lifetime, t`Unsent messages are discarded after this time.`)),
  h("p", { class: "hint" }, t`The time zone of this app is ${desk.zone}${desk.zone === "UTC" ? "" : t`, that of its quiet hours`}.`));

// MARK: The page

export async function compose(container, context) {
  prepare();
  const { app, rest, go, onleave, onmove, title, tools, link, reload } = context;
  const at = placeOf(rest);
  // A contract's name in the address begins nothing of its own.
  const of = at.subject === undefined ? "" : at.base.slice("compose/".length);
  const desk = await openDesk(app, at);
  if (desk.editing) title(t`Edit push ${desk.source.number}`);
  if (desk.rescheduling) title(t`Edit schedule ${desk.rescheduling}`);
  desk.link = (step) => link(`${at.base}/${step}`);
  desk.pushLink = (id) => link(`pushes/${id}`);
  Object.assign(desk, { rendered: "", report: [], isLegal: false, isBuilt: false });
  desk.options = optionsOf(desk);
  desk.campaign = () => desk.options.campaign.value;
  desk.category = () => desk.options.category.value.trim();
  desk.filling = fillings(desk);
  desk.texts = (message) => (desk.known.get(desk.contract)?.fields ?? []).filter((row) => row.field && isText(desk.contract, row) && message?.[row.field])
    .map((row) => (typeof message[row.field] === "string" ? message[row.field] : Object.values(message[row.field])[0]));
  desk.body = () => bodyOf(desk);
  desk.problems = () => problemsOf(desk);

  let step = at.step;
  const next = button("", { class: "primary", onclick: () => go(`${at.base}/${steps[steps.findIndex(([id]) => id === step) + 1][0]}`) });
  const back = button(t`Back`, { class: "quiet", onclick: () => go(`${at.base}/${steps[steps.findIndex(([id]) => id === step) - 1][0]}`) });
  const send = button(t`Send`, { class: "primary", "aria-describedby": "send-problem", onclick: () => confirm(desk) });
  const why = h("p", { class: "problem", role: "status", id: "send-problem" });
  const note = h("span", { class: "hint", role: "status" });

  desk.whom = audience({ app, original: desk.original, segments: desk.segments, segment: at.purpose === "segment" ? at.subject : undefined, changed: () => { if (desk.isBuilt) desk.changed(); } });
  desk.clock = timing({ editing: desk.editing, rescheduling: desk.rescheduling, repeated: desk.rescheduling ? desk.original.repeat : null, changed: () => { replace(send, desk.clock.label()); if (desk.isBuilt) desk.changed(); } });
  const stepLinks = stepsOf(desk);
  const parts = { contract: contractChoice(desk), templates: templateChoice(desk), tabs: versionTabs(desk), filling: desk.filling, campaign: desk.options.campaign, fields: h("div", { class: "stack" }) };
  const beside = seen(desk);
  const last = review(desk);
  const draft = draftOf(desk, of, note);
  desk.touch = draft.touch;
  desk.weigh = last.later;

  // MARK: Changes

  desk.check = () => {
    const found = desk.problems();
    const broken = desk.unreadable().length;
    if (broken) beside.say(broken === 1 ? t`${broken} field not readable` : t`${broken} fields not readable`, "warning");
    if (why.textContent !== (found[0]?.text ?? "")) replace(why, found[0]?.text ?? "");
    send.disabled = !desk.isLegal || found.length > 0;
    stepLinks.mark(desk.isLegal || desk.isBlank() ? found : [...found, { step: "message" }]);
    if (step === "review") last.draw();
  };
  desk.changed = () => {
    readFields(desk);
    desk.filling.draw();
    parts.templates.mark();
    desk.check();
    beside.render();
    beside.paint();
    draft.save();
  };
  desk.choose = (variant, tag) => {
    // The picture is in the language of the tab; that of the message itself, where a translation was looked at before, in English.
    beside.showLanguages(tag || (desk.tag ? "en" : ""));
    [desk.variant, desk.tag] = [variant, tag];
    desk.build();
  };
  desk.build = () => { buildFields(desk, parts.fields); parts.tabs.draw(); desk.isBuilt = true; desk.changed(); };
  desk.pick = async (name) => {
    try {
      [desk.contract, desk.variant, desk.tag] = [name, null, ""];
      await desk.rows();
      if (desk.contract !== name) return;
      parts.contract.draw();
      parts.templates.draw();
      desk.build();
      parts.fields.dataset.contract = name;
    } catch (error) { fail(error); }
  };
  desk.load = async (from, template) => {
    desk.take(from, template);
    desk.filling.set(from?.values, from?.undefined);
    await desk.pick(desk.contract);
    // What the fields make of it, so that only a person's change is treated as one.
    desk.sheet().snapshot = template ? desk.content() : undefined;
    parts.templates.mark();
  };
  // For what is done with the message besides sending it.
  desk.refused = () => {
    const found = desk.problems().find((one) => one.isMessage);
    if (found) fail(new Error(found.text));
    return Boolean(found);
  };
  desk.done = (text, to) => { draft.drop(); toast(text); go(to); };

  // MARK: What is shown

  const cards = { message: messageCard(desk, parts), audience: audienceCard(desk), time: timeCard(desk), review: last.node };
  const testButton = button(t`Send a test`, { class: "quiet", onclick: () => test(desk).catch(fail) });
  function show(name) {
    step = name;
    stepLinks.show(step);
    for (const [id, node] of Object.entries(cards)) node.hidden = id !== step;
    beside.on(step);
    const index = steps.findIndex(([id]) => id === step);
    back.hidden = index === 0;
    next.hidden = step === "review";
    if (!next.hidden) replace(next, t`Next: ${within(steps[index + 1][1])}`);
    send.hidden = !may("send") || step !== "review";
    testButton.hidden = !may("send") || !["message", "review"].includes(step);
    if (step === "review") { last.draw(); last.recall(); }
  }
  append(container, [stepLinks.node, parts.tabs.node, h("div", { class: "composer" },
    h("div", { class: "stack" }, Object.values(cards), h("div", { class: "card step-end" }, why, h("div", { class: "row end" }, testButton, h("span", { class: "grow" }), back, next, send))), beside.node)]);
  append(tools, [note, button(t`Start over`, { class: "quiet", onclick: () => ask(t`Start over?`, t`What you wrote here and did not send is erased.`, t`Start over`, () => { draft.drop(); reload(); }) })]);
  for (const name of ["input", "change"]) container.addEventListener(name, draft.touch, true);

  const keys = (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    if (step !== "review") { if (desk.isLegal && !desk.problems().length) go(`${at.base}/review`); } else if (!send.disabled && may("send")) confirm(desk);
  };
  document.addEventListener("keydown", keys);
  addEventListener("theme", beside.paint);
  for (const name of ["pagehide", "keep-draft"]) addEventListener(name, draft.flush);
  onleave(() => { draft.flush(); removeEventListener("theme", beside.paint); for (const name of ["pagehide", "keep-draft"]) removeEventListener(name, draft.flush); document.removeEventListener("keydown", keys); last.stop(); });
  // Another step of the same message is no other page: what is typed stays where it is.
  onmove((other) => {
    const there = placeOf(other);
    if (!container.isConnected || there.base !== at.base) return false;
    show(there.step);
    const heading = cards[step].querySelector("h2");
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
    scrollTo(0, 0);
    return true;
  });

  // MARK: What it begins with

  const kept = readDraft(app, of);
  if (kept) {
    resume(desk, kept);
    replace(note, t`Your draft of `, time(new Date(kept.saved_at).toISOString()));
  }
  desk.clock.draw();
  show(step);
  const { original, templates } = desk;
  const asked = desk.contracts.some((one) => one.name === at.purpose) ? at.purpose : desk.contract;
  if (kept) await desk.pick(asked);
  else if (original) await desk.load(original.template && !original.message ? { ...templates.find((one) => one.name === original.template), values: original.values } : original, original.message ? undefined : original.template);
  else if (at.purpose === "template") await desk.load(templates.find((one) => one.name === at.subject), at.subject);
  else await desk.pick(asked);
  beside.showLanguages();
  await desk.whom.count();
}
