import Glibc
import HTTP2
import Synchronization

/// The outcome of a request, in words that a test compares.
enum Ending: Hashable, Sendable, CustomStringConvertible {
  case response(Int, String)
  case failure(HTTP2Failure)

  var description: String {
    switch self {
    case .response(let status, let body): "\(status) \(body)"
    case .failure(let failure): "\(failure)"
    }
  }

  var isUnknown: Bool {
    if case .failure(let failure) = self { return failure.processing == .unknown }
    return false
  }

  var isNotProcessed: Bool {
    if case .failure(let failure) = self { return failure.processing == .notProcessed }
    return false
  }
}

/// Records what happens to a client connection and waits, with a bound, for it.
final class Recorder: HTTP2ClientObserver {
  struct Record {
    var endings: [UInt64: Ending] = [:]
    var repeated: [UInt64] = []
    var headers: [UInt64: [String?]] = [:]
    var events: [String] = []
    var closed: HTTP2CloseReason?
    var resultsAfterClose = 0
    var ready = false
    var streams: Int?
    var goAways: [HTTP2GoAway] = []
    var pongs = 0
  }

  let record = Mutex(Record())
  let wanted: Int

  init(wanted: Int = 0) { self.wanted = wanted }

  func connection(_ connection: HTTP2ClientConnection, event: HTTP2ConnectionEvent) {
    record.withLock { record in
      switch event {
      case .ready: record.ready = true
      case .settings(_, let streams): record.streams = streams
      case .goAway(let frame): record.goAways.append(frame)
      case .pong: record.pongs += 1
      case .closed(let reason): record.closed = reason
      }
    }
  }

  func connection(_ connection: HTTP2ClientConnection, finished results: HTTP2Results) {
    record.withLock { record in
      for index in 0..<results.count {
        let result = results[index]
        if record.endings[result.id] != nil { record.repeated.append(result.id) }
        if record.closed != nil { record.resultsAfterClose += 1 }
        switch result.outcome {
        case .response(let response):
          record.endings[result.id] = .response(
            response.status, String(decoding: results.body(of: response), as: UTF8.self))
          record.headers[result.id] = (0..<wanted).map { place in
            results.header(place, of: response).map { String(decoding: $0, as: UTF8.self) }
          }
        case .failure(let failure): record.endings[result.id] = .failure(failure)
        }
      }
    }
  }

  /// Waits until `condition` holds; `false` when it does not within ten seconds.
  func wait(_ condition: (Record) -> Bool) -> Bool {
    for _ in 0..<10_000 {
      if record.withLock({ condition($0) }) { return true }
      usleep(1000)
    }
    return false
  }

  /// All endings, once `count` requests have ended.
  func endings(_ count: Int) -> [Ending] {
    _ = wait { $0.endings.count >= count }
    return record.withLock { record in record.endings.sorted { $0.key < $1.key }.map(\.value) }
  }

  /// Why the connection closed.
  func closing() -> HTTP2CloseReason? {
    _ = wait { $0.closed != nil }
    return record.withLock { $0.closed }
  }
}
