public import Basics
public import PushPayload
public import WireJSON

extension OneSignal {
  /// Reads payloads one after the other; in steady state only the texts themselves are allocated.
  ///
  /// ```swift
  /// var reader = OneSignal.Reader()
  /// let reading = try reader.read(ios: payloadBytes)
  /// if let link = reading.message.launchURL { open(link) }
  /// ```
  public struct Reader: Sendable {
    private var document = JSONDocument()

    /// Makes a reader.
    public init() {}

    /// Reads an APNs payload: what the SDK's `parseWithApns` does.
    ///
    /// Nothing is refused: a mistyped key is reported and taken as absent.
    ///
    /// - Parameters:
    ///   - bytes: the JSON text of the payload.
    ///   - requestID: in a notification service extension the identifier of the request, which becomes the collapse id.
    /// - Throws: `JSONError` when the bytes are not JSON.
    public mutating func read(
      ios bytes: [UInt8], requestID: String? = nil
    ) throws(JSONError) -> Reading<Notification> {
      var reading = Reading(message: Notification(platform: .ios, format: .original, rawBytes: []))
      try read(ios: bytes, requestID: requestID, into: &reading.message, report: &reading.report)
      return reading
    }

    /// Reads an APNs payload over another notification: the fastest way through many payloads, as a copy of
    /// so many texts would count a reference for each.
    ///
    /// - Parameters:
    ///   - bytes: the JSON text of the payload.
    ///   - requestID: as in ``read(ios:requestID:)``.
    ///   - notification: is replaced; after an error it is as it was.
    ///   - report: gets what there is to say.
    /// - Throws: `JSONError` when the bytes are not JSON.
    public mutating func read(
      ios bytes: [UInt8], requestID: String? = nil, into notification: inout Notification, report: inout Report
    ) throws(JSONError) {
      try document.parse(bytes)
      notification = Notification(platform: .ios, format: .original, rawBytes: bytes)
      var reader = AppleReader(document: document)
      reader.read(into: &notification)
      if !reader.report.isEmpty { report.append(reader.report) }
      if let requestID { notification.collapseID = requestID }
    }

    /// Reads what an Android client, its RemoteMessage or an FCM request holds.
    ///
    /// - Parameters:
    ///   - bytes: the JSON text.
    ///   - now: the time in seconds since 1970, for payloads that do not say when they were sent.
    /// - Throws: `JSONError` when the bytes are not JSON.
    public mutating func read(
      android bytes: [UInt8], now: WholeNumber? = nil
    ) throws(JSONError) -> Reading<Notification> {
      try document.parse(bytes)
      var report = Report()
      let notification = OneSignal.read(android: document.value(document.root), now: now, report: &report)
      return Reading(message: notification, report: report)
    }
  }

  /// Reads an APNs payload; see ``Reader/read(ios:requestID:)``, which does it for many.
  public static func read(ios bytes: [UInt8], requestID: String? = nil) throws(JSONError) -> Reading<Notification> {
    var reader = Reader()
    return try reader.read(ios: bytes, requestID: requestID)
  }

  /// Reads what an Android client received; see ``Reader/read(android:now:)``.
  public static func read(android bytes: [UInt8], now: WholeNumber? = nil) throws(JSONError) -> Reading<Notification> {
    var reader = Reader()
    return try reader.read(android: bytes, now: now)
  }

  /// Reads an APNs payload that is parsed already.
  public static func read(ios payload: JSONValue, requestID: String? = nil) -> Reading<Notification> {
    var report = Report()
    var notification = read(payload, platform: .ios, report: &report)
    if let requestID { notification.collapseID = requestID }
    return Reading(message: notification, report: report)
  }

  /// Reads a payload that is parsed already.
  static func read(_ root: JSONValue, platform: Platform, report: inout Report) -> Notification {
    if platform == .android { return read(android: root, now: nil, report: &report) }
    // One reader for values and bytes: a value is written and read again.
    let bytes = JSON.minified(root)
    var notification = Notification(platform: .ios, format: .original, rawBytes: bytes)
    var document = JSONDocument()
    do {
      try document.parse(bytes, limits: limits)
    } catch {
      report.add(rule: "payload-not-object", severity: .error, field: "", message: error.description)
      return notification
    }
    var reader = AppleReader(document: document)
    reader.read(into: &notification)
    report.append(reader.report)
    return notification
  }

  // MARK: Recognition

  /// True when a payload is OneSignal's: it has an id at `custom.i` or `os_data.i`.
  ///
  /// An app that also gets pushes from elsewhere hands only these to OneSignal, and handles the others itself.
  ///
  /// - Parameters:
  ///   - payload: for iOS the APNs payload; for Android the FCM message, a RemoteMessage or the flat map of the client.
  ///   - platform: where it was received.
  public static func isOneSignal(_ payload: JSONValue, platform: Platform) -> Bool {
    guard case .object(let root) = payload else { return false }
    return recognize(platform.message(root, policy.androidStyle), platform: platform) != nil
  }

  /// What in a payload tells that it is OneSignal's; nil when it is not.
  static let recognize: @Sendable (JSONObject, Platform) -> String? = { members, platform in
    recognize(members, platform: platform)
  }

  private static func recognize(_ members: JSONObject, platform: Platform) -> String? {
    switch platform {
    case .ios:
      if members["custom"]?["i"]?.string != nil { return "custom.i holds OneSignal's notification id" }
      if members["os_data"]?["i"]?.string != nil { return "os_data.i holds OneSignal's notification id" }
      return nil
    case .android:
      guard let custom = members["data"]?["custom"] else { return nil }
      let object = custom.string.flatMap { try? AndroidJSON.object($0) } ?? custom.object
      guard object?["i"] != nil else { return nil }
      return "data.custom is JSON text with OneSignal's notification id at i"
    }
  }
}
