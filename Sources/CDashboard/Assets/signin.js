// Signing in without a password: by a passkey, and with an identity provider (OpenID Connect); and what the account page says of both.
import { api, append, ask, button, card, field, form, h, pairs, replace, said, table, time, toast } from "./core.js";
import { t } from "./words.js";

// MARK: Passkeys

const { PublicKeyCredential: kind } = window;
// Browsers have them by TLS and on the machine itself, and never at an address of numbers.
export const canPasskeys = () => kind?.parseCreationOptionsFromJSON && !/^[\d.]+$|:/.test(location.hostname);

// The question that waits beside the email: a browser has room for one at a time.
let waiting;
const words = { NotAllowedError: t`No passkey was used.`, InvalidStateError: t`This device has a passkey of yours already.` };
const worded = (error) => (words[error.name] ? new Error(words[error.name]) : error);

export async function make(asked) {
  waiting?.abort();
  const { publicKey } = await api("POST", "/session/passkeys/options", asked);
  try { return (await navigator.credentials.create({ publicKey: kind.parseCreationOptionsFromJSON(publicKey) })).toJSON(); } catch (error) { throw worded(error); }
}

// On the sign-in page: a button, and where the browser can, passkeys among what it suggests for the email.
export async function offerPasskey(container, email, problem, begin) {
  waiting?.abort();
  if (!canPasskeys()) return;
  const enter = async (mediation) => {
    waiting?.abort();
    const own = waiting = new AbortController();
    // A challenge is good for five minutes, and the page may be open for longer.
    if (mediation) setTimeout(() => own === waiting && container.isConnected && enter(mediation), 240000);
    try {
      const { publicKey } = await api("POST", "/session/passkey/options");
      const found = await navigator.credentials.get({ publicKey: kind.parseRequestOptionsFromJSON(publicKey), mediation, signal: own.signal });
      await begin(await api("POST", "/session/passkey", { credential: found.toJSON() }));
    } catch (error) { if (own === waiting) replace(problem, said(worded(error))); }
  };
  container.append(button(t`Sign in with a passkey`, { class: "quiet", onclick: () => { replace(problem); enter(); } }));
  if (!email.isConnected || !await kind.isConditionalMediationAvailable?.()) return;
  email.autocomplete = "username webauthn";
  if (container.isConnected) enter("conditional");
}

export function passkeys({ passkeys, password, fresh_until: fresh }, name, reload) {
  const label = (value) => h("input", { type: "text", required: true, maxlength: 100, value });
  const at = (one) => `/session/passkeys/${one.id}`;
  const add = () => {
    const named = label(name);
    const secret = new Date(fresh) < new Date() && password && h("input", { type: "password", autocomplete: "current-password", required: true });
    form(t`Add a passkey`, t`Add it`, [field(t`Name`, named), secret && field(t`Password`, secret)], async (close) => {
      const credential = await make(secret ? { password: secret.value } : {});
      await api("POST", "/session/passkeys", { name: named.value, credential });
      close(); reload();
    });
  };
  const rename = (one) => {
    const named = label(one.name);
    form(t`Rename ${one.name}`, t`Save`, [field(t`Name`, named)], async (close) => { await api("PATCH", at(one), { name: named.value }); close(); reload(); });
  };
  const press = (verb, one, onclick) => button(verb, { class: "link", "aria-label": `${verb} ${one.name}`, onclick });
  return card(t`Passkeys`, passkeys.length ? table([t`Name`, t`For`, t`Added`, t`Last used`, ""], passkeys.map((one) => [one.name, one.host, time(one.created_at), time(one.used_at),
    h("span", { class: "row tight end" }, press(t`Rename`, one, () => rename(one)), press(t`Remove`, one, () => ask(t`Remove ${one.name}?`, t`It no longer signs in, and every other browser that you are signed in with has to sign in again.`, t`Remove`, async () => { await api("DELETE", at(one)); reload(); })))]), { label: t`Passkeys` })
    : h("p", { class: "hint" }, t`With a passkey you sign in by finger, face or PIN instead of a password.`),
  canPasskeys() ? h("div", { class: "row" }, button(t`Add a passkey`, { class: "primary", onclick: add }, "plus")) : h("p", { class: "hint" }, t`Passkeys need TLS, or localhost.`));
}

// MARK: Identity provider

// A button that leads to the provider, at the end of a form; none where the server knows no provider. `problem` says what fails.
export async function offerProvider(form, problem, words) {
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
  let hash = "";
  try { hash = sessionStorage.getItem("place") ?? ""; sessionStorage.removeItem("place"); } catch { /* private window */ }
  history.replaceState(null, "", `/${hash}`);
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
