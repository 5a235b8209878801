import Glibc
import TestSupport
import Testing
import WireJSON

@Suite("The first key, and the recovery of a lost one", .serialized)
struct KeysCommandTests {
  private static let key = "prk_0123456789abcdefghijklmnopqrstuvwxyzABCDE-_"

  private func serve(
    _ folder: TemporaryFolder, _ options: [String] = [], environment: [String: String] = [:]
  ) throws -> (process: Subprocess, api: String, text: String) {
    let process = try Subprocess(
      Postrider.path, ["serve", "--port", "0", "--data", "\(folder.path)/data"] + options, environment: environment)
    let text = try process.waitFor("Postrider listens on ")
    let api = try #require(text.split { " \n".contains($0) }.first { $0.hasPrefix("http://") })
    return (process, String(api), text)
  }

  private func stop(_ process: Subprocess) throws -> Subprocess.Result {
    process.signal(SIGTERM)
    let result = try process.finish(seconds: 20)
    #expect(result.status == 0)
    return result
  }

  private func keyFile(_ folder: TemporaryFolder, mode: mode_t) throws -> String {
    let path = "\(folder.path)/admin-key"
    try Files.write(Array("\(Self.key)\n".utf8), to: path)
    #expect(chmod(path, mode) == 0)
    return path
  }

  @Test(
    "a key from a file or the environment is the first one, and is printed nowhere",
    arguments: ["option", "path", "text"])
  func given(_ way: String) throws {
    let folder = try TemporaryFolder()
    let file = try keyFile(folder, mode: 0o600)
    let (options, environment): ([String], [String: String]) =
      switch way {
      case "option": (["--admin-key-file", file], [:])
      case "path": ([], ["POSTRIDER_ADMIN_KEY_FILE": file])
      default: ([], ["POSTRIDER_ADMIN_KEY": Self.key])
      }
    let server = try serve(folder, options, environment: environment)
    var console = try Console()
    console.environment["POSTRIDER_URL"] = server.api
    console.environment["POSTRIDER_KEY"] = Self.key
    #expect(try console.json("keys list")["keys"]?.array?.map { $0["name"] } == ["first"])
    let environ = (try? Files.read("/proc/\(server.process.pid)/environ")) ?? []
    #expect(!String(decoding: environ, as: UTF8.self).contains(Self.key))
    let result = try stop(server.process)
    #expect(!result.outputText.contains("prk_") && !result.errorText.contains(Self.key), "\(result.outputText)")
  }

  @Test("a key file that others may read is refused") func openFile() throws {
    let folder = try TemporaryFolder()
    let file = try keyFile(folder, mode: 0o644)
    let result = try Postrider.run("serve", "--port", "0", "--data", "\(folder.path)/data", "--admin-key-file", file)
    #expect(result.status == 3 && result.errorText.contains("chmod 600"), "\(result.errorText)")
    #expect(try Files.list(folder.path) == ["admin-key"])
  }

  @Test("the last admin key stays; a lost one is replaced while the server is stopped") func recover() throws {
    let folder = try TemporaryFolder()
    let server = try serve(folder, ["--admin-key-file", keyFile(folder, mode: 0o600)])
    var console = try Console()
    console.environment["POSTRIDER_URL"] = server.api
    console.environment["POSTRIDER_KEY"] = Self.key
    let refused = try console.run("keys revoke 1")
    #expect(
      refused.status == 1 && refused.errorText.contains("the last key with the scope admin"), "\(refused.errorText)")
    let busy = try console.run("keys recover --data", "\(folder.path)/data")
    #expect(busy.status == 3 && busy.errorText.contains("another Postrider uses this data folder"), "\(busy.errorText)")
    #expect(busy.output.isEmpty)
    _ = try stop(server.process)

    let made = try console.json("keys recover --data", "\(folder.path)/data")
    let key = try #require(made["key"]?.string)
    #expect(made["scopes"] == ["admin"] && key != Self.key)
    let again = try serve(folder)
    console.environment["POSTRIDER_URL"] = again.api
    console.environment["POSTRIDER_KEY"] = key
    #expect(try console.text("keys revoke 1") == "")
    #expect(
      try console.json("audit list")["acts"]?.array?.compactMap { $0["act"]?.string } == ["revokeKey", "recoverKey"])
    _ = try stop(again.process)
    let nothing = try console.run("keys recover --data", "\(folder.path)/none")
    #expect(nothing.status == 3 && nothing.errorText.contains("there is no database"), "\(nothing.errorText)")
  }
}
