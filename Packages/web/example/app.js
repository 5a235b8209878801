import { Postrider } from "https://push.example.com/web/postrider.js";

const postrider = new Postrider({ server: "https://push.example.com", app: "shop", key: "prk_…" });
const [subscribe, unsubscribe, state] = ["subscribe", "unsubscribe", "state"].map((id) => document.getElementById(id));

function show(isSubscribed) {
  subscribe.hidden = isSubscribed;
  unsubscribe.hidden = !isSubscribed;
  subscribe.disabled = !Postrider.isSupported || postrider.permission === "denied";
  state.textContent = !Postrider.isSupported ? "This browser cannot receive notifications here. On an iPhone, add the site to the home screen first."
    : isSubscribed ? "You will be notified." : postrider.permission === "denied" ? "Notifications of this site are blocked in the browser’s settings." : "";
}

const act = (work) => async () => {
  try { show(await work()); } catch (error) { state.textContent = error.message; }
};

subscribe.onclick = act(() => postrider.subscribe());
unsubscribe.onclick = act(async () => { await postrider.unsubscribe(); return false; });
await act(() => postrider.start())();
