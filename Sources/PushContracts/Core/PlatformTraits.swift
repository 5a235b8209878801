package import PushPayload
package import WireJSON

/// What is declared of a platform, whatever the contract.
package struct PlatformTraits: Sendable {
  /// The name as a sentence has it.
  package let title: String
  /// The member of a rendering that has the request.
  package let request: String
  /// Whether a request has headers, which say what its payload is.
  package var hasHeaders = false
  /// The member of a request's body that has the message; nil where the body is the message.
  package var envelope: String?
  /// The members of a message that say where it goes and the outcome of it, and not what it is.
  var addressing: [String] = []
  /// The member of a message that is handed on to the devices of another platform.
  var foreign: String?
  /// The member of FCM's message with what is handed on to its devices.
  package var carried: String?
  /// Whether all values of an app's data arrive as text.
  var dataIsText = false
  /// Whether a client below the app's library draws a notification block of the message.
  package var clientDraws = false
  /// What the provider documents of a message.
  let schema: PayloadSchema

  /// The platforms, one row each.
  private static let rows = PerPlatform(
    ios: PlatformTraits(title: "iOS", request: "apns", hasHeaders: true, carried: "apns", schema: APNsPayload.schema),
    android: PlatformTraits(
      title: "Android", request: "fcm", envelope: "message", addressing: FCMMessage.envelope, foreign: "apns",
      dataIsText: true, clientDraws: true, schema: FCMMessage.schema))

  fileprivate static func row(_ platform: Platform) -> PlatformTraits { rows[platform] }
}

extension Platform {
  package var traits: PlatformTraits { PlatformTraits.row(self) }

  /// The name as a sentence has it.
  package var title: String { traits.title }

  /// The members of the message in the body of a request.
  func message(in body: JSONValue) -> JSONObject? { (traits.envelope.map { body[$0] ?? .null } ?? body).object }

  /// The body of a request with a message.
  package func body(with message: JSONObject) -> JSONValue {
    traits.envelope.map { .object([$0: .object(message)]) } ?? .object(message)
  }

  /// The members of the message in a payload of any shape.
  func message(_ payload: JSONObject, _ style: AndroidStyle = .androidNotification) -> JSONObject {
    traits.envelope == nil ? payload : AndroidEnvelope(payload, style: style).message
  }
}
