package import WireJSON

/// Why there is no answer: what is wrong, where, and how to correct it.
package struct CoreError: Error, Sendable, Hashable {
  /// What kind of mistake it is.
  package enum Kind: String, Sendable {
    /// An option is unknown, or has a value that it does not accept.
    case usage
    /// The input cannot be read.
    case unreadable
    /// The input was read, and nothing is known about it.
    case unknown
  }

  /// What kind of mistake it is.
  package let kind: Kind
  /// One sentence, as the command line prints it.
  package let what: String
  /// The option, or the position in the input.
  package let location: String
  /// What to do about it.
  package let fix: String
  /// The fault of an input that is not JSON.
  package var fault: JSONError?

  /// Makes an error.
  package init(_ kind: Kind, _ what: String, location: String, fix: String) {
    self.kind = kind
    self.what = what
    self.location = location
    self.fix = fix
  }

  /// An option that is unknown, missing, or has a value that it does not accept.
  package static func usage(_ what: String, option: String, fix: String) -> CoreError {
    CoreError(.usage, what, location: option, fix: fix)
  }

  /// An input that is not JSON; `name` is what its readers call it.
  package static func notJSON(_ error: JSONError, in name: String) -> CoreError {
    let position = "\(name):\(error.line):\(error.column)"
    let what = error.isTooLarge ? "\(name): \(error)" : "\(position): not JSON: \(error)"
    var made = CoreError(
      .unreadable, what, location: error.isTooLarge ? name : position,
      fix: error.isTooLarge ? "give a smaller document" : "give one JSON document in UTF-8")
    made.fault = error
    return made
  }

  /// `{"error": {"kind", "what", "where", "fix"}}`, with `line`, `column`, `byte` and `pointer` for a text that is not JSON.
  package var json: JSONValue {
    var object: JSONObject = [
      "kind": .string(kind.rawValue), "what": .string(what), "where": .string(location), "fix": .string(fix),
    ]
    if let fault, !fault.isTooLarge {
      object.append("line", .number(JSONNumber(fault.line)))
      object.append("column", .number(JSONNumber(fault.column)))
      object.append("byte", .number(JSONNumber(fault.offset)))
      object.append("pointer", .string(fault.pointer))
    }
    return ["error": .object(object)]
  }
}
