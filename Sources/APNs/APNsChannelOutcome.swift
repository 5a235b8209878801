public import GatewayPool
public import PushPayload
internal import WireJSON

/// How a request about channels, or a broadcast, ended.
public enum APNsChannelOutcome: Sendable, Hashable {
  /// The request succeeded.
  case accepted(APNsChannelAcceptance)
  /// APNs refused it and said why; the rejection's `id` is the answer's `apns-request-id`.
  case rejected(APNsRejection)
  /// There is no answer from APNs; the failure says whether the request may have been processed.
  case failed(SendFailure)
}

/// What APNs answered to a request about channels, or to a broadcast.
public struct APNsChannelAcceptance: Sendable, Hashable {
  /// The HTTP status: 200, 201 for a creation, 204 for a deletion.
  public let status: Int
  /// `apns-request-id`: names the request in Apple's logs.
  public let requestID: APNsID?
  /// `apns-unique-id`, which the development environment adds to a broadcast's answer.
  public let uniqueID: APNsID?
  /// `apns-channel-id`: the new channel of a creation.
  public let channelID: String?
  /// The channel that was read.
  public let channel: APNsChannel?
  /// The ids of the channels that were listed.
  public let channelIDs: [String]?
}

/// The answer to one such request, as it came off the wire.
struct APNsChannelAnswer {
  /// The longest body that is read: the list of 10 000 channels is below 500 KB.
  static let bodyBytesMax = 4 << 20

  let status: Int
  var requestID: APNsID?
  var uniqueID: APNsID?
  var channelID: String?
  var retryAfter: Int?
  /// Whether the body was longer than the limit, and cut.
  var isCut = false
  var body: [UInt8] = []

  /// Reads the answer to a request whose success has the status `success`.
  func outcome(of content: APNsChannelContent) -> APNsChannelOutcome {
    guard status == content.successStatus else {
      let (reason, timestamp) = APNsAnswer.reason(in: body)
      return .rejected(
        APNsRejection(status: status, reason: reason, timestamp: timestamp, retryAfter: retryAfter, id: requestID))
    }
    var channel: APNsChannel?
    var channelIDs: [String]?
    switch content {
    case .nothing: break
    case .channelID: if channelID == nil { return unreadable("no apns-channel-id") }
    case .channel:
      guard let object = (try? JSON.parse(body))?.object else { return unreadable("no JSON object") }
      channel = APNsChannel(object: object)
    case .channelIDs:
      guard !isCut, let list = (try? JSON.parse(body))?["channels"]?.array else {
        return unreadable(isCut ? "a body over \(Self.bodyBytesMax) bytes" : "no list \"channels\"")
      }
      channelIDs = list.compactMap(\.string)
    }
    return .accepted(
      APNsChannelAcceptance(
        status: status, requestID: requestID, uniqueID: uniqueID, channelID: channelID, channel: channel,
        channelIDs: channelIDs))
  }

  /// The status says that it was done, and the rest of the answer cannot be used.
  private func unreadable(_ what: String) -> APNsChannelOutcome {
    .failed(SendFailure(.unknown, .protocolViolation, "status \(status) came with \(what)"))
  }
}

/// What a successful answer holds.
enum APNsChannelContent {
  case nothing(status: Int)
  case channelID
  case channel
  case channelIDs

  init(_ operation: APNsChannelRequest.Operation) {
    switch operation {
    case .create: self = .channelID
    case .read: self = .channel
    case .list: self = .channelIDs
    case .delete: self = .nothing(status: 204)
    }
  }

  /// The status of success.
  var successStatus: Int {
    switch self {
    case .nothing(let status): status
    case .channelID: 201
    case .channel, .channelIDs: 200
    }
  }
}
