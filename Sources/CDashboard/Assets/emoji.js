// The emoji picker: a small table of those that messages use, found by name, put in where the text was last edited.
import { button, dialog, h, replace } from "./core.js";
import { emojiWords, t } from "./words.js";

// Each with its name and other words for it.
const table = `
😀 grinning smile happy|😃 smiling happy joy|😄 laughing smile|😁 beaming grin|😆 squinting laugh|😅 sweat relief|😂 tears of joy laugh|🤣 rolling laugh|🙂 slight smile|😉 wink|😊 blush smile|😇 halo angel
🥰 hearts love|😍 heart eyes love|🤩 star eyes wow|😘 kiss|😋 yummy tasty food|😎 cool sunglasses|🤗 hug|🤔 thinking|🤫 quiet secret|😴 sleeping|😢 crying sad|😭 sobbing sad|😡 angry|😱 scream shock|🥳 party birthday|🤯 mind blown
🙈 monkey see|👋 wave hello|👌 ok|✌️ victory peace|🤞 crossed fingers luck|👍 thumbs up like yes|👎 thumbs down no|👏 clap applause|🙌 raised hands|🙏 thanks please pray|💪 strong muscle|🤝 handshake deal|👀 eyes look|🫶 heart hands
❤️ red heart love|🧡 orange heart|💛 yellow heart|💚 green heart|💙 blue heart|💜 purple heart|🖤 black heart|💔 broken heart|💕 two hearts|💯 hundred perfect|✨ sparkles new|⭐ star|🌟 glowing star|🔥 fire hot|💥 boom|⚡ lightning fast|☀️ sun
🌈 rainbow|🌙 moon night|☁️ cloud|🌧️ rain|❄️ snow winter|⛄ snowman|🌊 wave sea|🌸 blossom spring|🌹 rose|🌻 sunflower summer|🍀 clover luck|🍂 autumn leaves fall|🎄 christmas tree|🎃 halloween pumpkin|🐣 easter chick|🐶 dog|🐱 cat|🦄 unicorn
🎉 party celebrate tada|🎊 confetti|🎁 gift present|🎈 balloon|🎂 birthday cake|🏆 trophy win|🥇 gold medal first|🎯 target goal|🎮 game|🎲 dice game|🎵 music note|🎤 microphone|🎧 headphones|🎬 film movie|📸 camera photo|📺 television|🎟️ ticket
⚽ football soccer|🏀 basketball|🎾 tennis|🏃 running|🚴 cycling|🧘 yoga|🏋️ gym weights|🏁 finish flag|🍕 pizza|🍔 burger|🍟 fries|🌮 taco|🍣 sushi|🍜 noodles|🥗 salad|🍎 apple fruit|🍓 strawberry|🍰 cake|🍪 cookie|☕ coffee|🍵 tea|🍺 beer|🍷 wine|🥂 cheers
🛒 cart shopping|🛍️ bags shopping sale|🏷️ tag price|💰 money bag|💳 card payment|💶 euro money|💵 dollar money|🧾 receipt invoice|📦 parcel package|🚚 delivery truck|🚗 car|🚕 taxi|🚌 bus|🚆 train|✈️ plane flight|🚀 rocket launch|🚲 bike|🏠 house home
🏨 hotel|🏥 hospital|🏖️ beach holiday|🌍 world earth|📍 pin place|🗺️ map|⏰ alarm clock|⏳ hourglass time|📅 calendar date|📞 phone call|📱 mobile phone|💻 laptop|🔋 battery|📧 mail|💬 speech message|🔔 bell notification|🔕 bell off|📢 loudspeaker
📣 megaphone news|📰 newspaper|📚 books|🎓 graduation|✏️ pencil|📝 memo note|📈 chart up|📉 chart down|📊 chart bars|🔍 search|🔒 lock secure|🔓 unlock|🔑 key|🛠️ tools repair|⚙️ settings gear|💡 idea lamp|🧪 test|🚨 alarm siren|⚠️ warning
✅ check done|❌ cross no|❗ exclamation|❓ question|➡️ arrow right|⬅️ arrow left|⬆️ arrow up|⬇️ arrow down|🔄 refresh repeat|➕ plus|🆕 new|🆓 free|🆗 ok|🔝 top|🔜 soon|♻️ recycle|🏳️‍🌈 pride rainbow flag|🇪🇺 europe flag`;
const rows = table.trim().split(/[|\n]/).map((row) => { const space = row.indexOf(" "); const emoji = row.slice(0, space); return [emoji, emojiWords(emoji, row.slice(space + 1))]; });

// Puts a text in where the control's selection is, as if it had been typed.
export function insert(control, text) {
  const [from, to] = [control.selectionStart ?? control.value.length, control.selectionEnd ?? control.value.length];
  control.setRangeText(text, from, to, "end");
  control.dispatchEvent(new Event("input", { bubbles: true }));
  control.focus();
}

function choose(control) {
  dialog(t`Emoji`, (close) => {
    const grid = h("div", { class: "emojis", role: "group", "aria-label": t`Emoji` });
    const none = h("p", { class: "hint", role: "status" });
    const search = h("input", { type: "search", placeholder: t`party, heart, truck …`, "aria-label": t`Find by name`, autocomplete: "off", oninput: () => draw() });
    const take = (emoji) => { close(); insert(control, emoji); };
    function draw() {
      const words = search.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
      const found = rows.filter(([, name]) => words.every((part) => name.toLowerCase().includes(part)));
      replace(grid, found.map(([emoji, name]) => button(emoji, { class: "emoji", title: name, "aria-label": name, onclick: () => take(emoji) })));
      replace(none, found.length ? "" : t`None found; your system’s emoji picker has all of them.`);
    }
    draw();
    setTimeout(() => search.focus());
    return [search, grid, none, h("div", { class: "row end" }, button(t`Back`, { class: "quiet", onclick: close }))];
  });
}

// The button beside a text.
export const emojiButton = (control, label) => button("☺", { class: "round emoji-button", "aria-label": t`Emoji for ${label}`, title: t`Emoji`, onclick: () => choose(control) });
