import Ledger
import StoreModel
import Testing

@Suite struct DeviceReportsTests {
  private let delivery = DeliveryID(rawValue: 7)
  private let push = PushID(rawValue: 5)

  @Test func aReportImpliesThoseBeforeIt() {
    var reports = DeviceReports()
    reports.note(.received, "", of: delivery)
    #expect(reports.add(.action, "yes", of: delivery, in: push).map(\.kind) == [.opened, .action])
    #expect(reports.add(.opened, "", of: delivery, in: push).isEmpty)
    let other = reports.add(.opened, "", of: DeliveryID(rawValue: 8), in: push)
    #expect(other.map(\.kind) == [.received, .opened] && other.allSatisfy(\.isFirst))
  }

  @Test func aDeliveryCountsOnceAsActedOn() {
    var reports = DeviceReports()
    let all = ["yes", "no", "yes"].flatMap { reports.add(.action, $0, of: delivery, in: push) }.filter {
      $0.kind == .action
    }
    #expect(all.map(\.action) == ["yes", "no"])
    #expect(all.map(\.isFirst) == [true, false])
    var again = DeviceReports()
    again.note(.action, "yes", of: delivery)
    #expect(again.add(.action, "no", of: delivery, in: push).last?.isFirst == false)
  }

  @Test func buttonsBeyondTheBoundsAreNotCountedByName() {
    var reports = DeviceReports()
    for number in 1..<DeviceReports.actionsPerPushMax { reports.note(action: "b\(number)", of: push) }
    func name(_ action: String, _ delivery: Int64) -> String? {
      reports.add(.action, action, of: DeliveryID(rawValue: delivery), in: push).last?.action
    }
    #expect(name("last", 1) == "last")
    #expect(name("more", 2) == DeviceReports.otherAction)
    #expect(name("b1", 3) == "b1" && name("last", 4) == "last")
    // Another button of no name is the same one.
    #expect(name("even more", 2) == nil)
    #expect(reports.add(.action, "more", of: DeliveryID(rawValue: 5), in: PushID(rawValue: 6)).last?.action == "more")
    for number in 0..<DeviceReports.actionsPerDeliveryMax - 1 { #expect(name("b\(number + 1)", 1) != nil) }
    #expect(name("b50", 1) == nil)
  }
}
