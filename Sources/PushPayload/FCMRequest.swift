public import WireJSON

/// What FCM is sent for one message: the exact body of `POST /v1/projects/{project}/messages:send`.
public struct FCMRequest: Sendable, Hashable {
  /// The body: UTF-8 JSON, `{"message": {…}}`, as it goes on the wire.
  public var body: [UInt8]
  /// The target inside the body; nil when it names none or more than one.
  public var target: FCMTarget?

  /// Makes a request from bytes that are ready.
  public init(body: [UInt8], target: FCMTarget?) {
    self.body = body
    self.target = target
  }

  /// Writes a request from a message object.
  ///
  /// - Parameters:
  ///   - message: the FCM v1 `Message`.
  ///   - validateOnly: asks FCM to check and not to deliver.
  public init(message: JSONObject, validateOnly: Bool = false) {
    var root = JSONObject()
    if validateOnly { root.append("validate_only", .bool(true)) }
    root.append("message", .object(message))
    self.init(body: JSON.minified(.object(root)), target: FCMRequest.target(of: message))
  }

  /// The one target a message names; nil when it names none or more than one.
  public static func target(of message: JSONObject) -> FCMTarget? {
    var found: FCMTarget?
    for (key, value) in message {
      guard case .string(let text) = value, let target = FCMTarget(key: key, value: text) else { continue }
      if found != nil { return nil }
      found = target
    }
    return found
  }
}

extension FCMRequest {
  /// The same request with a placeholder for the device instead of its target; nil unless the target is first in the
  /// message, as in every request that a contract writes.
  public func template(_ placeholder: FCMRequestTemplate.Placeholder = .token) -> FCMRequestTemplate? {
    guard let target else { return nil }
    var start = JSONWriter()
    start.beginObject()
    start.key("message")
    start.beginObject()
    start.key(target.key)
    start.string(target.value)
    guard body.starts(with: start.bytes) else { return nil }
    var templated = Array("{\"message\":{\"\(placeholder.rawValue)\":\"".utf8)
    let offset = templated.count
    // The closing quote of the target is the first byte of the rest.
    templated.reserveCapacity(offset + body.count - start.count + 1)
    templated += body[(start.count - 1)...]
    return FCMRequestTemplate(body: templated, offset: offset, placeholder: placeholder)
  }
}

/// A request body with a placeholder for the device: rendered once per push, filled per device.
///
/// The placeholder is the value of `message.token` (or `message.fid`); everything else is fixed bytes.
public struct FCMRequestTemplate: Sendable, Hashable {
  /// Which member the placeholder is the value of.
  public enum Placeholder: String, Sendable, Hashable {
    /// `message.token`.
    case token
    /// `message.fid`.
    case fid
  }

  /// The bytes around the target, one after the other, as they are stored.
  public let body: [UInt8]
  /// Where in ``body`` the target belongs: after its opening quote, before its closing one.
  public let offset: Int
  /// Which member the placeholder is the value of.
  public let placeholder: Placeholder

  /// Makes a template from fixed bytes; traps when the offset is outside of them.
  public init(body: [UInt8], offset: Int, placeholder: Placeholder) {
    precondition((0...body.count).contains(offset), "the target's position is outside of the body")
    self.body = body
    self.offset = offset
    self.placeholder = placeholder
  }

  /// Makes a template from fixed bytes; the prefix ends with the opening quote, the suffix starts with the closing one.
  public init(prefix: [UInt8], suffix: [UInt8], placeholder: Placeholder) {
    self.init(body: prefix + suffix, offset: prefix.count, placeholder: placeholder)
  }

  /// The bytes before the target, up to and including its opening quote.
  @inlinable public var prefix: ArraySlice<UInt8> { body[..<offset] }
  /// The bytes after the target, from its closing quote.
  @inlinable public var suffix: ArraySlice<UInt8> { body[offset...] }

  /// Writes a template from a message.
  ///
  /// A `token` or `fid` already in the message is replaced by the placeholder; otherwise the placeholder becomes the
  /// first member, as in the guides. Any `topic` or `condition` is left out.
  public init(message: JSONObject, placeholder: Placeholder = .token, validateOnly: Bool = false) {
    var before = Array((validateOnly ? "{\"validate_only\":true,\"message\":{" : "{\"message\":{").utf8)
    var after: [UInt8] = []
    let hasTarget = message.contains { $0.key == "token" || $0.key == "fid" }
    if !hasTarget { FCMRequestTemplate.open(placeholder, in: &before) }
    var isAfter = !hasTarget
    for (key, value) in message where key != "topic" && key != "condition" {
      if key == "token" || key == "fid" {
        if !isAfter { FCMRequestTemplate.open(placeholder, in: &before) }
        isAfter = true
      } else if isAfter {
        after.append(UInt8(ascii: ","))
        FCMRequestTemplate.append(key, value, to: &after)
      } else {
        FCMRequestTemplate.separate(&before)
        FCMRequestTemplate.append(key, value, to: &before)
      }
    }
    self.init(prefix: before, suffix: Array("\"".utf8) + after + Array("}}".utf8), placeholder: placeholder)
  }

  private static func open(_ placeholder: Placeholder, in bytes: inout [UInt8]) {
    separate(&bytes)
    bytes.append(contentsOf: "\"\(placeholder.rawValue)\":\"".utf8)
  }

  private static func separate(_ bytes: inout [UInt8]) {
    if bytes.last != UInt8(ascii: "{") { bytes.append(UInt8(ascii: ",")) }
  }

  private static func append(_ key: String, _ value: JSONValue, to bytes: inout [UInt8]) {
    bytes.append(contentsOf: JSON.minified(.string(key)))
    bytes.append(UInt8(ascii: ":"))
    bytes.append(contentsOf: JSON.minified(value))
  }

  /// The size in bytes of the body for a target of this many bytes (one that needs no escapes).
  @inlinable
  public func bodyBytes(targetBytes: Int) -> Int { body.count + targetBytes }

  /// Appends the body for one device to a buffer.
  @inlinable
  public func write(target: String, to bytes: inout [UInt8]) {
    bytes.append(contentsOf: prefix)
    FCMRequestTemplate.writeEscaped(target, to: &bytes)
    bytes.append(contentsOf: suffix)
  }

  /// The body for one device.
  @inlinable
  public func body(target: String) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(bodyBytes(targetBytes: target.utf8.count))
    write(target: target, to: &bytes)
    return bytes
  }

  /// Tokens hold letters, digits, `:`, `_` and `-`; anything else that JSON must escape is escaped, never trusted.
  @inlinable
  static func writeEscaped(_ target: String, to bytes: inout [UInt8]) {
    let start = bytes.count
    for byte in target.utf8 {
      if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
        bytes.removeSubrange(start...)
        bytes.append(contentsOf: JSON.minified(.string(target)).dropFirst().dropLast())
        return
      }
      bytes.append(byte)
    }
  }
}
