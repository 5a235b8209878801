import PushPayload
import PushRules
import TestSupport
import Testing
import WireJSON

/// What rules and explanations advise to write is what texts accept.
@Suite struct AdviceTests {
  /// The texts in Liquid among sentences: from a brace to the last one before a comma, a semicolon or the end.
  static let advices: [String] = {
    let sentences = Rules.all.map(\.fix) + Explanations.all.flatMap { [$0.action, $0.next] }
    return sentences.flatMap { sentence in
      sentence.split(whereSeparator: { ",;".contains($0) }).compactMap { part in
        guard let first = part.firstIndex(of: "{"), let last = part.lastIndex(of: "}"),
          part[first...].dropFirst().first != "}"
        else { return nil }
        let text = part[first...last]
        // A tag alone names what to write about, and is no text.
        let isText = text.hasPrefix("{{") || text.hasPrefix("{%") && text.dropFirst().contains("{")
        return isText ? String(text) : nil
      }
    }
  }()

  @Test("Each can be compiled, and says something with and without the value", arguments: advices)
  func accepted(advice: String) {
    // Only what becomes of a missing value is advised.
    for values: JSONValue in [["name": "Ann"], [:]] {
      let filled = FilledMessage(["title": .string("Hi " + advice)], values: values, now: 0)
      #expect(filled.report.findings.allSatisfy { $0.severity == .note }, "\(advice): \(filled.report.findings)")
      let title = filled.message?["title"]?.string
      if advice.contains("abort") {
        #expect((title == nil) == (values == [:]), "\(advice): \(title ?? "nothing")")
      } else if advice.contains("default") {
        #expect(title == (values == [:] ? "Hi there" : "Hi Ann"), "\(advice)")
      }
    }
  }

  @Test("They are found, and no other form of a default is advised") func found() {
    #expect(Self.advices.filter { $0.contains("default") }.count >= 3, "\(Self.advices)")
    #expect(Self.advices.contains { $0.contains("abort") }, "\(Self.advices)")
    #expect(!Self.advices.contains { $0.contains("|there") }, "\(Self.advices)")
  }
}
