public import Basics
public import WireJSON

/// What a broadcast channel keeps for devices that are away.
public struct APNsChannelStoragePolicy: RawRepresentable, Sendable, Hashable {
  /// The number on the wire.
  public let rawValue: WholeNumber

  /// Makes a policy from its number.
  public init(rawValue: WholeNumber) { self.rawValue = rawValue }

  /// 0: nothing.
  public static let nothing = APNsChannelStoragePolicy(rawValue: 0)
  /// 1: the most recent message, for at most eight hours.
  public static let mostRecent = APNsChannelStoragePolicy(rawValue: 1)
}

/// A channel as APNs describes it.
public struct APNsChannel: PayloadModel {
  /// The object that is seen through this type.
  public var object: JSONObject

  /// Sees an object through this type; empty unless one is given.
  public init(object: JSONObject = JSONObject()) { self.object = object }

  /// The documented members.
  public static let schema = PayloadSchema(
    "channel", .apns, [PayloadField("message-storage-policy", .number), PayloadField("push-type", .string)])

  /// `message-storage-policy`: what is kept; it cannot be changed later.
  public var storagePolicy: APNsChannelStoragePolicy? {
    get { self[name: "message-storage-policy"].map { APNsChannelStoragePolicy(rawValue: $0) } }
    set { self[name: "message-storage-policy"] = newValue?.rawValue }
  }

  /// `push-type`: `LiveActivity`.
  public var pushType: String? {
    get { self[name: "push-type"] }
    set { self[name: "push-type"] = newValue }
  }
}

/// A request to the channel management service.
///
/// Source: Apple, “Sending channel management requests to APNs”.
public struct APNsChannelRequest: Sendable, Hashable {
  /// The requested operation.
  public enum Operation: Sendable, Hashable {
    /// A new channel; the answer's `apns-channel-id` names it.
    case create(APNsChannelStoragePolicy)
    /// What a channel is like.
    case read(channelID: String)
    /// A channel's end.
    case delete(channelID: String)
    /// Every channel of the app.
    case list
  }

  /// The most channels an app may have in one environment.
  public static let channelsMax = 10_000

  /// The app.
  public let bundleID: String
  /// The requested operation.
  public let operation: Operation
  /// Names the request in the logs of both sides.
  public let requestID: APNsID?

  /// Makes a request; nil when the bundle ID holds what no bundle ID may.
  public init?(bundleID: String, _ operation: Operation, requestID: APNsID? = nil) {
    guard APNsBroadcast.isBundleID(bundleID) else { return nil }
    self.bundleID = bundleID
    self.operation = operation
    self.requestID = requestID
  }

  /// The HTTP method.
  public var method: String {
    switch operation {
    case .create: "POST"
    case .read, .list: "GET"
    case .delete: "DELETE"
    }
  }

  /// The path.
  public var path: String { "/1/apps/\(bundleID)/\(operation == .list ? "all-channels" : "channels")" }

  /// The `apns-*` headers.
  public var headers: APNsHeaders {
    switch operation {
    case .create, .list: APNsHeaders(requestID: requestID)
    case .read(let channelID), .delete(let channelID): APNsHeaders(channelID: channelID, requestID: requestID)
    }
  }

  /// The body; empty but for a creation.
  public var body: [UInt8] {
    guard case .create(let policy) = operation else { return [] }
    var channel = APNsChannel()
    channel.storagePolicy = policy
    // The management service spells the type this way; the send header spells it in lower case.
    channel.pushType = "LiveActivity"
    return channel.bytes
  }

  /// The HTTP status of success.
  public var successStatus: Int {
    switch operation {
    case .create: 201
    case .delete: 204
    case .read, .list: 200
    }
  }
}
