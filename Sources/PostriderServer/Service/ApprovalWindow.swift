internal import PushStore
internal import Synchronization

/// How many devices an app's campaigns have been sent to without an approval in the last hour, so that one that is split into many small
/// ones is not smaller.
///
/// Held in memory: a restart, which no caller of the API can bring about, begins a new hour.
final class ApprovalWindow: Sendable {
  /// How long a campaign counts along, in minutes.
  static let minutes: Int64 = 60
  /// Apps that are remembered; of more, the one that was quiet longest makes room.
  private static let appsMax = 10_000

  private struct Hour: Sendable {
    /// Devices by minute, in order; at most an hour of them.
    var devices: [(minute: Int64, count: Int)] = []

    var sum: Int { devices.reduce(0) { $0 + $1.count } }

    mutating func forget(before minute: Int64) { devices.removeAll { $0.minute < minute } }
  }

  private let hours = Mutex<[AppID: Hour]>([:])

  /// The devices of the last hour.
  func recent(_ app: AppID, now: Timestamp) -> Int {
    hours.withLock { hours in
      hours[app]?.forget(before: Self.minute(now) - Self.minutes)
      return hours[app]?.sum ?? 0
    }
  }

  /// Counts a campaign, unless it makes the hour's devices more than `above`; answers with whether it was counted.
  ///
  /// One step, so that of two campaigns at once the second one knows of the first.
  func add(_ devices: Int, _ app: AppID, above: Int, now: Timestamp) -> Bool {
    hours.withLock { hours in
      var hour = hours[app] ?? Hour()
      let minute = Self.minute(now)
      hour.forget(before: minute - Self.minutes)
      guard hour.sum + devices <= above else { return false }
      if hour.devices.last?.minute == minute {
        hour.devices[hour.devices.count - 1].count += devices
      } else {
        hour.devices.append((minute, devices))
      }
      if hours[app] == nil, hours.count >= Self.appsMax,
        let quiet = hours.min(by: { $0.value.devices.last?.minute ?? 0 < $1.value.devices.last?.minute ?? 0 })
      {
        hours[quiet.key] = nil
      }
      hours[app] = hour
      return true
    }
  }

  private static func minute(_ now: Timestamp) -> Int64 { now.seconds / 60 }
}
