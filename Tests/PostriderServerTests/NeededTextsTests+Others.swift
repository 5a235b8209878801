import Delivery
import ProviderEmulator
import PushContracts
import TestSupport
import Testing
import WireJSON

// Who has no text gets nothing in a browser and on a Huawei phone, too.

extension WebPushTests {
  @Test("A browser of somebody without a text gets nothing, and the row says why", arguments: ["native", "amba"])
  func withoutText(contract: String) throws {
    try register(subscribe("ann", key: key, user: "ann"))
    try register(subscribe("bob", key: key, user: "bob"))
    let message = #""contract":"\#(contract)","message":{"title":"{{n}}","body":"{{m}}"}"#
    let empty = try world.push(#"{"to":{"users":["ann"]},"values":{},\#(message)}"#)
    #expect(try world.finished(empty)["counts"]?["rejected"] == 1)
    #expect(try deliveries(empty).first?["reason"] == "template-empty")
    #expect(received("ann").isEmpty)
    let filled = try world.push(#"{"to":{"users":["bob"]},"values":{"n":"Sale","m":"Today"},\#(message)}"#)
    #expect(try world.finished(filled)["counts"]?["accepted"] == 1)
    #expect(received("bob").count == 1 && received("bob").first?.contains(#""title":"Sale""#) == true)
  }
}

extension WebPushTests {
  @Test("What is written for a browser is measured by the limit that it is sent with") func limit() {
    #expect(WebRendering.bytesMax == WebContent.bytesMax)
  }
}

extension HuaweiPushTests {
  @Test(
    "A Huawei phone of somebody without a title or a text gets nothing, and the row says why",
    arguments: [#"{}"#, #"{"n":"Sale"}"#, #"{"m":"Today"}"#])
  func withoutText(values: String) throws {
    let registered = try fixture.post(
      "\(Self.path)/devices", ["type": "hms", "token": .string(Self.token), "user": "ann"])
    #expect(registered.status == 201, "\(registered.text)")
    let id = try world.push(
      #"{"to":{"users":["ann"]},"values":\#(values),"message":{"title":"{{n}}","body":"{{m}}"}}"#)
    #expect(try world.finished(id)["counts"]?["rejected"] == 1)
    let rows = try fixture.send("GET", "\(Self.path)/pushes/\(id)/deliveries").json["deliveries"]
    #expect(rows?[0]?["reason"] == "template-empty", "\(rows ?? .null)")
    #expect(emulator.device(.hms, Self.token)?.receivedPushes.isEmpty == true)
  }
}
