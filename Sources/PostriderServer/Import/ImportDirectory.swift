internal import HTTPServer
internal import StoreModel
internal import Synchronization
internal import WireJSON

/// The imports of all nodes: those under way, and the last ones that ended.
///
/// Each is a row in the store, which the node that reads it renews; the rows are shown by any node. A row that is renewed no longer
/// is of a node that ended: its file is to be sent again.
final class ImportDirectory: Sendable {
  /// Imports under way at once, at one node.
  static let runningMax = 8
  /// Imports of an app that are remembered.
  static let rememberedMax = 32
  private static let periodMs: Int32 = 1_000

  /// An import that this node reads, or has read a moment ago.
  private struct Own: Sendable {
    let work: DeviceImport
    /// Nil until it is stored.
    var id: ImportID?
    /// What goes on when its end is stored, of one that has ended before it was stored itself.
    var waiting: [@Sendable () -> Void] = []
    /// Whether its end is about to be stored.
    var isEnding = false
  }

  /// An import as it is shown.
  struct Entry: Sendable {
    let record: ImportRecord
    let isRunning: Bool
    /// Whether the node that read it ended before the file did.
    let isLost: Bool
    let progress: JSONObject
  }

  private let store: any Store
  private let node: String
  private let clock: WallClock
  private let state = Mutex<[Own]>([])
  private let thread = Mutex<PeriodicThread?>(nil)

  init(store: any Store, node: String, clock: WallClock) {
    (self.store, self.node, self.clock) = (store, node, clock)
  }

  /// Ends the renewing.
  func stop() { thread.withLock { $0.take() }?.stop() }

  /// Adds an import; false when too many are under way here.
  func add(_ work: DeviceImport, app: AppID, author: Author?, now: Timestamp) -> Bool {
    let isTaken = state.withLock { state in
      guard state.count(where: { $0.work.isRunning }) < Self.runningMax else { return false }
      state.append(Own(work: work))
      return true
    }
    guard isTaken else { return false }
    let new = NewImport(app: app, author: author, node: node, progress: Self.bytes(work))
    AsideChange.note {
      store.change({ store throws(StoreError) in
        try store.beginImport(new, keep: Self.rememberedMax, now: now)
      }) { [self] result in begun(work, try? result.get()) }
    }
    renew()
    return true
  }

  /// An import is stored; nil when it could not be.
  private func begun(_ work: DeviceImport, _ id: ImportID?) {
    let waiting = state.withLock { state -> [@Sendable () -> Void] in
      guard let index = state.firstIndex(where: { $0.work === work }) else { return [] }
      let waiting = state[index].waiting
      state[index].waiting = []
      // An import that cannot be listed is still read; the app may have been deleted, or the store has said what is wrong.
      if let id { state[index].id = id } else { state.remove(at: index) }
      return waiting
    }
    guard !waiting.isEmpty else { return }
    ended(work) { for next in waiting { next() } }
  }

  /// An import has ended: notes it, then goes on.
  func ended(_ work: DeviceImport, _ next: @escaping @Sendable () -> Void) {
    let (id, waits) = state.withLock { state -> (ImportID?, Bool) in
      guard let index = state.firstIndex(where: { $0.work === work }) else { return (nil, false) }
      guard let id = state[index].id else {
        state[index].waiting.append(next)
        return (nil, true)
      }
      state[index].isEnding = true
      return (id, false)
    }
    if let id { note(id, work, isRunning: false, next) } else if !waits { next() }
  }

  /// An app's imports, the newest first.
  func imports(of app: AppID, now: Timestamp) throws(Problem) -> [Entry] {
    let before = state.withLock { $0 }
    let records: [ImportRecord]
    do throws(StoreError) { records = try store.imports(app: app, limit: Self.rememberedMax) } catch {
      throw Problem(error)
    }
    // What began or ended meanwhile is in one of the two; one that has no id yet may be in the list already.
    let own = before + state.withLock { $0 }
    let isBeginning = own.contains { $0.id == nil }
    return records.map { record in
      if let mine = own.first(where: { $0.id == record.id }) {
        return Entry(record: record, isRunning: mine.work.isRunning, isLost: false, progress: mine.work.shown)
      }
      // What this node reads it knows, so that a row of its name is of an earlier run.
      let isLost =
        record.isRunning
        && (record.node == node && !isBeginning || now.milliseconds - record.renewedAt.milliseconds > Node.termMs)
      return Entry(
        record: record, isRunning: record.isRunning && !isLost, isLost: isLost,
        progress: (try? JSON.parse(record.progress))?.object ?? [:])
    }
  }

  // MARK: - Renewing

  /// Starts the thread that renews, with the first import.
  private func renew() {
    thread.withLock { thread in
      guard thread == nil else { return }
      // Without the thread an import is shown as it began until it ends.
      thread = try? PeriodicThread(periodMs: Self.periodMs) { [weak self] in self?.tick() }
    }
  }

  private func tick() {
    for own in state.withLock({ $0 }) {
      guard let id = own.id, !own.isEnding else { continue }
      note(id, own.work, isRunning: own.work.isRunning) {}
    }
  }

  private func note(
    _ id: ImportID, _ work: DeviceImport, isRunning: Bool, _ next: @escaping @Sendable () -> Void
  ) {
    let now = Timestamp(milliseconds: clock.nowMs())
    store.noteImport(id, progress: Self.bytes(work), isRunning: isRunning, now: now) { [self] result in
      if !isRunning { settled(work, isStored: (try? result.get()) != nil) }
      next()
    }
  }

  /// The end of an import is stored, or else is tried again by the thread.
  private func settled(_ work: DeviceImport, isStored: Bool) {
    state.withLock { state in
      guard let index = state.firstIndex(where: { $0.work === work }) else { return }
      if isStored { state.remove(at: index) } else { state[index].isEnding = false }
    }
  }

  private static func bytes(_ work: DeviceImport) -> [UInt8] { JSON.minified(.object(work.shown)) }
}
