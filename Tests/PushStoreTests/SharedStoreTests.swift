import TestEngines
import TestSupport
import Testing

@testable import PushStore
@testable import StoreModel

/// What the servers of one database remember together.
@Suite(.onBothEngines) struct SharedStoreTests {
  let f: StoreFixture

  init() throws { f = try StoreFixture() }

  @Test("What is good once is used once, each kind is bounded, and what is over makes room") func once() throws {
    let end = f.now.adding(seconds: 60)
    func use(_ mark: UInt8, _ kind: OnceKind = .challenge, at now: Timestamp? = nil) throws -> OnceUse {
      try f.store.useOnce([mark], kind, until: end, max: 2, now: now ?? f.now)
    }
    #expect(try [use(1), use(1), use(2), use(3)] == [.first, .again, .first, .full])
    #expect(try use(4, .signIn) == .first)
    #expect(try use(1, at: end) == .again)
    #expect(try use(3, at: end.adding(milliseconds: 1)) == .first)
  }

  @Test("Tries are counted for each subject until the window ends") func tries() throws {
    let bound = TryBound(failures: 2, windowMs: 1_000, subjects: 10)
    let (a, b): ([UInt8], [UInt8]) = ([1], [2])
    #expect(try f.store.countTry([a, b], by: bound, now: f.now) == nil)
    #expect(try f.store.countTry([a], by: bound, now: f.now.adding(milliseconds: 10)) == nil)
    let end = f.now.adding(milliseconds: 1_000)
    #expect(try f.store.triesBlocked([b, a], by: bound, now: f.now) == end)
    #expect(try f.store.countTry([b, a], by: bound, now: f.now) == end)
    // The one that was refused has counted nothing for the other.
    #expect(try f.store.triesBlocked([b], by: bound, now: f.now) == nil)
    try f.store.takeBackTry([a])
    #expect(try f.store.triesBlocked([a], by: bound, now: f.now) == nil)
    #expect(try f.store.countTry([a], by: bound, now: f.now) == nil)
    #expect(try f.store.triesBlocked([a], by: bound, now: end) == nil)
  }

  @Test(
    "Of two changes that saw the same, the later one changes nothing, once or within one change",
    arguments: [false, true])
  func conditional(together: Bool) throws {
    let app = f.app
    let name: [UInt8] = [9]
    func change(_ title: String, _ seen: Int64) throws -> ConditionalChange {
      let condition = ConditionalChange([(name: name, version: seen)], now: f.now)
      try ConditionalChange.$current.withValue(condition) {
        if together {
          try f.store.wait { done in
            f.store.change(
              { [now = f.now] store throws(StoreError) in
                _ = try store.updateApp(app, title: title, settings: [], compat: [], now: now)
              }, completion: done)
          }
        } else {
          _ = try f.store.updateApp(app, title: title, settings: [], compat: [], now: f.now)
          // What comes after the first change is not checked again.
          _ = try f.store.updateApp(app, title: title, settings: [], compat: [], now: f.now)
        }
      }
      return condition
    }
    #expect(try f.store.conditionVersion(of: name) == 0)
    #expect(try change("one", 0).wasOvertaken == false)
    let first = try f.store.conditionVersion(of: name)
    #expect(first > 0)
    let late = #expect(throws: StoreError.self) { try change("two", 0) }
    #expect(late?.code == .conflict)
    #expect(try f.store.app(app)?.title == "one")
    #expect(try change("three", first).wasOvertaken == false)
    #expect(try f.store.app(app)?.title == "three")
  }

  @Test("What was changed and forgotten since is not taken for unchanged") func forgottenConditions() throws {
    func change(_ name: UInt8, _ seen: Int64, at now: Timestamp) throws -> Bool {
      let condition = ConditionalChange([(name: [name], version: seen)], now: now)
      try? ConditionalChange.$current.withValue(condition) {
        _ = try f.store.updateApp(f.app, title: "t", settings: [], compat: [], now: now)
      }
      return !condition.wasOvertaken
    }
    let late = f.now.adding(seconds: 7_200)
    #expect(try f.store.conditionVersion(of: [1]) == 0)
    #expect(try change(1, 0, at: f.now))
    let version = try f.store.conditionVersion(of: [1])
    // A change of something else forgets what is old.
    #expect(try change(2, 0, at: late))
    #expect(try f.store.conditionVersion(of: [1]) == -1)
    #expect(try !change(1, 0, at: late) && !change(1, version, at: late))
    #expect(try change(1, -1, at: late))
    #expect(try f.store.conditionVersion(of: [1]) > version)
  }

  @Test("Devices without an approval count for an hour, and no more are added than may be") func approvals() throws {
    let app = f.app
    func add(_ devices: Int, _ minute: Int64) throws -> Bool {
      try f.store.addUnapproved(devices, app: app, minute: minute, since: minute - 60, above: 10)
    }
    #expect(try [add(6, 100), add(4, 100), add(1, 160)] == [true, true, false])
    #expect(try f.store.unapproved(app: app, since: 100) == 10)
    #expect(try add(10, 161))
    #expect(try f.store.unapproved(app: app, since: 0) == 10)
  }

  @Test("Imports are listed, the newest first, and the ended ones are forgotten one by one") func imports() throws {
    let app = f.app
    var ids: [ImportID] = []
    for number in 0..<4 as Range<UInt8> {
      let new = NewImport(app: app, author: .key(APIKeyID(rawValue: 3)), node: "a", progress: [number])
      ids.append(try f.store.beginImport(new, keep: 2, now: f.now))
      guard number != 0 else { continue }
      try f.store.wait { done in
        f.store.noteImport(ids[Int(number)], progress: [number, 1], isRunning: false, now: f.now, completion: done)
      }
    }
    // The first one is still under way.
    let listed = try f.store.imports(app: app, limit: 10)
    #expect(listed.map(\.id) == [ids[3], ids[2], ids[0]])
    #expect(listed.map(\.isRunning) == [false, false, true] && listed[0].progress == [3, 1] && listed[0].node == "a")
    #expect(listed[0].author == .key(APIKeyID(rawValue: 3)))
    try f.store.deleteApp(app)
    #expect(try f.store.imports(app: app, limit: 10).isEmpty)
  }

  @Test("The first mark of a sealing key stays until it is replaced") func seal() throws {
    #expect(try f.store.sealMark() == nil)
    #expect(try f.store.keepSealMark([1], replaces: false) == [1])
    #expect(try f.store.keepSealMark([2], replaces: false) == [1])
    #expect(try f.store.keepSealMark([2], replaces: true) == [2])
    #expect(try f.store.sealMark() == [2])
  }
}
