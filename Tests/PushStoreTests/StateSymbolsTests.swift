import StoreModel
import Testing

@testable import PushStore

@Suite struct StateSymbolsTests {
  @Test(
    arguments: [
      ("SELECT 1", "SELECT 1"),
      ("state = #delivery.waiting", "state = 3"),
      ("state IN (#delivery.fresh, #delivery.inFlight)", "state IN (2, 4)"),
      ("(#push.sending)", "(3)"),
      ("#device.active #kind.iosLiveActivityStart", "2 21"),
      ("#class.campaign,#outcome.none;", "2,2;"),
      ("#metric.action = #event.action + 10", "14 = 4 + 10"),
    ])
  func aNameIsItsNumber(sql: String, resolved: String) throws {
    #expect(try StateSymbols.resolved(sql) == resolved)
  }

  @Test(
    arguments: [
      (
        "WHERE #finished(waiting + ?3; in_flight - ?2; audience_complete) AND true",
        "WHERE (waiting + ?3 = 0 AND in_flight - ?2 = 0 AND (audience_complete = 1 OR state IN (5, 7))) AND true"
      ),
      (
        "CASE WHEN #leasable(?4; cursor + ?6; targeted) THEN",
        """
        CASE WHEN (?4 = 0 OR cursor + ?6 <> targeted OR EXISTS (
          SELECT 1 FROM deliveries INDEXED BY deliveries_due
          WHERE state = 3 AND not_before IS NOT NULL AND lane = -pushes.id)) THEN
        """
      ),
      ("AND NOT #leased(d.id; p.id; p.cursor)", "AND NOT d.id < p.id + p.cursor"),
    ])
  func aRuleIsItsCondition(sql: String, resolved: String) throws {
    #expect(try StateSymbols.resolved(sql) == resolved)
  }

  @Test func everyStateHasAName() throws {
    for state in DeliveryState.allCases {
      #expect(try StateSymbols.resolved("#delivery.\(state)") == "\(state.rawValue)")
    }
    for state in PushState.allCases { #expect(try StateSymbols.resolved("#push.\(state)") == "\(state.rawValue)") }
    for state in DeviceState.allCases { #expect(try StateSymbols.resolved("#device.\(state)") == "\(state.rawValue)") }
  }

  @Test(arguments: [
    "state = #delivery.lost", "#", "state = #push.", "#waiting", "#finished", "#finished(a; b)", "#leasable(a; b; c",
    "#leased(a; b)",
  ])
  func aNameThatIsNoneIsABug(sql: String) {
    #expect(throws: StoreError.self) { try StateSymbols.resolved(sql) }
  }
}
