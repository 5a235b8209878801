import Ledger
import StoreModel
import Testing

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

  @Test func everyStateHasAName() throws {
    for state in DeliveryState.allCases {
      #expect(try StateSymbols.resolved("#delivery.\(state)") == "\(state.rawValue)")
    }
    for state in PushState.allCases { #expect(try StateSymbols.resolved("#push.\(state)") == "\(state.rawValue)") }
    for state in DeviceState.allCases { #expect(try StateSymbols.resolved("#device.\(state)") == "\(state.rawValue)") }
  }

  @Test(arguments: ["state = #delivery.lost", "#", "state = #push.", "#waiting"])
  func aNameThatIsNoneIsABug(sql: String) {
    #expect(throws: StoreError.self) { try StateSymbols.resolved(sql) }
  }
}
