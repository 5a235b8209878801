extension IMKit {
  /// The rules of this contract alone, as its page lists them.
  static let rules: [ContractRule] = [
    ContractRule(
      "imkit-sender-missing", "warning",
      "a chat event names its sender as the first argument, and there is none"),
    ContractRule(
      "imkit-key-undocumented", "note; warning for an empty type",
      "the page has no text for the message type"),
    ContractRule(
      "imkit-silent-unasked", "warning",
      "there is a sender or content, and neither a message type nor a text to show it with"),
    ContractRule(
      "imkit-silent", "note",
      "there is data and no title, body or localization key, so the push is silent without saying so"),
    ContractRule(
      "imkit-silent-lost", "warning",
      "such a push has a badge, sound, icon or click action, which is not sent"),
    ContractRule(
      "imkit-body-wins", "warning",
      "there is a body beside the localized text; Android shows the body instead"),
    ContractRule(
      "imkit-voip-payload", "warning",
      "a PushKit request has no `message` object"),
    ContractRule(
      "imkit-args-missing", "warning",
      "there are fewer arguments than the built-in text needs"),
  ]
}
