/// What a key may do.
public struct Scope: OptionSet, Sendable, Hashable {
  /// One bit per scope.
  public let rawValue: UInt8

  /// Wraps bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Everything, apps, credentials and keys included.
  public static let admin = Scope(rawValue: 1)
  /// Registering devices and sending pushes, and reading their outcomes.
  public static let send = Scope(rawValue: 2)
  /// Seeing apps, devices, pushes, deliveries and metrics.
  public static let read = Scope(rawValue: 4)
  /// Registering a device and reporting events of notifications, nothing else: safe inside an app.
  public static let client = Scope(rawValue: 8)
  /// The interfaces of other vendors that the key's app answers to, and nothing else.
  public static let compat = Scope(rawValue: 16)

  /// Every scope with its name, in the order they are listed.
  public static let named: [(name: String, scope: Scope)] = [
    ("admin", .admin), ("send", .send), ("read", .read), ("client", .client),
    ("compat", .compat),
  ]

  /// The scope with this name.
  public init?(name: String) {
    guard let found = Scope.named.first(where: { $0.name == name }) else { return nil }
    self = found.scope
  }

  /// The scopes of a text such as `send read`; unknown words give nothing.
  init(words: String) {
    self = words.split(separator: " ").reduce(into: []) { scopes, word in
      if let scope = Scope(name: String(word)) { scopes.insert(scope) }
    }
  }

  /// The names of the scopes in the set.
  public var names: [String] { Scope.named.filter { contains($0.scope) }.map(\.name) }

  /// Whether a key with these scopes may do what any of `accepted` may.
  public func satisfies(_ accepted: Scope) -> Bool { contains(.admin) || !isDisjoint(with: accepted) }
}
