internal import WireJSON

/// A Live Activity update for every device that listens to a channel: `POST /4/broadcasts/apps/{bundleID}`.
///
/// A broadcast has no topic header; only the events `update` and `end` may be sent.
/// Source: Apple, “Sending broadcast push notification requests to APNs”.
public struct APNsBroadcast: Sendable, Hashable {
  /// The app the channel belongs to.
  public let bundleID: String
  /// The headers and the body.
  public var request: APNsRequest

  /// The largest body in bytes.
  public static let payloadBytesMax = 5120

  /// The path to post to.
  public var path: String { "/4/broadcasts/apps/\(bundleID)" }

  /// Makes a broadcast; nil when the bundle ID holds what no bundle ID may.
  ///
  /// - Parameters:
  ///   - bundleID: the app; letters, digits, `.`, `-` and `_`.
  ///   - channelID: the channel, as its creation answered.
  ///   - aps: the change.
  ///   - expiration: must be ``APNsExpiration/once`` for a channel that stores nothing.
  ///   - urgency: now, or when power allows.
  ///   - requestID: names the request in the logs of both sides.
  public init?(
    bundleID: String, channelID: String, _ aps: APS, expiration: APNsExpiration, urgency: APNsUrgency = .immediate,
    requestID: APNsID? = nil
  ) {
    guard APNsBroadcast.isBundleID(bundleID) else { return nil }
    self.bundleID = bundleID
    let headers = APNsHeaders(
      pushType: .liveactivity, priority: urgency.priority, expiration: expiration, channelID: channelID,
      requestID: requestID)
    request = APNsRequest(headers: headers, payload: APNsPayload(aps: aps).bytes)
  }

  /// Takes headers and a body as they are; nil when the bundle ID has invalid characters.
  ///
  /// `PushChecker` checks whether they are valid.
  public init?(bundleID: String, request: APNsRequest) {
    guard APNsBroadcast.isBundleID(bundleID) else { return nil }
    self.bundleID = bundleID
    self.request = request
  }

  /// Letters, digits, `.`, `-` and `_`: what goes into a path without escapes.
  static func isBundleID(_ text: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
          || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
      }
  }
}
