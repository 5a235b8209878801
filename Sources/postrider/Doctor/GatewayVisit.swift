import Basics
import HTTP2
import Synchronization
import System
import TLS

/// One connection to a gateway: opened, asked for its time, closed.
final class GatewayVisit: HTTP2ClientObserver {
  struct Seen: Sendable {
    var address: String?
    var reason: HTTP2CloseReason?
    /// Seconds since 1970 by the gateway's `date`, and by this machine when it came.
    var dates: (theirs: Int64, ours: Int64)?
  }

  /// The bound on the whole of it.
  private static let bound: Duration = .seconds(10)
  /// Google takes signed requests for tokens that are off by less than five minutes, Apple tokens by less than an hour.
  private static let (warningSeconds, errorSeconds): (Int64, Int64) = (30, 240)

  private let goal: DoctorGateways.Goal
  private let proxy: HTTP2Proxy?
  private let seen = Mutex(Seen())
  private let done = Semaphore()

  init(_ goal: DoctorGateways.Goal, _ tls: TLSContext, _ loop: EventLoop, _ proxy: HTTP2Proxy?) {
    self.goal = goal
    self.proxy = proxy
    var configuration = HTTP2ClientConfiguration(host: goal.host, port: goal.port, tls: tls)
    configuration.proxy = proxy
    configuration.connectTimeout = .seconds(5)
    configuration.settingsTimeout = .seconds(5)
    configuration.wantedHeaders = ["date"]
    let connection = HTTP2ClientConnection(loop: loop, configuration: configuration, observer: self)
    connection.start()
    if let request = try? HTTP2RequestTemplate(method: "GET", authority: goal.host) {
      var batch = HTTP2RequestBatch()
      batch.append(request, id: 0, path: "/", timeout: .seconds(5))
      connection.submit(batch)
    }
    connection.drain()
    loop.schedule(after: GatewayVisit.bound) { connection.close() }
  }

  func connection(_ connection: HTTP2ClientConnection, event: HTTP2ConnectionEvent) {
    switch event {
    case .ready(let address): seen.withLock { $0.address = address }
    case .closed(let reason):
      seen.withLock { $0.reason = reason }
      done.signal()
    default: break
    }
  }

  func connection(_ connection: HTTP2ClientConnection, finished results: HTTP2Results) {
    guard case .response(let response) = results[0].outcome, let date = results.header(0, of: response),
      let theirs = GatewayVisit.seconds(ofDate: String(decoding: date, as: UTF8.self))
    else { return }
    seen.withLock { $0.dates = (theirs, SystemClock.wallSeconds()) }
  }

  /// Waits for the end; ``bound`` limits it.
  func findings() -> [DoctorFinding] {
    done.wait()
    return GatewayVisit.findings(seen.withLock { $0 }, goal, proxy)
  }

  /// What a visit says of a gateway.
  static func findings(_ seen: Seen, _ goal: DoctorGateways.Goal, _ proxy: HTTP2Proxy?) -> [DoctorFinding] {
    let name = "\(goal.host):\(goal.port)"
    guard let address = seen.address else {
      // TLS has ended well, the certificate included, before the protocol is chosen.
      if goal.takesHTTP1, seen.reason == .noALPN {
        return [.ok(name, "reached\(proxy.map { " through the proxy \($0)" } ?? ""), with TLS and HTTP/1.1")]
      }
      let why = seen.reason.map { "\($0)" } ?? "no connection"
      let remedy =
        proxy.map { "Look at the proxy \($0): address, user and password, and whether it opens tunnels to \(name)." }
        ?? "Let this machine open connections to \(name): firewall, name server, or a proxy (--proxy)."
      guard let neededBy = goal.neededBy else { return [.error(name, why, remedy: remedy)] }
      return [.warning(name, "\(why); only \(neededBy) need it", remedy: remedy)]
    }
    let way = proxy.map { "through the proxy \($0)" } ?? "at \(address)"
    return [.ok(name, "reached \(way), with TLS and HTTP/2")]
      + (seen.dates.map { [clock($0.theirs - $0.ours, name)] } ?? [])
  }

  static func clock(_ difference: Int64, _ name: String) -> DoctorFinding {
    let text = "\(magnitude(difference)) beside the clock of \(name)"
    let remedy = "Set the clock, and run a time service: providers refuse tokens of another time."
    if abs(difference) >= errorSeconds { return .error("clock", text, remedy: remedy) }
    return abs(difference) >= warningSeconds
      ? .warning("clock", text, remedy: remedy) : .ok("clock", text)
  }

  private static func magnitude(_ difference: Int64) -> String {
    difference == 0 ? "0 s" : "\(abs(difference)) s \(difference > 0 ? "behind" : "ahead")"
  }

  /// The time in a `date` header (RFC 9110 section 5.6.7, its preferred form); nil for anything else.
  static func seconds(ofDate text: String) -> Int64? {
    let words = text.split(separator: " ")
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    guard words.count == 6, words[5] == "GMT", let day = WholeNumber(words[1]), let year = WholeNumber(words[3]),
      let month = months.firstIndex(of: String(words[2]))
    else { return nil }
    let time = words[4].split(separator: ":").compactMap { WholeNumber($0) }
    guard time.count == 3 else { return nil }
    return Int64(
      CivilDay.days(year, WholeNumber(month) + 1, day) * 86_400 + time[0] * 3_600 + time[1] * 60 + time[2])
  }
}
