import Glibc
import Signing
import TestSupport
import Testing

/// An emulator that a test started, with its key files.
final class RunningEmulator {
  let process: Subprocess
  let folder: TemporaryFolder
  let apns: String
  let fcm: String
  let control: String
  let token: String

  init() throws {
    folder = try TemporaryFolder()
    process = try Subprocess(
      Postrider.path, ["emulate", "--apns-port", "0", "--fcm-port", "0", "--port", "0", "--out", folder.path])
    let text = try process.waitFor("project_id")
    func value(_ name: String) -> String {
      guard let start = text.range(ofText: "\"\(name)\":\"") else { return "" }
      return String(text[start...].prefix { $0 != "\"" })
    }
    apns = String(value("apns").dropFirst("https://".count))
    fcm = String(value("fcm").dropFirst("https://".count))
    control = value("control")
    token = value("control_token")
  }

  var apnsOptions: [String] {
    [
      "--platform", "ios", "--topic", "com.example.app", "--key", "\(folder.path)/apns-key.p8", "--key-id",
      "EMULATEKEY", "--team", "EMULATETEA", "--gateway", apns, "--ca", "\(folder.path)/ca.pem",
    ]
  }

  var fcmOptions: [String] {
    [
      "--platform", "android", "--service-account", "\(folder.path)/service-account.json", "--gateway", fcm, "--ca",
      "\(folder.path)/ca.pem",
    ]
  }

  func post(_ path: String, _ body: String, method: String = "POST") throws {
    let answer = try Subprocess.run(
      "curl",
      [
        "-s", "-f", "-X", method, "-H", "Authorization: Bearer \(token)", "-H", "Content-Type: application/json", "-d",
        body, control + path,
      ], seconds: 20)
    #expect(answer.status == 0, "\(method) \(path): \(answer.outputText) \(answer.errorText)")
  }
}

extension String {
  /// The place behind the first occurrence of `text`.
  func range(ofText text: String) -> Index? {
    indices.first { self[$0...].hasPrefix(text) }.map { index($0, offsetBy: text.count) }
  }
}

@Suite("send, emulate, explain", .serialized)
struct SendTests {
  static let token = String(repeating: "a1", count: 32)
  static let message = Array(#"{"title":"Hello","body":"World"}"#.utf8)

  private func send(_ options: [String]) throws -> Subprocess.Result {
    try Subprocess.run(Postrider.path, ["send"] + options, input: Self.message)
  }

  @Test("a push goes to APNs and to FCM")
  func accepted() throws {
    let emulator = try RunningEmulator()
    let ios = try send(["--token", Self.token] + emulator.apnsOptions)
    #expect(
      ios.outputText.hasPrefix(#"{"line":1,"outcome":"accepted","status":200,"apns_id":""#), "\(ios.errorText)")
    #expect(ios.status == 0)
    let android = try send(["--token", "fcm-1:AAAA"] + emulator.fcmOptions)
    #expect(
      android.outputText.hasPrefix(
        #"{"line":1,"outcome":"accepted","status":200,"message_name":"projects/emulated-project/"#),
      "\(android.errorText)")
    #expect(android.status == 0)
    emulator.process.signal(SIGINT)
    #expect(try emulator.process.finish(seconds: 20).status == 0)
  }

  @Test("a refusal is explained and exits 4")
  func rejected() throws {
    let emulator = try RunningEmulator()
    var options = emulator.apnsOptions
    options[options.firstIndex(of: "EMULATETEA") ?? 0] = "OTHERTEAM1"
    let result = try send(["--token", Self.token] + options)
    #expect(
      result.outputText.hasPrefix(
        #"{"line":1,"outcome":"rejected","status":403,"reason":"InvalidProviderToken","meaning":""#),
      "\(result.outputText)")
    #expect(result.status == 4)
  }

  @Test("a gateway that does not answer is named")
  func unreachable() throws {
    let emulator = try RunningEmulator()
    var options = emulator.apnsOptions
    options[options.firstIndex(of: emulator.apns) ?? 0] = "127.0.0.1:1"
    let result = try send(["--token", Self.token] + options)
    #expect(
      result.outputText
        == #"{"line":1,"outcome":"failed","processing":"not_processed","reason":"connect","#
        + #""detail":"cannot connect to 127.0.0.1:1: Connection refused"}"# + "\n")
    #expect(result.status == 4)
  }

  @Test(
    "a gateway is HOST:PORT, an IPv6 address in brackets",
    arguments: [
      ("[::1]:1", "\"detail\":\"cannot connect to [::1]:1: "),
      ("127.0.0.1:1", "\"detail\":\"cannot connect to 127.0.0.1:1: "),
      ("https://127.0.0.1:1", "--gateway takes HOST:PORT, not “https://127.0.0.1:1”"),
      ("127.0.0.1", "--gateway takes HOST:PORT, not “127.0.0.1”"),
      ("127.0.0.1:0", "--gateway takes HOST:PORT, not “127.0.0.1:0”"), (":1", "--gateway takes HOST:PORT, not “:1”"),
    ])
  func gateway(text: String, said: String) throws {
    let folder = try TemporaryFolder()
    try Files.write(Array(try ECPrivateKey.generate().pem().utf8), to: folder.path + "/key.p8")
    let result = try Subprocess.run(
      Postrider.path,
      [
        "send", "--platform", "ios", "--topic", "com.example.app", "--token", Self.token, "--gateway", text, "--key",
        folder.path + "/key.p8", "--key-id", "ABC1234567", "--team", "DEF7654321", "--timeout", "5",
      ], input: Self.message)
    #expect((result.outputText + result.errorText).contains(said), "\(result.outputText) \(result.errorText)")
    #expect(result.status == (said.hasPrefix("--") ? 2 : 4))
  }

  @Test("a certificate of an unknown authority is refused")
  func untrusted() throws {
    let emulator = try RunningEmulator()
    var options = emulator.apnsOptions
    options.removeLast(2)
    let result = try send(["--token", Self.token] + options)
    #expect(result.outputText.contains(#""reason":"tls""#), "\(result.outputText)")
    #expect(result.status == 4)
  }

  @Test("a message that says when and to whom is not sent")
  func deliveryField() throws {
    let emulator = try RunningEmulator()
    let request = #"{"contents":{"en":"Hi"},"included_segments":["Paying"],"send_after":"2027-01-01T00:00:00Z"}"#
    for options in [["--token", Self.token] + emulator.apnsOptions, ["--token", "fcm-1:AAAA"] + emulator.fcmOptions] {
      let result = try Subprocess.run(
        Postrider.path, ["send", "--contract", "onesignal"] + options, input: Array(request.utf8))
      #expect(result.status == 1, "\(result.outputText) \(result.errorText)")
      let said = result.outputText + result.errorText
      #expect(said.contains("delivery-field") && said.contains("send_after") && said.contains("to.segment"), "\(said)")
    }
    let devices = try Subprocess.run("curl", ["-sf", emulator.control], seconds: 20)
    #expect(!devices.outputText.contains(Self.token))
  }

  @Test(
    "options of another provider are refused by name",
    arguments: [
      ("ios", ["--service-account", "x"]), ("ios", ["--ttl", "5"]), ("android", ["--key", "x"]),
      ("android", ["--sandbox"]), ("fcm-web", ["--hms-client", "x"]), ("hms", ["--certificate", "x"]),
      ("web", ["--topic", "x"]), ("web", ["--gateway", "h:1"]), ("web", ["--contract", "native"]),
    ])
  func foreignOption(_ platform: String, _ option: [String]) throws {
    let result = try send(["--platform", platform] + option)
    #expect(
      result.errorText.hasPrefix("postrider: send: \(option[0]) does not go with --platform \(platform)\n"),
      "\(result.errorText)")
    #expect(result.status == 2)
    let recipient = platform == "web" ? "--token" : "--subscription"
    let other = try send(["--platform", platform, recipient, "x"])
    let right = platform == "web" ? "--subscription" : "--token"
    #expect(other.errorText.contains("\(recipient) does not go with --platform \(platform); give \(right)\n"))
  }

  @Test("a subscription on this machine names the option that allows it, and an unreadable one is named once")
  func privateEndpoint() throws {
    let folder = try TemporaryFolder()
    let vapid = try Postrider.run("vapid", "create", folder.path + "/vapid.pem")
    #expect(vapid.status == 0, "\(vapid.errorText)")
    let key = try ECPrivateKey.generate()
    let subscription =
      #"{"endpoint":"https://127.0.0.1:9/push/1","keys":{"p256dh":"\#(Base64URL.encode(try key.publicKey.point()))","#
      + #""auth":"AAAAAAAAAAAAAAAAAAAAAA"}}"#
    let file = folder.path + "/subscription.json"
    try Files.write(Array(subscription.utf8), to: file)
    let options = [
      "--platform", "web", "--vapid-key", folder.path + "/vapid.pem", "--vapid-subject", "mailto:a@example.com",
      "--subscription", file,
    ]
    let refused = try send(options)
    #expect(refused.status == 4, "\(refused.errorText)")
    #expect(refused.outputText.contains("is not a public address"), "\(refused.outputText)")
    #expect(refused.outputText.contains("if that is meant (--allow-private-endpoints)"), "\(refused.outputText)")
    try Files.write(Array("{".utf8), to: file)
    let broken = try send(options)
    #expect(broken.status == 3 && broken.errorText.split(separator: file).count == 2, "\(broken.errorText)")
  }

  @Test("a key file that is no key says what it is")
  func wrongKeyFile() throws {
    let emulator = try RunningEmulator()
    var options = emulator.apnsOptions
    options[options.firstIndex(of: "\(emulator.folder.path)/apns-key.p8") ?? 0] = "\(emulator.folder.path)/ca.pem"
    let result = try send(["--token", Self.token] + options)
    #expect(
      result.errorText
        == "postrider: send: signing key: the file holds a certificate; expected an EC P-256 private key in PEM, such "
        + "as APNs' AuthKey_XXXXXXXXXX.p8\n")
    #expect(result.status == 3)
  }

  @Test("explain knows reasons and proposes the nearest")
  func explain() throws {
    let known = try Postrider.run("explain", "BadDeviceToken")
    #expect(known.outputText.hasPrefix("BadDeviceToken (apns, status 400)\n  means:"))
    #expect(known.status == 0)
    let answer = #"{"error":{"status":"NOT_FOUND","message":"gone","details":[{"errorCode":"UNREGISTERED"}]}}"#
    let whole = try Postrider.run("explain", input: answer)
    #expect(whole.outputText.hasPrefix("UNREGISTERED (fcm, status 404)\n"))
    #expect(whole.outputText.hasSuffix("\nthe answer also says: gone\n"))
    #expect(try Postrider.run("explain", answer).output == whole.output)
    let status = try Postrider.run("explain", "410")
    #expect(
      status.outputText.split(separator: "\n").filter { !$0.hasPrefix(" ") } == [
        "ExpiredToken (apns, status 410)", "Unregistered (apns, status 410)", "410 (web-push, status 410)",
        "4xx (huawei)",
      ])
    for (answer, rows) in [
      ("418", ["4xx (web-push)", "4xx (huawei)"]), ("302", ["3xx (web-push)", "3xx (huawei)"]),
      ("408", ["408 (web-push, status 408)", "408 (huawei, status 408)"]),
      ("504", ["504 (huawei, status 504)", "5xx (web-push)"]), ("80999999", ["other code (huawei)"]),
    ] {
      let said = try Postrider.run("explain", answer).outputText
      #expect(said.split(separator: "\n").filter { !$0.hasPrefix(" ") }.map(String.init) == rows, "\(said)")
    }
    let rule = try Postrider.run("explain", "web-push-too-large")
    #expect(rule.status == 1)
    #expect(rule.errorText.contains("“web-push-too-large” is a rule, and no answer of a provider: "))
    #expect(rule.errorText.contains("postrider check --explain web-push-too-large"), "\(rule.errorText)")
    let unknown = try Postrider.run("explain", "BadDeviceTokn")
    #expect(
      unknown.errorText
        == "postrider: explain: no provider is known to answer “BadDeviceTokn”; did you mean BadDeviceToken?"
        + "; give a reason (BadDeviceToken), a status (410), or the body of an answer on standard input\n")
    #expect(unknown.status == 1)
  }
}
