import Signing
import TestSupport
import Testing
import WireJSON

@testable import postrider

/// What is typed wrongly, and what the server refuses: said in commands and options.
@Suite("The words of the command line", .serialized)
struct WordsTests {
  @Test(
    "an operation of the API is named as the command that calls it",
    arguments: [
      (
        "there is no app \"x\"; GET /v1/apps lists the apps",
        "there is no app \"x\"; “postrider apps list” lists the apps"
      ),
      (
        "set them with PUT /v1/apps/demo/credentials", "set them with “postrider apps set-credentials”"
      ),
      (
        "GET /v1/apps/{app}/held lists them, POST /v1/apps/a.b/held/resume resumes all.",
        "“postrider held list” lists them, “postrider held resume” resumes all."
      ),
      ("(GET /v1/keys)", "(GET /v1/keys)"), ("GET /openapi.json lists the paths", "GET /openapi.json lists the paths"),
      ("a  text, GET", "a  text, GET"), ("", ""),
    ])
  func routes(_ text: String, _ expected: String) { #expect(CommandWords.text(text) == expected) }

  @Test("a part of the query is named as the option that sets it") func query() throws {
    let row = try #require(APITable.subjects.flatMap(\.rows).first { $0.name == "live delete-channel" })
    let words = CommandWords(row, try Arguments(["2"], for: APICommand.command(row)))
    #expect(
      words.said("end it first with POST /v1/apps/demo/channels/2/broadcasts, or delete it with ?listeners=ignore")
        == "end it first with “postrider live broadcast”, or delete it with --listeners ignore")
    #expect(words.said("?listeners: expected one of") == "--listeners: expected one of")
    #expect(words.said("what? ?other=1 ?") == "what? ?other=1 ?")
  }

  @Test("every command over the API is found by its operation") func everyRoute() {
    for row in APITable.subjects.flatMap(\.rows) {
      let path = row.path.split(separator: "/").map { $0.hasPrefix("{") ? "some.name" : $0 }.joined(separator: "/")
      let text = CommandWords.text("see \(row.method) /\(path); and")
      // Several commands may call one operation; the first in the table is named.
      let names = APITable.subjects.flatMap(\.rows).filter { $0.method == row.method && $0.path == row.path }.map(
        \.name)
      #expect(names.contains { text == "see “postrider \($0)”; and" }, "\(row.name): \(text)")
    }
  }

  @Test("a refusal names options and commands") func refusals() throws {
    let folder = try TemporaryFolder()
    let server = try DemoServer(folder)
    let console = try Console(server)
    let rows: [(line: String, text: String)] = [
      (
        "push send --segment nobody --title T --body B",
        "error: --segment: the app has no segment \"nobody\"; “postrider segments list” lists them"
      ),
      ("push send --all", "error: --message: is required"),
      ("push send --all --title T --body B --template none", "error: --template: the app has no template"),
      ("push send --user alice --title T --body B --data from=crm", "error: --data: "),
      ("apps show nope", "there is no app \"nope\"; “postrider apps list” lists the apps"),
      ("suppression set --quiet-from 25:00 --quiet-to 07:00", "error: --quiet-from: expected a time of day"),
      ("suppression set --cap 3", "error: --cap-window: is required"),
      ("keys create x --scope send --app nope", "“postrider apps list”"),
    ]
    for row in rows {
      let result = try console.run(row.line)
      #expect(result.status == 1 && result.errorText.contains(row.text), "\(row.line): \(result.errorText)")
      #expect(!result.errorText.contains("/v1/"), "\(row.line): \(result.errorText)")
    }
    let nobody = try console.run("push audience --all --exclude-segment nobody")
    #expect(nobody.status == 1 && nobody.errorText.contains(#"no segment "nobody""#), "\(nobody.errorText)")
    let left = try console.text("push audience --all --exclude-segment free --exclude-segment active_7d --json")
    #expect(left.contains(#""total":0"#), "\(left)")
    // A member of a file is named by its path in the file.
    let inFile = try console.run(
      "push send -", input: #"{"to":{"segment":"nobody"},"message":{"title":"T","body":"B"}}"#)
    #expect(inFile.status == 1 && inFile.errorText.contains("error: to.segment: "), "\(inFile.errorText)")
  }

  @Test("the key file of a service account is a credential; what is none is refused") func credentialFiles() throws {
    let folder = try TemporaryFolder()
    let server = try DemoServer(folder)
    let console = try Console(server)
    _ = try console.text("apps create shop --contract native")
    let account: JSONValue = [
      "type": "service_account", "project_id": "shop-1", "private_key_id": "k1",
      "private_key": .string(try RSAPrivateKey.generate().pem()),
      "client_email": "push@shop-1.iam.gserviceaccount.com", "token_uri": "https://oauth2.googleapis.com/token",
    ]
    let file = "\(folder.path)/shop-1.json"
    try Files.write(JSON.minified(account), to: file)
    let saved = try console.json("apps set-credentials shop", file)
    #expect(saved["fcm"]?["project_id"] == "shop-1", "\(saved)")
    #expect(
      try console.json("apps credentials shop")["fcm"]?["client_email"]?.string == "push@shop-1.iam.gserviceaccount.com"
    )

    // The same by options, with a key of Apple's beside it.
    let key = "\(folder.path)/AuthKey.p8"
    try Files.write(Array(try ECPrivateKey.generate().pem().utf8), to: key)
    _ = try console.text("apps create other --contract native")
    let ids = "--key-id ABC123DEFG --team-id DEF123GHIJ --topic com.example.shop"
    let both = try console.json("apps set-credentials other --apns-key \(key) \(ids) --fcm \(file)")
    #expect(both["fcm"]?["project_id"] == "shop-1" && both["apns"]?["key_id"] == "ABC123DEFG", "\(both)")
    let half = try console.run("apps set-credentials other --apns-key \(key)")
    #expect(half.status == 1 && half.errorText.contains("--topic: is required"), "\(half.errorText)")
    let nothing = try console.run("apps set-credentials other --topic com.example.shop")
    #expect(nothing.status == 2 && nothing.errorText.contains("FILE is missing"), "\(nothing.errorText)")

    let apple = #"{"topic":"a.b","key":"-----BEGIN PRIVATE KEY-----","key_id":"ABC123DEFG","team_id":"DEF123GHIJ"}"#
    let rows: [(input: String, status: Int32, text: String)] = [
      (apple, 3, "name its environment, apns or apns_sandbox"),
      ("-----BEGIN PRIVATE KEY-----\nMIG\n", 3, "a PEM file alone is no credential"),
      (
        #"{"project_info":{"project_id":"x"},"client":[]}"#, 1,
        "download a new key file from the project's service accounts"
      ),
      (#"{"server_key":"AAAA"}"#, 3, "expected apns, apns_sandbox, fcm, web or hms"),
      ("[]", 3, "expected a JSON object, found an array"),
    ]
    for row in rows {
      for command in ["set-credentials", "check-credentials"] {
        let result = try console.run("apps \(command) shop -", input: row.input)
        #expect(result.status == row.status && result.errorText.contains(row.text), "\(row.input): \(result.errorText)")
      }
    }
    let shown = try console.json("apps credentials shop")
    #expect(shown["fcm"]?["project_id"] == "shop-1" && shown["apns"] == nil, "\(shown)")
  }

  @Test(
    "an option is not the value of the one before it",
    arguments: [
      (
        "push send --all --title --body y",
        "--title needs a value: --title TEXT; if it is “--body”, write --title=--body"
      ),
      ("devices list --user --json", "--user needs a value"),
      ("check --contract --platform ios", "--contract needs a value"),
    ])
  func optionAsValue(_ line: String, _ text: String) throws {
    let result = try Console().run(line)
    #expect(result.status == 2 && result.errorText.contains(text), "\(result.errorText)")
  }

  @Test("what looks like an option is a value with an equals sign") func optionLikeValues() throws {
    let folder = try TemporaryFolder()
    let server = try DemoServer(folder)
    let console = try Console(server)
    let made = try console.json("campaign create c-1 --user alice --title=--body --body", "-- half price --")
    let message = try console.json("campaign show \(made["id"]?.string ?? "")")["request"]?["message"]
    #expect(message == ["title": "--body", "body": "-- half price --"])
  }

  @Test(
    "an unknown command gets the nearest one",
    arguments: [
      ("psuh", "did you mean “push”?"), ("push sned", "did you mean “push send”?"),
      ("keys recver", "did you mean “keys recover”?"),
    ])
  func nearest(_ line: String, _ text: String) throws {
    let result = try Console().run(line)
    #expect(result.status == 2 && result.errorText.contains(text), "\(result.errorText)")
  }

  @Test("every command that the server's texts name exists") func namedCommandsExist() throws {
    let words = try Subprocess.run(
      "grep",
      [
        "-rhoE", "postrider [a-z]+ [a-z-]+", "\(Files.packageRoot)/Sources/PostriderServer",
        "\(Files.packageRoot)/Sources/CDashboard/Assets",
      ])
    let all = Main.commands.flatMap { [$0] + $0.subcommands }.map(\.name)
    for name in Set(words.outputText.split(separator: "\n")) {
      let two = name.dropFirst("postrider ".count)
      let first = String(two.split(separator: " ")[0])
      let isGroup = Main.commands.contains { $0.name == first && !$0.subcommands.isEmpty }
      #expect(all.contains(isGroup ? String(two) : first), "\(name)")
    }
  }
}
