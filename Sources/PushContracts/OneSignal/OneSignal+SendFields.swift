import WireJSON

extension OneSignal {
  /// Fields of “create notification” that say who gets the message and when: checked, so that a whole request can be
  /// tried, and written nowhere (``DeliveryField``).
  static let sendFields: [Field<Message>] = [
    sendField("app_id", .string, "The app at OneSignal."),
    sendField("included_segments", .strings, "Who gets it: segments."),
    sendField("excluded_segments", .strings, "Who does not get it: segments."),
    sendField("include_aliases", .object, "Who gets it: people by alias.", ["external_id": ["u-1"]]),
    sendField("target_channel", .string, "The channel that aliases are looked up for.", "push"),
    sendField("include_subscription_ids", .strings, "Who gets it: subscriptions, at most 2000."),
    sendField("include_player_ids", .strings, "Who gets it: subscriptions, by the older name."),
    sendField("include_external_user_ids", .strings, "Who gets it: people, by the older name."),
    sendField(
      "filters", .array, "Who gets it: a filter.", [["field": "tag", "key": "k", "relation": "=", "value": "v"]]),
    sendField("send_after", .string, "When it is sent."),
    sendField("delayed_option", .string, "Whether each person's own time counts.", "timezone"),
    sendField("delivery_time_of_day", .string, "The hour in each person's own time.", "9:00AM"),
    sendField("throttle_rate_per_minute", .integer, "How many are sent a minute."),
    sendField("idempotency_key", .string, "Makes a repeated request harmless."),
    sendField("web_url", .string, "What a click opens in a browser; apps get url or app_url.", "https://shop.example"),
  ]

  /// Fields that each are a way of saying who gets a message; one way is used at a time.
  static let targetingModes: [[String]] = [
    ["included_segments", "excluded_segments"], ["include_aliases"],
    ["include_subscription_ids", "include_player_ids"],
    ["include_external_user_ids"], ["filters"],
  ]

  private static func sendField(
    _ name: String, _ type: FieldType, _ doc: String, _ example: JSONValue? = Optional.none
  ) -> Field<Message> {
    var field = other(name, type, doc, example)
    field.rule = "not in a payload"
    field.decidesDelivery = name != "web_url"
    return field
  }

  /// A field that neither platform has a field for.
  static func other(_ name: String, _ type: FieldType, _ doc: String, _ example: JSONValue?) -> Field<Message> {
    Field<Message>(
      name,
      .json(
        type, isThere: { !$0.pointee.send.isEmpty && $0.pointee.send[name] != nil }, at: { $0.pointee.send[name] },
        { message, value in
          guard fits(value, type) else { return Mismatch(type.expectation) }
          message.send[name] = value
          return nil
        }), doc: doc, rule: name.utf8.starts(with: "huawei_".utf8) ? "Huawei only" : "browsers only", example: example)
  }

  private static func fits(_ value: JSONValue, _ type: FieldType) -> Bool {
    switch type {
    case .string: value.string != nil
    case .integer: value.int != nil
    case .array: value.array != nil
    case .strings: value.array?.allSatisfy { $0.string != nil } ?? false
    case .object: value.object != nil
    case .number, .boolean, .texts, .any: false
    }
  }
}
