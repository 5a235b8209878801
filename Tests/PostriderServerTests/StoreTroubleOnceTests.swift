import PushStore
import StoreModel
import Testing

@testable import PostriderServer

/// What looks at the store several times a second says once that it fails.
@Suite struct StoreTroubleOnceTests {
  @Test func saysEachTroubleOnce() {
    let away = StoreError(.unavailable, "away", advice: "wait")
    let full = StoreError(.diskFull, "full", advice: "make room")
    let trouble = StoreTroubleOnce()
    #expect([away, away, full, away, away].map(trouble.isNew) == [true, false, true, true, false])
    trouble.clear()
    #expect(trouble.isNew(away))
  }
}
