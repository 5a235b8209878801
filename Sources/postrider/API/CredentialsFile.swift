import PostriderServer
import WireJSON

/// A file with credentials, as the API takes them: what Google hands out is recognized; nothing is silently ignored.
enum CredentialsFile {
  private static let slots = CredentialNames.all
  /// Members of the JSON files that Google hands out: the key file of a service account, and what is mistaken for it.
  ///
  /// The server says what is wrong with the others.
  private static let google = ["client_email", "private_key", "project_info", "installed", "web"]
  /// Members of a credential for APNs.
  private static let apple = ["topic", "topics", "key", "key_id", "team_id", "certificate_p12", "certificate_pem"]
  private static let appleExample =
    #"{"apns": {"topic": "com.example.app", "key_id": "ABC123DEFG", "team_id": "DEF123GHIJ", "key": "-----BEGIN PRIVATE KEY-----…"}}"#

  static func read(_ path: String) throws(Exit) -> JSONValue {
    let bytes = try Terminal.read(path)
    guard !bytes.starts(with: Array("-----BEGIN ".utf8)) else {
      throw .unreadable(
        "\(name(path)): a PEM file alone is no credential, because Apple also requires its ids; give JSON: \(appleExample)"
      )
    }
    let json: JSONValue
    do throws(JSONError) { json = try JSON.parseReporting(bytes).value } catch {
      throw .unreadable(Input.explain(error, in: path))
    }
    return try recognize(json, path)
  }

  private static func recognize(_ json: JSONValue, _ path: String) throws(Exit) -> JSONValue {
    guard let object = json.object else {
      throw .unreadable("\(name(path)): expected a JSON object, found \(json.kind)")
    }
    func has(_ members: [String]) -> Bool { members.contains { object[$0] != nil } }
    // Google's file of an OAuth client has a member of the name of ours for browsers.
    let isGoogles = object["web"]?["client_id"] != nil
    if object.isEmpty || has(slots) && !isGoogles { return json }
    if has(google) { return ["fcm": ["service_account": json]] }
    let found = object.keys.prefix(5).joined(separator: ", ")
    let advice =
      has(apple)
      ? "these are the members of one credential for APNs; name its environment, apns or apns_sandbox: \(appleExample)"
      : "expected \(slots.dropLast().joined(separator: ", ")) or \(slots.last ?? ""), or the key file of a Google service account, found \(found)"
    throw .unreadable("\(name(path)): \(advice)")
  }

  private static func name(_ path: String) -> String { path == "-" ? "standard input" : path }
}
