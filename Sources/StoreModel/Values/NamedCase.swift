/// A value that the API writes as one of a few names.
public protocol NamedCase: CaseIterable {
  /// The name in the API.
  var name: String { get }
}

extension NamedCase {
  /// Reads a name as ``name`` writes it; nil for any other.
  ///
  /// Inlinable, so that it is specialized where it is used: a request reads several for each address that it names.
  @inlinable public init?(name: String) {
    guard let value = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = value
  }
}
