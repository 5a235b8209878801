import Glibc
import HTTPClient
import WireJSON

/// The server a command talks to.
final class APIClient {
  /// What an answer is.
  struct Answer {
    let status: Int
    let body: [UInt8]
  }

  /// The largest answer that is kept in memory; exports are not.
  static let answerBytesMax = 64 << 20
  /// The longest a request may take that is no export, import or watch.
  private static let callSeconds = 180

  let settings: APISettings
  private let connection: HTTPConnection
  /// Whether a refusal is printed as the server's JSON too.
  private let printsJSON: Bool
  private let words: CommandWords

  /// - Throws: when there is no key to ask with.
  init(_ settings: APISettings, printsJSON: Bool, words: CommandWords) throws(Exit) {
    guard settings[.key] != nil else {
      throw .usage(
        "there is no API key; set POSTRIDER_KEY, or give --key-file FILE, or save one with: postrider config set key")
    }
    if let authorities = settings[.ca]?.value, unsafe access(authorities, R_OK) != 0 {
      throw .unreadable("--ca: cannot open \(authorities): \(Terminal.lastError())")
    }
    guard let connection = HTTPConnection(authorities: settings[.ca]?.value) else {
      throw .failure("the HTTP library cannot be had")
    }
    self.settings = settings
    self.connection = connection
    self.printsJSON = printsJSON
    self.words = words
  }

  /// Sends a request and takes the whole answer; a refusal is thrown.
  func call(
    _ method: String, _ path: String, body: JSONValue? = nil, headers: [(name: String, value: String)] = []
  ) throws(Exit) -> Answer {
    let body = body.map { HTTPBody.bytes(JSON.minified($0), type: "application/json") } ?? .none
    return try unsafe exchange(method, path, headers: headers, body: body, seconds: APIClient.callSeconds)
  }

  /// Sends a request; of an answer that is no refusal the pieces go to `receive`, and into the result when there is none.
  func exchange(
    _ method: String, _ path: String, headers: [(name: String, value: String)] = [], body: HTTPBody = .none,
    seconds: Int, receive: ((UnsafeRawBufferPointer) -> Bool)? = nil
  ) throws(Exit) -> Answer {
    var kept: [UInt8] = []
    let key = settings[.key]?.value ?? ""
    let status: Int
    do throws(HTTPConnectionError) {
      status = try unsafe connection.exchange(
        method, settings.url + path,
        headers: [("Authorization", "Bearer \(key)"), ("User-Agent", "postrider/\(Version.current)")] + headers,
        body: body, seconds: seconds
      ) { status, piece in
        if let receive = unsafe receive, status == 200 { return unsafe receive(piece) }
        unsafe kept += piece
        return kept.count <= APIClient.answerBytesMax
      }
    } catch {
      throw unreachable(error, isRepeatable: method == "GET" || headers.contains { $0.name == "Idempotency-Key" })
    }
    let answer = Answer(status: status, body: kept)
    guard !(200..<300).contains(status) else { return answer }
    if printsJSON, let problem = try? JSON.parse(kept) { Terminal.print(JSON.minified(problem) + [UInt8(ascii: "\n")]) }
    throw APIProblem(answer, in: words).exit(keyFrom: settings[.key]?.source.text ?? "", url: settings.url)
  }

  /// Where the server's address was found, as the end of a sentence.
  private var origin: String {
    switch settings[.url]?.source {
    case .builtIn, nil: "is the one that is built in"
    case .some(let source): "comes from \(source.text)"
    }
  }

  private func unreachable(_ error: HTTPConnectionError, isRepeatable: Bool) -> Exit {
    guard error.mayHaveArrived else {
      let advice =
        error.isAboutTrust
        ? "--ca FILE, POSTRIDER_CA or “postrider config set ca” names an authority of your own."
        : "Is the server running? Its address \(origin); --url, POSTRIDER_URL or “postrider config set url” names another."
      return .failure("cannot reach \(settings.url): \(error)\n  \(advice)")
    }
    let doubt = isRepeatable ? "" : "\n  It is not known whether the server has done it: look before you repeat it."
    return .failure("\(settings.url) gave no answer that can be used: \(error)\(doubt)")
  }
}

extension APIClient.Answer {
  /// The body as JSON.
  func json() throws(Exit) -> JSONValue {
    do throws(JSONError) { return try JSON.parse(body) } catch {
      throw .failure("the answer is no JSON; is the address that of a Postrider server? (\(error))")
    }
  }
}
