// What stands between a click and a million phones: a wait in which a push can be stopped, and a second person's approval.
import { api, ask, at, badge, button, card, fail, field, form, h, may, number, pages, pairs, replace, time, toast, zoned } from "./core.js";

const who = (maker) => (maker ? maker.name ?? `${maker.kind} ${maker.id}` : "somebody");

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
    if (isBusy || document.hidden) return;
    try { if ((await api("GET", path)).undo_until !== push.undo_until && !isBusy) { isBusy = true; reload(); } } catch { /* the next look may work */ }
  };
  draw();
  const timers = [setInterval(draw, 250), setInterval(look, 1000)];
  onleave(() => timers.forEach(clearInterval));
  return h("section", { class: "card undo", "aria-label": "Before it starts" },
    h("p", { class: "figure" }, "Starts in ", left), h("p", { class: "hint" }, "Nothing of it has been sent. Whoever may send can stop it until then, on this page, by the API or the command line."),
    may("send") && h("div", { class: "row" },
      button("Stop", { class: "danger big", onclick: stop("cancel", () => { toast("Stopped: nothing was sent."); reload(); }) }),
      button("Stop and edit", { class: "quiet", onclick: stop("unschedule", () => { location.hash = link(`compose/edit/${push.id}`); }) }),
      button("Do not wait", { class: "quiet", onclick: stop("send", reload) })));
}

const states = { waiting: ["waits for an approval", "warning"], approved: ["approved", "accepted"], declined: ["declined", "error"], expired: ["not approved in time", "error"] };

// What a second person is asked, or has decided.
export function approval({ push, path, reload }) {
  const one = push.approval;
  if (!one) return null;
  const [text, tone] = states[one.state] ?? [one.state, "waiting"];
  const decide = (verb, body, done) => async () => { await api("POST", `${path}/${verb}`, body); toast(done); reload(); };
  const decline = () => {
    const reason = h("input", { type: "text", maxlength: 500 });
    form("Decline this push?", "Decline it", [h("p", {}, "It is cancelled, and nothing of it was sent."), field("Why", reason, "For whoever wrote it.")], async (close) => {
      await decide("decline", reason.value.trim() ? { reason: reason.value.trim() } : {}, "Declined.")();
      close();
    });
  };
  return h("section", { class: "card", "aria-label": "Approval" }, h("div", { class: "row" }, h("h2", {}, "Approval"), badge(text, tone)),
    pairs([["Devices", `${number(one.devices)} when it was counted${one.recent_devices ? `, and ${number(one.recent_devices)} of other campaigns in the hour before` : ""}; more than ${number(one.above_devices)} need a second person`],
      ["Written by", who(push.maker)], ["Waits since", time(one.asked_at)], ["Fails unless approved by", one.state === "waiting" && zoned(one.expires_at)],
      ["Decided by", one.decided_by && [who(one.decided_by), ", ", time(one.decided_at)]], ["Why", one.reason]]),
    one.state === "waiting" && may("send") && h("div", { class: "row" },
      button("Approve", { class: "primary", onclick: () => ask("Approve this push?", `It goes to about ${number(one.devices)} devices${new Date(push.send_at) > Date.now() ? `, from ${new Date(push.send_at).toLocaleString()} on` : ", at once"}.`, "Approve it", decide("approve", { asked_at: one.asked_at }, "Approved.")) }),
      button("Decline", { class: "danger quiet", onclick: decline }), h("span", { class: "hint" }, "Not with the key that wrote it.")));
}

// The pushes of an app that wait for somebody; nothing when none does.
export async function awaited(place, { app, link }) {
  const { pushes, next } = await api("GET", at(app, "/approvals?limit=20"));
  if (!pushes.length) return;
  replace(place, card("Waiting for approval", pages(async () => ({ items: pushes }), {
    label: "Pushes that wait for an approval", heads: ["Push", "#Devices", "Written by", "Since", "Fails"],
    row: (one) => [h("a", { href: link(`pushes/${one.id}`) }, one.campaign ?? `Push ${one.number}`), number(one.approval?.devices), who(one.maker), time(one.approval?.asked_at), time(one.approval?.expires_at)],
  }), next && h("p", { class: "hint" }, "There are more.")));
}

// The app's settings of both.
export async function startRules(app, reload) {
  const one = await api("GET", at(app));
  return card("Before a campaign starts", h("p", { class: "hint" }, "A campaign sent from here waits so long, and can be stopped. Pushes to more devices than the limit wait until somebody else approves them, wherever they come from."),
    pairs([["Can be stopped for", one.undo_seconds ? `${number(one.undo_seconds)} s` : "no time: it starts at once"],
      ["Needs a second person", one.approval ? `above ${number(one.approval.above_devices)} devices, within ${number(one.approval.expires_in_hours)} h` : "never"]]),
    may() && h("div", { class: "row end" }, button("Change", { class: "primary", onclick: () => change(app, one, reload) })));
}

function change(app, now, reload) {
  const input = (value, placeholder) => h("input", { type: "text", inputmode: "numeric", value: value ?? "", placeholder });
  const [wait, above, hours] = [input(now.undo_seconds), input(now.approval?.above_devices, "never"), input(now.approval?.expires_in_hours, "24")];
  const whole = (control, name) => {
    const text = control.value.trim();
    if (text === "") return null;
    if (!/^\d{1,10}$/.test(text)) throw new Error(`${name}: expected a whole number`);
    return Number(text);
  };
  form("Before a campaign starts", "Save", [field("Seconds in which a campaign can be stopped", wait, "0 to 3600; empty for 30."),
    h("div", { class: "two" }, field("Devices above which a second person approves", above, "Empty: never."), field("Hours until it fails without", hours))], async (close) => {
    const limit = whole(above, "Devices");
    const until = whole(hours, "Hours");
    await api("PATCH", at(app), { undo_seconds: whole(wait, "Seconds"), approval: limit === null ? null : { above_devices: limit, ...(until !== null && { expires_in_hours: until }) } });
    close(); toast("Saved."); reload();
  });
}

