// The device lab: virtual phones behind the built-in emulator, with their trays as they stand.
import { api, apiText, append, at, badge, button, card, dialog, empty, fail, field, h, isDark, may, number, picture, replace, select, time, toast } from "./core.js";

const path = (one, rest = "") => `/lab/devices/${one.provider}/${encodeURIComponent(one.token)}/phone${rest}`;

export async function lab(place, { app, tools, reload, onleave }) {
  const all = await api("GET", "/lab/devices");
  const phones = [];
  if (may("send")) append(tools, [button("New virtual device", { class: "primary", onclick: () => make(app, reload) }, "plus")]);
  const shown = all.slice(-24);
  const grid = h("div", { class: "lab" }, shown.map((one) => { const phone = view(one); phones.push(phone); return phone.node; }));
  append(place, [all.length > shown.length && h("p", { class: "hint" }, `The latest ${shown.length} of ${number(all.length)} virtual devices.`), all.length ? grid : empty("No virtual device", "Make one: it receives what its token is sent, and keeps a tray.")]);
  const tick = () => Promise.all(phones.map((phone) => phone.read()));
  const repaint = () => { phones.forEach((phone) => phone.forget()); tick().catch(fail); };
  addEventListener("theme", repaint);
  await tick();
  const timer = setInterval(() => tick().catch(fail), 1500);
  onleave(() => { clearInterval(timer); removeEventListener("theme", repaint); });
}

function view(one) {
  const name = one.provider === "apns" ? "Virtual iPhone" : "Virtual Android phone";
  const head = h("div", { class: "row" });
  const screen = h("div", {});
  const items = h("div", { class: "stack tight" });
  const node = h("section", { class: "card tray-phone" }, h("div", { class: "row spread" }, h("h2", {}, name), head),
    h("p", { class: "hint mono clip", title: one.token }, one.token), screen, items);
  let known = "";

  const act = (verb, body) => async () => {
    try {
      const answer = await api("POST", path(one, verb), body);
      if (answer?.link || answer?.action || answer?.type) toast([answer.type, answer.link, answer.reported?.error].filter(Boolean).join(" · "));
      known = "";
      await read();
    } catch (error) { fail(error); }
  };

  async function read() {
    let text;
    try { text = await apiText("GET", path(one)); } catch (error) {
      if (error.status !== 404) throw error;
      if (known !== "none") replace(screen, empty("No screen", "This device keeps what it receives, and shows nothing.", may("send") && button("Give it a phone", { onclick: async () => { await api("PUT", path(one), {}).catch(fail); known = ""; read().catch(fail); } })));
      known = "none";
      return;
    }
    if (text === known) return;
    known = text;
    const phone = JSON.parse(text);
    const svg = await apiText("GET", path(one, `/picture/${isDark() ? "dark" : "light"}`));
    replace(head, badge(phone.online ? "online" : "offline", phone.online ? "accepted" : "waiting"), phone.tray.badge > 0 && badge(`badge ${phone.tray.badge}`, "error"),
      phone.held > 0 && badge(`${phone.held} held`, "warning"), h("span", { class: "hint" }, phone.locales.join(", ")));
    const rows = phone.tray.groups.flatMap((group) => group.items);
    replace(screen, picture(svg, `${name}: ${rows.length ? rows.map((row) => words(row)).slice(0, 5).join("; ") : "an empty tray"}`));
    replace(items, may("send") && h("div", { class: "row" }, button(phone.online ? "Go offline" : "Come back", { class: "quiet", onclick: act(phone.online ? "/offline" : "/online") }),
      button("Clear", { class: "quiet", onclick: act("/clear"), disabled: !rows.length }), button("Restart", { class: "quiet", onclick: act("/restart") })),
      h("p", { class: "hint" }, `${number(phone.tray.count)} in the tray, ${number(phone.tray.silent)} silent`),
      rows.length > 0 && h("ul", { class: "items", tabindex: "0", "aria-label": `Tray of the ${name}` }, rows.map((row) => item(row))));
  }

  const parts = (row) => { const found = [row.notification.title, row.notification.body].map((part) => part?.text).filter(Boolean); return found.length ? found : ["Notification"]; };
  const words = (row) => parts(row).join(", ");
  const item = (row) => h("li", {}, h("strong", { dir: "auto" }, parts(row)[0]), parts(row).slice(1).map((text) => h("span", { dir: "auto" }, text)),
    h("span", { class: "hint" }, time(new Date(row.shown * 1000).toISOString()), row.replaced ? ` · replaced ${row.replaced}` : "", row.restored ? " · restored" : ""),
    may("send") && h("div", { class: "row" }, button("Tap", { class: "link", onclick: act(`/items/${row.item}/tap`) }), button("Dismiss", { class: "link", onclick: act(`/items/${row.item}/dismiss`) }),
      (row.notification.buttons ?? []).map((one) => button(one.label ?? one.title ?? one.id, { class: "link", onclick: act(`/items/${row.item}/press`, { button: one.id }) }))));

  return { node, read, forget: () => { known = ""; } };
}

function make(app, reload) {
  dialog("New virtual device", (close) => {
    const provider = select([["apns", "iPhone"], ["fcm", "Android phone"]], "apns");
    const locale = h("input", { type: "text", value: "en", placeholder: "de-AT" });
    const user = h("input", { type: "text", placeholder: "carol" });
    const problem = h("p", { class: "problem", role: "alert" });
    return [field("Kind", provider), h("div", { class: "two" }, field("Language", locale), field("User", user)), h("p", { class: "hint" }, `It is registered as a device of ${app}.`), problem,
      h("div", { class: "row end" }, button("Back", { class: "quiet", onclick: close }), button("Make it", { class: "primary", onclick: async () => {
        try {
          const made = await api("POST", "/lab/devices", { provider: provider.value, phone: { locales: [locale.value.trim() || "en"], app_name: app } });
          await api("POST", at(app, "/devices"), { type: provider.value === "apns" ? "ios" : "android", token: made.token, locale: locale.value.trim() || "en", ...(user.value.trim() && { user: user.value.trim() }) });
          close(); reload();
        } catch (error) { replace(problem, error.message); }
      } }))];
  });
}
