import PushContracts
import PushPayload
import TestSupport
import Testing
import WireJSON

/// Laws that hold for every contract, over generated messages.
///
/// A failure prints its seed: `POSTRIDER_SEED=…` repeats it.
@Suite struct LawTests {
  static let rounds = 150

  /// A generated message: every required field, some of the others, with generated or exemplary values.
  static func message(_ table: MappingTable, _ random: inout SeededRandom) -> JSONObject {
    var message = JSONObject()
    for row in table.rows where row.source == .message {
      guard row.isRequired || Int.random(in: 0...2, using: &random) == 0 else { continue }
      for (key, value) in row.needs where message[key] == nil { message[key] = value }
      message[row.field] = value(row, &random)
    }
    // A message that shows, plays and carries nothing is refused.
    addText(to: &message, table)
    return message
  }

  /// Gives a message a text, unless it has one.
  private static func addText(to message: inout JSONObject, _ table: MappingTable) {
    guard let row = table.rows.first(where: { $0.role == .body }), message[row.field] == nil else { return }
    message[row.field] = row.example
  }

  private static func value(_ row: MappingRow, _ random: inout SeededRandom) -> JSONValue {
    guard Bool.random(using: &random) else { return row.example }
    switch row.type {
    case .string: return .string(random.text())
    case .integer: return .number(JSONNumber(Int.random(in: 0...9999, using: &random)))
    case .boolean: return .bool(Bool.random(using: &random))
    case .strings: return .array((0..<Int.random(in: 1...3, using: &random)).map { _ in .string(random.text()) })
    case .texts: return ["de": .string(random.text()), "en": .string(random.text())]
    case .object: return .object(random.object())
    case .number, .array, .any: return row.example
    }
  }

  /// A legal rendering of a generated message: fields whose rules refuse a generated value get their example.
  static func legal(
    _ contract: ContractName, _ table: MappingTable, _ random: inout SeededRandom
  ) -> (message: JSONObject, rendering: Rendering) {
    var message = message(table, &random)
    for _ in 0...message.count {
      let rendering = Contracts.render(contract, message: .object(message))
      let errors = rendering.report.findings.filter { $0.severity == .error }
      guard !errors.isEmpty else { return (message, rendering) }
      for error in errors {
        if error.field.isEmpty, let row = table.rows.first(where: { $0.role == .body }) {
          message[row.field] = row.example
        }
        guard case .member(let name)? = FieldPath(parsing: error.field).steps.first else { continue }
        if let row = table.rows.first(where: { $0.field == name }) {
          message[name] = row.example
          for (key, value) in row.needs { message[key] = value }
        }
      }
    }
    message = JSONObject(
      table.rows.filter { $0.isRequired && $0.source == .message }.map { ($0.field, $0.example) })
    addText(to: &message, table)
    return (message, Contracts.render(contract, message: .object(message)))
  }

  @Test(arguments: Contracts.names)
  func writingIsDeterministicAndNamesItsKeys(_ contract: ContractName) throws {
    let table = try #require(Contracts.mappingTable(contract))
    var random = SeededRandom.fromEnvironment()
    for _ in 0..<LawTests.rounds {
      let (message, rendering) = LawTests.legal(contract, table, &random)
      #expect(!rendering.report.hasErrors, "seed \(random.seed): \(rendering.report.findings)")
      #expect(Contracts.render(contract, message: .object(message)) == rendering, "seed \(random.seed)")
      let indexes = table.rows.flatMap { $0.apns + $0.fcm }
      for (path, _) in Leaves.apns(rendering).values + Leaves.fcm(rendering, table.policy).values {
        // The topic, the id and the target are the send's and stand in every contract.
        if ["header apns-topic", "header apns-id", "message.token", ""].contains(path) { continue }
        #expect(indexes.contains { $0.covers(path) }, "seed \(random.seed): \(path) is not in the table")
      }
    }
  }

  @Test(arguments: Contracts.names.filter { Contracts.readsWrittenFields($0) })
  func readingGivesBackWhatWasWritten(_ contract: ContractName) throws {
    let table = try #require(Contracts.mappingTable(contract))
    var random = SeededRandom.fromEnvironment()
    var read: [Platform: Int] = [:]
    for _ in 0..<LawTests.rounds {
      let (message, rendering) = LawTests.legal(contract, table, &random)
      for platform in Platform.allCases {
        guard let payload = platform == .ios ? rendering.apns?.payload : rendering.fcm?.body else {
          // A device that would show nothing is sent nothing, and the report says so.
          let isSaid = rendering.report.findings.contains {
            $0.rule == "device-shows-nothing" && $0.message.hasPrefix(platform == .ios ? "iOS" : "Android")
          }
          #expect(isSaid, "seed \(random.seed): \(message): \(rendering.report.findings)")
          continue
        }
        read[platform, default: 0] += 1
        let parsed = try Contracts.parse(platform: platform, raw: payload, contract: contract)
        let own = try #require(parsed.notification[contract.rawValue]?.object)
        for row in table.rows where row.source == .message {
          let indexes = platform == .ios ? row.apns : row.fcm
          guard let index = indexes.first(where: { !$0.isHeader && $0.condition.isEmpty }),
            let expected = LawTests.expected(message[row.field], index.form, table.policy)
          else { continue }
          // What the device replaces is reported and not read back.
          let path = FieldPath(parsing: index.path)
          if parsed.report.findings.contains(where: {
            $0.severity == .warning && FieldPath(parsing: $0.field).steps.starts(with: path.steps)
          }) {
            continue
          }
          #expect(
            own[row.field].map { JSON.minifiedText($0) } == JSON.minifiedText(expected),
            "seed \(random.seed): \(row.field) on \(platform.rawValue) of \(message)")
        }
      }
    }
    for platform in Platform.allCases {
      #expect(read[platform, default: 0] > LawTests.rounds / 2, "seed \(random.seed): \(read)")
    }
  }

  /// What a field reads back as; nil when the slot's form does not carry the value.
  static func expected(_ value: JSONValue?, _ form: SlotForm, _ policy: ContractPolicy) -> JSONValue? {
    // `nil` alone would be JSON's null here, as JSONValue takes the literal.
    let none: JSONValue? = Optional.none
    guard let value else { return none }
    switch form {
    case .same, .text, .seconds: return value
    case .merged: return none
    case .flag: return value == .bool(true) ? value : none
    case .members, .memberTexts:
      var carried = JSONObject()
      for (key, member) in value.object ?? [:] {
        if member.isNull && policy.coercion == .jsonTextSkippingNull { continue }
        carried.append(key, form == .members ? member : .string(member.string ?? JSON.minifiedText(member)))
      }
      return carried.isEmpty ? none : .object(carried)
    }
  }

  @Test(arguments: Contracts.names)
  func readingTakesAnyJSON(_ contract: ContractName) throws {
    let table = try #require(Contracts.mappingTable(contract))
    var random = SeededRandom.fromEnvironment()
    for _ in 0..<LawTests.rounds {
      let (_, rendering) = LawTests.legal(contract, table, &random)
      for platform in Platform.allCases {
        let payload = try JSON.parse((platform == .ios ? rendering.apns?.payload : rendering.fcm?.body) ?? [0x30])
        for candidate in [random.json(), damaged(payload, &random), damaged(payload, &random)] {
          _ = Contracts.parse(platform: platform, payload: candidate, contract: contract)
          _ = Contracts.parse(platform: platform, payload: candidate)
        }
      }
      _ = Contracts.render(contract, message: random.json())
    }
  }

  /// A payload with some values replaced by anything.
  private func damaged(_ value: JSONValue, _ random: inout SeededRandom) -> JSONValue {
    if Int.random(in: 0...5, using: &random) == 0 { return random.json() }
    switch value {
    case .object(let members):
      return .object(JSONObject(members.map { ($0.key, damaged($0.value, &random)) }))
    case .array(let elements): return .array(elements.map { damaged($0, &random) })
    default: return value
    }
  }
}
