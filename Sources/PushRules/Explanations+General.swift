// Sources: RFC 9110 section 15, which lets a client treat a status that it does not know as the first of its hundred; RFC 8030
// section 5.
#if !hasFeature(Embedded)
  extension Explanations {
    /// What answers of push services of browsers mean that come from something in between, or have no row of their own: such a
    /// service may answer any status.
    static let generalOfBrowsers: [Explanation] = [
      web("408", 408, "The push service waited too long for the request.", generalLines, generalLater),
      web("3xx", nil, "The push service, or something in between, points to another address.", generalBetween),
      web("4xx", nil, "The push service refused the message with a status that has no row of its own.", read),
      web("5xx", nil, "The push service, or something in between, failed.", generalStatus, generalLater),
    ]

    /// The rows of an answer for the services that have none of their own for it.
    static func general(_ reason: String, _ status: Int, besides found: [Explanation]) -> [Explanation] {
      let name: String
      if (300...999).contains(status), reason.utf8.count == 3 {
        name = status >= 500 ? "5xx" : "\(status / 100)xx"
      } else if isCode(status, digits: reason.utf8.count) {
        name = "other code"
      } else {
        return []
      }
      return general.filter { row in row.reason == name && !found.contains { $0.service == row.service } }
    }

    static let generalLines = "Look at the way out of this machine, and at a proxy on it."
    static let generalBetween = "Look for a proxy, a portal or a relay in between, and compare the address."
    private static let read = "Read the detail of the answer; look for a proxy that changes requests."
    static let generalStatus = "See the vendor's status page, and look for a proxy in between."

    static let generalEnds = "Records the rejection and does not send again."
    static let generalLater = "Sends again after Retry-After, but not before 10 seconds."

    private static func web(
      _ reason: String, _ status: Int?, _ meaning: String, _ next: String, _ action: String = generalEnds
    ) -> Explanation {
      Explanation(.webPush, reason, status, meaning: meaning, action: action, next: next)
    }
  }
#endif
