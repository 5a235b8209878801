internal import StoreModel
internal import Synchronization

/// How many exports of one app are read at once, so that slow readers of one app leave room for the others.
final class ExportSlots: Sendable {
  /// Exports of one app at once; all apps together have `StoreLimits.exportsMax`.
  static let perAppMax = 2

  private let used = Mutex<[AppID: Int]>([:])

  /// The right to read an export; it ends with the value.
  final class Slot: Sendable {
    private let slots: ExportSlots
    private let app: AppID

    fileprivate init(_ slots: ExportSlots, _ app: AppID) {
      self.slots = slots
      self.app = app
    }

    deinit { slots.release(app) }
  }

  /// A slot of an app.
  func take(_ app: AppID) throws(Problem) -> Slot {
    let isFree = used.withLock { used in
      guard used[app, default: 0] < ExportSlots.perAppMax else { return false }
      used[app, default: 0] += 1
      return true
    }
    guard isFree else {
      throw Problem(
        .busy, "\(ExportSlots.perAppMax) exports of this app are being read; try again when one has ended",
        headers: [("Retry-After", "10")])
    }
    return Slot(self, app)
  }

  private func release(_ app: AppID) {
    used.withLock { used in
      let left = used[app, default: 0] - 1
      used[app] = left > 0 ? left : nil
    }
  }
}
