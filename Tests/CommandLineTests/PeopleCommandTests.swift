import Glibc
import TestSupport
import Testing
import WireJSON

@Suite("People on the command line, and sessions after a kill", .serialized)
struct PeopleCommandTests {
  private static let key = "prk_0123456789abcdefghijklmnopqrstuvwxyzABCDE-_"
  private static let password = "correct horse battery staple"

  private func serve(_ folder: TemporaryFolder) throws -> (process: Subprocess, api: String, port: UInt16) {
    let process = try Subprocess(
      Postrider.path, ["serve", "--port", "0", "--data", "\(folder.path)/data"],
      environment: ["POSTRIDER_ADMIN_KEY": Self.key])
    let text = try process.waitFor("Postrider listens on ")
    let api = try #require(text.split { " \n".contains($0) }.first { $0.hasPrefix("http://") })
    let port = try #require(api.split(separator: ":").last.flatMap { UInt16($0) })
    return (process, String(api), port)
  }

  private func console(_ api: String) throws -> Console {
    var console = try Console()
    console.environment["POSTRIDER_URL"] = api
    console.environment["POSTRIDER_KEY"] = Self.key
    return console
  }

  private func ask(
    _ port: UInt16, _ method: String, _ path: String, _ body: JSONValue? = nil, cookie: String? = nil
  ) throws -> HTTPTestClient.Answer {
    let client = try HTTPTestClient(port: port)
    let text = body.map(JSON.minifiedText) ?? ""
    client.send(
      "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n" + (cookie.map { "Cookie: \($0)\r\n" } ?? "")
        + "Content-Length: \(text.utf8.count)\r\n\r\n\(text)")
    return try client.readAnswer()
  }

  private func join(_ port: UInt16, _ token: String) throws -> String {
    let answer = try ask(
      port, "POST", "/session/join", ["token": .string(token), "password": .string(Self.password)])
    #expect(answer.status == 200, "\(answer.body)")
    return try #require(answer.headers["set-cookie"]?.split(separator: ";").first.map(String.init))
  }

  @Test("somebody is invited, joins with the real cost of a password, and stays signed in over kill -9")
  func invites() throws {
    let folder = try TemporaryFolder()
    let server = try serve(folder)
    let console = try console(server.api)
    #expect(try console.run("people invite --help").outputText.contains("The display name, which is required."))
    let made = try console.json("people invite ann@example.com --name Ann --role analyst")
    #expect(made["roles"] == ["analyst"] && made["state"] == "invited")
    let cookie = try join(server.port, try #require(made["invitation"]?.string))
    // For people, the link as a whole; a new one makes the old one useless.
    for line in ["people invite bob@example.com --name Bob --role analyst", "people reinvite 2"] {
      let text = try console.text(line)
      let lines = text.split(separator: "\n").map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
      let token = try #require(lines.first { $0[0] == "invitation" }?.last, "\(text)")
      #expect(lines.first { $0[0] == "link" }?.last == "\(server.api)/#/join/\(token)", "\(text)")
    }
    #expect(try console.json("people reinvite 2")["link"] == nil)
    let acts = try console.json("audit list --by-key 1")["acts"]?.array?.compactMap { $0["act"]?.string }
    #expect(acts?.contains("join") == false && acts?.contains("invitePerson") == true, "\(acts ?? [])")
    let anns = try console.json("audit list --person", try #require(made["id"]?.string))["acts"]?.array
    #expect(anns?.map { $0["act"] } == ["join"], "\(anns ?? [])")
    let nobody = try console.run("audit list --by-key ann")
    #expect(
      nobody.status == 1 && nobody.errorText.contains("--by-key: expected an id, found \"ann\"; “postrider keys list”"),
      "\(nobody.errorText)")
    #expect(try console.json("people list")["people"]?.array?.first { $0["name"] == "Ann" }?["state"] == "active")
    let id = try #require(made["id"]?.string)
    #expect(try console.json("people role \(id) --role sender")["roles"] == ["sender"])
    // An email names a person, too.
    #expect(try console.json("people show Ann@example.com")["id"]?.string == id)
    #expect(try console.json("people role ann@example.com --role support")["roles"] == ["support"])
    let byEmail = try console.json("audit list --person ann@example.com --act join")["acts"]?.array
    #expect(byEmail?.map { $0["act"] } == ["join"], "\(byEmail ?? [])")
    #expect(try console.text("people remove bob@example.com") == "")
    #expect(try console.json("people list")["people"]?.array?.contains { $0["name"] == "Bob" } == false)
    let unknown = try console.run("people show carl@example.com")
    #expect(
      unknown.status == 2
        && unknown.errorText.contains("nobody here has the email carl@example.com; “postrider people list”"),
      "\(unknown.errorText)")
    let table = try console.text("sessions list")
    #expect(table.contains("person") && table.contains("Ann"), "\(table)")
    server.process.signal(SIGKILL)
    _ = try server.process.finish(seconds: 20)

    let again = try serve(folder)
    #expect(try ask(again.port, "GET", "/session", cookie: cookie).status == 200)
    let later = try self.console(again.api)
    let session = try #require(try later.json("sessions list")["sessions"]?[0]?["id"]?.string)
    #expect(try later.text("sessions end \(session)") == "")
    #expect(try ask(again.port, "GET", "/session", cookie: cookie).status == 401)
    #expect(try later.text("people remove \(id)") == "")
    let signIn: JSONValue = ["email": "ann@example.com", "password": .string(Self.password)]
    #expect(try ask(again.port, "POST", "/session", signIn).status == 401)
    again.process.signal(SIGTERM)
    #expect(try again.process.finish(seconds: 20).status == 0)
  }

  @Test("an owner is added in the folder of a stopped server") func offline() throws {
    let folder = try TemporaryFolder()
    let server = try serve(folder)
    let data = "\(folder.path)/data"
    let console = try console(server.api)
    let busy = try console.run("people add --owner --email ann@example.com --data", data)
    #expect(busy.status == 3 && busy.errorText.contains("another Postrider uses this data folder"), "\(busy.errorText)")
    server.process.signal(SIGTERM)
    _ = try server.process.finish(seconds: 20)
    #expect(try console.run("people add --email ann@example.com --data", data).status == 2)
    #expect(try console.run("people add --owner --email ann --data", data).status == 3)
    let first = try console.json("people add --owner --email Ann@example.com --name Ann --data", data)
    let second = try console.json("people add --owner --email ann@example.com --data", data)
    #expect(first["id"] == second["id"] && first["link"] != second["link"])

    let again = try serve(folder)
    func token(_ made: JSONValue) throws -> String {
      String(try #require(made["link"]?.string).dropFirst("/#/join/".count))
    }
    let used: JSONValue = ["token": .string(try token(first)), "password": .string(Self.password)]
    #expect(try ask(again.port, "POST", "/session/join", used).status == 404)
    let cookie = try join(again.port, token(second))
    #expect(try ask(again.port, "GET", "/v1/people", cookie: cookie).status == 200)
    let acts = try self.console(again.api).json("audit list")["acts"]?.array ?? []
    #expect(acts.map { $0["act"] } == ["join", "addOwner", "addOwner"], "\(acts)")
    again.process.signal(SIGTERM)
    #expect(try again.process.finish(seconds: 20).status == 0)
  }
}
