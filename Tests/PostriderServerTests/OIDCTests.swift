import HTTPServer
import PostriderServer
import Synchronization
import TestSupport
import Testing
import WireJSON

/// Signing in with an identity provider: who comes in, how they are known, and what becomes of it.
@Suite(.timeLimit(.minutes(2))) struct OIDCTests {
  let world: OIDCFixture
  var server: ServerFixture { world.server }
  var issuer: TestIssuer { world.issuer }

  init() throws { world = try OIDCFixture() }

  private func kept() throws -> [String] {
    try server.send("GET", "/v1/audit").json["acts"]?.array?.compactMap { $0["act"]?.string } ?? []
  }

  @Test("Who is invited joins without a password, by either algorithm, and is known by the identity from then on")
  func joins() throws {
    let (id, token) = try server.invite("ann@example.com", ["sender"])
    issuer.script.withLock { $0.signer = .es256 }
    let answer = try world.signIn()
    let ann = try server.browser(answer)
    #expect(answer.json["person"]?.string == id && answer.headers["set-cookie"]?.contains("SameSite=Strict") == true)
    #expect(try server.send("GET", "/v1/people/\(id)").json["state"] == "active")
    // The invitation is used up.
    #expect(try server.join(token).status == 404)
    let own = try server.send("GET", "/session/oidc", by: ann).json
    #expect(
      own["name"] == "Example" && own["link"]?["subject"] == "sub-ann" && own["link"]?["linked_at"] != nil, "\(own)")
    // Whatever the email becomes there, and whether or not it is verified.
    issuer.script.withLock {
      $0.signer = .rs256
      $0.claims = ["email": "other@example.com", "email_verified": .null]
    }
    #expect(try world.signIn().json["person"]?.string == id)
    #expect(try kept().contains("join") && !kept().contains("linkOIDC"))
    #expect(try server.send("GET", "/v1/people/\(id)").json["signed_in_at"] != nil)
    // A person without a password is refused in the words of a wrong one.
    #expect(try server.signIn("ann@example.com").status == 401)
    #expect(!server.lines.text.contains("access-1") && !server.lines.text.contains(TestIssuer.secret))
  }

  @Test("Who has a password is linked at the first sign-in, and signs in with both") func links() throws {
    let (id, ann) = try server.person("ann@example.com", ["analyst"])
    #expect(try server.send("GET", "/session/oidc", by: ann).json["link"] == nil)
    #expect(try world.signIn().json["person"]?.string == id)
    #expect(try server.signIn("ann@example.com").status == 200)
    // The session from before goes on: nothing of the person was replaced.
    #expect(try server.send("GET", "/session/oidc", by: ann).json["link"]?["subject"] == "sub-ann")
    #expect(try kept().filter { $0 == "linkOIDC" }.count == 1)
  }

  @Test("Who is invited anew begins anew: the password, the sessions and the invitation of before are void") func anew()
    throws
  {
    let (id, ann) = try server.person("ann@example.com", ["analyst"])
    #expect(try server.signIn("ann@example.com").status == 200)
    #expect(try server.send("POST", "/v1/people/\(id)/invitation", "{}").status == 201)
    #expect(try world.signIn().json["person"]?.string == id)
    #expect(try server.signIn("ann@example.com").status == 401)
    #expect(try server.send("GET", "/session/all", by: ann).status == 401)
    #expect(try server.send("GET", "/v1/people/\(id)").json["invited_until"] == nil)
    #expect(try kept().filter { $0 == "join" }.count == 2)
  }

  @Test("Nobody else comes in") func refusesStrangers() throws {
    let stranger = try world.signIn()
    #expect(stranger.status == 403 && stranger.detail.contains("nobody with your email is invited here"), "\(stranger)")
    #expect(stranger.headers["set-cookie"] == nil)
    let (id, _) = try server.invite("ann@example.com", ["sender"])
    #expect(try server.send("DELETE", "/v1/people/\(id)/invitation").status == 204)
    let revoked = try world.signIn()
    #expect(revoked.status == 403 && revoked.detail.contains("was revoked or has expired"), "\(revoked)")
    for claims: JSONObject in [
      ["email_verified": false], ["email_verified": .null], ["email_verified": "true"], ["email": .null],
      ["email": "ann"],
    ] {
      issuer.script.withLock { $0.claims = claims }
      let answer = try world.signIn()
      #expect(
        answer.status == 403 && answer.detail.contains("names no email that it has verified"), "\(claims) \(answer)")
    }
  }

  @Test("An email that the token lacks is asked for, and believed only of the same person") func userInfo() throws {
    let (id, _) = try server.invite("ann@example.com", ["sender"])
    issuer.script.withLock {
      $0.claims = ["email": .null, "email_verified": .null]
      $0.userInfo = ["sub": "sub-bob", "email": "ann@example.com", "email_verified": true]
    }
    #expect(try world.signIn().status == 502)
    issuer.script.withLock { $0.userInfo = ["email": "ann@example.com", "email_verified": false] }
    #expect(try world.signIn().status == 403)
    issuer.script.withLock { $0.userInfo = ["email": "ann@example.com", "email_verified": true] }
    #expect(try world.signIn().json["person"]?.string == id)
  }

  @Test("Another identity with the email is refused, until an owner invites anew") func relinks() throws {
    let (id, _) = try server.invite("ann@example.com", ["sender"])
    let ann = try server.browser(world.signIn())
    issuer.script.withLock { $0.claims = ["sub": "sub-new"] }
    let answer = try world.signIn()
    #expect(answer.status == 403 && answer.detail.contains("somebody else at the identity provider"), "\(answer)")
    #expect(try server.send("POST", "/v1/people/\(id)/invitation", "{}").status == 201)
    #expect(try world.signIn().json["person"]?.string == id)
    #expect(try server.send("GET", "/session/all", by: ann).status == 401)
    issuer.script.withLock { $0.claims = [:] }
    #expect(try world.signIn().status == 403)
  }

  @Test("The identity is removed, but not as the only means, and other sessions end with it") func unlinks() throws {
    let (id, ann) = try server.person("ann@example.com", ["owner"])
    let other = try server.browser(world.signIn())
    #expect(try server.open("DELETE", "/session/oidc", nil, headers: ann.headers).status == 403)
    #expect(try server.send("DELETE", "/session/oidc", by: ann).status == 204)
    #expect(try server.send("GET", "/session/all", by: other).status == 401)
    #expect(try server.send("GET", "/session/oidc", by: ann).json["link"] == nil)
    #expect(try server.send("DELETE", "/session/oidc", by: ann).status == 404)
    #expect(try kept().contains("unlinkOIDC"))
    let (_, _) = try server.invite("bob@example.com", ["owner"], name: "Bob")
    issuer.script.withLock { $0.claims = ["sub": "sub-bob", "email": "bob@example.com"] }
    let bob = try server.browser(world.signIn())
    let only = try server.send("DELETE", "/session/oidc", by: bob)
    #expect(only.status == 409 && only.detail.contains("the only means"), "\(only)")
    // Bob, who has no password, counts as an owner who can sign in.
    #expect(try server.send("DELETE", "/v1/people/\(id)", by: bob).status == 204)
    let last = try server.send("PATCH", "/v1/people/\(bob.person(server))", ["roles": ["admin"]], by: bob)
    #expect(last.status == 409 && last.detail.contains("the last owner"), "\(last)")
  }

  @Test("Of who is removed nothing is left, and the identity may come again as somebody else") func removed() throws {
    let (id, _) = try server.invite("ann@example.com", ["sender"])
    let ann = try server.browser(world.signIn())
    #expect(try server.send("DELETE", "/v1/people/\(id)").status == 204)
    #expect(try server.send("GET", "/session/oidc", by: ann).json["link"] == nil)
    #expect(try world.signIn().status == 403)
    let again = try server.invite("ann@example.com", ["analyst"]).id
    #expect(try world.signIn().json["person"]?.string == again && again != id)
    #expect(try server.send("DELETE", "/v1/people/\(again)").status == 204)
    server.server.stop()
    for name in try Files.list(server.folder.path + "/data") where name.contains("postrider") || name.contains("db") {
      guard let bytes = try? Files.read("\(server.folder.path)/data/\(name)") else { continue }
      #expect(!String(decoding: bytes, as: UTF8.self).contains("sub-ann"), "\(name)")
    }
  }

  @Test("What one does is theirs, and sessions survive a restart as the others") func acts() throws {
    _ = try server.makeDemo()
    let (id, _) = try server.invite("ann@example.com", ["admin"])
    let ann = try server.browser(world.signIn())
    #expect(try server.send("PUT", "/v1/apps/demo/retention", ["events_days": 90], by: ann).status == 200)
    let entry = try server.send("GET", "/v1/audit").json["acts"]?.array?.first { $0["act"] == "putAppRetention" }
    #expect(entry?["author"]?["id"]?.string == id)
    server.server.stop()
    let again = try ServerFixture(folder: server.folder, admin: server.admin, clock: world.clock.clock)
    #expect(try again.send("GET", "/v1/apps", by: ann).status == 200)
    // Without a provider there is nothing to sign in with, and nothing to say.
    #expect(try again.open("GET", "/session/oidc", nil).status == 204)
    #expect(try again.open("POST", "/session/oidc", nil).status == 404)
    again.server.stop()
  }

  @Test("Keys that the provider changes are found at once, and asked for at most once a minute") func rollover() throws
  {
    _ = try server.invite("ann@example.com", ["sender"])
    #expect(try world.signIn().status == 200 && issuer.count("/keys") == 1)
    #expect(try world.signIn().status == 200 && issuer.count("/keys") == 1)
    issuer.script.withLock { $0.keyNames = ["rs-2", "es-2"] }
    // Within the minute after the keys were read they are believed to be all.
    #expect(try world.signIn().status == 502 && issuer.count("/keys") == 1)
    world.clock.move(seconds: 60)
    #expect(try world.signIn().status == 200 && issuer.count("/keys") == 2)
    #expect(issuer.count("/.well-known/openid-configuration") == 1)
    world.clock.move(seconds: 3_600)
    #expect(try world.signIn().status == 200 && issuer.count("/.well-known/openid-configuration") == 2)
  }

  @Test("Failed sign-ins are slowed down by network, and the provider's own failures stop no password") func brake()
    throws
  {
    issuer.script.withLock { $0.signer = .nobody }
    for _ in 0..<10 { #expect(try world.signIn().status == 502) }
    // A provider that fails for whoever asks must not use up what others have begun.
    #expect(try world.signIn().status == 429)
    #expect(try server.signIn("nobody@example.com").status == 401)
    world.clock.move(seconds: 60)
    issuer.script.withLock { $0.signer = .rs256 }
    for _ in 0..<10 { #expect(try world.signIn().status == 403) }
    #expect(try world.signIn().status == 429)
    world.clock.move(seconds: 60)
    #expect(try world.signIn().status == 403)
  }

  @Test("The sign-in page learns the name, and the address that browsers come back to is a page") func pages() throws {
    let shown = try server.open("GET", "/session/oidc", nil)
    #expect(shown.status == 200 && shown.json["name"] == "Example" && shown.headers["cache-control"] == "no-store")
    let page = try server.open("GET", "/dashboard/oidc?code=abc&state=def", nil)
    #expect(page.status == 200 && page.text.contains("/dashboard/app.js"))
    #expect(page.headers["referrer-policy"] == "no-referrer")
    #expect(!server.lines.text.contains("code=abc"))
    let url = try world.begin(headers: ["X-Forwarded-Proto: https"]).url
    #expect(try TestIssuer.query(url)["redirect_uri"] == "https://localhost/dashboard/oidc")
    #expect(url.hasPrefix(issuer.issuer + "/authorize?tenant=1&"))
  }
}

extension SessionTests.Browser {
  /// The id of the person whose browser it is.
  func person(_ server: ServerFixture) throws -> String {
    try #require(try server.send("GET", "/session", by: self).json["person"]?.string)
  }
}
