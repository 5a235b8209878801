public import Basics
internal import PushPayload
public import WireJSON

// What the iOS SDK does with a notification that was read.

extension OneSignal.Notification {
  /// The number on the app's icon after this notification, from the one before it.
  ///
  /// An increment wins over an absolute number, and the result is never below 0.
  public func badge(after counter: WholeNumber) -> WholeNumber {
    if badgeIncrement != 0 { return max(0, counter.addingReportingOverflow(badgeIncrement).partialValue) }
    return badge ?? counter
  }

  /// The category under which the SDK registers the buttons; nil when the sender named one or there are no buttons.
  public var dynamicCategory: String? {
    guard platform == .ios, category?.isEmpty ?? true, let buttons = actionButtons, !buttons.isEmpty,
      let id = notificationID
    else { return nil }
    return "__onesignal__dynamic__" + id
  }

  /// The buttons in the order in which the SDK registers them: two of them the other way round.
  public var registeredButtons: [OneSignal.ActionButton] {
    let buttons = actionButtons ?? []
    return buttons.count == 2 ? buttons.reversed() : buttons
  }

  /// The attachments with their sources, in order; values that are not strings are left out.
  public var attachmentSources: [OneSignal.Attachment] {
    (attachments ?? [:]).compactMap { id, value in
      value.string.map { OneSignal.Attachment(id: id, source: $0) }
    }
  }

  /// The path, below the API's root, of the `PUT` that confirms the delivery.
  public var deliveryReportPath: String? { notificationID.map { "notifications/\($0)/report_received" } }

  /// The path, below the API's root, of the `PUT` that reports the opening; nil for a preview of an in-app message.
  ///
  /// The SDK sends it once per id.
  public var openReportPath: String? {
    inAppMessagePreviewID == nil ? notificationID.map { "notifications/\($0)" } : nil
  }

  /// The body of the `PUT` that reports the opening.
  public static func openReport(appID: String, playerID: String) -> JSONObject {
    ["app_id": .string(appID), "player_id": .string(playerID), "opened": true]
  }
}

extension OneSignal {
  /// Something the service extension attaches to a notification.
  public struct Attachment: Sendable, Hashable {
    /// The most bytes that are downloaded.
    public static let bytesMax = 50 * 1024 * 1024

    /// The id.
    public var id: String
    /// An http or https address, or the name of a file in the app.
    public var source: String

    /// Makes an attachment.
    public init(id: String, source: String) {
      self.id = id
      self.source = source
    }

    /// The source as the service extension reads it: without tabs and the blanks of any script around it.
    ///
    /// Source: OneSignal's SDK for iOS, `OneSignalAttachmentHandler.trimURLSpacing`; CoreFoundation, `CFUniChar`.
    public var address: String { AppleText.trimmed(source, lines: false) }

    /// True when it is downloaded: an address with a host, and without white space and control characters, of which
    /// Foundation makes no URL, or one of something else; otherwise it is a file in the app.
    public var isRemote: Bool {
      let address = address
      return Adobe.isLoadable(address, on: .ios) && !address.utf8.contains { $0 <= 0x20 || $0 == 0x7F }
    }

    /// True unless it is the name of a file without an extension, or an address of which nothing is downloaded; the SDK
    /// leaves them out.
    public var isUsable: Bool { isRemote || source.utf8.contains(UInt8(ascii: ".")) && !isAddress }

    private var isAddress: Bool {
      let parts = address.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { return false }
      let scheme = parts[0].map { $0 | 0x20 }
      return parts[1].starts(with: "//".utf8) || scheme.elementsEqual("http".utf8) || scheme.elementsEqual("https".utf8)
    }

    /// Why the SDK leaves it out.
    var fault: String { isAddress ? "as its address is none of the web" : "as the file has no extension" }

    private static let types: [(mime: String, name: String)] = [
      ("image/jpeg", "jpg"), ("image/jpg", "jpg"), ("image/png", "png"), ("image/gif", "gif"), ("audio/mpeg", "mp3"),
      ("audio/mp3", "mp3"), ("audio/wav", "wav"), ("audio/x-wav", "wav"), ("audio/aiff", "aiff"),
      ("audio/x-aiff", "aiff"), ("audio/mp4", "m4a"), ("video/mp4", "mp4"), ("video/mpeg", "mpeg"),
      ("video/avi", "avi"), ("video/x-msvideo", "avi"), ("video/x-m4v", "m4v"),
    ]
    private static let extensions = types.map { $0.name } + ["jpeg", "mpg", "mpeg2"]

    /// The file name extension that iOS is given: from the query item `filename`, else the MIME type of the answer, else
    /// the path, else any query item; nil when none tells.
    public func fileExtension(mimeType: String? = nil) -> String? {
      let (path, items) = parts
      let named = items.first { $0.name == "filename" }.flatMap { Attachment.known($0.value) }
      if let named { return named }
      if let type = Attachment.types.first(where: { $0.mime == mimeType }) { return type.name }
      if let found = Attachment.known(path) { return found }
      for item in items {
        if let found = Attachment.known(item.value) { return found }
      }
      return nil
    }

    /// The address before `?`, and the query items behind it.
    private var parts: (path: String, items: [(name: String, value: String)]) {
      let bytes = address.utf8.prefix { $0 != UInt8(ascii: "#") }
      guard let mark = bytes.firstIndex(of: UInt8(ascii: "?")) else { return (String(Substring(bytes)), []) }
      let items = bytes[bytes.index(after: mark)...].split(separator: UInt8(ascii: "&")).map { item in
        let end = item.firstIndex(of: UInt8(ascii: "=")) ?? item.endIndex
        return (name: String(Substring(item[..<end])), value: String(Substring(item[end...].dropFirst())))
      }
      return (String(Substring(bytes[..<mark])), items)
    }

    /// The extension behind the last dot of a name, when it is one that iOS can show.
    private static func known(_ name: String) -> String? {
      guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
      let bytes = name.utf8[name.utf8.index(after: dot)...].map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
      let text = String(decoding: bytes, as: UTF8.self)
      return extensions.contains(text) ? text : nil
    }
  }
}
