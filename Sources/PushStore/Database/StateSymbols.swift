internal import Ledger
internal import StoreModel

/// The names by which SQL says the numbers of the model: `#delivery.waiting`, `#push.sending`, `#device.active`; several of them:
/// `state IN #push.underWay`; and the rules that more than one statement needs: `#finished(waiting; in_flight; audience_complete)`.
///
/// They are put in when a statement is prepared, so that a name costs nothing where the statement is used.
enum StateSymbols {
  /// What represents a rule with its values, in which there are no parentheses; nil when these are not as many as it has.
  typealias Rule = @Sendable ([Substring]) -> String?

  /// SQL without names; throws `bug` for one that is not known.
  ///
  /// - Parameter own: further rules, those of an engine.
  static func resolved(_ sql: String, own: [Substring: Rule] = [:]) throws(StoreError) -> String {
    guard sql.utf8.contains(mark) else { return sql }
    var output = ""
    output.reserveCapacity(sql.utf8.count)
    var rest = sql.utf8[...]
    while let start = rest.firstIndex(of: mark) {
      output += Substring(rest[..<start])
      let name = rest[rest.index(after: start)...].prefix { isPartOfName($0) }
      rest = rest[name.endIndex...]
      if let number = numbers[Substring(name)] {
        output += String(number)
      } else if let list = lists[Substring(name)] {
        output += list
      } else if let rule = rules[Substring(name)] ?? own[Substring(name)] {
        guard let text = rule(arguments(&rest)) else {
          throw StoreError(.bug, "SQL gives #\(Substring(name)) other values than it has", advice: "report this")
        }
        output += try resolved(text)
      } else {
        throw StoreError(.bug, "SQL names #\(Substring(name)), which means nothing", advice: "report this")
      }
    }
    return output + Substring(rest)
  }

  /// What is between parentheses, which are taken away with it, parted at semicolons.
  private static func arguments(_ rest: inout Substring.UTF8View) -> [Substring] {
    guard rest.first == UInt8(ascii: "("), let end = rest.firstIndex(of: UInt8(ascii: ")")) else { return [] }
    let inner = Substring(rest[rest.index(after: rest.startIndex)..<end])
    rest = rest[rest.index(after: end)...]
    return inner.split(separator: ";").map { $0.drop { $0 == " " } }
  }

  private static let rules: [Substring: Rule] = [
    "finished": PushConditions.finished, "leasable": PushConditions.leasable,
    "leased": PushConditions.leased,
  ]

  private static let mark = UInt8(ascii: "#")

  private static let numbers: [Substring: Int64] = {
    var table: [Substring: Int64] = [
      "delivery.fresh": Int64(RowState.fresh), "outcome.none": OutcomeCode.none,
      "class.transactional": number(PushClass.transactional), "class.campaign": number(PushClass.campaign),
    ]
    add(DeliveryState.self, as: "delivery", to: &table)
    add(PushState.self, as: "push", to: &table)
    add(DeviceState.self, as: "device", to: &table)
    add(DeviceKind.self, as: "kind", to: &table)
    add(EventKind.self, as: "event", to: &table)
    add(SeriesMetric.self, as: "metric", to: &table)
    return table
  }()

  private static let lists: [Substring: String] = [
    "delivery.answerable": list(RowState.answerable), "push.underWay": list(PushState.underWay.map { number($0) }),
  ]

  private static func list(_ numbers: [some BinaryInteger]) -> String {
    "(" + numbers.map { String($0) }.joined(separator: ", ") + ")"
  }

  private static func add<Case>(_ type: Case.Type, as group: String, to table: inout [Substring: Int64])
  where Case: CaseIterable & RawRepresentable<UInt8> {
    for value in type.allCases { table["\(group).\(value)"] = number(value) }
  }

  private static func number(_ value: some RawRepresentable<UInt8>) -> Int64 { Int64(value.rawValue) }

  private static func isPartOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "."): true
    default: false
    }
  }
}
