import WireJSON

/// A file with the public key of an app's backend, as the API takes it: PEM, or a JSON Web Key.
enum IdentityKeyFile {
  static func read(_ path: String) throws(Exit) -> JSONValue {
    let bytes = try Terminal.read(path)
    let text = String(decoding: bytes, as: UTF8.self)
    if text.contains("PRIVATE KEY-----") {
      throw .unreadable(
        "\(name(path)): this is a private key, which nobody else should have; its public key is written by:"
          + " openssl pkey -in KEY -pubout")
    }
    if text.contains("-----BEGIN ") { return ["algorithm": "ES256", "public_key": .string(text)] }
    let json: JSONValue
    do throws(JSONError) { json = try JSON.parseReporting(bytes).value } catch {
      throw .unreadable(Input.explain(error, in: path))
    }
    guard json["kty"] != nil else {
      throw .unreadable("\(name(path)): expected a public key of P-256 as PEM or JSON Web Key")
    }
    if json["d"] != nil {
      throw .unreadable(
        "\(name(path)): this is a private key (d), which nobody else should have; leave kty, crv, x and y")
    }
    return ["algorithm": "ES256", "jwk": json]
  }

  private static func name(_ path: String) -> String { path == "-" ? "standard input" : path }
}
