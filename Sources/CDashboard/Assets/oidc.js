// Signing in with an identity provider (OpenID Connect): the way there, the way back, and one's identity there.
import { api, append, ask, button, h, pairs, replace, said, time, toast } from "./core.js";
import { t } from "./words.js";

// A button that leads to the provider, at the end of a form; none where the server knows no provider. `problem` says what fails.
export async function offer(form, problem, words) {
  const found = await api("GET", "/session/oidc").catch(() => null);
  if (!found || !form.isConnected) return;
  const go = button(words(found.name), { onclick: async () => {
    go.disabled = true;
    replace(problem);
    try {
      const { url } = await api("POST", "/session/oidc");
      try { sessionStorage.setItem("place", location.hash.startsWith("#/join/") ? "" : location.hash); } catch { /* private window */ }
      location.assign(url);
    } catch (error) { replace(problem, said(error)); go.disabled = false; }
  } });
  append(form, [go]);
}

// Hands over what the provider has sent along, which stays neither in the address nor in the history.
export async function back() {
  const given = new URLSearchParams(location.search);
  let place = "";
  try { place = sessionStorage.getItem("place") ?? ""; sessionStorage.removeItem("place"); } catch { /* private window */ }
  history.replaceState(null, "", `/${place}`);
  const body = {};
  for (const name of ["state", "code", "error", "iss"]) if (given.has(name)) body[name] = given.get(name);
  if (!body.state) throw new Error(t`The identity provider’s response does not belong to this sign-in; sign in again.`);
  return api("POST", "/session/oidc/finish", body);
}

// What the account page says of it.
export async function identity(reload) {
  const found = await api("GET", "/session/oidc").catch(() => null);
  if (!found) return null;
  const { name, link } = found;
  if (!link) return pairs([[t`Sign-in with ${name}`, t`not used yet; it is linked when you first sign in with it`]]);
  return [pairs([[t`Sign-in with ${name}`, [t`since `, time(link.linked_at)]], [t`Your identity there`, link.subject]]),
    h("div", { class: "row" }, button(t`Remove this sign-in`, { class: "danger quiet", onclick: () => ask(t`Remove the sign-in with ${name}?`, t`Every other browser that you are signed in with has to sign in again. When you sign in with it again, it is linked again.`, t`Remove it`, async () => { await api("DELETE", "/session/oidc"); toast(t`The sign-in is removed.`); reload(); }) }))];
}
