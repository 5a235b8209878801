internal import Ledger
internal import StoreModel

/// Tokens that were registered for the wrong environment: a refused one is sent to once more in the other.
extension Connection {
  /// A result of a delivery whose token may be of the other environment.
  ///
  /// The row remembers by its last reason that one environment has refused it: the first refusal makes the device one of the
  /// other environment and the delivery wait for it; a second one, from there, ends it, and the device is what it was. A
  /// device that has registered since is left as it is.
  ///
  /// - Parameter earlier: what is known of the delivery's earlier tries; nil when it has to be asked for.
  func redirected(
    _ given: DeliveryResult, _ earlier: EarlierTries?, isOver: () throws(StoreError) -> Bool
  ) throws(StoreError) -> DeliveryResult {
    guard given.provider.hasEnvironments, given.device != nil || given.attempt > 1 else { return given }
    var result = given
    switch given.change {
    case .accepted where given.attempt > 1 && given.reason.isEmpty:
      if try refusedToken(given, earlier) { result.reason = LocalReason.otherEnvironment }
    case .rejected where given.triesOtherEnvironment:
      guard let device = given.device else { return given }
      let isSecond = try refusedToken(given, earlier)
      // A push that is over sends nothing more; the second refusal only puts the device back where it was.
      if !isSecond, try isOver() { return given }
      guard try move(device, given), !isSecond else { return given }
      result.change = .retry(notBefore: given.at)
      result.environment = given.environment.other
      result.consequence = nil
    case .accepted, .rejected, .abandoned, .expired, .retry, .release, .unknown: break
    }
    return result
  }

  /// Whether the last answer of a delivery refused its token.
  private func refusedToken(_ result: DeliveryResult, _ earlier: EarlierTries?) throws(StoreError) -> Bool {
    guard result.attempt > 1 else { return false }
    if let earlier { return earlier.refusedToken }
    let select = try prepare(parts: EarlierTries.refusalOfOne)
    select.bind(1, result.delivery)
    return try select.step()
  }

  /// Makes a device one of the other environment, unless it has registered since it was sent to.
  private func move(_ device: DeviceID, _ result: DeliveryResult) throws(StoreError) -> Bool {
    let update = try prepare(
      "UPDATE devices SET environment = ?3 WHERE id = ?1 AND environment = ?2 AND state = #device.active AND registered_at <= ?4"
    )
    update.bindAll(
      device, Int(result.environment.rawValue), Int(result.environment.other.rawValue), result.at)
    try update.run()
    return changes == 1
  }
}

extension EarlierTries {
  /// What an answer `o` has that refuses a token.
  static let refusesToken = "o.provider = 1 AND o.status = 400 AND o.reason = 'BadDeviceToken'"

  fileprivate static let refusalOfOne =
    "SELECT 1 FROM deliveries d JOIN outcomes o ON o.code = d.code WHERE d.id = ?1 AND \(refusesToken)"
}
