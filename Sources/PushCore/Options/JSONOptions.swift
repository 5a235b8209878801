package import Basics
package import WireJSON

/// The options of an operation as the members of a JSON object, checked against the operation's table.
package struct JSONOptions: OptionSource, Sendable {
  private var members: JSONObject

  /// The last second that a date of four digits can name.
  package static let nowMax: WholeNumber = 253_402_300_799

  /// Reads options; no bytes at all are no options.
  ///
  /// - Parameters:
  ///   - bytes: a JSON object.
  ///   - operation: the operation's name, for errors.
  ///   - rows: the options that it has.
  package init(_ bytes: [UInt8], of operation: String, _ rows: [OptionRow]) throws(CoreError) {
    guard !bytes.isEmpty else {
      members = [:]
      return
    }
    let value: JSONValue
    let duplicates: [JSONDuplicate]
    do throws(JSONError) { (value, duplicates) = try JSON.parseReporting(bytes) } catch {
      throw .notJSON(error, in: "options")
    }
    let names = rows.map { $0.name }
    let known = "\(operation) takes " + (names.isEmpty ? "no options" : names.joined(separator: ", "))
    guard case .object(let object) = value else {
      throw .usage("the options are \(value.kind.description), not an object", option: "options", fix: known)
    }
    if let duplicate = duplicates.first {
      throw .usage("an option is given twice, at byte \(duplicate.offset)", option: "options", fix: "give it once")
    }
    for (name, value) in object {
      guard let row = rows.first(where: { $0.name == name }) else {
        let nearest = Nearest.match(name, among: names)
        throw .usage(
          "unknown option “\(name)”" + (nearest.map { "; did you mean \($0)?" } ?? ""), option: name, fix: known)
      }
      try JSONOptions.check(value, row)
    }
    members = object
  }

  /// Options that were checked where they come from, such as the members of a request whose schema has them.
  package init(checked members: JSONObject) { self.members = members }

  /// Sets an option; with nil it is not given.
  package mutating func set(_ name: String, to value: JSONValue?) { members[name] = value }

  private static func check(_ value: JSONValue, _ row: OptionRow) throws(CoreError) {
    let name = row.name
    switch row.kind {
    case .text:
      guard value.string != nil else { throw wrong(name, "a text", value) }
    case .choice(let choices):
      guard let text = value.string, choices.contains(text) else { throw wrong(name, oneOf(choices), value) }
    case .texts:
      guard let items = value.array else { throw wrong(name, "an array of texts", value) }
      for item in items where item.string == nil { throw wrong(name, "an array of texts", item) }
    case .choices(let choices):
      guard let items = value.array else { throw wrong(name, "an array", value) }
      for item in items where item.string.map({ choices.contains($0) }) != true {
        throw wrong(name, oneOf(choices), item)
      }
    case .flag:
      guard value.bool != nil else { throw wrong(name, "true or false", value) }
    case .integer(let range):
      guard let number = value.number?.int, range.contains(number) else {
        throw wrong(name, "a whole number from \(range.lowerBound) to \(range.upperBound)", value)
      }
    case .object:
      guard value.object != nil else { throw wrong(name, "an object", value) }
    }
  }

  private static func oneOf(_ choices: [String]) -> String { "one of " + choices.joined(separator: ", ") }

  private static func wrong(_ name: String, _ wanted: String, _ value: JSONValue) -> CoreError {
    let found =
      switch value {
      case .string(let text): "“\(text)”"
      case .number(let number): number.text
      case .bool(let flag): flag ? "true" : "false"
      case .null, .array, .object: value.kind.description
      }
    return .usage("\(name) takes \(wanted), not \(found)", option: name, fix: "give \(wanted), or leave \(name) out")
  }

  package func text(_ name: String) -> String? { members[name]?.string }

  package func texts(_ name: String) -> [String] { members[name]?.array?.compactMap { $0.string } ?? [] }

  package func isOn(_ name: String) -> Bool { flag(name) ?? false }

  /// The value of a switch; nil when it was not given.
  func flag(_ name: String) -> Bool? { members[name]?.bool }

  package func integer(_ name: String, in range: ClosedRange<WholeNumber>) throws(CoreError) -> WholeNumber? {
    members[name]?.int
  }

  package func now() throws(CoreError) -> Int64? { members["now"]?.int.map { Int64($0) } }

  package func spelled(_ name: String) -> String { name }

  /// The members of an option that is an object.
  package func object(_ name: String) -> JSONObject? { members[name]?.object }
}
