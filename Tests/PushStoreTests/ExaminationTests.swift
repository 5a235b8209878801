import Glibc
import Synchronization
import TestSupport
import Testing

@testable import PushStore
@testable import StoreModel

/// What the examination says when the data folder moves under it.
@Suite struct ExaminationTests {
  /// SQLite reports a failing disk for a log that it cannot find; that verdict would stay until the next start.
  @Test(arguments: [false, true])
  func aFolderThatIsMovedMeanwhileIsNotDamaged(isBackAtOnce: Bool) throws {
    let f = try StoreFixture()
    _ = try f.store.createPush(f.newPush(.devices(try f.devices(1))), now: f.now)
    let (folder, away) = (f.folder.path, f.folder.path + "-away")
    defer { rename(away, folder) }
    let questions = Mutex(0)
    func examine() throws(StoreError) -> Examination {
      try f.store.examine {
        let question = questions.withLock { count in
          count += 1
          return count
        }
        // The first comes between opening and reading, the second when the reading has failed.
        if question == 1 { rename(folder, away) }
        if question == 2, isBackAtOnce { rename(away, folder) }
        return false
      }
    }
    if isBackAtOnce {
      let found = try examine()
      #expect(found.isSound && found.isComplete && found.pushes == 1, "\(found.pageFaults)")
    } else {
      let error = #expect(throws: StoreError.self) { try examine() }
      #expect(error?.code == .fileGone, "\(error as Any)")
      rename(away, folder)
    }
    #expect(questions.withLock { $0 } >= 2)
    try f.store.checkReadiness()
  }
}
