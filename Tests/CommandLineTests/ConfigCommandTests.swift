import Glibc
import TestSupport
import Testing
import WireJSON

@Suite("config") struct ConfigCommandTests {
  private static let key = "prk_" + String(repeating: "k", count: 43)

  @Test("a flag goes before the environment, and the environment before the file")
  func precedence() throws {
    var console = try Console()
    func url(_ line: String = "config show") throws -> JSONValue? { try console.json(line)["url"] }
    #expect(try url() == ["value": "http://127.0.0.1:8787", "from": "built in"])
    _ = try console.text("config set url http://file.example")
    #expect(try url() == ["value": "http://file.example", "from": .string(console.configPath)])
    console.environment["POSTRIDER_URL"] = "http://env.example"
    #expect(try url() == ["value": "http://env.example", "from": "environment (POSTRIDER_URL)"])
    #expect(try url("config show --url http://flag.example") == ["value": "http://flag.example", "from": "--url"])
    _ = try console.text("config unset url")
    console.environment["POSTRIDER_URL"] = ""
    #expect(try url() == ["value": "http://127.0.0.1:8787", "from": "built in"])
  }

  @Test("a key is read from standard input, kept for its owner only, and never shown")
  func keys() throws {
    let console = try Console()
    let typed = try console.run("config set key \(Self.key)")
    #expect(typed.status == 2 && !typed.errorText.contains(Self.key), "\(typed.errorText)")
    #expect(try console.run("config set key", input: "\(Self.key)\n").status == 0)
    _ = try console.text("config set app demo")
    #expect(String(decoding: try Files.read(console.configPath), as: UTF8.self) == "key = \(Self.key)\napp = demo\n")
    var info = stat()
    #expect(stat(console.configPath, &info) == 0 && info.st_mode & 0o777 == 0o600)
    #expect(
      try console.text("config show") == """
        name\tvalue\tfrom
        url\thttp://127.0.0.1:8787\tbuilt in
        key\tprk_kkkkkk…\t\(console.configPath)
        app\tdemo\t\(console.configPath)

        """)
    #expect(try Files.list("\(console.folder.path)/postrider") == ["config"])
  }

  @Test("files with a key that others may read are refused, as config and as --key-file")
  func readableByOthers() throws {
    let console = try Console()
    #expect(try console.run("config set key", input: Self.key).status == 0)
    chmod(console.configPath, 0o640)
    let refused = try console.run("apps list")
    #expect(refused.status == 3)
    #expect(
      refused.errorText
        == "postrider: apps list: \(console.configPath) holds a secret, and others may read it; close it with: chmod 600 "
        + "\(console.configPath)\n")
    // Without a key there is nothing to keep from others.
    try Files.write(Array("# shared\nurl = http://file.example\n".utf8), to: console.configPath)
    #expect(try console.json("config show")["url"]?["value"] == "http://file.example")

    let keyFile = "\(console.folder.path)/key"
    try Files.write(Array("\(Self.key)\n".utf8), to: keyFile)
    let open = try console.run("apps list --key-file \(keyFile)")
    #expect(open.status == 3 && open.errorText.contains("chmod 600 \(keyFile)"), "\(open.errorText)")
    chmod(keyFile, 0o600)
    #expect(try console.json("config show --key-file \(keyFile)")["key"]?["from"] == "--key-file")
    #expect(try console.json("config show --key-file -", input: Self.key)["key"]?["value"] == "prk_kkkkkk…")
  }

  @Test(
    "what cannot be right is refused with its place",
    arguments: [
      ("config set url ftp://x", 2, "config set url: “ftp://x” is no address of a server"),
      ("config set color red", 2, "“color” is nothing to configure; there are url, key, app, ca"),
      ("config set", 2, "NAME is missing"), ("config set app", 2, "VALUE is missing"),
      ("config set ca /nowhere/ca.pem", 3, "cannot find /nowhere/ca.pem"),
      ("config forget", 2, "unknown command “config forget”"),
      ("apps list", 2, "there is no API key; set POSTRIDER_KEY"),
      ("apps list --key-file /nowhere/key", 3, "cannot open /nowhere/key"),
      ("apps list --url localhost:8787", 2, "--url: “localhost:8787” is no address of a server"),
    ])
  func refusals(line: String, status: Int, text: String) throws {
    let result = try Console().run(line)
    #expect(result.status == Int32(status))
    #expect(result.errorText.contains(text), "\(result.errorText)")
    #expect(result.outputText == "")
  }

  @Test("a line of the file that is none is named")
  func brokenFile() throws {
    let console = try Console()
    _ = try console.text("config set app demo")
    try Files.write(Array("app = demo\nhost example.com\n".utf8), to: console.configPath)
    let result = try console.run("config show")
    #expect(result.status == 3)
    #expect(
      result.errorText
        == "postrider: config show: \(console.configPath):2: expected NAME = VALUE with a name of url, key, app, ca\n")
  }
}
