// Passkeys: signing in with one, joining by one, and one's own.
import { api, ask, button, card, field, form, h, replace, table, time } from "./core.js";

const { PublicKeyCredential: kind } = window;
// Browsers have them by TLS and on the machine itself, and never at an address of numbers.
export const canPasskeys = () => kind?.parseCreationOptionsFromJSON && !/^[\d.]+$|:/.test(location.hostname);

// The question that waits beside the email: a browser has room for one at a time.
let waiting;
const told = ({ name, message }) => new Error({ NotAllowedError: "No passkey was used.", InvalidStateError: "This device has a passkey of yours already." }[name] ?? message);

export async function make(asked) {
  waiting?.abort();
  const { publicKey } = await api("POST", "/session/passkeys/options", asked);
  try { return (await navigator.credentials.create({ publicKey: kind.parseCreationOptionsFromJSON(publicKey) })).toJSON(); } catch (error) { throw told(error); }
}

// On the sign-in page: a button, and where the browser can, passkeys among what it suggests for the email.
export async function offer(place, email, problem, begin) {
  waiting?.abort();
  if (!canPasskeys()) return;
  const enter = async (mediation) => {
    waiting?.abort();
    const own = waiting = new AbortController();
    // A challenge is good for five minutes, and the page may be open for longer.
    if (mediation) setTimeout(() => own === waiting && place.isConnected && enter(mediation), 240000);
    try {
      const { publicKey } = await api("POST", "/session/passkey/options");
      const found = await navigator.credentials.get({ publicKey: kind.parseRequestOptionsFromJSON(publicKey), mediation, signal: own.signal });
      await begin(await api("POST", "/session/passkey", { credential: found.toJSON() }));
    } catch (error) { if (own === waiting) replace(problem, told(error).message); }
  };
  place.append(button("Sign in with a passkey", { class: "quiet", onclick: () => { replace(problem); enter(); } }));
  if (!email.isConnected || !await kind.isConditionalMediationAvailable?.()) return;
  email.autocomplete = "username webauthn";
  if (place.isConnected) enter("conditional");
}

export function passkeys({ passkeys, password, fresh_until: fresh }, name, reload) {
  const label = (value) => h("input", { type: "text", required: true, maxlength: 100, value });
  const at = (one) => `/session/passkeys/${one.id}`;
  const add = () => {
    const named = label(name);
    const secret = new Date(fresh) < new Date() && password && h("input", { type: "password", autocomplete: "current-password", required: true });
    form("Add a passkey", "Add it", [field("Name", named), secret && field("Password", secret)], async (close) => {
      const credential = await make(secret ? { password: secret.value } : {});
      await api("POST", "/session/passkeys", { name: named.value, credential });
      close(); reload();
    });
  };
  const rename = (one) => {
    const named = label(one.name);
    form(`Rename ${one.name}`, "Save", [field("Name", named)], async (close) => { await api("PATCH", at(one), { name: named.value }); close(); reload(); });
  };
  const press = (verb, one, onclick) => button(verb, { class: "link", "aria-label": `${verb} ${one.name}`, onclick });
  return card("Passkeys", passkeys.length ? table(["Name", "For", "Added", "Last used", ""], passkeys.map((one) => [one.name, one.host, time(one.created_at), time(one.used_at),
    h("span", { class: "row tight end" }, press("Rename", one, () => rename(one)), press("Remove", one, () => ask(`Remove ${one.name}?`, "It does not sign in any more, and every other browser that you are signed in with has to sign in again.", "Remove", async () => { await api("DELETE", at(one)); reload(); })))]), { label: "Passkeys" })
    : h("p", { class: "hint" }, "With a passkey you sign in by finger, face or PIN instead of a password."),
  canPasskeys() ? h("div", { class: "row" }, button("Add a passkey", { class: "primary", onclick: add }, "plus")) : h("p", { class: "hint" }, "Browsers have passkeys by TLS and at localhost."));
}
