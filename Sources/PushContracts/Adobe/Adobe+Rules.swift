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
      "adobe-color", "error",
      "a colour of a typed message is no colour"),
    ContractRule(
      "adobe-color-converted", "note",
      "a colour was given with `#` or with eight digits"),
    ContractRule(
      "adobe-link-type-missing", "error",
      "`adb_uri` without `adb_a_type` on Android"),
    ContractRule(
      "adobe-uri-missing", "error",
      "a link of type WEBURL or DEEPLINK without uri"),
    ContractRule(
      "adobe-uri-unused", "note",
      "a button or icon of another type with a uri, or without one"),
    ContractRule(
      "adobe-button-count", "error; reading: warning",
      "not one to three buttons, or three with “remind later”"),
    ContractRule(
      "adobe-remind-pair", "error; reading: warning",
      "“remind later” without its text or without its time"),
    ContractRule(
      "adobe-time-ignored", "note",
      "two times are given and one wins"),
    ContractRule(
      "adobe-time-past", "warning",
      "a time has passed when the message is written"),
    ContractRule(
      "adobe-timer-end", "error",
      "a timer without duration and end"),
    ContractRule(
      "adobe-item-count", "error; reading: warning",
      "a list has another number of elements than the template takes"),
    ContractRule(
      "adobe-item-member", "error; reading: warning",
      "an element lacks a member that the template needs"),
    ContractRule(
      "adobe-template-field", "warning",
      "a field that the message's template does not read"),
    ContractRule(
      "adobe-ios-fallback", "note",
      "iOS does not draw the template"),
    ContractRule(
      "adobe-key-missing", "error on Android, warning on iOS",
      "reading: a required key is missing"),
    ContractRule(
      "adobe-template-unknown", "warning",
      "reading: the template is missing or unknown, and drawn as basic"),
    ContractRule(
      "adobe-link-type", "error, or warning for a button",
      "reading: an unknown kind of link"),
    ContractRule(
      "adobe-choice-unknown", "warning",
      "reading: a value is not one of the few the library knows"),
    ContractRule(
      "adobe-boolean", "note",
      "reading: a boolean is neither `true` nor `false`"),
    ContractRule(
      "adobe-list-unreadable", "warning",
      "reading: the text of a list is not a JSON array"),
    ContractRule(
      "adobe-list-element", "warning",
      "reading: an element of a list is no object"),
    ContractRule(
      "adobe-list-skipped", "warning",
      "reading: an element lacks what it must have and is skipped"),
  ]
}
