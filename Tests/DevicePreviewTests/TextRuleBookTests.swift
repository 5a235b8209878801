import DevicePreview
import DeviceText
import TestSupport
import Testing

@Suite struct TextRuleBookTests {
  @Test func theDocumentationIsTheTable() throws {
    let path = "\(Files.packageRoot)/docs/text-rules.md"
    if Files.environment("RECORD_SNAPSHOTS") != nil { try Files.write(Array(PreviewRuleBook.markdown.utf8), to: path) }
    #expect(String(decoding: try Files.read(path), as: UTF8.self) == PreviewRuleBook.markdown)
  }

  @Test func everyRuleIsInTheTableOnce() {
    #expect(TextRuleBook.all.map(\.id) == TextRule.allCases.map(\.rawValue))
    #expect(PreviewRuleBook.previews.map(\.id) == PreviewRule.allCases.map(\.rawValue))
    for rule in PreviewRuleBook.all {
      #expect(rule.id.utf8.allSatisfy { $0 == 0x2D || (0x61...0x7A).contains($0) }, "\(rule.id)")
      #expect(rule.statement.hasSuffix(".") && rule.fix.hasSuffix("."), "\(rule.id)")
      #expect(PreviewRuleBook.rule(rule.id) == rule)
    }
  }
}
