public import PushPayload
internal import WireJSON

/// Why a value is not taken for a field: what was expected, and where in the value something else was found.
public struct Mismatch: Error, Hashable, ExpressibleByStringInterpolation {
  /// What was expected, with its article: "an integer".
  public var expected: String
  /// Where in the value; empty for the value as a whole.
  public var path: FieldPath
  /// What was found at `path`, as a sentence names it; nil for the value as a whole.
  public var found: String?

  /// Something else was expected than the value as a whole.
  public init(_ expected: String) {
    self.init(expected, at: FieldPath(), found: Optional.none)
  }

  /// Something else was expected than what was found at a path in the value.
  ///
  /// - Parameters:
  ///   - expected: what was expected, with its article.
  ///   - path: where in the value.
  ///   - found: what was found there, such as "the number 3", or "nothing".
  public init(_ expected: String, at path: FieldPath, found: String?) {
    self.expected = expected
    self.path = path
    self.found = found
  }

  /// What was expected instead of the value as a whole.
  public init(stringLiteral expected: String) { self.init(expected) }

  /// The same for a value that is JSON text in a string.
  var asText: Mismatch {
    path.steps.isEmpty ? Mismatch(expected + " as JSON text in a string") : self
  }

  /// The finding's field and sentence, for a value at `path`.
  func sentence(_ path: FieldPath, _ value: String) -> (field: FieldPath, text: String) {
    (path.appending(self.path), "expected \(expected), found \(found ?? value)")
  }
}

extension JSONValue {
  /// The members of an element that holds strings under known names.
  ///
  /// Throws where something else is found.
  func stringMembers(_ known: [String], at path: FieldPath) throws(Mismatch) -> JSONObject {
    guard case .object(let members) = self else { throw Mismatch("an object", at: path, found: named) }
    for (key, member) in members {
      guard known.contains(key) else {
        throw Mismatch(
          "no members but " + known.joined(separator: ", "), at: path.member(key), found: "the member \(key)")
      }
      guard case .string = member else { throw Mismatch("a string", at: path.member(key), found: member.named) }
    }
    return members
  }
}
