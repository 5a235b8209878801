// People who work with the server: joining by an invitation, one's own account, and for owners everybody's.
import { allows, api, append, ask, badge, button, by, card, complain, fail, field, form, h, pairs, replace, said, select, session, shownOnce, table, time, toast } from "./core.js";
import { english, listed, t, word } from "./words.js";
import { canPasskeys, identity, make, offerProvider, passkeys } from "./signin.js";

const roles = [["owner", t`everything, people and keys included`], ["admin", t`everything but people, keys and sessions`], ["sender", t`sends pushes and manages the audience`], ["analyst", t`sees outcomes and changes nothing`], ["support", t`sees everything and helps single users`]];
const roleName = (text) => { const [role, app] = text.split(":"); return app ? t`${word(role)} of ${app}` : word(role); };
const shortest = 12;
const linkOf = (invitation) => `${location.origin}/#/join/${invitation}`;

// A new password twice; null and a word beside the field when it cannot be taken.
function newPassword(label) {
  const first = h("input", { type: "password", autocomplete: "new-password", required: true, minlength: shortest, maxlength: 200 });
  const second = h("input", { type: "password", autocomplete: "new-password", required: true, maxlength: 200 });
  const read = () => {
    complain(first, [...first.value].length < shortest ? t`at least ${shortest} characters` : "");
    complain(second, first.value === second.value ? "" : t`the passwords do not match`);
    return [...first.value].length >= shortest && first.value === second.value ? first.value : null;
  };
  return { rows: [field(label, first, t`At least ${shortest} characters; several words are easy to remember.`), field(t`Repeat the password`, second)], read };
}

// MARK: Joining

export async function join(root, token, begin, tongues) {
  const container = h("main", { class: "door" });
  replace(root, container);
  document.title = `${t`Join`} · Postrider`;
  const logo = h("img", { src: "/dashboard/icon.svg", alt: "", width: 48, height: 48 });
  let found;
  try { found = await api("POST", "/session/invitation", { token }); } catch (error) {
    return replace(container, h("div", { class: "sign-in card" }, logo, h("h1", {}, "Postrider"), h("p", { class: "problem", role: "alert" }, said(error)), h("a", { class: "button quiet", href: "#/" }, t`Sign in`), tongues()));
  }
  const password = newPassword(t`New password`);
  const problem = h("p", { class: "problem", role: "alert" });
  const go = h("button", { type: "submit", class: "primary" }, t`Join`);
  replace(container, h("form", { class: "sign-in card", novalidate: true, onsubmit: async (event) => {
    event.preventDefault();
    replace(problem);
    const text = password.read();
    if (text === null || go.disabled) return;
    go.disabled = true;
    try {
      const signedIn = await api("POST", "/session/join", { token, password: text });
      history.replaceState(null, "", "#/");
      remember();
      await begin(signedIn);
    } catch (error) { replace(problem, said(error)); go.disabled = false; }
  } }, logo, h("h1", {}, t`Welcome, ${found.name}`), h("p", { class: "hint" }, t`You are invited as ${listed(found.roles.map(roleName))}. Choose a password; you sign in with ${found.email}.`),
  h("input", { type: "text", autocomplete: "username", value: found.email, hidden: true }), password.rows, problem, go));
  if (canPasskeys()) container.firstChild.append(button(t`Join with a passkey instead`, { class: "quiet", onclick: async (event) => {
    replace(problem);
    event.target.disabled = true;
    try {
      const credential = await make({ token });
      const signedIn = await api("POST", "/session/join", { token, credential, name: browser(navigator.userAgent) });
      history.replaceState(null, "", "#/");
      remember();
      await begin(signedIn);
    } catch (error) { replace(problem, said(error)); event.target.disabled = false; }
  } }));
  offerProvider(container.firstChild, problem, (name) => t`Join with ${name}`);
  container.firstChild.append(tongues());
}

const remember = () => { try { localStorage.setItem("sign-in", "email"); } catch { /* private window */ } };

// MARK: My account

export async function account(container, { reload }) {
  const { sessions } = await api("GET", "/session/all");
  const own = session.person && await api("GET", "/session/passkeys");
  append(container, [session.person ? card(session.name, pairs([[t`Email`, session.email], [t`Roles`, session.roles.map((one) => (one.app ? t`${word(one.role)} of ${one.app}` : t`${word(one.role)} of the server`)).join(", ")]]),
    h("div", { class: "row" }, button(own.password ? t`Change the password` : t`Set a password`, { class: "primary", onclick: () => changePassword(own.password, reload) })), await identity(reload))
    : card(session.name, h("p", {}, t`You are signed in with an API key that belongs to no person. Ask an owner for an invitation, or create an account for yourself under People.`)),
  own && passkeys(own, browser(navigator.userAgent), reload),
  card(h("span", {}, t`Where you are signed in`), sessionTable(sessions, "/session/all", reload),
    sessions.length > 1 && h("div", { class: "row end" }, button(t`Sign out all others`, { class: "danger quiet", onclick: () => ask(t`Sign out all other sessions?`, t`Every other browser has to sign in again.`, t`End them`, async () => { await api("DELETE", "/session/all"); reload(); }) })))]);
}

function changePassword(isThere, done) {
  const current = h("input", { type: "password", autocomplete: "current-password", required: true });
  const next = newPassword(t`New password`);
  form(isThere ? t`Change the password` : t`Set a password`, isThere ? t`Change it` : t`Set it`, [isThere && field(t`Current password`, current), next.rows, h("p", { class: "hint" }, t`Every other browser that you are signed in with has to sign in again.`)], async (close) => {
    const password = next.read();
    if (password === null) return;
    await api("PUT", "/session/password", { current: isThere ? current.value : undefined, password });
    close(); toast(t`Password changed.`); done();
  });
}

function sessionTable(sessions, path, reload, who) {
  return table([...(who ? [t`Who`] : []), t`Browser`, t`From`, t`Started`, t`Last used`, t`Expires`, ""], sessions.map((one) => [
    ...(who ? [by(one.holder)] : []), h("span", { class: "clip", title: one.agent, ...english }, browser(one.agent)), h("span", { class: "mono" }, one.from || "–"), time(one.started_at), time(one.used_at), time(one.expires_at),
    one.current ? badge(t`this one`, "accepted") : button(t`End`, { class: "link", "aria-label": t`End the session ${one.id}`, onclick: async () => { try { await api("DELETE", `${path}/${one.id}`); reload(); } catch (error) { fail(error); } } })]), { label: t`Sessions` });
}

// Of what a browser says of itself, what a person knows it by.
function browser(agent) {
  const name = ["Edg", "OPR", "Firefox", "Chrome", "Safari"].find((one) => agent.includes(`${one}/`));
  const system = [["Android", "Android"], ["iPhone", "iPhone"], ["iPad", "iPad"], ["Windows", "Windows"], ["Mac OS X", "macOS"], ["Linux", "Linux"]].find(([mark]) => agent.includes(mark));
  return [({ Edg: "Edge", OPR: "Opera" })[name] ?? name, system?.[1]].filter(Boolean).join(t` on `) || agent.slice(0, 40) || t`unknown`;
}

// MARK: People

export async function team(container, context) {
  const { tools, reload } = context;
  const { people } = await api("GET", "/v1/people");
  const mayChange = allows("invitePerson");
  if (mayChange && people.length) append(tools, [button(t`Invite`, { class: "primary", onclick: () => invite(context, reload) }, "plus")]);
  if (!people.length && !session.person) return append(container, [first()]);
  const tones = { active: "accepted", invited: "waiting", expired: "warning" };
  append(container, [card(null, table([t`Name`, t`Email`, t`Roles`, t`State`, t`Last signed in`, ""], people.map((one) => [
    one.name, one.email, one.roles.map((role) => [badge(roleName(role), role === "owner" ? "unknown" : "waiting"), " "]),
    h("span", {}, badge(word(one.state), tones[one.state]), one.invited_until && one.state === "invited" && h("span", { class: "hint" }, t` until `, time(one.invited_until))), time(one.signed_in_at),
    mayChange && h("span", { class: "row tight end" },
      button(t`Roles`, { class: "link", "aria-label": t`Roles of ${one.name}`, onclick: () => change(one, context, reload) }),
      button(one.joined_at ? t`New password` : t`New link`, { class: "link", "aria-label": one.joined_at ? t`New password for ${one.name}` : t`New link for ${one.name}`, onclick: () => renew(one, reload) }),
      one.invited_until && button(t`Revoke link`, { class: "link", "aria-label": t`Revoke the link of ${one.name}`, onclick: async () => { try { await api("DELETE", `/v1/people/${one.id}/invitation`); reload(); } catch (error) { fail(error); } } }),
      button(t`Remove`, { class: "link", "aria-label": t`Remove ${one.name}`, onclick: () => ask(t`Remove ${one.name}?`, t`Their sessions and keys end at once. Records of what they did keep their name.`, t`Remove`, async () => { await api("DELETE", `/v1/people/${one.id}`); reload(); }) }))]), { label: t`People` })),
  card(t`Roles`, pairs(roles.map(([id, about]) => [word(id), about])))]);
  if (!allows("listSessions")) return;
  const { sessions } = await api("GET", "/v1/sessions");
  append(container, [card(t`Signed in`, sessionTable(sessions, "/v1/sessions", reload, true))]);
}

// The first account, for whoever has the admin key: it is used at once.
function first() {
  const name = h("input", { type: "text", required: true, autocomplete: "name" });
  const email = h("input", { type: "email", required: true, autocomplete: "username" });
  const password = newPassword(t`Password`);
  const problem = h("p", { class: "problem", role: "alert" });
  const go = h("button", { type: "submit", class: "primary" }, t`Create your account`);
  return card(t`Create your account`, h("p", {}, t`With an account, pushes and settings name their author, and you can invite others without sharing a key. You become the owner.`),
    h("form", { class: "stack", novalidate: true, onsubmit: async (event) => {
      event.preventDefault();
      replace(problem);
      const text = password.read();
      if (text === null || go.disabled) return;
      go.disabled = true;
      try {
        const made = await api("POST", "/v1/people", { name: name.value.trim(), email: email.value.trim(), roles: ["owner"] });
        await api("POST", "/session/join", { token: made.invitation, password: text });
        remember();
        location.reload();
      } catch (error) { replace(problem, said(error)); go.disabled = false; }
    } }, field(t`Your name`, name), field(t`Email`, email), password.rows, problem, h("div", { class: "row end" }, go)));
}

// Rows of role and app, of which there is at least one.
function rolePicker(apps, given) {
  const container = h("div", { class: "stack tight" });
  const rows = [];
  const add = (text = "sender") => {
    const [role, app = ""] = text.split(":");
    const which = select(roles.map(([id, about]) => [id, `${word(id)}: ${about}`]), role, { "aria-label": t`Role` });
    const where = select([["", t`all apps`], ...apps.map((one) => [one.name, one.title || one.name])], app, { "aria-label": t`App of the role` });
    const row = { value: () => (where.value && which.value !== "owner" ? `${which.value}:${where.value}` : which.value) };
    row.node = h("div", { class: "row" }, which, where, button(t`Leave out`, { class: "link", onclick: () => { if (rows.length === 1) return; rows.splice(rows.indexOf(row), 1); row.node.remove(); } }));
    rows.push(row);
    container.append(row.node);
  };
  for (const text of given) add(text);
  return { node: h("fieldset", { class: "stack tight" }, h("legend", {}, t`Roles`), container, button(t`Another role`, { class: "quiet", onclick: () => add("analyst") })), value: () => rows.map((row) => row.value()) };
}

function invite({ apps }, reload) {
  const name = h("input", { type: "text", required: true, autocomplete: "off" });
  const email = h("input", { type: "email", required: true, autocomplete: "off" });
  const picked = rolePicker(apps, ["sender"]);
  form(t`Invite somebody`, t`Create the link`, [field(t`Name`, name), field(t`Email`, email), picked.node], async (close, show) => {
    const made = await api("POST", "/v1/people", { name: name.value.trim(), email: email.value.trim(), roles: picked.value() });
    show(shownOnce(t`The link`, linkOf(made.invitation), t`Send it to ${made.name}: it works once, for seven days, and is not shown again.`, () => { close(); reload(); }));
  });
}

function change(one, { apps }, reload) {
  const name = h("input", { type: "text", required: true, value: one.name });
  const picked = rolePicker(apps, one.roles);
  form(t`Roles of ${one.name}`, t`Save`, [field(t`Name`, name), picked.node], async (close) => {
    await api("PATCH", `/v1/people/${one.id}`, { name: name.value.trim(), roles: picked.value() });
    close(); toast(t`Saved.`); reload();
  });
}

const renew = (one, reload) => form(one.joined_at ? t`A new password for ${one.name}` : t`A new link for ${one.name}`, t`Create the link`, [h("p", {}, one.joined_at ? t`With the link they choose another password, and every browser they are signed in with has to sign in again.` : t`The previous link no longer works.`)], async (close, show) => {
  const made = await api("POST", `/v1/people/${one.id}/invitation`, {});
  show(shownOnce(t`The link`, linkOf(made.invitation), t`Send it to ${one.name}: it works once, for seven days, and is not shown again.`, () => { close(); reload(); }));
});
