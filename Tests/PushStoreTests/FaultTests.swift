import Glibc
import SQLiteEngine
import Synchronization
import System
import TestEngines
import TestSupport
import Testing

@testable import PushStore
@testable import StoreModel

/// Full disks, read-only files, damage, foreign and newer files: a clear error, nothing acknowledged that is not durable.
@Suite struct FaultTests {
  @Test func aFullDiskRefusesAndKeepsWhatItAcknowledged() throws {
    let f = try StoreFixture(options: .init(maxPages: 180))
    let device = try f.devices(1)
    var kept: [PushID] = []
    var refusal: StoreError?
    while refusal == nil {
      var push = f.newPush(.devices(device))
      push.message = [UInt8](repeating: 65, count: 3000)
      do { kept.append(try f.store.createPush(push, now: f.now).id) } catch { refusal = error }
    }
    #expect(refusal?.code == .diskFull && kept.count > 10)
    #expect(refusal?.description.contains("free space on the volume") == true)
    #expect(refusal?.description.contains("AAAA") == false)
    // What was committed a moment ago proves nothing any more: the next check tries a write.
    var isTried = false
    f.sql.writeProof.check({ _ in isTried = true }, { _ in })
    #expect(isTried)
    // Reading goes on, and so does the law.
    #expect(try f.store.push(kept[0])?.counts.targeted == 1)
    #expect(try f.store.verifyLedger(push: nil).isEmpty)
    try f.reopen()
    #expect(
      try f.store.pushes(app: f.app, campaignsOnly: false, before: nil, limit: 10_000).map(\.id).count == kept.count)
    #expect(try f.store.createPush(f.newPush(.devices(device)), now: f.now).targeted == 1)
    #expect(try f.store.verifyLedger(push: nil).isEmpty)
  }

  @Test func aFullDiskFailsTheWholeGroupWithoutHalves() throws {
    let f = try StoreFixture(options: .init(maxPages: 150))
    let device = try f.devices(1)
    var push = f.newPush(.devices(device))
    push.message = [UInt8](repeating: 65, count: 3000)
    let many = [NewPush](repeating: push, count: 200)
    let now = f.now
    #expect(throws: StoreError.self) { try f.wait { f.store.createPushes(many, now: now, completion: $0) } }
    #expect(try f.store.pushes(app: f.app, campaignsOnly: false, before: nil, limit: 1000).isEmpty)
    #expect(try f.store.createPush(f.newPush(.devices(device)), now: f.now).targeted == 1)
  }

  /// The kernel refuses to let the file grow (as a quota does) in the middle of writing.
  @Test func aWriteThatTheKernelRefusesIsNotAcknowledged() async {
    await #expect(processExitsWith: .success) {
      let f = try StoreFixture()
      let device = try f.devices(1)
      Glibc.signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit(rlim_cur: 600_000, rlim_max: 1 << 40)
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      var kept = 0
      var refusal: StoreError?
      while refusal == nil && kept < 10_000 {
        var push = f.newPush(.devices(device))
        push.message = [UInt8](repeating: 65, count: 3000)
        do {
          try f.store.createPush(push, now: f.now)
          kept += 1
        } catch { refusal = error as? StoreError }
      }
      precondition(refusal?.code == .ioFailure || refusal?.code == .diskFull, "\(String(describing: refusal))")
      limit.rlim_cur = 1 << 40
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      try f.reopen()
      let pushes = try f.store.pushes(app: f.app, campaignsOnly: false, before: nil, limit: 10_000)
      precondition(pushes.count == kept, "\(pushes.count) of \(kept)")
      let faults = try f.store.verifyLedger(push: nil)
      precondition(faults.isEmpty)
    }
  }

  /// A commit that changed nothing has reached no disk, so that it does not say that the next one would.
  @Test func anEmptyCommitProvesNothing() throws {
    let f = try StoreFixture()
    try f.reopen()
    let refusal = StoreError(.ioFailure, "no disk", advice: "look at it")
    func isProven() -> Bool {
      do throws(StoreError) {
        try f.store.wait { done in f.sql.writeProof.check({ $0(.failure(refusal)) }, done) }
      } catch { return false }
      return true
    }
    #expect(!isProven())
    try f.sql.write { (_) throws(StoreError) in }
    #expect(!isProven())
    try f.sql.write { (context) throws(StoreError) in
      try context.db.prepare("UPDATE readiness SET probes = probes + 1").run()
    }
    #expect(isProven())
  }

  /// The kernel lets a process write to deleted files; what it is told then must not be believed.
  @Test func aFolderThatIsTakenAwayIsNoticed() throws {
    let f = try StoreFixture()
    let device = try f.devices(1)
    let before = try f.store.createPush(f.newPush(.devices(device)), now: f.now).id
    try f.store.checkReadiness()
    let away = f.folder.path + "-away"
    #expect(rename(f.folder.path, away) == 0)
    defer { rename(away, f.folder.path) }
    func refusal(_ body: () throws -> Void) -> String? {
      do { try body() } catch { return "\(error)" }
      return nil
    }
    let words = """
      file-gone: \(f.path) is gone while the server runs; put the data folder back and restart the server, or restore \
      the last backup; nothing is acknowledged
      """
    #expect(refusal { try f.store.createPush(f.newPush(.devices(device)), now: f.now) } == words)
    #expect(refusal { try f.store.checkReadiness() } == words)
    // A new folder with other files of the same names is not the one that was opened.
    mkdir(f.folder.path, 0o700)
    try Files.write([], to: f.path)
    #expect(refusal { try f.store.checkReadiness() }?.contains("was replaced by another file") == true)
    remove(f.path)
    rmdir(f.folder.path)
    // Back in its place it is what it was: everything that was acknowledged is there.
    rename(away, f.folder.path)
    try f.store.checkReadiness()
    let after = try f.store.createPush(f.newPush(.devices(device)), now: f.now).id
    try f.reopen()
    let kept = try f.store.pushes(app: f.app, campaignsOnly: false, before: nil, limit: 10).map(\.id)
    // What was refused is not there either.
    #expect(kept == [after, before])
    #expect(try f.store.verifyLedger(push: nil).isEmpty)
  }

  /// The file that is moved away in the middle of a change has it: the answer says neither yes nor no.
  @Test func aFolderThatIsTakenAwayDuringAChangeIsDoubtful() async throws {
    let f = try StoreFixture()
    let device = try f.devices(1)
    let new = f.newPush(.devices(device))
    let (folder, away, now) = (f.folder.path, f.folder.path + "-away", f.now)
    defer { rename(away, folder) }
    let error = await #expect(throws: StoreError.self) {
      try await f.store.change { store throws(StoreError) in
        _ = try store.wait { store.createPushes([new], now: now, completion: $0) }
        rename(folder, away)
      }
    }
    #expect(
      error?.code == .inDoubt && error?.message.contains("it is unknown whether it was saved") == true,
      "\(error as Any)"
    )
    #expect(rename(away, folder) == 0)
    try f.reopen()
    #expect(try f.store.pushes(app: f.app, campaignsOnly: false, before: nil, limit: 10).count == 1)
  }

  /// A lease whose commit is in doubt is not extended: nobody sends under it, and nobody would give it back.
  @Test func aLeaseInDoubtRunsOut() throws {
    let f = try StoreFixture()
    try f.devices(1)
    let push = try f.campaign()
    let (folder, away) = (f.folder.path, f.folder.path + "-away")
    defer { rename(away, folder) }
    // While the writer is busy, what comes next waits together and is committed together.
    let (isBusy, mayGoOn) = (Semaphore(), Semaphore())
    f.sql.write(
      { (_) throws(StoreError) in
        isBusy.signal()
        mayGoOn.wait()
      }, urgency: .bulk, completion: { _ in })
    isBusy.wait()
    let (leased, moved) = (Semaphore(), Semaphore())
    let request = LeaseRequest(node: "a", durationMs: 10_000, picks: [.push(push, max: 1)], closed: [])
    let error = Mutex<StoreError?>(nil)
    f.store.lease(request, now: f.now) { result in
      if case .failure(let failure) = result { error.withLock { $0 = failure } }
      leased.signal()
    }
    f.sql.write({ (_) throws(StoreError) in rename(folder, away) }, urgency: .bulk) { _ in moved.signal() }
    mayGoOn.signal()
    leased.wait()
    moved.wait()
    #expect(error.withLock { $0?.code } == .inDoubt)
    #expect(rename(away, folder) == 0)
    let until = f.now.adding(seconds: 60)
    try f.wait { f.store.renewLeases(node: "a", until: until, completion: $0) }
    f.now = f.now.adding(seconds: 10)
    // SQLite had committed it.
    #expect(try f.recover(nil).leases == 1)
    #expect(try f.counts(push) == LedgerCounts(targeted: 1, waiting: 1))
  }

  @Test(.enabled(if: Mounts.areAllowed, "this process may not mount a file system"))
  func aRealDiskThatIsFullOrReadOnlyIsNamed() throws {
    let folder = try TemporaryFolder()
    let mounted = try Subprocess.run("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", folder.path])
    #expect(mounted.status == 0, "\(mounted.errorText)")
    defer { _ = try? Subprocess.run("umount", ["-l", folder.path]) }
    let path = folder.path + "/store.db"
    let now = Timestamp(seconds: 1_800_000_000)
    var kept = 0
    do {
      let store = try SQLStore(path: path)
      defer { store.close() }
      let app = try store.createApp(name: "demo", title: "", settings: [], now: now).id
      let refusal = #expect(throws: StoreError.self) {
        while kept < 10_000 {
          let batch = (0..<100).map { DeviceRegistration(app: app, token: "token-\(kept)-\($0)", kind: .ios) }
          _ = try store.registerDevices(batch, now: now)
          kept += 100
        }
      }
      #expect(refusal?.code == .diskFull, "\(String(describing: refusal))")
      #expect(kept > 0)
      #expect(try store.app(named: "demo") != nil)
    }
    #expect(try Subprocess.run("mount", ["-o", "remount,size=64m", folder.path]).status == 0)
    do {
      let store = try SQLStore(path: path)
      defer { store.close() }
      let app = try #require(try store.app(named: "demo")).id
      #expect(try store.devices(app: app, filter: DeviceFilter(), after: nil, limit: 1).count == 1)
      #expect(try store.verifyLedger(push: nil).isEmpty)
    }
    #expect(try Subprocess.run("mount", ["-o", "remount,ro", folder.path]).status == 0)
    let refusal = #expect(throws: StoreError.self) { try SQLStore(path: path) }
    #expect(refusal?.code == .readOnly)
    #expect(refusal?.description.contains(path) == true)
  }

  @Test func aDamagedFileIsNamed() throws {
    let f = try StoreFixture()
    try f.devices(500)
    f.store.close()
    var bytes = try Files.read(f.path)
    for index in stride(from: 4096, to: bytes.count, by: 1) { bytes[index] = 0x5a }
    try Files.write(bytes, to: f.path)
    let error = #expect(throws: StoreError.self) {
      let store = try SQLStore(path: f.path)
      defer { store.close() }
      _ = try store.apps()
      _ = try store.verifyLedger(push: nil)
      _ = try store.registerDevices([DeviceRegistration(app: f.app, token: "n", kind: .ios)], now: f.now)
    }
    #expect(error?.code == .corrupted)
    #expect(error?.advice == "stop the server, keep a copy of the file, and restore the last backup")
  }

  @Test(arguments: [
    ([UInt8]("This is a text file, long enough to be read as a header.".utf8), StoreError.Code.notADatabase),
    ([UInt8](repeating: 0, count: 5000), .notADatabase),
  ])
  func anotherFileIsRefused(bytes: [UInt8], code: StoreError.Code) throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/store.db"
    try Files.write(bytes, to: path)
    #expect(throws: StoreError.self) { try SQLStore(path: path) }
    do { _ = try SQLStore(path: path) } catch { #expect(error.code == code) }
    #expect(try Files.read(path) == bytes)
  }

  @Test func anotherProgramsDatabaseIsRefused() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/store.db"
    do {
      let db = try Connection(path: path, access: .readWriteCreate)
      try db.execute("CREATE TABLE cats(name TEXT)")
    }
    do { _ = try SQLStore(path: path) } catch {
      #expect(
        error.description == """
          not-a-database: \(path) is a SQLite database of another program; point the data folder somewhere else
          """)
    }
  }

  @Test func aNewerSchemaIsRefusedAndNotTouched() throws {
    let f = try StoreFixture()
    f.store.close()
    do {
      let db = try Connection(path: f.path, access: .readWrite)
      try db.execute("PRAGMA user_version = 99")
    }
    do { _ = try SQLStore(path: f.path) } catch {
      #expect(error.code == .newerSchema)
      #expect(error.message == "\(f.path) has schema version 99, this program knows up to \(Schema.migrations.count)")
    }
  }

  @Test func migrationsRunForwardWhollyOrNotAtAll() throws {
    let f = try StoreFixture()
    try f.devices(3)
    f.store.close()
    let version = Int64(Schema.migrations.count)
    let db = try Connection(path: f.path, access: .readWrite)
    let broken = Schema.migrations + ["ALTER TABLE devices ADD COLUMN color TEXT; CREATE TABLE apps(id INTEGER)"]
    #expect(throws: StoreError.self) { try Schema.migrate(db, migrations: broken) }
    #expect(try db.integer("PRAGMA user_version") == version && !db.isInTransaction)
    #expect(throws: StoreError.self) { try db.integer("SELECT count(color) FROM devices") }
    let good =
      Schema.migrations + ["ALTER TABLE devices ADD COLUMN color TEXT", "CREATE INDEX colors ON devices(color)"]
    try Schema.migrate(db, migrations: good)
    try Schema.migrate(db, migrations: good)
    #expect(try db.integer("PRAGMA user_version") == version + 2)
    #expect(try db.integer("SELECT count(*) FROM devices WHERE color IS NULL") == 3)
  }

  @Test func aReadOnlyFolderIsNamed() throws {
    // Root may write anywhere, so there the folder is one that nobody can write to.
    let path = geteuid() == 0 ? "/proc/store.db" : "/store.db"
    do {
      _ = try SQLStore(path: path)
      Issue.record("opened \(path)")
    } catch {
      #expect([.cannotOpen, .readOnly].contains(error.code))
      #expect(error.advice == "check that the data folder exists and is writable by this user")
    }
  }

  @Test func aSecondServerIsRefused() throws {
    let f = try StoreFixture()
    do {
      _ = try SQLStore(path: f.path)
      Issue.record("opened twice")
    } catch {
      #expect(
        error.description
          == "locked: another Postrider process has \(f.path) open; stop the other process, or use another data folder")
    }
    f.store.close()
    try f.reopen()
  }

  @Test func twoHandlesShareOneLedger() throws {
    let f = try StoreFixture()
    let device = try f.devices(1)
    let other = try SQLStore(path: f.path, options: .init(exclusive: false))
    defer { other.close() }
    var ids: [PushID] = []
    for round in 0..<20 {
      let store = round % 2 == 0 ? f.store : other
      ids.append(try store.createPush(f.newPush(.devices(device)), now: f.now).id)
    }
    #expect(Set(ids).count == 20)
    #expect(try other.pushes(app: f.app, campaignsOnly: false, before: nil, limit: 100).count == 20)
    #expect(try other.verifyLedger(push: nil).isEmpty)
  }

  @Test func anotherWriterThatHoldsTheFileIsNamed() throws {
    let f = try StoreFixture()
    let db = try Connection(path: f.path, access: .readWrite, busyMilliseconds: 1)
    try db.execute("BEGIN IMMEDIATE")
    let second = try Connection(path: f.path, access: .readWrite, busyMilliseconds: 1)
    do {
      try second.execute("BEGIN IMMEDIATE")
      Issue.record("two writers")
    } catch { #expect(error.code == .locked) }
    try db.execute("ROLLBACK")
  }

  @Test(.onBothEngines) func aClosedStoreSaysSo() throws {
    let f = try StoreFixture()
    f.store.close()
    f.store.close()
    #expect(throws: StoreError.self) { try f.devices(1) }
    #expect(throws: StoreError.self) { try f.store.apps() }
  }

  @Test func aBackupIsWhole() throws {
    let f = try StoreFixture()
    try f.devices(50)
    let push = try f.campaign()
    let copy = f.folder.path + "/copy.db"
    _ = try SQLStore.copy(f.path, to: copy)
    #expect(throws: StoreError.self) { try SQLStore.copy(f.path, to: copy) }
    #expect(throws: StoreError.self) { try SQLStore(path: copy) }
    let again = f.folder.path + "/again.db"
    _ = try SQLStore.copy(copy, to: again, restoring: Restoring(at: f.now, isHolding: false))
    let restored = try SQLStore(path: again)
    defer { restored.close() }
    #expect(try restored.push(push)?.counts == f.counts(push))
    #expect(try restored.verifyLedger(push: nil).isEmpty)
  }

  @Test(.onBothEngines) func oneBadRequestDoesNotFailItsGroup() throws {
    let f = try StoreFixture()
    let device = try f.devices(1)
    let now = f.now
    let answers = (0..<50).map { _ in Answer<[CreatedPush]>() }
    for (index, answer) in answers.enumerated() {
      // Every fifth names a device that is not there, after a first push that is fine: all or none of the two.
      let good = f.newPush(.devices(device))
      let pushes = index % 5 == 0 ? [good, f.newPush(.devices([DeviceID(rawValue: 999)]))] : [good]
      f.store.createPushes(pushes, now: now) { answer.set($0) }
    }
    for (index, answer) in answers.enumerated() {
      if index % 5 == 0 { #expect(throws: StoreError.self) { try answer.wait() } } else { _ = try answer.wait() }
    }
    #expect(try f.store.pushes(app: f.app, campaignsOnly: false, before: nil, limit: 100).count == 40)
    #expect(try f.store.verifyLedger(push: nil).isEmpty)
  }
}
