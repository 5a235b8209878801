// Passkeys: signing in with one, joining by one, and one's own.
import { api, ask, button, card, field, form, h, replace, table, time, toast } from "./core.js";

// Browsers have them on pages that came by TLS or from the machine itself, and never at an address of numbers.
export const canPasskeys = () => Boolean(window.PublicKeyCredential) && !/^[\d.]+$|:/.test(location.hostname);

const read = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (sign) => sign.charCodeAt(0));
const write = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
const sent = ({ id, type, response }, names) => ({ id, type, response: Object.fromEntries(names.map((name) => [name, write(response[name])])) });

// The question that waits for a passkey to be chosen beside the email: a browser has room for one at a time.
let waiting;

const reasons = { NotAllowedError: "No passkey was used: it was canceled, or took too long.", InvalidStateError: "This device has a passkey of yours for this server already.", SecurityError: "The browser has no passkeys for this address." };
const told = (error) => new Error(reasons[error.name] ?? error.message);

async function use(mediation, signal) {
  const { publicKey } = await api("POST", "/session/passkey/options");
  const found = await navigator.credentials.get({ publicKey: { ...publicKey, challenge: read(publicKey.challenge) }, mediation, signal });
  return api("POST", "/session/passkey", { credential: sent(found, ["clientDataJSON", "authenticatorData", "signature", "userHandle"]) });
}

export async function make(asked) {
  waiting?.abort();
  const { publicKey } = await api("POST", "/session/passkeys/options", asked);
  const { challenge, user, excludeCredentials } = publicKey;
  try {
    const made = await navigator.credentials.create({ publicKey: { ...publicKey, challenge: read(challenge), user: { ...user, id: read(user.id) }, excludeCredentials: excludeCredentials.map((one) => ({ ...one, id: read(one.id) })) } });
    return sent(made, ["clientDataJSON", "attestationObject"]);
  } catch (error) { throw told(error); }
}

// On the sign-in page: a button, and where the browser can, passkeys among what it suggests for the email.
export async function offer(place, email, problem, begin) {
  waiting?.abort();
  if (!canPasskeys()) return;
  const enter = async (mediation) => {
    waiting?.abort();
    const own = waiting = new AbortController();
    // A challenge is good for five minutes, and the page may be open for longer.
    if (mediation) setTimeout(() => { if (own === waiting && place.isConnected) enter(mediation); }, 240000);
    try {
      const found = await use(mediation, own.signal);
      try { localStorage.setItem("sign-in", "email"); } catch { /* private window */ }
      await begin(found);
    } catch (error) { if (own === waiting && place.isConnected) replace(problem, told(error).message); }
  };
  place.append(button("Sign in with a passkey", { class: "quiet", onclick: () => { replace(problem); enter(); } }));
  if (!email.isConnected || !await PublicKeyCredential.isConditionalMediationAvailable?.()) return;
  email.autocomplete = "username webauthn";
  if (place.isConnected) enter("conditional");
}

// MARK: One's own

export function passkeys({ passkeys, password, fresh_until: fresh }, name, reload) {
  const none = h("p", { class: "hint" }, "With a passkey you sign in by finger, face or PIN, without a password that somebody could guess or steal.");
  return card("Passkeys", passkeys.length ? table(["Name", "For", "Kept", "Added", "Last used", ""], passkeys.map((one) => [
    one.name, h("span", { class: "mono" }, one.host), one.synced ? "on several devices" : "on one device", time(one.created_at), time(one.used_at),
    h("span", { class: "row tight end" }, button("Rename", { class: "link", "aria-label": `Rename ${one.name}`, onclick: () => rename(one, reload) }),
      button("Remove", { class: "link", "aria-label": `Remove ${one.name}`, onclick: () => ask(`Remove ${one.name}?`, "It does not sign in any more, and every other browser that you are signed in with has to sign in again. Delete it from your device, too.", "Remove", async () => { await api("DELETE", `/session/passkeys/${one.id}`); reload(); }) }))]), { label: "Passkeys" }) : none,
  canPasskeys() ? h("div", { class: "row" }, button("Add a passkey", { class: "primary", onclick: () => add(name, password, fresh, reload) }, "plus"))
    : h("p", { class: "hint" }, "Browsers make passkeys for a host name with TLS, and for http://localhost; open the dashboard there to add one."));
}

function add(name, hasPassword, fresh, reload) {
  const label = h("input", { type: "text", required: true, maxlength: 100, value: name });
  const old = new Date(fresh) < new Date();
  const password = old && hasPassword && h("input", { type: "password", autocomplete: "current-password", required: true });
  form("Add a passkey", "Add it", [field("Name", label, "By which you know it in the list."), password && field("Password", password, "You signed in a while ago."),
    old && !hasPassword && h("p", { class: "hint" }, "You signed in more than ten minutes ago: sign out and in again first.")], async (close) => {
    const credential = await make(password ? { password: password.value } : {});
    await api("POST", "/session/passkeys", { name: label.value.trim(), credential });
    close(); toast("The passkey is added."); reload();
  });
}

function rename(one, reload) {
  const label = h("input", { type: "text", required: true, maxlength: 100, value: one.name });
  form(`Rename ${one.name}`, "Save", [field("Name", label)], async (close) => { await api("PATCH", `/session/passkeys/${one.id}`, { name: label.value.trim() }); close(); reload(); });
}
