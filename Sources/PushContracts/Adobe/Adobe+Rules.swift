extension Adobe {
  /// The rules of this contract alone, as its page lists them.
  static let rules: [ContractRule] = [
    ContractRule(
      "adobe-text-long", "warning",
      "a title or text is longer than the page recommends for the platform"),
    ContractRule(
      "adobe-text-lines", "warning",
      "a title has more lines than the platform shows: one on Android, two on iOS"),
    ContractRule(
      "adobe-image-type", "warning",
      "an image's address ends in another file type than PNG, JPG or WebP"),
    ContractRule(
      "adobe-sound-extension", "warning",
      "`adb_sound` has an extension"),
    ContractRule(
      "adobe-sound-type", "warning",
      "`sound` is a file that iOS does not play"),
    ContractRule(
      "adobe-color", "warning",
      "a color of a typed message is no color; the device draws its own"),
    ContractRule(
      "adobe-color-converted", "note",
      "a color was given with `#` or with eight digits"),
    ContractRule(
      "adobe-link-type-missing", "error; reading: warning",
      "`adb_uri` without `adb_a_type` on Android: a tap opens the app"),
    ContractRule(
      "adobe-uri-missing", "error for a button that is written; otherwise warning",
      "a link of type WEBURL or DEEPLINK without uri, or with an empty one: a tap opens the app"),
    ContractRule(
      "adobe-uri-unused", "warning; note when there is none",
      "a button, rating or icon of another type with a uri, or without one; reading: `adb_uri` that `adb_a_type` does not open"
    ),
    ContractRule(
      "adobe-button-count", "warning",
      "not one to three buttons, or three with “remind later”"),
    ContractRule(
      "adobe-remind-pair", "warning",
      "“remind later” without its text or without a time that can be read, or with an empty text: a button without a label"
    ),
    ContractRule(
      "adobe-time-ignored", "warning",
      "two times are given, and one is taken"),
    ContractRule(
      "adobe-time-past", "warning",
      "a time has passed when the message is written; reading: “remind later” after 0 seconds or less"),
    ContractRule(
      "adobe-number", "warning",
      "a count is below 0, or a number has more than the 32 bits that Android's library reads"),
    ContractRule(
      "adobe-timer-end", "error; warning for a time that is left out beside one that is read",
      "a timer on Android without a time in whole seconds, or with one below 0 or with an end beyond 64 bits: it has ended when "
        + "it arrives, and is not shown"),
    ContractRule(
      "adobe-timer-tag", "warning",
      "a timer on Android without `adb_tag`: what comes after its end is never drawn"),
    ContractRule(
      "adobe-live-update", "error when nothing is shown, else warning",
      "`adb_liveupdate_data` lacks what the app's plugin for live updates needs, or has what the plugin leaves out"),
    ContractRule(
      "adobe-item-count", "error when nothing is shown, warning for a carousel",
      "a list has another number of elements than the template takes"),
    ContractRule(
      "adobe-item-member", "warning; error for a product",
      "an element lacks a member that the template needs, or the member is empty, or `img` of a carousel or catalog is no "
        + "address that a picture can be downloaded from"),
    ContractRule(
      "adobe-template-field", "warning",
      "a field that the message's template does not read, or that Android does not draw with it; reading: a key that the other "
        + "platform's library alone reads, of a picture, button, sound or badge"),
    ContractRule(
      "adobe-expanded-without-text", "warning",
      "a text that is not in the expanded notification: on Android the body without `adb_body_ex`, and body and price of the "
        + "products of a horizontal catalog; on iOS the subtitle"),
    ContractRule(
      "adobe-intent-key", "error when nothing is shown, else warning",
      "reading: `ratingSelected` or `catalogItemIndex`, which Android's library sends to itself and takes from a push, too"
    ),
    ContractRule(
      "adobe-picture-address", "warning; error for the icon of a rating that is drawn",
      "a picture or icon is no address that it can be downloaded from (`https` on Android, `http` too on iOS) and no name "
        + "of a drawable where that is taken: it is not drawn, and without the icon of a rating nothing is shown"),
    ContractRule(
      "adobe-item-link", "warning",
      "beside `adb_uri` on Android an icon of a kind that opens no uri, which opens `adb_uri`; or a picture without uri of a "
        + "carousel that moves by itself, which opens the app"),
    ContractRule(
      "adobe-ios-fallback", "warning",
      "iOS draws title and body alone instead of the template"),
    ContractRule(
      "adobe-notification-block", "warning",
      "reading: a notification block beside the keys of a template: while the app is not in the foreground Android draws "
        + "the block, and the template is ignored"),
    ContractRule(
      "adobe-key-missing", "error on Android, warning on iOS",
      "reading: a required key is missing, or empty where it needs text"),
    ContractRule(
      "adobe-template-unknown", "warning",
      "the template is missing or unknown: Android draws title and text without one; writing: it is one of Journey Optimizer"
    ),
    ContractRule(
      "adobe-link-type", "error, or warning for a button and for `NONE`",
      "an unknown kind of link"),
    ContractRule(
      "adobe-choice-unknown", "warning",
      "a value is not one of the few that the library knows; the message says what it takes instead"),
    ContractRule(
      "adobe-boolean", "warning; note for another case",
      "a boolean is neither `true` nor `false`"),
    ContractRule(
      "adobe-list-nonstandard", "warning; error when writing",
      "the text of a list that is read, or of `adb_template_properties`, is no JSON by the standard, and Android's reader accepts "
        + "it"),
    ContractRule(
      "adobe-list-unreadable", "error when nothing is shown without the list and when writing, else warning",
      "the text of a list that is read is not an array, or that of `adb_template_properties` no object"),
    ContractRule(
      "adobe-list-element", "error when nothing is shown for it, else warning",
      "reading: an element of a list is no object"),
    ContractRule(
      "adobe-list-skipped", "error when nothing is shown for it, else warning",
      "an element lacks what it must have"),
  ]
}
