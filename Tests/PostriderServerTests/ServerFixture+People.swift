import Testing
import WireJSON

/// People who work with a server under test.
extension ServerFixture {
  static let password = "correct horse battery staple"

  /// Invites somebody; the answer has the invitation.
  func invite(_ email: String, _ roles: JSONValue, name: String = "Ann") throws -> (id: String, token: String) {
    let answer = try post("/v1/people", ["email": .string(email), "name": .string(name), "roles": roles])
    #expect(answer.status == 201, "\(answer)")
    return (try #require(answer.json["id"]?.string), try #require(answer.json["invitation"]?.string))
  }

  /// The browser that an answer has signed in.
  func browser(_ answer: Answer) throws -> SessionTests.Browser {
    #expect(answer.status == 200, "\(answer)")
    let cookie = try #require(answer.headers["set-cookie"]?.split(separator: ";").first.map(String.init))
    return SessionTests.Browser(cookie: cookie, token: try #require(answer.json["write_token"]?.string))
  }

  /// Sends a request without a key.
  func open(_ method: String, _ path: String, _ body: JSONValue?, headers: [String] = []) throws -> Answer {
    try send(method, path, body.map(JSON.minifiedText), key: .some(nil), headers: headers)
  }

  func join(_ token: String, password: String = password) throws -> Answer {
    try open("POST", "/session/join", ["token": .string(token), "password": .string(password)])
  }

  func signIn(_ email: String, password: String = password, headers: [String] = []) throws -> Answer {
    try open("POST", "/session", ["email": .string(email), "password": .string(password)], headers: headers)
  }

  /// Somebody who has joined, with their browser.
  func person(
    _ email: String, _ roles: JSONValue, name: String = "Ann"
  ) throws -> (id: String, browser: SessionTests.Browser) {
    let (id, token) = try invite(email, roles, name: name)
    return (id, try browser(join(token)))
  }

  /// Sends a request of a browser.
  func send(
    _ method: String, _ path: String, _ body: JSONValue? = nil, by browser: SessionTests.Browser
  ) throws -> Answer {
    try open(method, path, body, headers: method == "GET" ? browser.headers : browser.writing)
  }
}
