/// What is wrong with a subscription, a key or a message, and how to put it right; no key, secret or endpoint path is in it.
public struct WebPushError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The member that is wrong: `endpoint`, `keys.p256dh`, `keys.auth`, `topic` …; empty for the whole.
  public let field: String
  /// What is wrong and what to do.
  public let message: String

  /// Names what is wrong.
  public init(_ field: String, _ message: String) {
    self.field = field
    self.message = message
  }

  /// Field and message.
  public var description: String { field.isEmpty ? message : "\(field): \(message)" }
}
