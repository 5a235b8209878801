import PushPayload
import PushRules
import WireJSON

extension FuzzTarget {
  static let rules = FuzzTarget(
    name: "rules", about: "PushChecker on every kind of document: findings are rules of the table and have a place"
  ) { (bytes) throws(FuzzFailure) in
    var checker = PushChecker()
    for (kind, platform, type) in views {
      let report = checker.check(
        document: bytes, kind: kind, platform: platform, pushType: type, topic: type.map { _ in "com.example.app" })
      try expect(
        read(bytes) != nil || report.hasErrors, "a text that is no JSON has no error as \(String(describing: kind))")
      for finding in report.findings { try check(finding, checker, bytes) }
      var other = PushChecker()
      let again = other.check(
        document: bytes, kind: kind, platform: platform, pushType: type, topic: type.map { _ in "com.example.app" })
      try expect(again == report, "a checker that was used before says something else than a new one")
    }
    for finding in checker.check(channelCreation: bytes).findings { try check(finding, checker, bytes) }
    for finding in checker.check(fcmBody: bytes).findings { try check(finding, checker, bytes) }
  }

  /// What a document is taken for: recognized, as each kind, and a payload as each push type.
  private static let views: [(PushDocumentKind?, Platform?, APNsPushType?)] =
    [(nil, nil, nil), (nil, .ios, nil), (nil, .android, nil)] + PushDocumentKind.allCases.map { ($0, nil, nil) }
    + APNsPushType.known.map { (.apnsPayload, .ios, $0) }

  private static func check(_ finding: Finding, _ checker: PushChecker, _ bytes: [UInt8]) throws(FuzzFailure) {
    try expect(Rules.rule(finding.rule) != nil, "\(finding.rule) is not in the table")
    try expect(!finding.message.isEmpty, "\(finding.rule) has no words")
    let index = checker.location(of: finding, in: bytes)
    try expect((0...bytes.count).contains(index.offset), "\(finding.rule) stands outside of the text")
    try expect(
      FieldPath(parsing: finding.field).text == finding.field, "\(finding.field) is no path that reads back")
  }
}
