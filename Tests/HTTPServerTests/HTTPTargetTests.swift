import HTTPServer
import Testing

@Suite struct HTTPTargetTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let text: String
    let path: String
    let segments: [String]
    var query: [String] = []
    var testDescription: String { text }
  }

  @Test(arguments: [
    Row(text: "/", path: "/", segments: []),
    Row(text: "/v1/apps", path: "/v1/apps", segments: ["v1", "apps"]),
    Row(text: "/v1/apps/", path: "/v1/apps/", segments: ["v1", "apps"]),
    Row(text: "/a//", path: "/a//", segments: ["a", ""]),
    // A proxy that guards /v1 may read //v1 as another path, so it is another one here too.
    Row(text: "//v1/apps", path: "//v1/apps", segments: ["", "v1", "apps"]),
    Row(text: "///a", path: "///a", segments: ["", "", "a"]),
    Row(text: "//", path: "//", segments: [""]),
    Row(text: "/a//b", path: "/a//b", segments: ["a", "", "b"]),
    Row(text: "/a%2Fb/c%20d", path: "/a%2Fb/c%20d", segments: ["a/b", "c d"]),
    Row(text: "/a+b?c+d=e%2Bf&g&&h=", path: "/a+b", segments: ["a+b"], query: ["c d", "e+f", "g", "", "h", ""]),
    Row(text: "/?limit=5", path: "/", segments: [], query: ["limit", "5"]),
    Row(text: "/%C3%A4", path: "/%C3%A4", segments: ["ä"]),
    Row(text: "http://example.com:80/v1?x=1", path: "/v1", segments: ["v1"], query: ["x", "1"]),
  ])
  func takesApart(_ row: Row) throws {
    let bytes = Array(row.text.utf8)
    let target = try HTTPTarget(parsing: bytes.span)
    #expect(target.path == row.path)
    #expect(target.segments == row.segments)
    #expect(target.query.pairs.flatMap { [$0.name, $0.value] } == row.query)
  }

  @Test(arguments: [
    ("/%", "the request target has a broken percent escape at byte 1"),
    ("/a%4", "the request target has a broken percent escape at byte 2"),
    ("/%zz", "the request target has a broken percent escape at byte 1"),
    ("/%00", "the request target does not decode to UTF-8 text without NUL"),
    ("/%FF", "the request target does not decode to UTF-8 text without NUL"),
    ("/?a=%C3", "the request target does not decode to UTF-8 text without NUL"),
    ("v1/apps", "the request target must start with a slash"),
    ("http://example.com", "the request target must start with a slash"),
    ("", "the request target must start with a slash"),
    ("*", "the request target must start with a slash"),
  ])
  func refuses(_ text: String, _ message: String) {
    let bytes = Array(text.utf8)
    #expect(throws: HTTPTargetError.self) { try HTTPTarget(parsing: bytes.span) }
    do { _ = try HTTPTarget(parsing: bytes.span) } catch { #expect("\(error)" == message) }
  }
}
