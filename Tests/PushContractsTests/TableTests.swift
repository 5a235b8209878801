import PushContracts
import TestSupport
import Testing
import WireJSON

/// The tables in `docs/contracts` are what the rows say; `POSTRIDER_RECORD=1` writes them anew.
@Suite struct TableTests {
  static let begin = "<!-- generated: begin -->\n"
  static let end = "<!-- generated: end -->\n"

  @Test(arguments: Contracts.names)
  func pageHoldsTheTable(_ contract: ContractName) throws {
    let table = try #require(Contracts.mappingTable(contract))
    let path = "\(Files.packageRoot)/docs/contracts/\(contract).md"
    let page = String(decoding: try Files.read(path), as: UTF8.self)
    let start = try #require(page.firstRange(of: TableTests.begin), "\(path) needs the line \(TableTests.begin)")
    let stop = try #require(page.firstRange(of: TableTests.end), "\(path) needs the line \(TableTests.end)")
    let shown = page[start.upperBound..<stop.lowerBound]
    if Files.environment("POSTRIDER_RECORD") != nil, shown != table.markdown {
      let fresh = page[..<start.upperBound] + table.markdown + page[stop.lowerBound...]
      try Files.write(Array(fresh.utf8), to: path)
    }
    #expect(shown == table.markdown, "run the tests with POSTRIDER_RECORD=1 and read what changed in \(path)")
  }

  @Test func textTableIsAligned() throws {
    let text = try #require(Contracts.mappingTable(.amba)).text
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines[0] == "Amba: your title, your body and your data keys, and nothing else.")
    #expect(
      lines[2] == "field                      type     required  APNs                     "
        + "FCM                                      web        rule")
    #expect(
      lines[3] == "title                      string   yes       aps.alert.title          "
        + "message.notification.title               title      verbatim")
  }

  @Test func jsonTableHasEveryRow() throws {
    let table = try #require(Contracts.mappingTable(.amba))
    #expect(table.json["fields"]?.array?.count == table.rows.count)
    #expect(
      table.json["fields"]?[3].map { JSON.minifiedText($0) }
        == #"{"field":"badge","type":"integer","required":"no","role":"badge","#
        + #""apns":[{"path":"aps.badge","form":"same"}],"fcm":[],"rule":"iOS only; absent unless set","#
        + #""doc":"The number on the app's icon.","example":3}"#)
  }
}
