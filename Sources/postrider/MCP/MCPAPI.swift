internal import Basics
import HTTPClient
import WireJSON

/// A Postrider server, as the tools see it.
protocol MCPAPI {
  /// Sends a request and returns the answer, which is no refusal.
  ///
  /// - Parameter key: the Idempotency-Key, for what must happen once.
  func call(_ method: String, _ path: String, body: JSONValue?, key: String?) throws(MCPAPIFailure) -> JSONValue
}

/// Why there is no answer.
struct MCPAPIFailure: Error, Sendable {
  /// In words, without secrets, bounded.
  let text: String
  /// Whether the server may have done it all the same.
  let mayHaveArrived: Bool
}

/// The server of the command line's settings, over HTTP.
final class MCPServerConnection: MCPAPI {
  /// The longest that a model waits for one request.
  private static let seconds = 60
  private static let answerBytesMax = 4 << 20
  private static let problemMax = 2_000

  private let settings: APISettings
  private let connection: HTTPConnection

  /// - Throws: what is missing in the settings.
  init(_ settings: APISettings) throws(Exit) {
    guard settings[.key] != nil else {
      throw .usage("there is no API key; set POSTRIDER_KEY, give --key-file FILE, or run: postrider config set key")
    }
    guard let connection = HTTPConnection(authorities: settings[.ca]?.value) else {
      throw .failure("the HTTP library cannot be had")
    }
    self.settings = settings
    self.connection = connection
  }

  func call(_ method: String, _ path: String, body: JSONValue?, key: String?) throws(MCPAPIFailure) -> JSONValue {
    var headers = [
      (name: "Authorization", value: "Bearer \(settings[.key]?.value ?? "")"),
      (name: "User-Agent", value: "postrider-mcp/\(Version.current)"),
    ]
    if let key { headers.append((name: "Idempotency-Key", value: key)) }
    var kept: [UInt8] = []
    let status: Int
    do throws(HTTPConnectionError) {
      status = try unsafe connection.exchange(
        method, settings.url + path, headers: headers,
        body: body.map { .bytes(JSON.minified($0), type: "application/json") } ?? .none,
        seconds: MCPServerConnection.seconds
      ) { _, piece in
        unsafe kept += piece
        return kept.count <= MCPServerConnection.answerBytesMax
      }
    } catch {
      // Not its address, which may hold a password.
      throw MCPAPIFailure(
        text: "the configured Postrider server gave no answer: \(error)", mayHaveArrived: error.mayHaveArrived)
    }
    let answer = try? JSON.parse(kept)
    guard (200..<300).contains(status) else { throw MCPServerConnection.refusal(status, answer) }
    guard let answer else {
      throw MCPAPIFailure(text: "the answer is no JSON; is this a Postrider server?", mayHaveArrived: true)
    }
    return answer
  }

  /// A problem document (RFC 9457) in words.
  private static func refusal(_ status: Int, _ problem: JSONValue?) -> MCPAPIFailure {
    var lines = [problem?["title"]?.string ?? "the server answered with status \(status)"]
    let findings = (problem?["report"]?.array ?? []).map { finding in
      "\(finding["severity"]?.string ?? "error"): \(finding["field"]?.string ?? ""): \(finding["message"]?.string ?? "")"
    }
    lines += findings.isEmpty ? [problem?["detail"]?.string ?? ""] : findings
    let text = lines.filter { !$0.isEmpty }.map { MCPText.line($0, max: 500) }.joined(separator: "\n")
    // What the server could not finish may have been done; a refusal was not.
    return MCPAPIFailure(
      text: String(text.unicodeScalars.prefix(problemMax)) + " (HTTP \(status))", mayHaveArrived: status >= 500)
  }
}
