extension PowerAuth {
  /// The rules of this contract alone, as its page lists them.
  static let rules: [ContractRule] = [
    ContractRule(
      "powerauth-collapse-empty", "warning",
      "`collapseKey` is empty; no `apns-collapse-id` is sent, where the server sends an empty one"),
    ContractRule(
      "powerauth-extras-taken", "error on Android",
      "with `fcm-data-only` the extras have a member `_notification`, or with `fcm-apns` one that `aps` has from the message"
    ),
  ]
}
