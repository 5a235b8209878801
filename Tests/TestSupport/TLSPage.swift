import Glibc

/// A web page behind TLS at `https://localhost:…`, served by openssl with a certificate of its own making.
public final class TLSPage {
  /// The address.
  public let url: String
  /// The certificate, which is also the authority that vouches for it.
  public let certificate: String
  /// The same page under a name that the certificate does not have.
  public let misnamedURL: String

  private let folder: TemporaryFolder
  private let process: Subprocess

  /// Why there is no page.
  public struct Failure: Error, CustomStringConvertible {
    /// One sentence.
    public let description: String
  }

  /// Makes a key and a certificate and starts the server.
  public init() throws {
    folder = try TemporaryFolder()
    let key = folder.path + "/key.pem"
    certificate = folder.path + "/certificate.pem"
    let made = try Subprocess.run(
      "/usr/bin/openssl",
      [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-keyout", key,
        "-out", certificate, "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
      ])
    guard made.status == 0 else { throw Failure(description: made.errorText) }
    process = try Subprocess(
      "/usr/bin/openssl", ["s_server", "-accept", "0", "-naccept", "8", "-www", "-key", key, "-cert", certificate])
    let hello = try process.waitFor("ACCEPT")
    guard let port = hello.split(separator: "ACCEPT").last?.split(separator: ":").last?.prefix(while: \.isNumber) else {
      throw Failure(description: "openssl says no port: \(hello)")
    }
    url = "https://localhost:\(port)"
    misnamedURL = "https://127.0.0.1:\(port)"
  }

  deinit { process.signal(SIGKILL) }
}
