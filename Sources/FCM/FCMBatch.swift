public import GatewayPool
internal import PushPayload
internal import WireJSON

/// Sends of one push to many devices, submitted together: one lock and one wake-up for all of them.
///
/// The targets lie in one block of memory, so that a send costs no allocation of its own.
public struct FCMBatch: Sendable {
  /// One send: the caller's number, and where its target lies.
  struct Entry: Sendable {
    let tag: UInt64
    let start: Int32
    let length: Int32
  }

  /// What all sends have in common.
  public let template: FCMTemplate
  /// Which queue the batch waits in.
  public var urgency: SendUrgency
  /// The time, in seconds since 1970, after which nothing of the batch is sent; `nil` for no limit.
  public var notAfter: Int64?
  /// Which of the sends are taken back before they leave; `nil` when none ever is.
  public var recall: SendRecall?
  /// What the sends put into the gaps of the template; `nil` for a template without gaps.
  public let texts: SendTexts?
  private(set) var entries: [Entry] = []
  /// The row of each send in `texts`; empty for a template without gaps.
  private(set) var rows: [Int] = []
  private(set) var targets: [UInt8] = []

  /// The most bytes of targets that one batch holds.
  public static let targetBytesMax = Int(Int32.max)
  /// The room made per target: registration tokens have about this length.
  static let targetBytesGuess = 168

  /// Makes an empty batch.
  ///
  /// - Parameters:
  ///   - template: what all sends have in common.
  ///   - capacity: for how many sends room is made.
  ///   - urgency: which queue it waits in.
  ///   - notAfter: after this second since 1970 nothing of it is sent any more.
  ///   - texts: what the sends put into the gaps of the template, for a template that has some.
  public init(
    _ template: FCMTemplate, capacity: Int = 0, urgency: SendUrgency = .bulk, notAfter: Int64? = nil,
    texts: SendTexts? = nil
  ) {
    precondition((texts?.perRow ?? 0) == template.gapCount, "a text for each gap, and no others")
    self.template = template
    self.texts = texts
    self.urgency = urgency
    self.notAfter = notAfter
    entries.reserveCapacity(capacity)
    targets.reserveCapacity(capacity * FCMBatch.targetBytesGuess)
  }

  /// How many sends the batch holds.
  public var count: Int { entries.count }

  /// Adds a send.
  ///
  /// - Parameters:
  ///   - tag: comes back with the outcome.
  ///   - target: the registration token or installation ID; escaped for JSON when it needs that.
  ///   - row: its row in `texts`; only with a template that has gaps.
  public mutating func append(tag: UInt64, target: String, row: Int = 0) {
    if let texts {
      precondition(row < texts.count, "the row is not there")
      rows.append(row)
    }
    var target = target
    target.withUTF8 { unsafe append(tag: tag, utf8: $0) }
  }

  /// Adds a send whose target is given as UTF-8 bytes; only for a template without gaps.
  public mutating func append(tag: UInt64, target: Span<UInt8>) {
    precondition(texts == nil, "a send of a template with gaps needs its row")
    unsafe target.withUnsafeBufferPointer { unsafe append(tag: tag, utf8: $0) }
  }

  private mutating func append(tag: UInt64, utf8 target: UnsafeBufferPointer<UInt8>) {
    let start = targets.count
    if unsafe target.contains(where: FCMBatch.needsEscape) {
      unsafe targets.append(
        contentsOf: JSON.minified(.string(String(decoding: target, as: UTF8.self))).dropFirst().dropLast())
    } else {
      unsafe targets.append(contentsOf: target)
    }
    entries.append(Entry(tag: tag, start: Int32(start), length: Int32(targets.count - start)))
  }

  /// Bytes that JSON must escape, and those of which only a decoder can say whether they are UTF-8.
  private static func needsEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte >= 0x80 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }
}

/// Takes outcomes, in batches.
public protocol FCMSink: AnyObject, Sendable {
  /// Outcomes of sends, in the order in which they came to be known. Called on a network thread: keep it short, hand the
  /// work on. Every submitted send comes exactly once.
  func receive(_ results: [FCMResult])
}
