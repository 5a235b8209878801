import TestSupport
import Testing

@testable import PushStore

/// What personal pushes are told of their recipients.
@Suite struct RecipientTests {
  private static let fields = RecipientFields(needsDevice: true, properties: ["city", "age", "none", "vip"])

  /// The texts of each delivery; nil for one that is not there.
  private static func read(
    _ f: StoreFixture, _ deliveries: [DeliveryID], _ fields: RecipientFields = fields
  ) throws -> [[String?]?] {
    var rows: [[String?]?] = []
    let query = RecipientQuery(app: f.app, deliveries: deliveries, fields: fields)
    try f.store.recipients([query]) { _, index, row in
      #expect(index == rows.count)
      rows.append(row.isThere ? (0..<4 + fields.properties.count).map { row.text($0) } : nil)
    }
    return rows
  }

  private static func register(
    _ f: StoreFixture, _ token: String, user: String? = nil, locale: String? = nil, _ properties: [Property] = []
  ) throws {
    var device = DeviceRegistration(app: f.app, token: token, kind: .ios, user: user, locale: locale)
    device.properties = properties
    _ = try f.store.registerDevices([device], now: f.now)
  }

  @Test("Properties of the device come before its user's, and only what is asked for is read") func levels() throws {
    let f = try StoreFixture()
    try Self.register(
      f, "a", user: "ann", locale: "de",
      [Property("city", .text("Wien \"1\"")), Property("age", .integer(41)), Property("other", .text("x"))])
    try Self.register(f, "b", user: "ann", [Property("vip", .bool(true))])
    try Self.register(f, "c")
    var change = UserChange()
    change.properties = [
      PropertyChange("city", .text("Graz")), PropertyChange("age", .real(1.5)),
      PropertyChange("unasked", .text("y")),
    ]
    _ = try f.store.updateUser(app: f.app, named: "ann", change, now: f.now)
    let push = try f.campaign()
    let deliveries = try f.lease([.push(push, max: 10)]).deliveries.map(\.id)
    let none: [String?] = [nil, nil, nil, nil]
    let known: [[String?]] = [
      ["ann", "de", nil, nil, "Wien \"1\"", "41", nil, nil], ["ann", nil, nil, nil, "Graz", "1.5", nil, "true"],
      none + none,
    ]
    #expect(try Self.read(f, deliveries) == known)
    // In another order, twice, and with one that is not there.
    let missing = DeliveryID(rawValue: deliveries[2].rawValue + 1)
    let mixed = [deliveries[2], deliveries[0], missing, deliveries[0], deliveries[1]]
    #expect(try Self.read(f, mixed) == [known[2], known[0], nil, known[0], known[1]])
    // Without the device, its user's properties are found all the same.
    let fields = RecipientFields(needsDevice: false, properties: ["city"])
    #expect(
      try Self.read(f, deliveries, fields) == [none + ["Wien \"1\""], none + ["Graz"], none + [nil]])
  }

  @Test("Of two types of one name the one counts that the record shows last") func types() throws {
    let values: [AttributeValue] = [
      .text("b"), .text("a"), .text(""), .integer(7), .integer(-7), .real(6.5), .bool(true), .bool(false),
      .time(Timestamp(seconds: 5)),
    ]
    let f = try StoreFixture()
    // Both orders, because the numbers of the names follow the order of their first use.
    for (place, first) in values.enumerated() {
      for (other, second) in values.enumerated() where other != place {
        try Self.register(f, "t\(place)-\(other)", [Property("p", first), Property("p", second)])
      }
    }
    let push = try f.campaign()
    let deliveries = try f.lease([.push(push, max: 100)]).deliveries
    let rows = try Self.read(f, deliveries.map(\.id), RecipientFields(needsDevice: false, properties: ["p"]))
    for (delivery, row) in zip(deliveries, rows) {
      let id = try #require(delivery.device)
      let device = try #require(try f.store.device(id))
      #expect(row?[4] == device.properties.last?.value.text, "\(device.properties)")
    }
    #expect(rows.count == values.count * (values.count - 1))
  }

  @Test("Recipients that are far apart are found like neighbors") func gaps() throws {
    let f = try StoreFixture()
    for number in 0..<60 {
      try Self.register(
        f, "t\(number)", user: "u\(number % 7)", number % 3 == 0 ? [] : [Property("city", .integer(Int64(number)))])
    }
    let push = try f.campaign()
    let all = try f.lease([.push(push, max: 100)]).deliveries
    var random = SeededRandom(seed: 3)
    for _ in 0..<50 {
      let some = all.indices.filter { _ in Int.random(in: 0..<12, using: &random) == 0 }
      let rows = try Self.read(f, some.map { all[$0].id })
      let expected = some.map { place in
        let number = all[place].token.dropFirst()
        return [
          "u\((Int(number) ?? 0) % 7)", nil, nil, nil, (Int(number) ?? 0) % 3 == 0 ? nil : String(number), nil, nil,
          nil,
        ]
      }
      #expect(rows == expected)
    }
  }
}
