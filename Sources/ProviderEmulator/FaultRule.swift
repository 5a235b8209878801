/// A rule of a scenario: to which requests something happens, and what.
public struct FaultRule: Sendable {
  /// A name for reports and for taking the rule back.
  public var name: String
  /// The service it applies to; nil for all.
  public var provider: EmulatedProvider?
  /// The token it applies to, exactly; nil for any.
  public var token: String?
  /// The prefix of the tokens it applies to; nil for any.
  public var tokenPrefix: String?
  /// The `apns-topic`, or the Firebase project, it applies to; nil for any.
  public var topic: String?
  /// The share of matching requests it strikes, chosen by the seed in the order they come; nil for all.
  public var share: Double?
  /// The share of tokens it strikes, chosen by the seed and the token alone; nil for all.
  public var shareOfTokens: Double?
  /// It strikes each so-manieth matching request only; nil for each.
  public var every: Int?
  /// So many matching requests are spared first.
  public var after = 0
  /// It strikes at most so often; nil for no end.
  public var times: Int?
  /// From when it holds, in milliseconds since the scenario began; nil from the start.
  public var fromMs: Int64?
  /// Until when it holds, in milliseconds since the scenario began; nil for ever.
  public var untilMs: Int64?
  /// What happens.
  public var effect: Effect
  /// How long the answer is held back.
  public var latency: Latency
  /// How often it has struck.
  public internal(set) var struck = 0

  private var matched = 0

  /// A rule that strikes every request.
  public init(name: String, effect: Effect = .pass, latency: Latency = .none) {
    self.name = name
    self.effect = effect
    self.latency = latency
  }

  /// Counts a request and says whether the rule strikes it.
  mutating func strikes(_ request: FaultSubject, random: inout EmulatorRandom) -> Bool {
    guard matches(request) else { return false }
    matched += 1
    guard matched > after else { return false }
    if let every, matched.saturatingSubtracting(after) % max(1, every) != 0 { return false }
    if let times, struck >= times { return false }
    if let share, random.unit() >= share { return false }
    struck += 1
    return true
  }

  private func matches(_ request: FaultSubject) -> Bool {
    if let provider, provider != request.provider { return false }
    if let fromMs, request.sinceStartMs < fromMs { return false }
    if let untilMs, request.sinceStartMs >= untilMs { return false }
    if let token, unsafe !token.utf8.elementsEqual(request.token) { return false }
    if let tokenPrefix, unsafe !request.token.starts(with: tokenPrefix.utf8) { return false }
    if let topic, unsafe !topic.utf8.elementsEqual(request.topic) { return false }
    if let shareOfTokens {
      // Salted with the name, so that two rules pick their tokens independently.
      let salt = unsafe Array(name.utf8).withUnsafeBufferPointer(EmulatorRandom.hash)
      if unsafe EmulatorRandom.unit(seed: request.seed ^ salt, request.token) >= shareOfTokens { return false }
    }
    return true
  }
}

/// What rules look at.
///
/// `@safe`: it is made for one call, whose request keeps the bytes.
@safe struct FaultSubject {
  var provider: EmulatedProvider
  var token: UnsafeBufferPointer<UInt8>
  var topic: UnsafeBufferPointer<UInt8>
  var sinceStartMs: Int64
  var seed: UInt64
}

/// The rules in force and the chance behind them.
public struct FaultEngine: Sendable {
  /// The seed of everything left to chance.
  public private(set) var seed: UInt64
  /// The rules, in the order of evaluation; the first effect other than `pass` applies, delays add up.
  public var rules: [FaultRule] = []
  /// How long answers take where no rule says more, by provider.
  public var latencies: [EmulatedProvider: Latency] = [:]

  private var random: EmulatorRandom
  private var startMs: Int64

  /// No rules.
  public init(seed: UInt64, nowMs: Int64) {
    self.seed = seed
    random = EmulatorRandom(seed: seed)
    startMs = nowMs
  }

  /// Whether every request passes at once.
  var isIdle: Bool { rules.isEmpty && latencies.isEmpty }

  /// What happens to a request, and how long its answer is held back.
  mutating func verdict(
    _ provider: EmulatedProvider, token: UnsafeBufferPointer<UInt8>, topic: UnsafeBufferPointer<UInt8>, nowMs: Int64
  ) -> (effect: Effect, delayMs: Int) {
    let subject = unsafe FaultSubject(
      provider: provider, token: token, topic: topic, sinceStartMs: nowMs.saturatingSubtracting(startMs), seed: seed)
    var effect = Effect.pass
    var delayMs = latencies[provider]?.sample(&random) ?? 0
    for index in rules.indices where rules[index].strikes(subject, random: &random) {
      delayMs = delayMs.saturatingAdding(rules[index].latency.sample(&random))
      if effect == .pass { effect = rules[index].effect }
    }
    return (effect, delayMs)
  }
}
