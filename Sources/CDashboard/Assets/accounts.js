// People who work with the server: joining by an invitation, one's own account, and for owners everybody's.
import { allows, api, append, ask, badge, button, by, card, complain, fail, field, form, h, pairs, replace, select, session, shownOnce, table, time, toast } from "./core.js";
import { identity, offer } from "./oidc.js";

const roles = [["owner", "everything, people and keys included"], ["admin", "everything but people, keys and sessions"], ["sender", "sends pushes and manages the audience"], ["analyst", "sees outcomes and changes nothing"], ["support", "sees everything and helps single users"]];
const shortest = 12;
const linkOf = (invitation) => `${location.origin}/#/join/${invitation}`;

// A new password twice; null and a word beside the field when it cannot be taken.
function newPassword(label) {
  const first = h("input", { type: "password", autocomplete: "new-password", required: true, minlength: shortest, maxlength: 200 });
  const second = h("input", { type: "password", autocomplete: "new-password", required: true, maxlength: 200 });
  const read = () => {
    complain(first, [...first.value].length < shortest ? `at least ${shortest} characters` : "");
    complain(second, first.value === second.value ? "" : "this is not the same");
    return [...first.value].length >= shortest && first.value === second.value ? first.value : null;
  };
  return { rows: [field(label, first, `At least ${shortest} characters; several words are easy to remember.`), field("The same again", second)], read };
}

// MARK: Joining

export async function join(root, token, begin) {
  const place = h("main", { class: "door" });
  replace(root, place);
  document.title = "Join · Postrider";
  const logo = h("img", { src: "/dashboard/icon.svg", alt: "", width: 48, height: 48 });
  let found;
  try { found = await api("POST", "/session/invitation", { token }); } catch (error) {
    return replace(place, h("div", { class: "sign-in card" }, logo, h("h1", {}, "Postrider"), h("p", { class: "problem", role: "alert" }, error.message), h("a", { class: "button quiet", href: "#/" }, "Sign in")));
  }
  const password = newPassword("New password");
  const problem = h("p", { class: "problem", role: "alert" });
  const go = h("button", { type: "submit", class: "primary" }, "Join");
  replace(place, h("form", { class: "sign-in card", novalidate: true, onsubmit: async (event) => {
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
    } catch (error) { replace(problem, error.message); go.disabled = false; }
  } }, logo, h("h1", {}, `Welcome, ${found.name}`), h("p", { class: "hint" }, `You are invited as ${found.roles.map((role) => role.replace(":", " of ")).join(", ")}. Choose a password; you sign in with ${found.email}.`),
  h("input", { type: "text", autocomplete: "username", value: found.email, hidden: true }), password.rows, problem, go));
  offer(place.querySelector("form"), problem, (name) => `Join with ${name}`);
}

const remember = () => { try { localStorage.setItem("sign-in", "email"); } catch { /* private window */ } };

// MARK: My account

export async function account(place, { reload }) {
  const { sessions } = await api("GET", "/session/all");
  append(place, [session.person ? card(session.name, pairs([["Email", session.email], ["Roles", session.roles.map((one) => (one.app ? `${one.role} of ${one.app}` : `${one.role} of the server`)).join(", ")]]),
    h("div", { class: "row" }, button("Change the password", { class: "primary", onclick: () => changePassword(reload) })), await identity(reload))
    : card(session.name, h("p", {}, "You are signed in with an API key, which nobody’s name is on. Ask an owner for an invitation, or make yourself an account under People.")),
  card(h("span", {}, "Where you are signed in"), sessionTable(sessions, "/session/all", reload),
    sessions.length > 1 && h("div", { class: "row end" }, button("End all others", { class: "danger quiet", onclick: () => ask("End all other sessions?", "Every other browser has to sign in again.", "End them", async () => { await api("DELETE", "/session/all"); reload(); }) })))]);
}

function changePassword(done) {
  const current = h("input", { type: "password", autocomplete: "current-password", required: true });
  const next = newPassword("New password");
  form("Change the password", "Change it", [field("Password as it is", current), next.rows, h("p", { class: "hint" }, "Every other browser that you are signed in with has to sign in again.")], async (close) => {
    const password = next.read();
    if (password === null) return;
    await api("PUT", "/session/password", { current: current.value, password });
    close(); toast("The password is changed."); done();
  });
}

function sessionTable(sessions, path, reload, who) {
  return table([...(who ? ["Who"] : []), "Browser", "From", "Began", "Last used", "Ends", ""], sessions.map((one) => [
    ...(who ? [by(one.holder)] : []), h("span", { class: "clip", title: one.agent }, browser(one.agent)), h("span", { class: "mono" }, one.from || "–"), time(one.started_at), time(one.used_at), time(one.expires_at),
    one.current ? badge("this one", "accepted") : button("End", { class: "link", "aria-label": `End the session ${one.id}`, onclick: async () => { try { await api("DELETE", `${path}/${one.id}`); reload(); } catch (error) { fail(error); } } })]), { label: "Sessions" });
}

// Of what a browser says of itself, what a person knows it by.
function browser(agent) {
  const name = ["Edg", "OPR", "Firefox", "Chrome", "Safari"].find((one) => agent.includes(`${one}/`));
  const system = [["Android", "Android"], ["iPhone", "iPhone"], ["iPad", "iPad"], ["Windows", "Windows"], ["Mac OS X", "macOS"], ["Linux", "Linux"]].find(([mark]) => agent.includes(mark));
  return [({ Edg: "Edge", OPR: "Opera" })[name] ?? name, system?.[1]].filter(Boolean).join(" on ") || agent.slice(0, 40) || "unknown";
}

// MARK: People

export async function team(place, context) {
  const { tools, reload } = context;
  const { people } = await api("GET", "/v1/people");
  const mayChange = allows("invitePerson");
  if (mayChange && people.length) append(tools, [button("Invite", { class: "primary", onclick: () => invite(context, reload) }, "plus")]);
  if (!people.length && !session.person) return append(place, [first()]);
  const tones = { active: "accepted", invited: "waiting", expired: "warning" };
  append(place, [card(null, table(["Name", "Email", "Roles", "State", "Last signed in", ""], people.map((one) => [
    one.name, one.email, one.roles.map((role) => [badge(role.replace(":", " of "), role === "owner" ? "unknown" : "waiting"), " "]),
    h("span", {}, badge(one.state, tones[one.state]), one.invited_until && one.state === "invited" && h("span", { class: "hint" }, " until ", time(one.invited_until))), time(one.signed_in_at),
    mayChange && h("span", { class: "row tight end" },
      button("Roles", { class: "link", "aria-label": `Roles of ${one.name}`, onclick: () => change(one, context, reload) }),
      button(one.joined_at ? "New password" : "New link", { class: "link", "aria-label": `${one.joined_at ? "New password" : "New link"} for ${one.name}`, onclick: () => renew(one, reload) }),
      one.invited_until && button("Revoke link", { class: "link", "aria-label": `Revoke the link of ${one.name}`, onclick: async () => { try { await api("DELETE", `/v1/people/${one.id}/invitation`); reload(); } catch (error) { fail(error); } } }),
      button("Remove", { class: "link", "aria-label": `Remove ${one.name}`, onclick: () => ask(`Remove ${one.name}?`, "Their sessions and keys end at once. What they did keeps their name.", "Remove", async () => { await api("DELETE", `/v1/people/${one.id}`); reload(); }) }))]), { label: "People" })),
  card("Roles", pairs(roles))]);
  if (!allows("listSessions")) return;
  const { sessions } = await api("GET", "/v1/sessions");
  append(place, [card("Signed in", sessionTable(sessions, "/v1/sessions", reload, true))]);
}

// The first account, for whoever has the admin key: it is used at once.
function first() {
  const name = h("input", { type: "text", required: true, autocomplete: "name" });
  const email = h("input", { type: "email", required: true, autocomplete: "username" });
  const password = newPassword("Password");
  const problem = h("p", { class: "problem", role: "alert" });
  const go = h("button", { type: "submit", class: "primary" }, "Create your account");
  return card("Create your account", h("p", {}, "With an account, pushes and settings name who made them, and you invite others without giving them a key. You become the owner."),
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
      } catch (error) { replace(problem, error.message); go.disabled = false; }
    } }, field("Your name", name), field("Email", email), password.rows, problem, h("div", { class: "row end" }, go)));
}

// Rows of role and app, of which there is at least one.
function rolePicker(apps, given) {
  const place = h("div", { class: "stack tight" });
  const rows = [];
  const add = (text = "sender") => {
    const [role, app = ""] = text.split(":");
    const which = select(roles.map(([id, about]) => [id, `${id}: ${about}`]), role, { "aria-label": "Role" });
    const where = select([["", "all apps"], ...apps.map((one) => [one.name, one.title || one.name])], app, { "aria-label": "App of the role" });
    const row = { value: () => (where.value && which.value !== "owner" ? `${which.value}:${where.value}` : which.value) };
    row.node = h("div", { class: "row" }, which, where, button("Leave out", { class: "link", onclick: () => { if (rows.length === 1) return; rows.splice(rows.indexOf(row), 1); row.node.remove(); } }));
    rows.push(row);
    place.append(row.node);
  };
  for (const text of given) add(text);
  return { node: h("fieldset", { class: "stack tight" }, h("legend", {}, "Roles"), place, button("Another role", { class: "quiet", onclick: () => add("analyst") })), value: () => rows.map((row) => row.value()) };
}

function invite({ apps }, reload) {
  const name = h("input", { type: "text", required: true, autocomplete: "off" });
  const email = h("input", { type: "email", required: true, autocomplete: "off" });
  const picked = rolePicker(apps, ["sender"]);
  form("Invite somebody", "Make the link", [field("Name", name), field("Email", email), picked.node], async (close, show) => {
    const made = await api("POST", "/v1/people", { name: name.value.trim(), email: email.value.trim(), roles: picked.value() });
    show(shownOnce("The link", linkOf(made.invitation), `Send it to ${made.name}: it works once, for seven days, and is not shown again.`, () => { close(); reload(); }));
  });
}

function change(one, { apps }, reload) {
  const name = h("input", { type: "text", required: true, value: one.name });
  const picked = rolePicker(apps, one.roles);
  form(`Roles of ${one.name}`, "Save", [field("Name", name), picked.node], async (close) => {
    await api("PATCH", `/v1/people/${one.id}`, { name: name.value.trim(), roles: picked.value() });
    close(); toast("Saved."); reload();
  });
}

const renew = (one, reload) => form(one.joined_at ? `A new password for ${one.name}` : `A new link for ${one.name}`, "Make the link", [h("p", {}, one.joined_at ? "With the link they choose another password, and every browser they are signed in with has to sign in again." : "The link before cannot be used any more.")], async (close, show) => {
  const made = await api("POST", `/v1/people/${one.id}/invitation`, {});
  show(shownOnce("The link", linkOf(made.invitation), `Send it to ${one.name}: it works once, for seven days, and is not shown again.`, () => { close(); reload(); }));
});
