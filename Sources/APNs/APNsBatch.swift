internal import Basics
public import GatewayPool
public import PushPayload

/// Sends of one push to many devices, submitted together: one lock and one wake-up for all of them.
///
/// The tokens lie in one block of memory, so that a send costs no allocation of its own.
///
/// ```swift
/// var batch = APNsBatch(template, capacity: devices.count)
/// for device in devices { batch.append(tag: device.row, token: device.token, id: device.notificationID) }
/// try client.submit(batch, to: sink)
/// ```
public struct APNsBatch: Sendable {
  /// One send: the caller's number, its `apns-id`, and where its token lies.
  struct Entry: Sendable {
    let tag: UInt64
    let id: APNsID
    let start: Int32
    let length: Int32
  }

  /// What all sends have in common.
  public let template: APNsTemplate
  /// Which queue the batch waits in.
  public var urgency: SendUrgency
  /// The time, in seconds since 1970, after which nothing of the batch is sent; `nil` for no limit.
  ///
  /// Use the same time as in `apns-expiration`.
  public var notAfter: Int64?
  /// Which of the sends are taken back before they leave; `nil` when none ever is.
  public var recall: SendRecall?
  /// What the sends put into the gaps of the template; `nil` for a template without gaps.
  public let texts: SendTexts?
  private(set) var entries: [Entry] = []
  /// The row of each send in `texts`; empty for a template without gaps.
  private(set) var rows: [Int] = []
  private(set) var tokens: [UInt8] = []

  /// The most bytes of tokens that one batch holds.
  public static let tokenBytesMax = Int(Int32.max)

  /// Makes an empty batch.
  ///
  /// - Parameters:
  ///   - template: what all sends have in common.
  ///   - capacity: for how many sends room is made.
  ///   - urgency: which queue it waits in.
  ///   - notAfter: after this second since 1970 nothing of it is sent any more.
  ///   - texts: what the sends put into the gaps of the template, for a template that has some.
  public init(
    _ template: APNsTemplate, capacity: Int = 0, urgency: SendUrgency = .bulk, notAfter: Int64? = nil,
    texts: SendTexts? = nil
  ) {
    precondition((texts?.perRow ?? 0) == (template.gapped?.gaps.count ?? 0), "a text for each gap, and no others")
    self.template = template
    self.texts = texts
    self.urgency = urgency
    self.notAfter = notAfter
    entries.reserveCapacity(capacity)
    if texts != nil { rows.reserveCapacity(capacity) }
    tokens.reserveCapacity(capacity * 64)
  }

  /// How many sends the batch holds.
  public var count: Int { entries.count }

  /// Adds a send.
  ///
  /// - Parameters:
  ///   - tag: returned with the outcome.
  ///   - token: the device token as hexadecimal text. Bytes that are invalid in a path segment are percent-encoded, so
  ///     that APNs judges the token and the path is unchanged.
  ///   - id: the `apns-id`; store it with the send, and reuse it when the send is retried.
  ///   - row: its row in `texts`; only with a template that has gaps.
  public mutating func append(tag: UInt64, token: String, id: APNsID, row: Int = 0) {
    if let texts {
      precondition(row < texts.count, "the row is not there")
      rows.append(row)
    }
    var token = token
    token.withUTF8 { unsafe append(tag: tag, utf8: $0, id: id) }
  }

  /// Adds a send whose token is given as the bytes of its hexadecimal text.
  ///
  /// Only for a template without gaps.
  public mutating func append(tag: UInt64, token: Span<UInt8>, id: APNsID) {
    precondition(texts == nil, "a send of a template with gaps needs its row")
    unsafe token.withUnsafeBufferPointer { unsafe append(tag: tag, utf8: $0, id: id) }
  }

  private mutating func append(tag: UInt64, utf8 token: UnsafeBufferPointer<UInt8>, id: APNsID) {
    let start = tokens.count
    if unsafe APNsBatch.isAlphanumeric(token) || token.allSatisfy({ APNsBatch.isPlain($0) }) {
      unsafe tokens.append(contentsOf: token)
    } else {
      for index in token.indices { unsafe appendEscaped(token[index]) }
    }
    close(tag, id, start)
  }

  private mutating func close(_ tag: UInt64, _ id: APNsID, _ start: Int) {
    entries.append(Entry(tag: tag, id: id, start: Int32(start), length: Int32(tokens.count - start)))
  }

  private mutating func appendEscaped(_ byte: UInt8) {
    if APNsBatch.isPlain(byte) {
      tokens.append(byte)
    } else {
      PercentEncoding.write(byte, to: &tokens)
    }
  }

  /// Whether all are ASCII letters and digits, which tokens consist of; without a branch, so that many bytes are looked at at once.
  private static func isAlphanumeric(_ token: UnsafeBufferPointer<UInt8>) -> Bool {
    var others: UInt8 = 0
    for index in token.indices {
      let byte = unsafe token[index]
      let isNoDigit: UInt8 = (byte &- 0x30) < 10 ? 0 : 1
      let isNoLetter: UInt8 = ((byte | 0x20) &- 0x61) < 26 ? 0 : 1
      others |= isNoDigit & isNoLetter
    }
    return others == 0
  }

  /// The unreserved characters of RFC 3986, less the dot, which has a meaning of its own in a path; one bit for each
  /// byte below 128.
  private static let plainLow: UInt64 = 0x03FF_2000_0000_0000
  private static let plainHigh: UInt64 = 0x47FF_FFFE_87FF_FFFE

  private static func isPlain(_ byte: UInt8) -> Bool {
    let bits = byte < 64 ? plainLow : plainHigh
    return byte < 128 && bits >> UInt64(byte & 63) & 1 == 1
  }
}

/// Takes outcomes, in batches.
public protocol APNsSink: AnyObject, Sendable {
  /// Outcomes of sends, in the order in which they came to be known. Called on a network thread: keep it short, hand the
  /// work on. Every submitted send comes exactly once.
  func receive(_ results: [APNsResult])
}
