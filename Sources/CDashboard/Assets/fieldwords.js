// What the composer calls a contract's fields, and where it shows them: a row is the field, its group, and its name for people; the
import { fieldName, t } from "./words.js";
// five with a star are open. The fields themselves, their types and rules are the contract's (`GET /v1/contracts/NAME`).

export const groups = [["text", t`Text`], ["media", t`Media`], ["actions", t`Actions`], ["behavior", t`Behavior`], ["data", t`Data`]];

const table = {
  amba: `
title text* Title
body text* Text
data data* Data for the app
badge behavior* Number on the icon
sound media* Sound
channel_id behavior Notification channel`,
  imkit: `
messageType text* Kind of message
sender text* Sender
content text* Text
title text Title
body text Text without localization
loc-key text Localization key
loc-args text Localization arguments
alert text Alert
icon media Icon
sound media Sound
click_action actions Action of a tap
badge behavior* Number on the icon
collapseKey behavior Replaces earlier ones with the same key
timeToLive behavior Seconds to keep it for a device that is away
silent behavior Silent
room data* Chat room
message data Message for the app
type data Type for the app`,
  powerauth: `
title text* Title
body text* Text
titleLocKey text Localization key of the title
titleLocArgs text Localization arguments of the title
bodyLocKey text Localization key of the text
bodyLocArgs text Localization arguments of the text
sound media* Sound
icon media Icon
category actions Category
badge behavior* Number on the icon
collapseKey behavior Replaces earlier ones with the same key
validUntil behavior Valid until
silent behavior Silent
priority behavior Priority
extras data* Data for the app`,
  native: `
title text* Title
subtitle text Subtitle
body text* Text
title_loc_key text Localization key of the title
title_loc_args text Localization arguments of the title
subtitle_loc_key text Localization key of the subtitle
subtitle_loc_args text Localization arguments of the subtitle
body_loc_key text Localization key of the text
body_loc_args text Localization arguments of the text
image media* Picture
sound media Sound
icon media Small icon
color media Accent color
category actions Category of buttons
target_content_id actions Window that a tap opens
badge behavior* Number on the icon
thread_id behavior Thread that it is grouped in
channel_id behavior Notification channel
content_available behavior Wakes the app in the background
mutable_content behavior An extension may change it
interruption_level behavior Interruption level
relevance_score behavior Weight in a summary
collapse_id behavior Replaces earlier ones with the same key
data data* Data for the app
apns data Apple's own request
fcm data Google's own message`,
  onesignal: `
headings text* Title
subtitle text Subtitle
contents text* Text
android_group_message text Text of the stack
global_image media* Picture
big_picture media Large picture on Android
ios_attachments media Attachments on iOS
small_icon media Small icon
large_icon media Large icon
ios_sound media Sound on iOS
android_sound media Sound on Android
android_accent_color media Accent color
android_led_color media Color of the light
android_background_layout media Background picture
huawei_small_icon media Small icon on Huawei
huawei_large_icon media Large icon on Huawei
huawei_big_picture media Picture on Huawei
huawei_sound media Sound on Huawei
huawei_accent_color media Accent color on Huawei
huawei_led_color media Color of the light on Huawei
chrome_web_icon media Icon in browsers
firefox_icon media Icon in Firefox
chrome_web_image media Picture in browsers
chrome_web_badge media Small icon in browsers
url actions* Link that a tap opens
app_url actions Link in apps
web_url actions Link in browsers
buttons actions Buttons
web_buttons actions Buttons in browsers
ios_category actions Category of buttons
target_content_identifier actions Window that a tap opens
ios_badgeType behavior How the number on the icon changes
ios_badgeCount behavior Number on the icon
thread_id behavior Thread that it is grouped in
collapse_id behavior Replaces earlier ones with the same key
web_push_topic behavior Replaces waiting ones in browsers
ios_relevance_score behavior Weight in a summary
ios_interruption_level behavior Interruption level
content_available behavior Wakes the app in the background
mutable_content behavior An extension may change it
android_channel_id behavior Notification channel
android_channel_name behavior Name of the channel
android_channel_description behavior Description of the channel
android_channel_group_id behavior Group of the channel
android_channel_group_name behavior Name of the channel's group
android_channel_languages behavior Names of the channel by language
existing_android_channel_id behavior Channel of the app
android_visibility behavior Visibility on the lock screen
android_group behavior Stack that it belongs to
ttl behavior Seconds to keep it for a device that is away
priority behavior Priority
huawei_msg_type behavior Kind of message on Huawei
huawei_category behavior Category on Huawei
huawei_channel_id behavior Channel on Huawei
huawei_existing_channel_id behavior Channel of the app on Huawei
huawei_visibility behavior Visibility on Huawei
huawei_group behavior Stack on Huawei
huawei_group_message text Text of the stack on Huawei
huawei_badge_class behavior Class of the number on Huawei
huawei_badge_set_num behavior Number on the icon on Huawei
huawei_badge_add_num behavior Added to the number on Huawei
data data* Data for the app
notification_id data Id of the notification
template_id data Template
name data Name of the template
huawei_bi_tag data Tag for statistics on Huawei`,
  adobe: `
adb_title text* Title
adb_body text* Text
subtitle text Subtitle
adb_title_ex text Title when expanded
adb_body_ex text Text when expanded
adb_ticker text Text for accessibility services
adb_title_alt text Title after the timer
adb_body_alt text Text after the timer
adb_body_ex_alt text Expanded text after the timer
adb_feedback_txt text Text after a reply
adb_image media* Picture
adb_image_alt media Picture after the timer
adb_feedback_img media Picture after a reply
sound media Sound on iOS
adb_sound media Sound on Android
adb_icon media Icon
adb_small_icon media Small icon
adb_large_icon media Large icon
adb_clr_icon media Color of the small icon
adb_clr_title media Color of the title
adb_clr_body media Color of the text
adb_clr_bg media Background color
adb_clr_tmr media Color of the timer
adb_items media Pictures or products
adb_car_layout media Layout of the carousel
adb_car_mode media Motion of the carousel
adb_col_style media Collapsed notification
adb_cancel_image media Closing icon
adb_rate_unselected_icon media Icon of a rating
adb_rate_selected_icon media Icon of the chosen rating
adb_display media Direction of the products
adb_cta_clr media Color of the button
adb_cta_txt_clr media Color of the button's label
adb_uri actions* Link that a tap opens
adb_a_type actions Kind of link
adb_act actions Buttons
adb_rem_txt actions Label of “remind later”
adb_rem_ts actions Time to remind
adb_rem_sec actions Seconds until the reminder
adb_input_receiver actions Receiver of the reply
adb_input_txt actions Hint of the reply field
adb_rate_act actions Links of the ratings
adb_cta_txt actions Label of the button
adb_cta_uri actions Link of the button
adb_template_type behavior* Template
adb_n_count behavior Number on the icon
adb_channel_id behavior Notification channel
adb_n_priority behavior Prominence
adb_n_visibility behavior Visibility on the lock screen
adb_tag behavior Replaces earlier ones with the same tag
adb_sticky behavior Stays when it is tapped
collapse_key behavior Replaces waiting ones with the same key
thread_id behavior Thread that it is grouped in
adb_tmr_dur behavior Seconds of the timer
adb_tmr_end behavior End of the timer
adb_version data Version
adb_template_properties data Properties of the template
adb_liveupdate_data data Data of the live update`,
};

const rows = new Map();
for (const [contract, text] of Object.entries(table)) {
  const known = new Map();
  for (const line of text.trim().split("\n")) {
    const [field, group, ...name] = line.split(" ");
    known.set(field, { group: group.replace("*", ""), open: group.endsWith("*"), name: fieldName(name.join(" ")) });
  }
  rows.set(contract, known);
}

// A field's group and name; of one that the table does not have, its own name in words.
export function wordsOf(contract, { field, type }) {
  const found = rows.get(contract)?.get(field);
  if (found) return found;
  const name = field.replace(/[_-]+/g, " ").replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
  return { group: type === "object" || type === "any" ? "data" : "behavior", open: false, name: name[0].toUpperCase() + name.slice(1) };
}
export const isText = (contract, row) => wordsOf(contract, row).group === "text" && ["string", "texts by language"].includes(row.type);
// The order of the table: what is used often comes first.
export const orderOf = (contract) => [...(rows.get(contract)?.keys() ?? [])];
