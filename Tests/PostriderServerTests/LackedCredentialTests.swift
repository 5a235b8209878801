import PostriderServer
import ProviderEmulator
import TestSupport
import Testing
import WireJSON

/// Devices that no credential of the app reaches are named where a push is made, by kind and number.
@Suite(.timeLimit(.minutes(3))) struct LackedCredentialTests {
  let world: EndToEndTests
  var fixture: ServerFixture { world.fixture }

  static let path = "/v1/apps/demo"
  static let message = #""message":{"title":"T","body":"B"}"#

  init() throws {
    world = try EndToEndTests()
    try world.register()
    for (token, user) in [("IQ-first", "ann"), ("IQ-second", "ann"), ("IQ-third", "bob")] {
      let locale: JSONValue = user == "bob" ? "de" : "en"
      let device: JSONValue = ["type": "hms", "token": .string(token), "user": .string(user), "locale": locale]
      #expect(try fixture.post("\(Self.path)/devices", device).status == 201)
    }
  }

  /// The warnings of an answer, by what they say of a kind of device.
  private func warnings(_ answer: ServerFixture.Answer) -> [String] {
    (answer.json["report"]?.array ?? []).filter {
      $0["rule"] == "push-audience" && $0["severity"] == "warning" && $0["field"] == "to"
    }.compactMap { $0["message"]?.string }
  }

  private func send(_ to: String, path: String = "pushes") throws -> ServerFixture.Answer {
    let answer = try fixture.send("POST", "\(Self.path)/\(path)", "{\"to\":\(to),\(Self.message)}")
    #expect(answer.status == (path == "pushes" ? 202 : 200), "\(answer.text)")
    return answer
  }

  @Test("Users and devices that are named: how many of a kind, and what becomes of them") func named() throws {
    let both = try send(#"{"users":["ann","bob"]}"#)
    let said = warnings(both)
    #expect(said.count == 1 && said[0].hasPrefix("3 of the targeted devices are of type hms"), "\(both.text)")
    #expect(said[0].contains("no hms credential") && said[0].contains("PUT /v1/apps/demo/credentials"))
    let push = try world.finished(both.json["id"]?.string ?? "")
    #expect(push["counts"]?["rejected"] == 3, "\(push)")
    let rows = try fixture.send("GET", "\(Self.path)/pushes/\(both.json["id"]?.string ?? "")/deliveries?state=rejected")
    #expect(rows.json["deliveries"]?.array?.map { $0["reason"]?.string } == Array(repeating: "no-credential", count: 3))
    let id = try #require(try fixture.send("GET", "\(Self.path)/devices?user=bob").json["devices"]?[0]?["id"]?.string)
    let one = warnings(try send(#"{"devices":["\#(id)"]}"#))
    #expect(one.count == 1 && one[0].hasPrefix("1 of the targeted devices is of type hms"), "\(one)")
    #expect(one[0].contains("its delivery is rejected as no-credential"), "\(one)")
    let checked = warnings(try send(#"{"users":["bob"]}"#, path: "pushes/check"))
    #expect(checked.map { $0.hasPrefix("1 of the targeted devices is of type hms") } == [true], "\(checked)")
  }

  @Test("An audience that names no device leaves them out, and says so") func everyone() throws {
    for to in [#"{"all":true}"#, #"{"filter":{"field":"type","op":"neq","value":"web"}}"#] {
      let answer = try send(to)
      let said = warnings(answer)
      #expect(
        said.count == 1 && said[0].hasPrefix("3 devices of the audience, among the 1000"), "\(to): \(answer.text)")
      #expect(said.allSatisfy { $0.contains("they are left out") }, "\(said)")
      let push = try world.finished(answer.json["id"]?.string ?? "")
      #expect(push["counts"]?["rejected"] == 0, "\(push)")
    }
    let filter = #"{"filter":{"field":"locale","op":"eq","value":"de"}}"#
    #expect(warnings(try send(filter)).map { $0.hasPrefix("1 device of the audience, among") } == [true])
    #expect(warnings(try send(filter, path: "pushes/check")).count == 1)
    let count = try fixture.send("POST", "\(Self.path)/audience", #"{"to":{"all":true}}"#)
    #expect(
      warnings(count).map { $0.hasPrefix("3 devices of the audience are of type hms") } == [true], "\(count.text)")
  }

  @Test("Nothing is said once the credential is there, nor of audiences without such devices") func nothing() throws {
    let ios = #"{"filter":{"field":"platform","op":"eq","value":"ios"}}"#
    #expect(try warnings(send(ios)).isEmpty)
    let (keys, ports) = (world.emulator.credentials, world.emulator.ports)
    let credential: JSONValue = [
      "hms": [
        "client_id": .string(keys.huaweiClientID), "client_secret": .string(keys.huaweiClientSecret),
        "gateway": [
          "host": .string(ports.host), "port": .number(JSONNumber(ports.hms)),
          "ca": .string(world.emulator.authorityPEM),
        ],
      ]
    ]
    let put = try fixture.send("PUT", "\(Self.path)/credentials", JSON.minifiedText(credential))
    #expect(put.status == 200, "\(put.text)")
    for to in [#"{"all":true}"#, #"{"users":["ann","bob"]}"#] { #expect(try warnings(send(to)).isEmpty, "\(to)") }
  }
}
