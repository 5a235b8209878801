import Synchronization
import TestSupport
import Testing
import WireJSON

@testable import PostriderServer

/// What changes one resource under a condition waits for what changes the same one, and for nothing else.
@Suite(.timeLimit(.minutes(5))) struct TurnsTests {
  /// Something that has a turn until it is let go.
  private struct Holder {
    private let end: AsyncStream<Void>.Continuation
    private let work: Task<Void, any Error>

    /// Waits until the turn has begun.
    init(_ turns: Turns, _ name: String) async {
      let (begun, begin) = AsyncStream<Void>.makeStream()
      let (ended, end) = AsyncStream<Void>.makeStream()
      self.end = end
      work = Task {
        try await turns.one(name) { () async throws(Problem) in
          begin.finish()
          for await _ in ended {}
        }
      }
      for await _ in begun {}
    }

    func letGo() async throws {
      end.finish()
      try await work.value
    }
  }

  @Test("Other names are free, and who waits for one gets it when it is given back")
  func names() async throws {
    let turns = Turns()
    let holder = await Holder(turns, "a")
    #expect(try await turns.one("b") { () async throws(Problem) in 2 } == 2)
    let order = Mutex<[Int]>([])
    let first = Task { try await turns.one("a") { () async throws(Problem) in order.withLock { $0.append(1) } } }
    #expect(order.withLock { $0 }.isEmpty)
    try await holder.letGo()
    try await first.value
    try await turns.one("a") { () async throws(Problem) in order.withLock { $0.append(2) } }
    #expect(order.withLock { $0 } == [1, 2])
  }

  @Test("A turn that ends with an error gives its place to the next one")
  func errors() async throws {
    let turns = Turns()
    await #expect(throws: Problem.self) {
      try await turns.one("a") { () async throws(Problem) in throw Problem(.badRequest, "no") }
    }
    #expect(try await turns.one("a") { () async throws(Problem) in true })
  }

  @Test("A change with If-Match is not held up by one of another resource")
  func resources() async throws {
    let fixture = try ServerFixture()
    for name in ["one", "two"] {
      #expect(try fixture.post("/v1/apps", ["name": .string(name), "contract": "amba"]).status == 201)
    }
    let holder = await Holder(fixture.server.service.conditional, "v1/apps/one")
    let body = #"{"title":"T"}"#
    let waiting = try HTTPTestClient(port: fixture.server.port)
    waiting.send(
      "PATCH /v1/apps/one HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(fixture.admin)\r\nIf-Match: *\r\n"
        + "Content-Length: \(body.utf8.count)\r\n\r\n" + body)
    #expect(try fixture.send("PATCH", "/v1/apps/two", body, headers: ["If-Match: *"]).status == 200)
    // Without a condition nothing is waited for.
    #expect(try fixture.send("PATCH", "/v1/apps/one", #"{"title":"U"}"#).status == 200)
    #expect(!waiting.hasInput, "it was answered while another one had the turn")
    try await holder.letGo()
    #expect(try waiting.readAnswer(toHead: false).status == 200)
    #expect(try fixture.send("GET", "/v1/apps/one").json["title"] == "T")
  }
}
