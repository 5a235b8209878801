import PostriderServer

/// The identity provider that people may sign in with: from the options or the environment, its secret from a file or the
/// environment.
enum SignInProvider {
  private static let secretBytesMax = 4_096

  /// How `serve` names it.
  static let options = [
    Option(
      name: "--oidc-issuer", value: "URL",
      help:
        "Lets people sign in to the dashboard with this OpenID Connect provider, such as https://login.example.com; "
        + "POSTRIDER_OIDC_ISSUER unless given."),
    Option(
      name: "--oidc-client-id", value: "ID",
      help: "What the provider calls this server; POSTRIDER_OIDC_CLIENT_ID unless given. Needs an issuer."),
    Option(
      name: "--oidc-secret-file", value: "FILE",
      help: "The file with the client's secret; POSTRIDER_OIDC_SECRET_FILE (a path) or POSTRIDER_OIDC_SECRET (the "
        + "secret itself) unless given. A public client has none."),
    Option(
      name: "--oidc-name", value: "NAME",
      help: "What the sign-in page calls the provider; POSTRIDER_OIDC_NAME, or its host, unless given."),
    authorities,
  ]

  static let authorities = Option(
    name: "--oidc-ca", value: "FILE",
    help: "The certificate authority that vouches for the issuer, PEM; POSTRIDER_OIDC_CA unless given.")

  /// What an option says, or the variable of its name: `POSTRIDER_OIDC_ISSUER` for `--oidc-issuer`.
  static func value(_ option: String, _ arguments: Arguments) -> String? {
    arguments.value(option) ?? Environment.value(variable(option))
  }

  private static func variable(_ option: String) -> String {
    "POSTRIDER_" + String(option.drop { $0 == "-" }.map { $0 == "-" ? "_" : $0 }).uppercased()
  }

  /// The setting; nil when no provider is named.
  static func setting(_ arguments: Arguments, take: (String) -> String?) throws(Exit) -> OIDCSetting? {
    // Out of the environment in any case, so that no child process and no `/proc` shows it.
    let text = take("POSTRIDER_OIDC_SECRET").flatMap { $0.isEmpty ? nil : $0 }
    guard let issuer = value("--oidc-issuer", arguments) else {
      for option in options.dropFirst() where value(option.name, arguments) != nil {
        let name = arguments.has(option.name) ? option.name : variable(option.name)
        throw .usage("\(name) without --oidc-issuer or POSTRIDER_OIDC_ISSUER: name the provider")
      }
      return nil
    }
    guard let clientID = value("--oidc-client-id", arguments) else {
      throw .usage(
        "--oidc-issuer without --oidc-client-id or POSTRIDER_OIDC_CLIENT_ID: register this server with the provider, which "
          + "names it")
    }
    var secret = text
    if let path = value("--oidc-secret-file", arguments) {
      let bytes = try PrivateFile.read(path, bytesMax: secretBytesMax)
      secret = String(decoding: bytes.prefix { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self)
    }
    do throws(OIDCSettingError) {
      return try OIDCSetting(
        issuer: issuer, clientID: clientID, secret: secret, name: value("--oidc-name", arguments),
        authorities: value(authorities.name, arguments))
    } catch { throw .usage(error.description) }
  }
}
