import PostriderServer

/// The identity provider that people may sign in with: from the options, the secret from a file or the environment.
enum SignInProvider {
  private static let secretBytesMax = 4_096

  /// How `serve` names it.
  static let options = [
    Option(
      name: "--oidc-issuer", value: "URL",
      help:
        "Lets people sign in to the dashboard with this OpenID Connect provider, such as https://login.example.com."),
    Option(name: "--oidc-client-id", value: "ID", help: "What the provider calls this server; needs --oidc-issuer."),
    Option(
      name: "--oidc-secret-file", value: "FILE",
      help: "The file with the client's secret; POSTRIDER_OIDC_SECRET_FILE (a path) or POSTRIDER_OIDC_SECRET (the "
        + "secret itself) unless given. A public client has none."),
    Option(
      name: "--oidc-name", value: "NAME", help: "What the sign-in page calls the provider; its host unless given."),
    authorities,
  ]

  static let authorities = Option(
    name: "--oidc-ca", value: "FILE", help: "The certificate authority that vouches for --oidc-issuer, PEM.")

  /// The setting; nil when no provider is named.
  static func setting(_ arguments: Arguments, take: (String) -> String?) throws(Exit) -> OIDCSetting? {
    // Out of the environment in any case, so that no child process and no `/proc` shows it.
    let text = take("POSTRIDER_OIDC_SECRET").flatMap { $0.isEmpty ? nil : $0 }
    guard let issuer = arguments.value("--oidc-issuer") else {
      for option in options.dropFirst() where arguments.has(option.name) {
        throw .usage("\(option.name) without --oidc-issuer: name the provider")
      }
      return nil
    }
    guard let clientID = arguments.value("--oidc-client-id") else {
      throw .usage("--oidc-issuer without --oidc-client-id: register this server with the provider, which names it")
    }
    var secret = text
    if let path = arguments.value("--oidc-secret-file") ?? Environment.value("POSTRIDER_OIDC_SECRET_FILE") {
      let bytes = try PrivateFile.read(path, bytesMax: secretBytesMax)
      secret = String(decoding: bytes.prefix { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self)
    }
    do throws(OIDCSettingError) {
      return try OIDCSetting(
        issuer: issuer, clientID: clientID, secret: secret, name: arguments.value("--oidc-name"),
        authorities: arguments.value("--oidc-ca"))
    } catch { throw .usage(error.description) }
  }
}
