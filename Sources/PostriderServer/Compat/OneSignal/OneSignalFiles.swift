internal import HTTPServer
internal import Signing
internal import StoreModel
internal import Synchronization
internal import WireJSON

/// Files that OneSignal's clients fetch without a key, as CSV, compressed: the link is one.
///
/// A link is good for an hour. It names its app, its end and what is in the file under a mark of ours; the file is written as it
/// is read, from the records of that time.
struct OneSignalFiles {
  /// What a file has.
  enum Content: Sendable, Hashable {
    /// Subscriptions, with further columns, those that were active after a time in seconds.
    case subscriptions(columns: [String], activeSince: Int64)
    /// Whom a notification was sent to, or who clicked it.
    case history(PushID, clicked: Bool)
    /// All that is known of each recipient of a notification.
    case events(PushID)

    /// One word, and parameters without dots.
    fileprivate var text: String {
      switch self {
      case .subscriptions(let columns, let since): "s.\(since).\(columns.joined(separator: "-"))"
      case .history(let push, let clicked): "h.\(push).\(clicked ? "clicked" : "sent")"
      case .events(let push): "e.\(push)."
      }
    }

    fileprivate init?(_ parts: [String]) {
      let push = PushID(parts[1])
      switch (parts[0], push) {
      case ("s", _):
        guard let since = Int64(parts[1]) else { return nil }
        self = .subscriptions(columns: parts[2].split(separator: "-").map(String.init), activeSince: since)
      case ("h", let push?): self = .history(push, clicked: parts[2] == "clicked")
      case ("e", let push?): self = .events(push)
      default: return nil
      }
    }
  }

  static let routes: [Route] = [
    Route(
      .get("/compat/onesignal/csv_exports/{file}", .open), name: "onesignalExportFile",
      about: "The file of an export; the link is its key.",
      answers: [
        Route.Answer(
          status: 200, about: "CSV, compressed.", schema: .string("The file.", max: 1_000_000_000),
          contentType: contentType)
      ], traits: .init(vendor: .oneSignal), action: .now(file))
  ]

  private static let contentType = "application/gzip"
  static let lastsSeconds: Int64 = 3_600
  private static let ending = ".csv.gz"

  // MARK: - Links

  /// The link to a file, as the client reaches this server: below the path by which the request came.
  static func link(_ content: Content, _ c: CompatCall) -> JSONValue {
    let end = c.now.adding(seconds: lastsSeconds).milliseconds
    let text = "\(c.entry.app.id).\(end).\(content.text)"
    let http = c.call.http
    let host = http.headers.first("Host") ?? "localhost"
    let before = http.segments.first == "compat" ? "/compat/onesignal" : ""
    let scheme = http.head.isSecure ? "https" : "http"
    return .string("\(scheme)://\(host)\(before)/csv_exports/\(text).\(mark(text, c.service))\(ending)")
  }

  private static func mark(_ text: String, _ service: Service) -> String {
    Base64URL.encode(HMACSHA256.authenticate(Array("csv export:\(text)".utf8), key: service.vault.derivation))
  }

  // MARK: - Files

  @Sendable private static func file(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    let name = call.parameters[0]
    let parts = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    let missing = Problem(.notFound, "there is no such file, or its link has expired; ask for another export")
    guard name.hasSuffix(ending), parts.count == 8, let app = AppID(parts[0]), let end = Int64(parts[1]),
      constantTimeEqual(
        Array(mark(parts[..<5].joined(separator: "."), service).utf8), Array(parts[5].utf8)),
      call.now.milliseconds < end, let content = Content(Array(parts[2..<5]))
    else { throw missing }
    let entry = try service.apps.app(id: app, now: call.now)
    guard let appID = entry.app.compat[CompatVendor.oneSignal.rawValue] else { throw missing }
    let slot = try service.exports.take(app)
    let rows: any OneSignalRows = try service.ask { store throws(StoreError) in
      try OneSignalFiles.rows(content, app, appID, call.now, store)
    }
    var reply = Reply(200, json: [])
    reply.contentType = contentType
    let isFirst = Atomic(true)
    // The closure holds the slot until the response is complete or aborted.
    reply.producer = { [slot] piece in
      _ = slot
      var text: [UInt8] = []
      if isFirst.exchange(false, ordering: .relaxed) { text += rows.header }
      let isMore = try rows.next(into: &text, now: service.now)
      // A file of several members is one file (RFC 1952 section 2.2).
      if !text.isEmpty { piece += Gzip.compress(text) ?? [] }
      return isMore
    }
    return reply
  }

  private static func rows(
    _ content: Content, _ app: AppID, _ appID: String, _ now: Timestamp, _ store: any Store
  ) throws(StoreError) -> any OneSignalRows {
    switch content {
    case .subscriptions(let columns, let since):
      OneSignalSubscriptionRows(
        try store.exportDevices(app: app, now: now), columns, since: since, app: app, appID, store)
    case .history(let push, let clicked):
      OneSignalRecipientRows(
        try store.exportDeliveries(of: push, filter: DeliveryFilter(state: clicked ? nil : .accepted), now: now),
        clicked ? .clicked : .sent, appID, store)
    case .events(let push):
      OneSignalRecipientRows(
        try store.exportDeliveries(of: push, filter: DeliveryFilter(), now: now), .all, appID, store)
    }
  }
}

/// The rows of a file, piece by piece.
protocol OneSignalRows: Sendable {
  /// The first record.
  var header: [UInt8] { get }
  /// Adds the next records; false at the end.
  func next(into text: inout [UInt8], now: Timestamp) throws(StoreError) -> Bool
}

extension [UInt8] {
  /// Adds a cell of CSV (RFC 4180), quoted where it has to be.
  mutating func appendCell(_ text: String) {
    if text.utf8.contains(where: { $0 == 0x22 || $0 == 0x2C || $0 == 0x0A || $0 == 0x0D }) {
      append(contentsOf: DeviceCSV.quoted(text).utf8)
    } else {
      append(contentsOf: text.utf8)
    }
  }

  mutating func appendRecord(_ cells: [String]) {
    for (index, cell) in cells.enumerated() {
      if index > 0 { append(UInt8(ascii: ",")) }
      appendCell(cell)
    }
    append(contentsOf: [0x0D, 0x0A])
  }
}
