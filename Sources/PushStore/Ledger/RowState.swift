internal import StoreModel

/// The values of `deliveries.state`: those of `DeliveryState`, and `fresh`, whose meaning follows from the push (see `Schema`).
enum RowState {
  static let fresh = 2
  static let waiting = Int(DeliveryState.waiting.rawValue)
  static let inFlight = Int(DeliveryState.inFlight.rawValue)
  static let rejected = Int(DeliveryState.rejected.rawValue)
}

/// Numbers of rows in `outcomes` that every database has.
enum OutcomeCode {
  static let none: Int64 = 2

  /// Accepted by the provider.
  static func accepted(_ provider: Provider) -> Int64 { provider.row.outcomes.accepted }

  /// A reason of the provider beyond the limit of the table.
  static func other(_ provider: Provider?) -> Int64 { (provider ?? .apns).row.outcomes.other }
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
}
