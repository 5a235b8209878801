internal import PushStore
internal import Synchronization

/// The imports of this process: those under way, and the last ones that ended.
final class ImportDirectory: Sendable {
  /// Imports under way at once.
  static let runningMax = 8
  /// Imports that are remembered.
  static let rememberedMax = 32

  struct Entry: Sendable {
    let id: Int
    let app: AppID
    /// Who sent it, or nil.
    let author: Author?
    let work: DeviceImport
  }

  private struct State: Sendable {
    var next = 1
    var entries: [Entry] = []
  }

  private let state = Mutex(State())

  /// Adds an import; false when too many are under way.
  func add(_ work: DeviceImport, app: AppID, author: Author?) -> Bool {
    state.withLock { state in
      guard state.entries.count(where: { $0.work.isRunning }) < Self.runningMax else { return false }
      state.entries.append(Entry(id: state.next, app: app, author: author, work: work))
      state.next += 1
      // Those under way are fewer than those remembered, so an ended one is found.
      if state.entries.count > Self.rememberedMax, let old = state.entries.firstIndex(where: { !$0.work.isRunning }) {
        state.entries.remove(at: old)
      }
      return true
    }
  }

  /// An app's imports, the newest first.
  func imports(of app: AppID) -> [Entry] {
    state.withLock { state in state.entries.filter { $0.app == app }.reversed() }
  }
}
