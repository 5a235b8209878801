import PostriderServer
import System

/// The identity provider that people sign in with: reached, its document and keys read, its clock compared.
enum DoctorIssuer {
  private static let subject = "sign-in"

  /// Nothing when none is named: most servers have none.
  static func findings(_ arguments: Arguments) throws(Exit) -> [DoctorFinding] {
    guard let issuer = SignInProvider.value("--oidc-issuer", arguments) else { return [] }
    let setting: OIDCSetting
    do throws(OIDCSettingError) {
      // The client is not looked at: only somebody who signs in shows whether the provider knows it.
      setting = try OIDCSetting(
        issuer: issuer, clientID: "-", secret: nil,
        authorities: SignInProvider.value(SignInProvider.authorities.name, arguments))
    } catch { throw .usage(error.description) }
    guard !arguments.has("--offline") else { return [.skipped(subject, "--offline")] }
    let found = OIDCCheck.run(setting, proxy: try Egress.proxy(arguments))
    let clock = found.date.flatMap(GatewayVisit.seconds).map {
      GatewayVisit.clock($0 - SystemClock.wallSeconds(), setting.issuer)
    }
    if let fault = found.fault {
      return [
        .error(
          subject, "\(setting.issuer): \(fault)",
          remedy: "Nobody can sign in with it; look at --oidc-issuer, --oidc-ca, the proxy and the provider.")
      ] + (clock.map { [$0] } ?? [])
    }
    let keys = found.keys == 1 ? "1 key" : "\(found.keys) keys"
    return [.ok(subject, "\(setting.issuer) answers, with \(keys) for ID tokens")] + (clock.map { [$0] } ?? [])
  }
}
