import Glibc
import HTTPServer
import Synchronization
import TestSupport
import Testing

/// Requests of many connections that one thread finds all at once.
@Suite(.timeLimit(.minutes(2))) struct ManyAtOnceTests {
  /// As many as a thread is given by the kernel at a time, around that, and more: none of them is slept over.
  @Test(arguments: [127, 255, 256, 300])
  func answersAll(count: Int) throws {
    let isHeld = Atomic(true)
    let holding = Atomic(false)
    let server = try HTTPServer(
      HTTPServerConfiguration(threads: 1),
      handler: ClosureHandler { request, responder in
        if request.path == "/hold" {
          holding.store(true, ordering: .sequentiallyConsistent)
          while isHeld.load(ordering: .sequentiallyConsistent) { usleep(1_000) }
        }
        responder.respond(HTTPResponse(status: 204))
      })
    let holder = try HTTPTestClient(port: server.port)
    let clients = try (0..<count).map { _ in try HTTPTestClient(port: server.port) }
    // Each connection has been served once, so that only requests are new when the thread looks again.
    for client in clients { #expect(try client.get("/").status == 204) }
    holder.send("GET /hold HTTP/1.1\r\nHost: h\r\n\r\n")
    while !holding.load(ordering: .sequentiallyConsistent) { usleep(1_000) }
    for client in clients { client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n") }
    isHeld.store(false, ordering: .sequentiallyConsistent)
    for client in clients { #expect(try client.readAnswer().status == 204) }
    #expect(try holder.readAnswer().status == 204)
  }
}
