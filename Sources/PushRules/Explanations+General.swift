// Sources: RFC 9110 section 15, which lets a client treat a status that it does not know as the first of its hundred; RFC 8030
// section 5; Huawei, "Sending Downlink Messages", HTTP response codes.
#if !hasFeature(Embedded)
  extension Explanations {
    /// What answers mean that come from something in between, or have no row of their own: a push service of browsers and
    /// Push Kit may answer any status, and Push Kit's codes are an open set.
    static let general: [Explanation] = [
      web("408", 408, "The push service waited too long for the request.", lines, later),
      web("3xx", nil, "The push service, or something in between, points to another address.", between),
      web("4xx", nil, "The push service refused the message with a status that has no row of its own.", read),
      web("5xx", nil, "The push service, or something in between, failed.", status, later),
      push("403", 403, "The app may not send: Push Kit, or something in between, refuses it.", rights, doubt),
      push("408", 408, "Push Kit waited too long for the request.", lines, later),
      push("504", 504, "Something in front of Push Kit got no answer in time.", status, later),
      push("3xx", nil, "Something in between points to another address.", between),
      push("4xx", nil, "The request was refused with a status that has no row of its own.", between),
      push("5xx", nil, "Push Kit, or something in between, failed.", status, later),
      push(otherCode, nil, "Push Kit answered with a code that has no row of its own.", page, byStatus),
    ]

    /// The rows of an answer for the services that have none of their own for it.
    static func general(_ reason: String, _ status: Int, besides found: [Explanation]) -> [Explanation] {
      let name: String
      switch (status, reason.utf8.count) {
      case (300...999, 3): name = status >= 500 ? "5xx" : "\(status / 100)xx"
      // Push Kit's codes have eight digits.
      case (80_000_001...89_999_999, 8): name = otherCode
      default: return []
      }
      return general.filter { row in row.reason == name && !found.contains { $0.service == row.service } }
    }

    private static let otherCode = "other code"

    private static let lines = "Look at the way out of this machine, and at a proxy on it."
    private static let between = "Look for a proxy, a portal or a relay in between, and compare the address."
    private static let read = "Read the detail of the answer; look for a proxy that changes requests."
    private static let status = "See the vendor's status page, and look for a proxy in between."
    private static let rights = "Check Push Kit in AppGallery Connect; look for a proxy that refuses requests."
    private static let page = "Look the code up on Huawei's page, and read the message of the answer."

    private static let ends = "Records the rejection and does not send again."
    private static let later = "Sends again after Retry-After, but not before 10 seconds."
    private static let doubt =
      "Records the rejection, does not send again, keeps the device and tells the operator; other pushes go on."
    private static let byStatus =
      "With a status of 400 or less, records the rejection and does not send again; else what it does for the status."

    private static func web(
      _ reason: String, _ status: Int?, _ meaning: String, _ next: String, _ action: String = ends
    ) -> Explanation {
      Explanation(.webPush, reason, status, meaning: meaning, action: action, next: next)
    }

    private static func push(
      _ reason: String, _ status: Int?, _ meaning: String, _ next: String, _ action: String = ends
    ) -> Explanation {
      Explanation(.huawei, reason, status, meaning: meaning, action: action, next: next)
    }
  }
#endif
