public import WireJSON

/// The body of `messages:send`.
public struct FCMSendRequest: PayloadModel {
  /// The object that is seen through this type.
  public var object: JSONObject

  /// Sees an object through this type; empty unless one is given.
  public init(object: JSONObject = JSONObject()) { self.object = object }

  /// The documented members.
  public static let schema = PayloadSchema(
    "SendMessageRequest", .fcm,
    [
      PayloadField("validate_only", .boolean),
      PayloadField("message", .model(FCMMessage.schema)),
    ])
}

extension FCMSendRequest {
  /// `validate_only`: checks and does not deliver.
  public var validateOnly: Bool? {
    get { self[name: "validate_only"] }
    set { self[name: "validate_only"] = newValue }
  }

  /// `message`: the message.
  public var message: FCMMessage? {
    get { self[name: "message"] }
    set { self[name: "message"] = newValue }
  }
}
