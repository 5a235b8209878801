import Glibc
import PostriderApp
import Synchronization
import TestSupport

/// A phone of the tests: Apple's calls, without Apple.
///
/// Its requests go to a server on this machine by real HTTP.
final class TestPhone: PhoneCalls {
  private struct Seen {
    var lines: [String] = []
    var badges: [Int] = []
    var headers: [String] = []
    var timers = 0
  }

  private let seen = Mutex(Seen())
  /// What the person answers when asked for permission.
  private let grants: Bool

  /// How much faster than the clock its timers are.
  private let haste: Int64

  /// A phone whose person grants the permission, or does not.
  init(grants: Bool = true, haste: Int64 = 1) {
    self.grants = grants
    self.haste = haste
  }

  /// Lines of the log.
  var lines: [String] { seen.withLock { $0.lines } }
  /// The numbers that the icon had.
  var badges: [Int] { seen.withLock { $0.badges } }
  /// The heads of the requests sent.
  var heads: [String] { seen.withLock { $0.headers } }

  /// How many timers it was asked for.
  var timers: Int { seen.withLock { $0.timers } }

  var locale: String? { "de-AT" }
  var timezone: String? { "Europe/Vienna" }
  var appVersion: String? { "1.2.3" }

  func log(_ line: String) { seen.withLock { $0.lines.append(line) } }

  func send(_ request: PostriderRequest, _ done: @escaping @Sendable (PostriderAnswer?) -> Void) {
    Self.onThread {
      let (head, answer) = Self.exchange(request)
      self.seen.withLock { $0.headers.append(head) }
      done(answer)
    }
  }

  func after(milliseconds: Int64, _ work: @escaping @Sendable () -> Void) {
    seen.withLock { $0.timers += 1 }
    Self.onThread {
      usleep(UInt32(clamping: milliseconds * 1000 / self.haste))
      work()
    }
  }

  func askPermission(_ done: @escaping @Sendable (Bool) -> Void) { done(grants) }

  func setBadge(_ badge: Int) { seen.withLock { $0.badges.append(badge) } }

  func excludeFromBackup(_ folder: String) {}

  /// One request on a connection of its own: its head, and the answer.
  private static func exchange(_ request: PostriderRequest) -> (String, PostriderAnswer?) {
    let rest = request.url.dropFirst("http://127.0.0.1:".count)
    let slash = rest.firstIndex(of: "/") ?? rest.endIndex
    var head = "POST \(rest[slash...]) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(request.key)\r\n"
    if let identity = request.identity { head += "Postrider-Identity: \(identity)\r\n" }
    head += "Content-Type: application/json\r\nContent-Length: \(request.body.utf8.count)\r\n"
    guard let port = UInt16(rest[..<slash]), let client = try? HTTPTestClient(port: port),
      let answer = try? client.exchange("\(head)\r\n\(request.body)")
    else { return (head, nil) }
    return (
      head, PostriderAnswer(status: answer.status, retryAfter: answer.headers["retry-after"], body: answer.body)
    )
  }

  private static func onThread(_ work: @escaping @Sendable () -> Void) {
    var thread = pthread_t()
    let boxed = Unmanaged.passRetained(Box(work))
    pthread_create(
      &thread, nil,
      { pointer in
        if let pointer { Unmanaged<Box>.fromOpaque(pointer).takeRetainedValue().work() }
        return nil
      }, boxed.toOpaque())
    pthread_detach(thread)
  }

  private final class Box: Sendable {
    let work: @Sendable () -> Void

    init(_ work: @escaping @Sendable () -> Void) { self.work = work }
  }
}
