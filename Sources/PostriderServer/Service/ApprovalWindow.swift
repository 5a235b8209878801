internal import StoreModel

/// How many devices an app's campaigns have been sent to without an approval in the last hour, so that one that is split into many small
/// ones, at however many nodes, is not smaller.
struct ApprovalWindow: Sendable {
  /// How long a campaign counts along, in minutes.
  static let minutes: Int64 = 60

  private let store: any Store

  init(store: any Store) { self.store = store }

  /// The devices of the last hour.
  func recent(_ app: AppID, now: Timestamp) throws(Problem) -> Int {
    do throws(StoreError) { return try store.unapproved(app: app, since: Self.minute(now) - Self.minutes) } catch {
      throw Problem(error)
    }
  }

  /// Counts a campaign, unless it makes the hour's devices more than `above`; answers with whether it was counted.
  ///
  /// One step, so that of two campaigns at once the second one knows of the first.
  func add(_ devices: Int, _ app: AppID, above: Int, now: Timestamp) async throws(Problem) -> Bool {
    let minute = Self.minute(now)
    do throws(StoreError) {
      return try await AsideChange.run { [store] () async throws(StoreError) in
        try await store.change { store throws(StoreError) in
          try store.addUnapproved(devices, app: app, minute: minute, since: minute - Self.minutes, above: above)
        }
      }
    } catch { throw Problem(error) }
  }

  private static func minute(_ now: Timestamp) -> Int64 { now.seconds / 60 }
}
