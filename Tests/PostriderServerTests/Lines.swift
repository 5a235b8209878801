import Synchronization

/// Collects what a log writes.
final class Lines: Sendable {
  private let bytes = Mutex<[UInt8]>([])

  func append(_ line: [UInt8]) { bytes.withLock { $0 += line } }

  var text: String { bytes.withLock { String(decoding: $0, as: UTF8.self) } }
}
