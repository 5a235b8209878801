internal import Basics

/// Why a text is not a device token.
public struct DeviceTokenError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What was expected, what was found, what to do; never the token itself.
  public let description: String
}

/// The address of one app on one device.
///
/// Printing one never shows it whole.
public struct DeviceToken: Sendable, Hashable {
  /// Which kind of address it is.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// An APNs device token: hexadecimal digits.
    case apns
    /// An FCM registration token.
    case fcm = "fcm_token"
    /// A Firebase installation ID.
    case fid
    /// A push token of Huawei's Push Kit.
    case hms
  }

  /// Which kind of address it is.
  public let kind: Kind
  /// The address as the provider is given it; lower-case hexadecimal for APNs.
  ///
  /// Secret: do not log it.
  public let text: String

  /// The longest address taken, in bytes.
  ///
  /// Providers promise no length; real ones are below 512.
  public static let bytesMax = 4096

  /// Reads an address.
  ///
  /// APNs tokens may be written with spaces and `<>` around them, as old `NSData` descriptions are, and in either case.
  /// - Throws: ``DeviceTokenError`` when the text cannot be an address of that kind.
  public init(_ text: String, kind: Kind) throws(DeviceTokenError) {
    self.kind = kind
    switch kind {
    case .apns: self.text = try DeviceToken.hexadecimal(text)
    case .fcm: self.text = try DeviceToken.opaque(text, "FCM registration token")
    case .fid: self.text = try DeviceToken.opaque(text, "Firebase installation ID")
    case .hms: self.text = try DeviceToken.huawei(text)
    }
  }

  private static func hexadecimal(_ text: String) throws(DeviceTokenError) -> String {
    if isPlain(text) { return text }
    var digits: [UInt8] = []
    for byte in text.utf8 where byte != 0x20 && byte != UInt8(ascii: "<") && byte != UInt8(ascii: ">") {
      guard let value = Hex.value(byte) else {
        throw DeviceTokenError(
          description: "APNs device token: expected hexadecimal digits, found another character at digit "
            + "\(digits.count + 1); send the token as hexadecimal text, not base64")
      }
      digits.append(Hex.digit(value))
      if digits.count > bytesMax { break }
    }
    guard !digits.isEmpty, digits.count % 2 == 0, digits.count <= bytesMax else {
      throw DeviceTokenError(
        description: "APNs device token: expected an even number of hexadecimal digits, 2 to \(bytesMax), "
          + "found \(digits.count); the token seems cut off or wrongly joined")
    }
    return String(decoding: digits, as: UTF8.self)
  }

  /// Whether the text is what it would be turned into: the common case, which costs nothing.
  private static func isPlain(_ text: String) -> Bool {
    let count = text.utf8.count
    guard count > 0, count % 2 == 0, count <= bytesMax else { return false }
    return text.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 || $0 >= 0x61 && $0 <= 0x66 }
  }

  private static func huawei(_ text: String) throws(DeviceTokenError) -> String {
    guard !text.utf8.contains(UInt8(ascii: ":")) else {
      throw DeviceTokenError(
        description:
          "Huawei push token: found a colon, which registration tokens of FCM have; register that one as android"
      )
    }
    return try opaque(text, "Huawei push token")
  }

  private static func opaque(_ text: String, _ name: String) throws(DeviceTokenError) -> String {
    guard !text.isEmpty, text.utf8.count <= bytesMax else {
      throw DeviceTokenError(
        description: "\(name): expected 1 to \(bytesMax) bytes, found \(text.utf8.count)")
    }
    let isClean = text.utf8.allSatisfy {
      $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
    }
    guard isClean else {
      throw DeviceTokenError(
        description: "\(name): expected letters, digits and marks such as : _ -, found a space, quote or other "
          + "character; check for a line break or a quoted copy")
    }
    return text
  }
}

extension DeviceToken: CustomStringConvertible, CustomDebugStringConvertible {
  /// The kind, the first four characters and the length: enough to distinguish two in a log, too little to send to.
  public var description: String {
    let shown = text.utf8.count >= 16 ? String(text.prefix(4)) : ""
    return "\(kind.rawValue):\(shown)…(\(text.utf8.count))"
  }

  /// The same as ``description``: a token is not printed whole anywhere.
  public var debugDescription: String { description }
}
