internal import HTTPServer
internal import StoreModel
internal import Synchronization
internal import WireJSON

/// Progress of pushes as server-sent events: one read of the store per push and tick, whatever the number of watchers.
final class ProgressStreams: Sendable {
  private struct Watch: Sendable {
    let push: PushID
    let stream: HTTPStream
    var last: Push?
    var quietTicks = 0
  }

  /// Watchers at once.
  static let watchesMax = 256
  /// Time between two looks.
  private static let periodMs: Int32 = 500
  /// Looks without news after which a comment is sent, so that proxies keep the connection: 15 seconds.
  private static let quietTicksMax = 30

  private let store: any Store
  private let watches = Mutex<[Watch]>([])
  private let thread = Mutex<PeriodicThread?>(nil)

  init(store: any Store) throws(HTTPServerError) {
    self.store = store
    let ticker = try PeriodicThread(periodMs: ProgressStreams.periodMs) { [weak self] in self?.tick() }
    thread.withLock { $0 = ticker }
  }

  /// A stream of events about a push; ends when the push is finished.
  ///
  /// Nil when too many are watched.
  func watch(_ push: PushID) -> HTTPStream? {
    let stream = HTTPStream()
    return watches.withLock { watches in
      guard watches.count < ProgressStreams.watchesMax else { return nil }
      watches.append(Watch(push: push, stream: stream))
      return stream
    }
  }

  /// Ends all streams.
  func stop() {
    thread.withLock { $0.take() }?.stop()
    let ended = watches.withLock { watches in
      let all = watches
      watches = []
      return all
    }
    for watch in ended { watch.stream.finish() }
  }

  /// Sends what is new to each watcher.
  func tick() {
    let current = watches.withLock { $0 }
    guard !current.isEmpty else { return }
    var known: [PushID: Push?] = [:]
    for id in Set(current.map(\.push)) {
      do throws(StoreError) { known.updateValue(try store.push(id), forKey: id) } catch { continue }
    }
    // New watchers may come meanwhile, behind the ones looked at; only this thread removes.
    let updated = current.compactMap { watch -> Watch? in
      // A database that does not answer now says nothing about the push.
      guard let push = known[watch.push] else { return watch.stream.isClosed ? nil : watch }
      return ProgressStreams.advance(watch, to: push)
    }
    watches.withLock { $0.replaceSubrange(0..<min(current.count, $0.count), with: updated) }
  }

  /// The watch after an event; nil when the push is finished.
  private static func advance(_ watch: Watch, to push: Push?) -> Watch? {
    guard let push, !watch.stream.isClosed else {
      watch.stream.finish()
      return nil
    }
    var watch = watch
    if watch.last != push {
      // A watcher that does not read misses intermediate states, never the last one it has room for.
      guard send("event: progress\ndata: \(JSON.minifiedText(PushRoutes.json(push)))\n\n", watch.stream) else {
        return watch
      }
      watch.last = push
      watch.quietTicks = 0
    } else {
      watch.quietTicks += 1
      if watch.quietTicks >= quietTicksMax {
        watch.quietTicks = 0
        _ = send(": still here\n\n", watch.stream)
      }
    }
    switch push.state {
    case .sent, .cancelled, .expired, .failed:
      guard push.counts.waiting == 0, push.counts.inFlight == 0 else { return watch }
      watch.stream.finish()
      return nil
    case .draft, .scheduled, .planned, .sending, .paused: return watch
    }
  }

  private static func send(_ text: String, _ stream: HTTPStream) -> Bool { stream.send(Array(text.utf8)) == .taken }
}
