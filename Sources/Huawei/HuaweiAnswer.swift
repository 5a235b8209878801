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
  /// A status of 200 is no success: the code is. Without a code nothing was promised, so that an answer with 200 that has
  /// none is a refusal, by whatever stands between.
  package var outcome: HuaweiOutcome {
    guard let object = (try? JSON.parse(body))?.object, let text = object["code"].flatMap(Self.text) else {
      return .rejected(HuaweiRejection(status: status, code: .none, retryAfter: retryAfter))
    }
    let code = HuaweiCode(rawValue: text)
    let message = object["msg"]?.string ?? ""
    if code == .success { return .accepted(requestID: object["requestId"]?.string ?? "") }
    guard code == .partialSuccess else {
      return .rejected(
        HuaweiRejection(
          status: status, code: code, message: Self.shown(message), isTokenIllegal: code == .invalidTokens,
          retryAfter: retryAfter))
    }
    // A request has one token: when some were illegal, it was this one, and none that succeeded is left.
    let counts = (try? JSON.parse(message))?.object
    let isIllegal = counts?["illegal_tokens"]?.array.map { !$0.isEmpty } ?? false
    let succeeded = counts?["success"].flatMap { $0.int ?? $0.string.flatMap { Int($0) } } ?? 0
    if succeeded > 0, !isIllegal { return .accepted(requestID: object["requestId"]?.string ?? "") }
    return .rejected(
      HuaweiRejection(
        status: status, code: code, message: isIllegal ? "the token is illegal" : "", isTokenIllegal: isIllegal,
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
