extension OneSignal {
  /// The rules of this contract alone, as its page lists them.
  static let rules: [ContractRule] = [
    ContractRule(
      "onesignal-id-placeholder", "warning",
      "neither the message nor the send has an id; a placeholder is written"),
    ContractRule(
      "onesignal-template-texts", "error",
      "`template_id` without `contents`: the template's texts are at OneSignal, and `content_available` does not say that "
        + "nothing is to be shown"),
    ContractRule(
      "onesignal-english-missing", "error",
      "`contents` has no English text"),
    ContractRule(
      "onesignal-language-missing", "warning",
      "another text has neither the language asked for nor English; it is left out"),
    ContractRule(
      "onesignal-language-fallback", "warning; note for a wider language, such as de for de-AT",
      "the text of another language is taken"),
    ContractRule(
      "onesignal-body-empty", "error on Android",
      "the text is empty, so nothing is shown, and `content_available` does not say that this is meant"),
    ContractRule(
      "onesignal-data-too-large", "error",
      "`data` has more than 2048 bytes of JSON text"),
    ContractRule(
      "onesignal-data-name", "warning",
      "a data key is one that the SDKs use themselves: `actionSelected`, `actionButtons`, `actionId`"),
    ContractRule(
      "onesignal-root-reserved", "error",
      "with root data, a data key is one that the SDK reads at the root"),
    ContractRule(
      "onesignal-range", "error",
      "`ttl`, `priority`, `android_visibility` or `ios_relevance_score` is out of range"),
    ContractRule(
      "onesignal-collapse-id-too-long", "error",
      "`collapse_id` has more than 64 characters"),
    ContractRule(
      "onesignal-badge-count", "warning",
      "`ios_badgeType` without `ios_badgeCount`, or `Increase` in a push without a text"),
    ContractRule(
      "onesignal-mutable-content", "warning",
      "`mutable_content` is false and set all the same"),
    ContractRule(
      "onesignal-color", "warning",
      "a color is not eight hexadecimal digits"),
    ContractRule(
      "onesignal-targeting", "warning",
      "two ways of saying who gets it"),
    ContractRule(
      "onesignal-audience-too-large", "warning",
      "more than 2000 subscriptions"),
    ContractRule(
      "onesignal-url-twice", "warning",
      "`url` beside `app_url`"),
    ContractRule(
      "onesignal-web-only", "note",
      "`web_url` is for browsers"),
    ContractRule(
      "onesignal-token-hex", "error",
      "an iOS token has something else than hexadecimal digits"),
    ContractRule(
      "onesignal-token-case", "warning",
      "an iOS token has upper-case digits"),
    ContractRule(
      "onesignal-token-characters", "error",
      "an Android token has a character that none has"),
    ContractRule(
      "onesignal-token-length", "warning, note",
      "a token has an unusual length"),
    ContractRule(
      "onesignal-id-missing", "error on Android, where nothing is shown; warning on iOS",
      "reading: there is no id, so the SDK takes the push for another sender's"),
    ContractRule(
      "onesignal-root-data", "note",
      "reading: a key beside `aps` is in `rawPayload`, and not in `additionalData`"),
    ContractRule(
      "onesignal-button-dropped", "warning",
      "reading iOS: a button without a label is left out"),
    ContractRule(
      "onesignal-buttons-crash", "warning",
      "reading iOS: `os_data.buttons` is no object and there is no `aps.alert`; the SDK crashes"),
    ContractRule(
      "onesignal-minified-not-shown", "warning",
      "reading iOS: a minified payload without `content-available` 1 is shown only while the app is open; with `m` at the root it "
        + "needs `at` or `o`, and beside `aps.alert` null none is"),
    ContractRule(
      "onesignal-custom-nonstandard", "warning",
      "reading Android: the JSON text of a key such as `custom` or `o` is not JSON by the standard, and Android's reader "
        + "accepts it"),
    ContractRule(
      "onesignal-buttons-aborted", "warning",
      "reading Android: a button without a label costs all those of `o`; in `custom.a.actionButtons` a button that is not "
        + "an object costs itself and those after it"),
    ContractRule(
      "onesignal-button-empty", "warning",
      "Android: a button has an empty label, or one of `custom.a.actionButtons` none, and is drawn without one"),
    ContractRule(
      "onesignal-channel", "error for a group without a name in any language, of which nothing is shown; else warning",
      "Android: the channel or its group has an empty name, `langs` has no object for a language, `pri` is 1, or Android "
        + "keeps the channel's id for itself; the notification is shown elsewhere, or not to everybody"),
  ]
}
