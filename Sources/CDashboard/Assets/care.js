// What is between a click and a million phones: a wait in which a push can be stopped, and a second person's approval.
import { api, ask, at, badge, button, byZone, card, every, fail, field, form, h, may, number, pages, pairs, replace, time, toast, toCome, zoneOf } from "./core.js";
import { t, word } from "./words.js";

const readers = Intl.DateTimeFormat().resolvedOptions().timeZone;

const who = (maker) => (maker ? maker.name ?? `${word(maker.kind)} ${maker.id}` : t`somebody`);

// Counts down to the start of a push, and stops it: nothing of it was sent before.
export function undo({ push, path, link, reload, onleave }) {
  const left = h("strong", { class: "count", role: "timer" });
  const until = new Date(push.undo_until);
  let isBusy = false;
  const stop = (verb, done) => async () => {
    isBusy = true;
    try { await api("POST", `${path}/${verb}`); await done(); } catch (error) { fail(error); reload(); }
  };
  const draw = () => { left.textContent = `${Math.max(0, Math.ceil((until - Date.now()) / 1000))} s`; };
  // The server's clock decides: the page looks whether it has started.
  const look = async () => {
    if (isBusy) return;
    try { if ((await api("GET", path)).undo_until !== push.undo_until && !isBusy) { isBusy = true; reload(); } } catch { /* the next look may work */ }
  };
  draw();
  every(250, onleave, draw);
  every(1000, onleave, look);
  return h("section", { class: "card undo", "aria-label": t`Before it starts` },
    h("p", { class: "figure" }, t`Starts in `, left), h("p", { class: "hint" }, t`Nothing has been sent. Anyone who may send can stop it until then: on this page, by the API or the command line.`),
    may("send") && h("div", { class: "row" },
      button(t`Stop`, { class: "danger big", onclick: stop("cancel", () => { toast(t`Stopped: nothing was sent.`); reload(); }) }),
      button(t`Stop and edit`, { class: "quiet", onclick: stop("unschedule", () => { location.hash = link(`compose/edit/${push.id}`); }) }),
      button(t`Start now`, { class: "quiet", onclick: stop("send", reload) })));
}

const states = { waiting: [t`waits for an approval`, "warning"], approved: [t`approved`, "accepted"], declined: [t`declined`, "error"], expired: [t`not approved in time`, "error"] };

// What a second person is asked, or has decided.
export function approval({ push, path, reload, zone }) {
  const one = push.approval;
  if (!one) return null;
  const [text, tone] = states[one.state] ?? [one.state, "waiting"];
  const decide = (verb, body, done) => async () => { await api("POST", `${path}/${verb}`, body); toast(done); reload(); };
  const decline = () => {
    const reason = h("input", { type: "text", maxlength: 500 });
    form(t`Decline this push?`, t`Decline it`, [h("p", {}, t`It is canceled, and nothing is sent.`), field(t`Why`, reason, t`Shown to its author.`)], async (close) => {
      await decide("decline", reason.value.trim() ? { reason: reason.value.trim() } : {}, t`Declined.`)();
      close();
    });
  };
  return h("section", { class: "card", "aria-label": t`Approval` }, h("div", { class: "row" }, h("h2", {}, t`Approval`), badge(text, tone)),
    pairs([[t`Devices`, t`${number(one.devices)} when it was counted${one.recent_devices ? t`, and ${number(one.recent_devices)} of other campaigns in the hour before` : ""}; more than ${number(one.above_devices)} need a second person`],
      [t`Written by`, who(push.maker)], [t`Waiting since`, time(one.asked_at)], [t`Fails unless approved by`, one.state === "waiting" && toCome(one.expires_at, zone)],
      [t`Decided by`, one.decided_by && [who(one.decided_by), ", ", time(one.decided_at)]], [t`Why`, one.reason]]),
    one.state === "waiting" && may("send") && h("div", { class: "row" },
      button(t`Approve`, { class: "primary", onclick: () => ask(t`Approve this push?`, t`It goes to about ${number(one.devices)} devices${new Date(push.send_at) > Date.now() ? t`, from ${byZone(push.send_at, readers)}${readers === zone ? "" : `, ${byZone(push.send_at, zone)}`} on` : t`, at once`}.`, t`Approve it`, decide("approve", { asked_at: one.asked_at }, t`Approved.`)) }),
      button(t`Decline`, { class: "danger quiet", onclick: decline }), h("span", { class: "hint" }, t`Not with the key that created it.`)));
}

// The pushes of an app that wait for somebody; nothing when none does.
export async function awaited(container, { app, link }) {
  const [{ pushes, next }, zone] = await Promise.all([api("GET", at(app, "/approvals?limit=20")), zoneOf(app)]);
  if (!pushes.length) return;
  replace(container, card(t`Waiting for approval`, pages(async () => ({ items: pushes }), {
    label: t`Pushes that wait for an approval`, heads: [t`Push`, `#${t`Devices`}`, t`Written by`, t`Since`, t`Fails`],
    row: (one) => [h("a", { href: link(`pushes/${one.id}`) }, one.campaign ?? t`Push ${one.number}`), number(one.approval?.devices), who(one.maker), time(one.approval?.asked_at), one.approval ? toCome(one.approval.expires_at, zone) : "–"],
  }), next && h("p", { class: "hint" }, t`There are more.`)));
}

// The app's settings of both.
export async function startRules(app, reload) {
  const one = await api("GET", at(app));
  return card(t`Before a campaign starts`, h("p", { class: "hint" }, t`A campaign sent from here waits this long and can be stopped. Pushes to more devices than the limit wait until somebody else approves them, however they are sent.`),
    pairs([[t`Can be stopped for`, one.undo_seconds ? `${number(one.undo_seconds)} s` : t`no wait: it starts at once`],
      [t`Needs a second person`, one.approval ? t`above ${number(one.approval.above_devices)} devices, within ${number(one.approval.expires_in_hours)} h` : t`never`]]),
    may() && h("div", { class: "row end" }, button(t`Change`, { class: "primary", onclick: () => change(app, one, reload) })));
}

function change(app, now, reload) {
  const input = (value, placeholder) => h("input", { type: "text", inputmode: "numeric", value: value ?? "", placeholder });
  const [wait, above, hours] = [input(now.undo_seconds), input(now.approval?.above_devices, t`never`), input(now.approval?.expires_in_hours, "24")];
  const whole = (control, name) => {
    const text = control.value.trim();
    if (text === "") return null;
    if (!/^\d{1,10}$/.test(text)) throw new Error(t`${name}: expected a whole number`);
    return Number(text);
  };
  form(t`Before a campaign starts`, t`Save`, [field(t`Seconds in which a campaign can be stopped`, wait, t`0 to 3600; empty for 30.`),
    h("div", { class: "two" }, field(t`Devices above which a second person approves`, above, t`Empty: never.`), field(t`Hours until it fails without`, hours))], async (close) => {
    const limit = whole(above, t`Devices`);
    const until = whole(hours, t`Hours`);
    await api("PATCH", at(app), { undo_seconds: whole(wait, t`Seconds`), approval: limit === null ? null : { above_devices: limit, ...(until !== null && { expires_in_hours: until }) } });
    close(); toast(t`Saved.`); reload();
  });
}

