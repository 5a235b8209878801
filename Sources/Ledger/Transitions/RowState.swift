package import StoreModel

/// The state of a delivery's row: those of `DeliveryState`, and `fresh`, whose meaning follows from the push.
package enum RowState {
  /// Not yet leased individually: leasing and ending a push change its own row only, and these with it.
  package static let fresh = 2
  package static let waiting = Int(DeliveryState.waiting.rawValue)
  package static let inFlight = Int(DeliveryState.inFlight.rawValue)
  package static let rejected = Int(DeliveryState.rejected.rawValue)
  /// Those in which a provider's answer is recorded: what was leased with its neighbors is `fresh` until then.
  package static let answerable = [fresh, inFlight]
}

extension PushState {
  /// Those in which deliveries wait or are on the wire, and are sent or held.
  package static let underWay: [PushState] = [.sending, .paused]
}

/// Numbers of rows in `outcomes` that every database has.
package enum OutcomeCode {
  package static let none: Int64 = 2

  /// Accepted by the provider.
  package static func accepted(_ provider: Provider) -> Int64 { provider.row.outcomes.accepted }

  /// A reason of the provider beyond the limit of the table.
  package static func other(_ provider: Provider?) -> Int64 { (provider ?? .apns).row.outcomes.other }
}

/// Reasons the store itself gives when it ends a delivery that was never sent.
public enum LocalReason {
  /// The device was retired or quarantined after the audience was expanded.
  public static let deviceRetired = "device-retired"
  /// The device was deleted after the audience was expanded.
  public static let deviceRemoved = "device-removed"
  /// The device was addressed as one user's and belongs to another now.
  public static let deviceMoved = "device-moved"
  /// The device or its user has opted out of such pushes.
  public static let optedOut = "suppressed-opt-out"
  /// The user has had as many pushes as the app's cap allows.
  public static let frequencyCap = "suppressed-frequency-cap"
  /// The provider took it in the other environment than the one the device was registered for, which is the device's now.
  public static let otherEnvironment = "accepted-in-other-environment"
}
