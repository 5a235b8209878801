internal import Basics

/// The server that phones may report to: `http://HOST:PORT`, without a path.
///
/// Descriptions of phones come over the control API; what they may reach is set where the emulator is started.
public struct ReportServer: Sendable, Hashable {
  /// The host, in lower case; an IPv6 address in brackets.
  public let host: String
  /// The port.
  public let port: UInt16

  /// Reads `http://HOST:PORT`, with a final slash or none.
  ///
  /// - Returns: nil for anything else, also for an address with a path, a query or a user.
  public init?(_ text: String) {
    let scheme = "http://"
    guard text.hasPrefix(scheme), text.utf8.count <= 300 else { return nil }
    var rest = text.utf8.dropFirst(scheme.utf8.count)
    if rest.last == UInt8(ascii: "/") { rest = rest.dropLast() }
    var port: UInt16 = 80
    if let colon = rest.lastIndex(of: UInt8(ascii: ":")), rest.last != UInt8(ascii: "]") {
      let digits = rest[rest.index(after: colon)...]
      guard digits.allSatisfy({ $0 &- 0x30 < 10 }), let number = UInt16(Substring(digits)), number > 0 else {
        return nil
      }
      port = number
      rest = rest[..<colon]
    }
    guard Self.isHost(Array(rest)) else { return nil }
    host = String(Substring(rest)).lowercased()
    self.port = port
  }

  /// `http://HOST:PORT`.
  public var url: String { "http://\(host):\(port)" }

  /// Whether both lead to the same server; the names of loopback are one.
  func leadsWhere(_ other: ReportServer) -> Bool {
    port == other.port && (host == other.host || isLoopback && other.isLoopback)
  }

  private var isLoopback: Bool { ["localhost", "127.0.0.1", "[::1]"].contains(host) }

  private static func isHost(_ bytes: [UInt8]) -> Bool {
    if bytes.first == UInt8(ascii: "["), bytes.last == UInt8(ascii: "]") {
      return bytes.count > 2
        && bytes.dropFirst().dropLast().allSatisfy { $0 == 0x3A || $0 == 0x2E || Hex.value($0) != nil }
    }
    return !bytes.isEmpty
      && bytes.allSatisfy { $0 &- 0x30 < 10 || ($0 | 0x20) &- 0x61 < 26 || $0 == 0x2D || $0 == 0x2E || $0 == 0x5F }
  }

}

extension PhoneReporting {
  /// The longest name of an app and the longest key, in bytes.
  private static let textBytesMax = 200

  /// What is wrong with a report's members; nil when a request can be made of them that leads where they say.
  ///
  /// An app's name is one segment of the path, so nothing in it may lead elsewhere.
  var problem: (member: String, text: String)? {
    if ReportServer(url) == nil { return ("url", "expected http://HOST:PORT") }
    let isName =
      (1...Self.textBytesMax).contains(app.utf8.count) && app != "." && app != ".."
      && app.utf8.allSatisfy { byte in
        byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26 || byte == 0x2D || byte == 0x2E || byte == 0x5F
      }
    if !isName { return ("app", "expected the name of an app: letters, digits, . _ -") }
    let isKey = (1...Self.textBytesMax).contains(key.utf8.count) && key.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    return isKey ? nil : ("key", "expected a key of at most \(Self.textBytesMax) visible ASCII characters")
  }

  /// The same report to the server as it is configured; nil when it leads to another.
  func bounded(to server: ReportServer?) -> PhoneReporting? {
    guard let server, let own = ReportServer(url), own.leadsWhere(server) else { return nil }
    return PhoneReporting(url: server.url, app: app, key: key)
  }
}

extension PhoneDescription {
  /// The description with its reports bounded to the one server they may reach.
  ///
  /// - Throws: ``ScenarioError`` when they name another.
  func bounded(to server: ReportServer?, path: String) throws(ScenarioError) -> PhoneDescription {
    guard let reporting else { return self }
    guard let bounded = reporting.bounded(to: server) else {
      let allowed =
        server.map { "phones of this emulator report to \($0.url) only" } ?? "this emulator has no server to report to"
      throw ScenarioError(
        path: path.isEmpty ? "report.url" : "\(path).report.url", problem: "\(allowed); emulate --server URL names it")
    }
    var description = self
    description.reporting = bounded
    return description
  }
}

extension DeviceDescription {
  /// The description with its phone's reports bounded to the one server they may reach.
  func bounded(to server: ReportServer?, path: String) throws(ScenarioError) -> DeviceDescription {
    var description = self
    description.phone = try phone?.bounded(to: server, path: path.isEmpty ? "phone" : "\(path).phone")
    return description
  }
}

extension Scenario {
  /// The scenario with the reports of its phones bounded to the one server they may reach.
  func bounded(to server: ReportServer?) throws(ScenarioError) -> Scenario {
    var scenario = self
    for index in devices.indices {
      scenario.devices[index] = try devices[index].bounded(to: server, path: "devices[\(index)]")
    }
    return scenario
  }
}
