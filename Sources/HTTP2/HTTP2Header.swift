/// One header field: a lower-case name and its value.
public struct HTTP2Header: Sendable, Hashable, CustomStringConvertible {
  /// The lower-case name.
  public var name: String
  /// The value.
  public var value: String
  /// Whether the header compression may remember the field.
  ///
  /// Say `false` for values that differ on every request.
  public var indexed: Bool

  /// A header field.
  public init(_ name: String, _ value: String, indexed: Bool = true) {
    self.name = name
    self.value = value
    self.indexed = indexed
  }

  /// The name only: values may be secrets.
  public var description: String { "\(name): …" }
}

/// A header that cannot be sent.
public struct HTTP2HeaderError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The header's name.
  public let name: String
  /// What is wrong with it, and what is allowed.
  public let problem: String

  /// One sentence; the value is not in it.
  public var description: String { "header \"\(name)\": \(problem)" }
}
