internal import StoreModel
internal import System

extension SystemClock {
  /// The time of day.
  static func now() -> Timestamp { Timestamp(milliseconds: wallMs()) }
}
