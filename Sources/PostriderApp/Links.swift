/// The link that a payload asks the app to open.
package enum Links {
  /// The first of the keys that has a text; nil when none has.
  package static func find(in payload: AppJSON, keys: [String]) -> String? {
    for key in keys {
      var value: AppJSON? = payload
      for name in key.split(separator: ".") { value = value.flatMap(object)?[String(name)] }
      if let text = value?.string, !text.isEmpty { return text }
    }
    return nil
  }

  /// An object, or the one that a text has as JSON: some vendors nest JSON in a text.
  private static func object(_ value: AppJSON) -> AppJSON? {
    switch value {
    case .object: value
    case .string(let text): AppJSON.parse(text)
    default: nil
    }
  }
}

/// How the system names a notification, as the server's events do.
package enum NotificationReference: Equatable, Sendable {
  case apnsID(String)
  case campaign(String)

  private static let campaignBytesMax = 64

  /// Reads `UNNotificationRequest.identifier` of a push.
  ///
  /// It is the `apns-collapse-id`, which is the campaign, when the push has one, and otherwise the `apns-id`.
  package init?(identifier: String) {
    if Self.isUUID(identifier) {
      self = .apnsID(identifier.lowercased())
    } else if (1...Self.campaignBytesMax).contains(identifier.utf8.count) {
      self = .campaign(identifier)
    } else {
      return nil
    }
  }

  var member: (String, AppJSON?) {
    switch self {
    case .apnsID(let id): ("apns_id", .string(id))
    case .campaign(let name): ("campaign", .string(name))
    }
  }

  private static func isUUID(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    return bytes.count == 36
      && bytes.enumerated().allSatisfy { index, byte in
        [8, 13, 18, 23].contains(index)
          ? byte == UInt8(ascii: "-") : (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20)
      }
  }
}
