import TestSupport
import Testing
import WireJSON

@testable import PostriderServer
@testable import PushStore
@testable import StoreModel

/// Runs `Vectors/live`: what a request about Live Activities or channels becomes for Apple, byte for byte.
@Suite struct LiveVectorTests {
  static let folder = "\(Files.packageRoot)/Vectors/live"
  static let names = ["start-token", "start-channel", "update", "end", "broadcast-update", "broadcast-kept"]

  @Test("There is a file for each name, and no other") func isComplete() throws {
    let files = try Files.list(Self.folder).filter { $0.hasSuffix(".json") }
    #expect(files.sorted() == Self.names.map { $0 + ".json" }.sorted())
  }

  /// The app `demo` with a channel, a push-to-start token of ann's, and an activity `old` that has reported its token.
  private func world(now: Int64) throws -> (fixture: ServerFixture, channel: ChannelID) {
    let fixture = try ServerFixture(clock: WallClock { now * 1_000 })
    _ = try fixture.makeDemo()
    let store = fixture.server.service.store
    let app = try #require(try store.app(named: "demo")).id
    let channel = try store.createChannel(
      NewChannel(
        app: app, environment: .production, bundleID: "com.example.app", channelID: "dHN0LXNyY2gtY2hubA==",
        storage: .mostRecent), now: Timestamp(seconds: now))
    for (path, body) in [
      ("devices", RepetitionTests.startToken.body?.replacing("lars", with: "ann") ?? ""),
      (
        "activities",
        RepetitionTests.activity.replacing("lars", with: "ann").replacing(#""id":"a""#, with: #""id":"old""#)
      ),
      ("activities/old/tokens", RepetitionTests.updateToken),
    ] {
      let answer = try fixture.send("POST", "/v1/apps/demo/\(path)", body)
      #expect(answer.status < 300, "\(answer.text)")
    }
    return (fixture, channel.id)
  }

  @Test("A request becomes what Apple's pages have", arguments: names) func becomes(name: String) throws {
    let vector = try JSON.parse(try Files.read("\(Self.folder)/\(name).json"))
    let (fixture, channel) = try world(now: Int64(try #require(vector["now"]?.int)))
    let request = try #require(vector["request"])
    func filled(_ text: String) -> String { text.replacing("$channel", with: channel.description) }
    let answer = try fixture.send(
      try #require(request["method"]?.string), filled(try #require(request["path"]?.string)),
      filled(JSON.minifiedText(try #require(request["body"]))))
    #expect(answer.status == 202, "\(answer.text)")
    let id = try #require(PushID(answer.json["id"]?.string ?? ""))
    let payload = try #require(try fixture.server.service.store.content(of: id)?.payloads.first)
    let headers = JSONObject(payload.headers.map { ($0.name, JSONValue.string($0.value)) })
    #expect(JSON.minifiedText(.object(headers)) == JSON.minifiedText(try #require(vector["expect"]?["headers"])))
    #expect(
      String(decoding: payload.body, as: UTF8.self) == JSON.minifiedText(try #require(vector["expect"]?["payload"])))
  }
}
