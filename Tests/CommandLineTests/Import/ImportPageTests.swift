import TestSupport
import Testing

@testable import postrider

/// The pages about leaving a vendor.
@Suite("import: the pages") struct ImportPageTests {
  /// `RECORD_SNAPSHOTS=1 swift test --filter ImportPageTests` writes the tables anew.
  @Test(arguments: ImportVendor.all.map(\.name)) func tables(name: String) throws {
    let vendor = try ImportMappingTests.vendor(name)
    let path = "\(Files.packageRoot)/docs/leaving/\(name).md"
    let (begin, end) = ("<!-- columns -->\n", "\n<!-- end of columns -->")
    func page() throws -> String { String(decoding: try Files.read(path), as: UTF8.self) }
    if Files.environment("RECORD_SNAPSHOTS") != nil {
      let text = try page()
      let start = try #require(text.firstRange(of: begin)).upperBound
      let stop = try #require(text.firstRange(of: end)).lowerBound
      try Files.write(Array((text[..<start] + ImportPage.markdown(vendor) + text[stop...]).utf8), to: path)
    }
    let found = try page().contains(begin + ImportPage.markdown(vendor) + end)
    #expect(found, "docs/leaving/\(name).md has another table than the vendor's columns; write it anew")
  }

  @Test func theManualHasEveryCommand() throws {
    let manual = String(decoding: try Files.read("\(Files.packageRoot)/docs/cli.md"), as: UTF8.self)
    let words = ImportVendor.all.map { "`\($0.name)`" }.joined(separator: ", ")
    #expect(manual.contains("| `import` | \(words) |"))
    for vendor in ImportVendor.all { #expect(manual.contains("(leaving/\(vendor.name).md)"), "\(vendor.name)") }
  }

  @Test func everyOptionIsOnAPage() throws {
    var text = ""
    for vendor in ImportVendor.all {
      text += String(decoding: try Files.read("\(Files.packageRoot)/docs/leaving/\(vendor.name).md"), as: UTF8.self)
    }
    for option in ["--dry-run", "--output", "--environment", "--seen-at", "--vendor-app"] {
      #expect(text.contains(option), "\(option)")
      #expect(ImportCommand.group.subcommands.contains { $0.options.contains { $0.name == option } })
    }
  }
}
