internal import Signing
internal import StoreModel
internal import WireJSON

/// Takes an erased user out of what the store keeps as JSON: requests of pushes and schedules, values of personal pushes,
/// segments.
struct UserTraces: UserRedaction {
  /// A keyed digest of app and user: the holder of the data folder's key can test whether it is a given user, nobody
  /// can recover the name.
  let pseudonym: String

  init(app: String, user: String, vault: Vault) {
    let digest = HMACSHA256.authenticate(Array("erased user:\(app)/\(user)".utf8), key: vault.derivation)
    pseudonym = "erased-" + Base64URL.encode(Array(digest.prefix(16)))
  }

  func keyDigest(_ key: String) -> String { IdempotencyHeader.digest(ofKey: key) }

  func request(_ bytes: [UInt8], without user: UserIdentity) -> RedactedDocument? {
    guard let object = (try? JSON.parse(bytes))?.object else { return nil }
    var hasNoRecipients = false
    var changed = false
    let left = object.compactMap { name, value -> (String, JSONValue)? in
      switch name {
      case "to":
        guard let audience = audience(value, without: user, &hasNoRecipients) else { return (name, value) }
        changed = true
        return (name, audience)
      case "user_values":
        guard let values = members(of: value, without: [user.name]) else { return (name, value) }
        changed = true
        return values.isEmpty ? nil : (name, .object(values))
      default: return (name, value)
      }
    }
    guard changed else { return nil }
    return RedactedDocument(bytes: JSON.minified(.object(JSONObject(left))), hasNoRecipients: hasNoRecipients)
  }

  func values(_ bytes: [UInt8], without user: UserIdentity) -> RedactedDocument? {
    guard let object = (try? JSON.parse(bytes))?.object else { return nil }
    var changed = false
    var others = 0
    let left = object.map { name, value -> (String, JSONValue) in
      guard name == "users" || name == "tokens" else { return (name, value) }
      let without = members(of: value, without: name == "users" ? [user.name] : user.tokens)
      if without != nil { changed = true }
      let kept = without ?? value.object ?? [:]
      others += kept.count
      return (name, .object(kept))
    }
    guard changed else { return nil }
    return RedactedDocument(bytes: JSON.minified(.object(JSONObject(left))), hasNoRecipients: others == 0)
  }

  func segment(_ bytes: [UInt8], without user: UserIdentity) -> [UInt8]? {
    guard let definition = try? JSON.parse(bytes) else { return nil }
    return filter(definition, without: user).map { JSON.minified($0) }
  }

  // MARK: - Parts

  /// An object without some members; nil when it has none of them.
  private func members(of value: JSONValue, without names: [String]) -> JSONObject? {
    let object = value.object ?? [:]
    let left = object.filter { !names.contains($0.key) }
    return left.count == object.count ? nil : JSONObject(left.map { ($0.key, $0.value) })
  }

  private func audience(
    _ value: JSONValue, without user: UserIdentity, _ hasNoRecipients: inout Bool
  ) -> JSONValue? {
    var changed = false
    let members = (value.object ?? [:]).map { name, value -> (String, JSONValue) in
      if name == "filter", let filter = filter(value, without: user) {
        changed = true
        return (name, filter)
      }
      if name == "aliases", let aliases = aliases(value, without: user, &hasNoRecipients) {
        changed = true
        return (name, aliases)
      }
      let list = value.array ?? []
      let left = list.filter { !isMeant(name, $0, user) }
      guard left.count < list.count else { return (name, value) }
      changed = true
      if left.isEmpty { hasNoRecipients = true }
      return (name, .array(left))
    }
    return changed ? .object(JSONObject(members)) : nil
  }

  /// Lists of aliases without those of the user; nil when they have none.
  private func aliases(_ value: JSONValue, without user: UserIdentity, _ hasNoRecipients: inout Bool) -> JSONValue? {
    var changed = false
    let lists = (value.object ?? [:]).map { label, list -> (String, JSONValue) in
      let own = user.aliases.first { $0.label == label }?.id
      let left = (list.array ?? []).filter { $0.string != own }
      guard own != nil, left.count < list.array?.count ?? 0 else { return (label, list) }
      changed = true
      if left.isEmpty { hasNoRecipients = true }
      return (label, .array(left))
    }
    return changed ? .object(JSONObject(lists)) : nil
  }

  /// Whether an element of a list of recipients is the user.
  private func isMeant(_ list: String, _ element: JSONValue, _ user: UserIdentity) -> Bool {
    switch list {
    case "users": element.string == user.name
    case "devices": element.string.flatMap { DeviceID($0) }.map(user.devices.contains) ?? false
    case "tokens": element["token"]?.string.map(user.tokens.contains) ?? false
    default: false
    }
  }

  /// A group or a condition with the user's name replaced by the pseudonym; nil when it does not name them.
  private func filter(_ value: JSONValue, without user: UserIdentity) -> JSONValue? {
    guard var object = value.object else { return nil }
    if let parts = object["conditions"]?.array {
      let changed = parts.map { filter($0, without: user) }
      guard changed.contains(where: { $0 != nil }) else { return nil }
      object["conditions"] = .array(zip(parts, changed).map { $1 ?? $0 })
      return .object(object)
    }
    guard let field = object["field"]?.string, let text = object["value"]?.string, user.isNamed(by: field, text)
    else { return nil }
    object["value"] = .string(pseudonym)
    return .object(object)
  }
}
