import TestEngines
import TestSupport
import Testing

@testable import PushStore
@testable import StoreModel

/// What personal pushes are told of their recipients.
@Suite(.onBothEngines) struct RecipientTests {
  private static let fields = RecipientFields(
    members: [0, 1, 2, 3], properties: ["city", "age", "none", "vip"])

  /// The texts of each device.
  private static func read(
    _ f: StoreFixture, _ devices: [DeviceID?], _ fields: RecipientFields = fields
  ) throws -> [[String?]] {
    var rows: [[String?]] = []
    let query = RecipientQuery(app: f.app, devices: devices, fields: fields)
    try f.store.recipients([query]) { _, index, row in
      #expect(index == rows.count && row.device == devices[index])
      rows.append((0..<4 + fields.properties.count).map { row.text($0) })
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
    let devices = try f.lease([.push(push, max: 10)]).deliveries.map(\.device)
    let none: [String?] = [nil, nil, nil, nil]
    let known: [[String?]] = [
      ["ann", "de", nil, nil, "Wien \"1\"", "41", nil, nil], ["ann", nil, nil, nil, "Graz", "1.5", nil, "true"],
      none + none,
    ]
    #expect(try Self.read(f, devices) == known)
    // In another order, twice, with one that is not there and with an address that is not registered.
    let missing = try DeviceID(rawValue: #require(devices[2]).rawValue + 1)
    let mixed = [devices[2], devices[0], missing, devices[0], nil, devices[1]]
    #expect(try Self.read(f, mixed) == [known[2], known[0], none + none, known[0], none + none, known[1]])
    // Without the device, its user's properties are found all the same.
    let fields = RecipientFields(members: [], properties: ["city"])
    #expect(
      try Self.read(f, devices, fields) == [none + ["Wien \"1\""], none + ["Graz"], none + [nil]])
    // Of the device, what is not asked for is not read.
    let language = RecipientFields(members: [RecipientFields.Slot.locale], properties: [])
    #expect(try Self.read(f, devices, language)[0] == [nil, "de", nil, nil])
  }

  @Test("Of two types of one name the one counts that the record shows last") func types() throws {
    let values: [AttributeValue] = [
      .text("b"), .text("a"), .text(""), .integer(7), .integer(-7), .real(6.5), .bool(true), .bool(false),
      .time(Timestamp(seconds: 5)),
    ]
    let f = try StoreFixture()
    // Both orders, because the numbers of the names follow the order of their first use.
    for (position, first) in values.enumerated() {
      for (other, second) in values.enumerated() where other != position {
        try Self.register(f, "t\(position)-\(other)", [Property("p", first), Property("p", second)])
      }
    }
    let push = try f.campaign()
    let deliveries = try f.lease([.push(push, max: 100)]).deliveries
    let rows = try Self.read(f, deliveries.map(\.device), RecipientFields(members: [], properties: ["p"]))
    for (delivery, row) in zip(deliveries, rows) {
      let id = try #require(delivery.device)
      let device = try #require(try f.store.device(id))
      #expect(row[4] == device.properties.last?.value.text, "\(device.properties)")
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
      let rows = try Self.read(f, some.map { all[$0].device })
      let expected = some.map { position in
        let number = all[position].token.dropFirst()
        return [
          "u\((Int(number) ?? 0) % 7)", nil, nil, nil, (Int(number) ?? 0) % 3 == 0 ? nil : String(number), nil, nil,
          nil,
        ]
      }
      #expect(rows == expected)
    }
  }

  @Test("Devices with many properties are read like those with few, and so are those of whom only some have many")
  func fewAndMany() throws {
    let f = try StoreFixture()
    // The first devices decide how all are read.
    for (number, count) in (Array(repeating: 1, count: 70) + Array(repeating: 12, count: 70)).enumerated() {
      let properties = (0..<count).map { Property("p\($0)", .text("\(number)-\($0)")) }
      try Self.register(f, "t\(number)", [Property("city", .text("c\(number)"))] + properties)
    }
    let push = try f.campaign()
    let all = try f.lease([.push(push, max: 200)]).deliveries
    let fields = RecipientFields(members: [], properties: ["city", "p0", "p11"])
    for first in [0, 70] {
      let rows = try Self.read(f, all[first...].map(\.device), fields)
      for (row, delivery) in zip(rows, all[first...]) {
        let number = try #require(Int(delivery.token.dropFirst()))
        #expect(Array(row[4...]) == ["c\(number)", "\(number)-0", number < 70 ? nil : "\(number)-11"])
      }
      #expect(rows.count == 140 - first)
    }
  }
}
