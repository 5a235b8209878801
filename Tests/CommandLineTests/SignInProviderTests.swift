import Glibc
import TestSupport
import Testing
import WireJSON

/// The identity provider of `serve`, named by options or by the environment, as a service has it.
@Suite("The identity provider in the environment", .serialized)
struct SignInProviderTests {
  /// Nobody listens there; the sign-in page needs only the setting.
  private static let issuer = "http://127.0.0.1:9/realms/staff"

  /// What the sign-in page calls the provider; nil for none.
  private func shown(_ environment: [String: String], _ options: [String] = []) throws -> String? {
    let folder = try TemporaryFolder()
    let process = try Subprocess(
      Postrider.path, ["serve", "--port", "0", "--data", "\(folder.path)/data"] + options, environment: environment)
    let text = try process.waitFor("Postrider listens on ")
    let port = try #require(
      text.split { " \n".contains($0) }.first { $0.hasPrefix("http://") }?.split(separator: ":").last)
    let client = try HTTPTestClient(port: try #require(UInt16(port)))
    client.send("GET /session/oidc HTTP/1.1\r\nHost: localhost\r\n\r\n")
    let answer = try client.readAnswer()
    process.signal(SIGTERM)
    #expect(try process.finish(seconds: 20).status == 0)
    return answer.status == 200 ? try JSON.parse(answer.body)["name"]?.string : nil
  }

  @Test("the environment names the provider; an option takes precedence") func environment() throws {
    #expect(try shown([:]) == nil)
    var variables = [
      "POSTRIDER_OIDC_ISSUER": Self.issuer, "POSTRIDER_OIDC_CLIENT_ID": "postrider", "POSTRIDER_OIDC_NAME": "Example",
    ]
    #expect(try shown(variables) == "Example")
    #expect(try shown(variables, ["--oidc-name", "Other"]) == "Other")
    // What systemd hands to a service is in a folder of its user alone, also where the file has bits for a group.
    let folder = try TemporaryFolder()
    let secret = "\(folder.path)/oidc-secret"
    try Files.write(Array("s3cret".utf8), to: secret)
    #expect(chmod(secret, 0o440) == 0)
    variables["POSTRIDER_OIDC_SECRET_FILE"] = secret
    let refused = try run(variables)
    #expect(refused.status == 3 && refused.errorText.contains("others may read it"), "\(refused.errorText)")
    variables["CREDENTIALS_DIRECTORY"] = folder.path
    #expect(try shown(variables) == "Example")
    #expect(chmod(secret, 0o444) == 0)
    #expect(try run(variables).status == 3)
  }

  private func run(_ environment: [String: String]) throws -> Subprocess.Result {
    let folder = try TemporaryFolder()
    return try Subprocess.run(
      Postrider.path, ["serve", "--port", "0", "--data", "\(folder.path)/data"], environment: environment, seconds: 60)
  }

  @Test("a part of it that is missing is named") func incomplete() throws {
    let alone = try run(["POSTRIDER_OIDC_CLIENT_ID": "postrider"])
    #expect(
      alone.status == 2
        && alone.errorText.contains("POSTRIDER_OIDC_CLIENT_ID without --oidc-issuer or POSTRIDER_OIDC_ISSUER"),
      "\(alone.errorText)")
    let unnamed = try run(["POSTRIDER_OIDC_ISSUER": Self.issuer])
    #expect(
      unnamed.status == 2 && unnamed.errorText.contains("without --oidc-client-id or POSTRIDER_OIDC_CLIENT_ID"),
      "\(unnamed.errorText)")
  }
}
