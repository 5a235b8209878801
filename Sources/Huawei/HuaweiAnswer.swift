public import GatewayPool
internal import WireJSON

/// The answer of Push Kit to one request, as it came off the wire.
package struct HuaweiAnswer {
  let status: Int
  let retryAfter: Int?
  let body: [UInt8]

  /// The longest message of an answer that is kept, in characters.
  private static let messageMax = 300

  package init(status: Int, retryAfter: Int? = nil, body: [UInt8]) {
    self.status = status
    self.retryAfter = retryAfter
    self.body = body
  }

  /// Reads the answer.
  ///
  /// A status of 200 is no success: the code is. An answer of success without a code, that of a portal or half of one,
  /// tells nothing of the message: it may have been taken.
  ///
  /// - Parameter token: the token of the request, as it is in the text of JSON.
  package func outcome(for token: () -> [UInt8]) -> HuaweiOutcome {
    guard let object = (try? JSON.parse(body))?.object, let text = object["code"].flatMap(Self.text) else {
      if (200...299).contains(status) {
        return .failed(
          SendFailure(
            .unknown, .unreadableAnswer,
            "the answer with status \(status) is not Push Kit's, which names a code; look for a proxy or a portal in between"
          ))
      }
      return .rejected(HuaweiRejection(status: status, code: .none, retryAfter: retryAfter))
    }
    let code = HuaweiCode(rawValue: text)
    let message = object["msg"]?.string ?? ""
    if code == .success { return .accepted(requestID: object["requestId"]?.string ?? "") }
    guard code == .partialSuccess else {
      return .rejected(
        HuaweiRejection(
          status: status, code: code, message: Self.shown(message), isTokenInvalid: code == .invalidTokens,
          retryAfter: retryAfter))
    }
    // A request has one token. When others are called illegal, nothing is said of its own.
    let counts = (try? JSON.parse(message))?.object
    let illegal = counts?["illegal_tokens"]?.array ?? []
    let own = illegal.isEmpty ? [] : token()
    let isInvalid = illegal.contains { JSON.minified($0).dropFirst().dropLast().elementsEqual(own) }
    let succeeded = counts?["success"].flatMap { $0.int ?? $0.string.flatMap { Int($0) } } ?? 0
    if succeeded > 0, !isInvalid { return .accepted(requestID: object["requestId"]?.string ?? "") }
    return .rejected(
      HuaweiRejection(
        status: status, code: code, message: isInvalid ? "the token is illegal" : "", isTokenInvalid: isInvalid,
        retryAfter: retryAfter))
  }

  /// A code, which is a text by the documents; a number is read as well.
  private static func text(_ json: JSONValue) -> String? {
    let text = json.string ?? json.int.map { "\($0)" }
    guard let text, (1...20).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    return text
  }

  /// A message on one line: control characters would end up in terminals.
  private static func shown(_ message: String) -> String {
    let isPlain = message.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
    return isPlain ? String(message.prefix(messageMax)) : ""
  }
}

extension SendFailure.Cause {
  /// The answer is not the provider's, or half of it: the outcome of the notification is not known.
  public static let unreadableAnswer = Self(rawValue: "unreadable_answer")
}
