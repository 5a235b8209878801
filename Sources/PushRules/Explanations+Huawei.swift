internal import Basics
internal import WireJSON

// Source: Huawei, "Sending Downlink Messages", HTTP and service response codes.
extension Explanations {
  /// What Push Kit answers: a code of eight digits, whatever the HTTP status is, or a status alone.
  static let huawei: [Explanation] = [
    code("80100000", "The token is illegal: of another app, or not of this service.", again, listed),
    code("80100001", "A parameter of the request is wrong.", fix),
    code("80100003", "The structure of the message is wrong.", fix),
    code("80100004", "The message expired before it was sent.", "Check ttl and this machine's clock."),
    code("80100013", "The collapse key is none.", "Use a whole number, -1 to 100."),
    code("80100016", "The text has words that are not allowed.", "Change the text."),
    code("80100017", "More than 100 sends to topics at a time.", "Wait.", wait),
    code("80100018", "The signature of a reviewed text is wrong.", fix),
    code("80200001", "The access token is wrong, or another app's.", "Compare client id and project.", renew),
    code("80200003", "The access token has expired.", "Check this machine's clock.", renew),
    code("80200005", "The token of a service account has expired.", "Look for a relay that replaces tokens.", renew),
    code(
      "80300002", "The app may not send: Push Kit is switched off, or the token is of another app or region.",
      "Check Push Kit in AppGallery Connect, the client id, and the region.", doubt),
    code("80300007", "The token is invalid: the app was removed, or it is another app's.", again, ended),
    code("80300008", "The message has more than 4096 bytes without the token.", "Shorten it."),
    code("80300010", "The request has too many tokens.", fix),
    code("80300011", "The app may not send messages of high priority.", "Apply to Huawei for the right.", doubt),
    code("80300013", "The address for receipts is wrong.", "Check it and its certificate in AppGallery Connect."),
    code("80600003", "Push Kit could not ask Huawei's OAuth service.", "Check client id and secret.", later),
    code("81000001", "Push Kit failed inside.", "See Huawei's status page.", later),
    status(400, "The request is wrong; the answer names no code.", "Look for a proxy that changes requests."),
    status(401, "The access token was refused.", "Compare client id and secret.", renew),
    status(404, "There is no such app or project.", "Compare client id and project id with AppGallery Connect.", stop),
    status(429, "Too many requests.", spread, wait),
    status(500, "Push Kit failed inside.", "See Huawei's status page.", later),
    status(502, "The connection to Push Kit failed.", "See Huawei's status page.", later),
    status(503, "Flow control: more than the app's quota.", spread, wait),
  ]

  #if _pointerBitWidth(_32)
    // The module for browsers is bounded in size, and explains what sends are answered.
    static let beyond: [Explanation] = []
  #else
    /// What the module for browsers leaves out.
    static let beyond: [Explanation] = {
      #if hasFeature(Embedded)
        // The libraries have what the module has.
        return huaweiTokens
      #else
        return huaweiTokens + general
      #endif
    }()

    /// What Huawei's token endpoint answers.
    ///
    /// Source: Huawei, "Error codes" of the OAuth 2.0 client credentials.
    private static let huaweiTokens: [Explanation] = [
      code(
        "1101",
        "Huawei's token endpoint refused the request for an access token: the client id or the secret is wrong.",
        "Copy client id and secret again from AppGallery Connect.",
        "Asks for an access token again after half a minute; deliveries wait.")
    ]
  #endif

  private static let fix = "Read the message of the answer."
  private static let again = "Nothing; the app registers again when it starts."
  private static let spread = "Send more slowly, or ask Huawei for a higher quota."
  private static let ended = "Records the rejection, does not send again and retires the device."
  private static let listed =
    "Records the rejection and does not send again; retires the device if illegal_tokens has its token."
  private static let doubt =
    "Records the rejection, does not send again, keeps the device and notifies the operator; other pushes continue."
  private static let renew = "Fetches a new access token and sends again at once, then after a second."
  private static let stop =
    "Stops sending with this credential and notifies the operator; what waits is sent when it is accepted."
  private static let wait = "Sends again after Retry-After, but not before a minute."
  private static let later = "Sends again after Retry-After, but not before 10 seconds."

  private static func code(
    _ code: String, _ meaning: String, _ next: String,
    _ action: String = "Records the rejection and does not send again."
  ) -> Explanation {
    Explanation(.huawei, code, nil, meaning: meaning, action: action, next: next)
  }

  private static func status(
    _ status: Int, _ meaning: String, _ next: String,
    _ action: String = "Records the rejection and does not send again."
  ) -> Explanation {
    Explanation(.huawei, "\(status)", status, meaning: meaning, action: action, next: next)
  }
}

#if !hasFeature(Embedded)
  extension Explanations {
    /// What answers mean that come from something in between, or have no row of their own: Push Kit may answer any status, and its
    /// codes are an open set.
    static let generalOfPushKit: [Explanation] = [
      push("403", 403, "The app may not send: Push Kit, or something in between, refuses it.", rights, doubt),
      push("408", 408, "Push Kit waited too long for the request.", generalLines, generalLater),
      push("504", 504, "Something in front of Push Kit got no answer in time.", generalStatus, generalLater),
      push("3xx", nil, "Something in between points to another address.", generalBetween),
      push("4xx", nil, "The request was refused with a status that has no row of its own.", generalBetween),
      push("5xx", nil, "Push Kit, or something in between, failed.", generalStatus, generalLater),
      push("other code", nil, "Push Kit answered with a code that has no row of its own.", page, byStatus),
    ]

    /// Push Kit's codes have eight digits.
    static func isCode(_ number: Int, digits: Int) -> Bool {
      digits == 8 && (80_000_001...89_999_999).contains(number)
    }

    private static let rights = "Check Push Kit in AppGallery Connect; look for a proxy that refuses requests."
    private static let page = "Look the code up on Huawei's page, and read the message of the answer."
    private static let byStatus =
      "With a status of 400 or less, records the rejection and does not send again; else what it does for the status."

    private static func push(
      _ reason: String, _ status: Int?, _ meaning: String, _ next: String, _ action: String = generalEnds
    ) -> Explanation {
      Explanation(.huawei, reason, status, meaning: meaning, action: action, next: next)
    }
  }
#endif

extension ExplainedAnswer {
  /// An answer of Push Kit, which names what is wrong by a code.
  init?(coded root: JSONObject) {
    guard let code = root["code"]?.string, root["msg"] != nil else {
      #if _pointerBitWidth(_32)
        return nil
      #else
        guard let error = Self.number(root["error"]), root["sub_error"] != nil || root["error_description"] != nil
        else {
          return nil
        }
        let detail = Self.number(root["sub_error"]).map { "sub_error \($0)" }
        self.init(
          reason: error, explanations: Explanations.find(error).filter { $0.service == .huawei },
          details: [detail, root["error_description"]?.string].compactMap { $0 })
        return
      #endif
    }
    self.init(
      reason: code, explanations: Explanations.find(code).filter { $0.service == .huawei },
      details: root["msg"]?.string.map { [$0] } ?? [])
  }

  #if !_pointerBitWidth(_32)
    /// Huawei's token endpoint names errors by number, which some versions write as text.
    private static func number(_ json: JSONValue?) -> String? {
      guard let text = json?.int.map({ "\($0)" }) ?? json?.string, WholeNumber(text) != nil else { return nil }
      return text
    }
  #endif
}
