import Basics
import Glibc
import HTTPServer
import System

/// Certificates: the server's own.
enum DoctorCertificates {
  private static let subject = "certificate"
  /// The server logs a warning as early as this.
  private static let warningDays: Int64 = 14

  /// The certificate that `serve` would be started with.
  static func own(_ arguments: Arguments) throws(Exit) -> DoctorFinding {
    let (certificate, key) = (arguments.value("--tls-certificate"), arguments.value("--tls-key"))
    guard certificate != nil || key != nil else {
      return .skipped(subject, "none given; --tls-certificate and --tls-key check the server's")
    }
    guard let certificate, let key else { throw .usage("--tls-certificate and --tls-key belong together") }
    do throws(HTTPServerError) {
      return judge(try ServerCertificate(certificatePath: certificate, keyPath: key), certificate)
    } catch {
      return .error(
        subject, error.description, remedy: "Give a certificate in PEM, its chain after it, with its own key.")
    }
  }

  private static func judge(_ certificate: ServerCertificate, _ path: String) -> DoctorFinding {
    guard let expiry = certificate.expiresAt else { return .ok(subject, "\(path) can be used") }
    let date = RFC3339Time.text(seconds: expiry)
    let left = expiry - SystemClock.wallSeconds()
    guard left >= warningDays * 86_400 else {
      let (text, remedy) = (
        "\(path) \(left < 0 ? "expired" : "expires") on \(date)", "Renew it; serve takes the new file by itself."
      )
      return left < 0 ? .error(subject, text, remedy: remedy) : .warning(subject, text, remedy: remedy)
    }
    return .ok(subject, "\(path) is valid until \(date)")
  }
}
