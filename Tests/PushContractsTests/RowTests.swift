import PushContracts
import PushPayload
import Testing
import WireJSON

/// One row of one contract's table.
struct RowCase: Sendable, CustomTestStringConvertible {
  let contract: ContractName
  let row: MappingRow
  let policy: ContractPolicy

  var testDescription: String { "\(contract) \(row.title)" }

  static let all: [RowCase] = Contracts.names.flatMap { name -> [RowCase] in
    guard let table = Contracts.mappingTable(name) else { return [] }
    return table.rows.map { RowCase(contract: name, row: $0, policy: table.policy) }
  }

  /// The smallest legal message, with what the row needs.
  var base: JSONObject {
    var message = JSONObject()
    for row in Contracts.mappingTable(contract)?.rows ?? [] where row.isRequired && row.source == .message {
      message[row.field] = row.example
    }
    for (key, value) in row.needs { message[key] = value }
    // A message that shows, plays and carries nothing is refused.
    if message.isEmpty {
      let rows = Contracts.mappingTable(contract)?.rows ?? []
      if row.role != .data, let data = rows.first(where: { $0.role == .data }) {
        for (key, value) in data.needs { message[key] = value }
        message[data.field] = data.example
      } else if let title = rows.first(where: { $0.role == .title }) {
        message[title.field] = title.example
      }
    }
    return message
  }
}

/// For each row: set only that field, and see only its places change.
@Suite struct RowTests {
  @Test(arguments: RowCase.all.filter { $0.row.source == .message })
  func fieldChangesItsPlacesOnly(_ test: RowCase) {
    var message = test.base
    let row = test.row
    let before = Contracts.render(test.contract, message: .object(message))
    #expect(!before.report.hasErrors, "\(before.report.findings)")
    message[row.field] = message[row.field] == nil ? row.example : row.other
    let after = Contracts.render(test.contract, message: .object(message))
    #expect(!after.report.hasErrors, "\(after.report.findings)")
    expect(row.apns, row.affects, Leaves.apns(after).changes(from: Leaves.apns(before)))
    expect(row.fcm, row.affects, Leaves.fcm(after, test.policy).changes(from: Leaves.fcm(before, test.policy)))
    if row.apns.isEmpty && !row.fcm.isEmpty { expectNote(row, "iOS", after.report) }
    if row.fcm.isEmpty && !row.apns.isEmpty { expectNote(row, "Android", after.report) }
  }

  @Test(arguments: RowCase.all.filter { $0.row.source == .context })
  func contextChangesItsPlacesOnly(_ test: RowCase) {
    let message = JSONValue.object(test.base)
    let before = Contracts.render(test.contract, message: message)
    let after = Contracts.render(test.contract, message: message, context: WriteContext(campaign: "c-1"))
    #expect(!after.report.hasErrors, "\(after.report.findings)")
    expect(test.row.apns, test.row.affects, Leaves.apns(after).changes(from: Leaves.apns(before)))
    expect(
      test.row.fcm, test.row.affects, Leaves.fcm(after, test.policy).changes(from: Leaves.fcm(before, test.policy)))
  }

  @Test(arguments: RowCase.all)
  func fixedValueIsAlwaysThere(_ test: RowCase) {
    guard case .fixed(let value) = test.row.source else { return }
    let rendering = Contracts.render(test.contract, message: .object(test.base))
    let leaves = Leaves.apns(rendering).values + Leaves.fcm(rendering, test.policy).values
    for index in (test.row.apns + test.row.fcm) where index.condition.isEmpty {
      let path = index.isHeader ? "header \(index.path)" : index.path
      let text = index.isHeader ? value.string ?? JSON.minifiedText(value) : JSON.minifiedText(value)
      #expect(leaves.first { $0.path == path }?.value == text, "\(path)")
    }
  }

  private func expect(_ indexes: [MappingSlot], _ affects: [String], _ changes: [String]) {
    for change in changes {
      let isKnown = indexes.contains { $0.covers(change) } || affects.contains { MappingSlot.covers($0, change) }
      #expect(isKnown, "\(change) changed, and the row does not name it")
    }
    for index in indexes where index.condition.isEmpty {
      #expect(changes.contains { index.covers($0) }, "\(index.text) did not change")
    }
  }

  private func expectNote(_ row: MappingRow, _ platform: String, _ report: Report) {
    // A row that steers others of the platform is carried through them.
    if row.affects.contains(where: { $0.hasPrefix("message.") == (platform == "Android") }) { return }
    #expect(
      report.findings.contains {
        $0.rule == "field-not-carried" && $0.field == row.field && $0.message.contains(platform)
      }, "no note that \(row.field) is not carried to \(platform)")
  }
}
