import Glibc
import Signing
import Synchronization
import TestSupport
import Testing
import WireJSON

@Suite("channels", .serialized)
struct ChannelsCommandTests {
  static let update = #"{"aps":{"event":"update","timestamp":1770000000,"content-state":{"home":1}}}"#

  private static func options(_ emulator: RunningEmulator) -> [String] {
    [
      "--bundle-id", "com.example.app", "--key", "\(emulator.folder.path)/apns-key.p8", "--key-id", "EMULATEKEY",
      "--team", "EMULATETEA", "--gateway", emulator.apns, "--ca", "\(emulator.folder.path)/ca.pem",
    ]
  }

  private static func run(_ words: [String], input: String = "") throws -> (json: JSONValue?, Subprocess.Result) {
    let result = try Subprocess.run(Postrider.path, ["channels"] + words, input: Array(input.utf8))
    return (try? JSON.parse(result.output), result)
  }

  @Test("a channel's life, with a broadcast")
  func life() throws {
    let emulator = try RunningEmulator()
    let options = Self.options(emulator)
    let (created, creation) = try Self.run(["create", "--keep", "nothing"] + options)
    let channel = try #require(created?["channel_id"]?.string, "\(creation.errorText)")
    #expect(created?["outcome"] == "accepted")
    #expect(created?["status"] == 201)
    #expect(creation.status == 0)

    let read = try Self.run(["read", channel] + options).json
    #expect(read?["channel"] == ["message-storage-policy": 0, "push-type": "LiveActivity"])
    #expect(try Self.run(["list"] + options).json?["channels"] == [.string(channel)])

    let (sent, sending) = try Self.run(["send", channel] + options, input: Self.update)
    #expect(sent?["outcome"] == "accepted", "\(sending.outputText) \(sending.errorText)")
    let seen = try Subprocess.run("curl", ["-s", "-f", emulator.control + "/channels"], seconds: 60)
    let broadcasts = try JSON.parse(seen.output).array?.first?["broadcasts"]?.array
    #expect(broadcasts?.map { $0["payload"]?["aps"]?["content-state"] } == [["home": 1]], "\(seen.outputText)")

    #expect(try Self.run(["delete", channel] + options).json?["status"] == 204)
    let (gone, reading) = try Self.run(["read", channel] + options)
    #expect(gone?["reason"] == "ChannelNotRegistered")
    #expect(gone?["next"]?.string?.isEmpty == false)
    #expect(reading.status == 4)
  }

  @Test("a payload that is not legal is not sent")
  func illegal() throws {
    let emulator = try RunningEmulator()
    let (json, result) = try Self.run(
      ["send", "AAAA"] + Self.options(emulator), input: #"{"aps":{"event":"update","timestamp":1}}"#)
    #expect(json == nil)
    #expect(
      result.errorText
        == "postrider: channels: error: aps: an update needs the content-state that it shows; add it "
        + "(apns-live-activity-content-state)\n")
    #expect(result.status == 1)
  }

  @Test(
    "what is typed wrongly is said",
    arguments: [
      (["make"], "there is no action “make”"),
      (["read"], "read takes CHANNEL"),
      (["list", "--keep", "latest", "--bundle-id", "a"], "--keep goes with create"),
      (["list", "--broadcast-host", "device", "--bundle-id", "a"], "--broadcast-host goes with send"),
      (
        ["send", "x", "--broadcast-host", "device", "--gateway", "127.0.0.1:1", "--bundle-id", "a"],
        "--broadcast-host chooses between Apple's hosts; leave out --gateway"
      ),
      (["list"], "--bundle-id is missing"),
      (["list", "--bundle-id", "a"], "--key with --key-id and --team is missing, or --certificate"),
    ])
  func usage(words: [String], message: String) throws {
    let (_, result) = try Self.run(words)
    #expect(result.errorText == "postrider: channels: \(message)\npostrider: see postrider channels --help\n")
    #expect(result.status == 2)
  }

  /// Apple's pages name two hosts for broadcasts, so that a person chooses; channels stay where they are.
  ///
  /// The proxy sees the name and opens no tunnel.
  @Test(
    "broadcasts go to the host that is asked for",
    arguments: [
      ([], "api-broadcast.push.apple.com"), (["--broadcast-host", "broadcast"], "api-broadcast.push.apple.com"),
      (["--broadcast-host", "device"], "api.push.apple.com"),
      (["--broadcast-host", "device", "--sandbox"], "api.sandbox.push.apple.com"),
      (["--sandbox"], "api-broadcast.sandbox.push.apple.com"),
    ])
  func broadcastHost(words: [String], host: String) throws {
    let folder = try TemporaryFolder()
    let key = folder.path + "/key.p8"
    try Files.write(Array(try ECPrivateKey.generate().pem().utf8), to: key)
    let proxy = TestProxy(answer: "HTTP/1.1 403 Forbidden\r\n\r\n", target: 9)
    proxy.start()
    defer { proxy.stop() }
    let options =
      [
        "--bundle-id", "com.example.app", "--key", key, "--key-id", "ABC1234567", "--team", "DEF7654321", "--proxy",
        "127.0.0.1:\(proxy.port)",
      ] + words
    let send = try Self.run(["send", "dHN0LXNyY2gtY2hubA=="] + options, input: Self.update)
    #expect(send.json?["reason"] == "proxy")
    #expect(proxy.heads.withLock { $0 } == ["CONNECT \(host):443 HTTP/1.1\r\nHost: \(host):443\r\n\r\n"])
  }

  @Test("a tunnel through a proxy carries sends and channels; one that refuses is named")
  func proxy() throws {
    let emulator = try RunningEmulator()
    let port = try #require(UInt16(emulator.apns.split(separator: ":").last ?? ""))
    let proxy = TestProxy(answer: "HTTP/1.1 200 Connection established\r\n\r\n", target: port)
    proxy.start()
    defer { proxy.stop() }
    let way = ["--proxy", "127.0.0.1:\(proxy.port)"]
    let send = try Subprocess.run(
      Postrider.path, ["send", "--token", SendTests.token] + way + emulator.apnsOptions, input: SendTests.message)
    #expect(send.outputText.hasPrefix(#"{"line":1,"outcome":"accepted","status":200"#), "\(send.outputText)")
    #expect(try Self.run(["list"] + way + Self.options(emulator)).json?["channels"] == [])
    let head = "CONNECT \(emulator.apns) HTTP/1.1\r\nHost: \(emulator.apns)\r\n\r\n"
    #expect(proxy.heads.withLock { $0 } == [head, head])

    let refusing = TestProxy(answer: "HTTP/1.1 403 Forbidden\r\n\r\n", target: port)
    refusing.start()
    defer { refusing.stop() }
    let refused = try Subprocess.run(
      Postrider.path,
      ["send", "--token", SendTests.token, "--proxy", "127.0.0.1:\(refusing.port)"] + emulator.apnsOptions,
      input: SendTests.message)
    #expect(
      refused.outputText
        == #"{"line":1,"outcome":"failed","processing":"not_processed","reason":"proxy","detail":"the proxy did not "#
        + #"open the tunnel: it answered \"HTTP/1.1 403 Forbidden\"; let it open tunnels to 127.0.0.1:\#(port)"}"#
        + "\n")
    #expect(refused.status == 4)
  }
}
