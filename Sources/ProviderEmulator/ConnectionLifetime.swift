/// When a gateway ends connections of its own accord, with GOAWAY.
public struct ConnectionLifetime: Sendable, Hashable {
  /// After so many milliseconds without a request, at the latest after twice as many; nil for never.
  public var idleMs: Int?
  /// After so many milliseconds in all; nil for never.
  public var ageMs: Int?

  /// Connections last for ever.
  public init() {}
}

extension ConnectionLifetime {
  /// Reads `idle_timeout_ms` and `max_age_ms`.
  init(_ object: inout ScenarioObject) throws(ScenarioError) {
    self.init()
    idleMs = try object.int("idle_timeout_ms", 1...Int(Int32.max))
    ageMs = try object.int("max_age_ms", 1...Int(Int32.max))
  }
}
