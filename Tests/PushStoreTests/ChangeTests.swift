import Glibc
import Synchronization
import TestEngines
import TestSupport
import Testing

@testable import PushStore
@testable import StoreModel

/// Several operations as one change.
@Suite(.onBothEngines) struct ChangeTests {
  private let folder: TemporaryFolder
  private let store: SQLStore
  private let now = Timestamp(milliseconds: 1_795_219_200_000)

  init() throws {
    folder = try TemporaryFolder()
    store = try SQLStore(path: folder.path + "/db")
  }

  @Test("Operations of a change read what it has written, and others do not before it is durable")
  func readsItsOwn() async throws {
    let seen = try await store.change { [now] store throws(StoreError) in
      let app = try store.createApp(name: "a", title: "A", settings: [], now: now)
      return try store.app(app.id)
    }
    #expect(seen?.name == "a")
    #expect(try store.app(named: "a")?.id == seen?.id)
  }

  @Test("All of a change is kept or nothing of it, and others of its commit are")
  func isWhole() async throws {
    let other = Mutex<Result<App, StoreError>?>(nil)
    let error = await #expect(throws: StoreError.self) {
      try await store.change { [now] store throws(StoreError) in
        _ = try store.createApp(name: "half", title: "", settings: [], now: now)
        _ = try store.createApp(name: "half", title: "", settings: [], now: now)
      }
    }
    #expect(error?.code == .conflict)
    store.change({ [now] store throws(StoreError) in
      try store.createApp(name: "whole", title: "", settings: [], now: now)
    }) { result in other.withLock { $0 = result } }
    _ = try store.createApp(name: "last", title: "", settings: [], now: now)
    #expect(try store.apps().map(\.name) == ["whole", "last"])
    #expect(try other.withLock { try $0?.get() }?.name == "whole")
  }

  @Test("The first operation that changes something stores the request's key, also when the change runs twice")
  func storesTheKey() async throws {
    let key = IdempotencyKey(key: "1:k", fingerprint: [1], digest: "#k")
    let runs = Mutex(0)
    let keyed = KeyedChange(key: key, scope: 0, now: now)
    let other = Mutex<StoreError?>(nil)
    // A neighbor in the same commit that fails after it has changed something has the whole group run again.
    let (held, release) = (Gate(), Gate())
    store.change(
      { _ in
        held.open()
        release.wait()
      }, completion: { _ in })
    held.wait()
    store.change({ [now] store throws(StoreError) in
      _ = try store.createApp(name: "bad", title: "", settings: [], now: now)
      _ = try store.createApp(name: "bad", title: "", settings: [], now: now)
    }) { result in if case .failure(let error) = result { other.withLock { $0 = error } } }
    let made = Mutex<App?>(nil)
    KeyedChange.$current.withValue(keyed) {
      store.change({ [now] store throws(StoreError) in
        runs.withLock { $0 += 1 }
        return try store.createApp(name: "keyed", title: "", settings: [], now: now)
      }) { result in made.withLock { $0 = try? result.get() } }
    }
    release.open()
    _ = try store.createApp(name: "later", title: "", settings: [], now: now)
    #expect(other.withLock { $0?.code } == .conflict)
    #expect(made.withLock { $0?.name } == "keyed")
    #expect(try store.knownRequest(scope: 0, key: key) == .createdNamed("keyed"))
  }
}

/// A gate that one thread opens and another waits at.
private final class Gate: Sendable {
  private let isOpen = Atomic(false)

  func open() { isOpen.store(true, ordering: .releasing) }
  func wait() { while !isOpen.load(ordering: .acquiring) { usleep(100) } }

}
