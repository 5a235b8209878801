import TestEngines
import TestSupport
import Testing

@testable import PushStore
@testable import StoreModel

/// What is sent to all devices or to a segment is read in parts, and only campaigns are.
@Suite(.onBothEngines) struct PushClassTests {
  /// Found by simulation: a transactional push to all devices was accepted, and nobody ever read its audience.
  @Test(arguments: [Audience.all(kinds: []), .segment(.or([]), kinds: [])])
  func anAudienceThatIsReadInPartsMakesACampaign(audience: Audience) throws {
    let f = try StoreFixture()
    _ = try f.devices(3)
    let push = try f.store.createPush(f.newPush(audience, pushClass: .transactional), now: f.now).id
    #expect(try f.store.openWork(limit: 10).campaigns.map(\.push) == [push])
    #expect(try f.store.push(push)?.pushClass == .campaign)
  }
}
