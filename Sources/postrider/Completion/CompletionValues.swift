import Basics
import HTTPClient
import WireJSON

/// Names that the server has, for the Tab key: one a line, and nothing where it cannot be asked.
///
/// A shell waits for it, and shows nothing of what goes wrong.
struct CompletionValues {
  /// What there are names of.
  enum Kind: String, Sendable, CaseIterable {
    case apps, segments

    /// Where they are listed.
    fileprivate func path(app: String?) -> String? {
      switch self {
      case .apps: "/v1/apps"
      case .segments: app.map { "/v1/apps/\(PercentEncoding.encode($0))/segments" }
      }
    }
  }

  /// How long a shell waits, in seconds.
  private static let seconds = 3
  private static let answerBytesMax = 4 << 20
  private static let namesMax = 1_000

  /// The names; none without a key, a server that answers, or the app that they are of.
  static func names(_ kind: Kind, _ arguments: Arguments) -> [String] {
    guard let settings = try? APISettings(arguments), let key = settings[.key]?.value,
      let path = kind.path(app: settings[.app]?.value),
      let connection = HTTPConnection(authorities: settings[.ca]?.value)
    else { return [] }
    var body: [UInt8] = []
    let status = try? unsafe connection.exchange(
      "GET", settings.url + path, headers: [("Authorization", "Bearer \(key)")], body: .none, seconds: seconds
    ) { _, piece in
      unsafe body += piece
      return body.count <= answerBytesMax
    }
    guard status == 200, let answer = try? JSON.parse(body) else { return [] }
    return (answer[kind.rawValue]?.array ?? []).prefix(namesMax).compactMap { $0["name"]?.string }.filter(isWord)
  }

  /// Whether a shell takes a name for one word without quotes; others are not offered.
  private static func isWord(_ name: String) -> Bool {
    !name.isEmpty
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
          true
        default: false
        }
      }
  }
}
