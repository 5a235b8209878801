internal import PushPayload
internal import StoreModel
internal import WireJSON

/// Aliases in requests and answers: the ids that other systems gave a user, by label.
enum AliasFields {
  /// As answers and files have them.
  static let schema = Schema(.map, "Ids that other systems gave the user, by label.").documented([
    "additionalProperties": ["type": "string"]
  ])
  /// As a change has them.
  static let changes = Schema(
    .map, "Ids that other systems gave the user, by label; null removes one. At most \(StoreLimits.aliasesMax)."
  ).documented(["additionalProperties": ["type": ["string", "null"]]])
  /// As an audience.
  static let audience = Schema(
    .map,
    "Users by the ids of another system: one label with at most \(StoreLimits.listedAudienceMax) ids, such as"
      + " {\"crm\": [\"1234\"]}."
  ).documented(["additionalProperties": ["type": "array", "items": ["type": "string"]]])

  /// The changes that a request makes; null removes an alias.
  static func read(_ value: JSONValue?, into report: inout Report) -> [AliasChange] {
    var changes: [AliasChange] = []
    for (label, id) in value?.object ?? [:] {
      let field = "aliases.\(label.prefix(40))"
      if !UserAlias.isLabel(label) {
        report.add(
          rule: Schema.Rule.value, severity: .error, field: field,
          message: "expected a label of 1 to \(StoreLimits.aliasLabelBytesMax) letters, digits, - and _")
      } else if id.isNull {
        changes.append(AliasChange(label, nil))
      } else if let text = id.string, isID(text) {
        changes.append(AliasChange(label, text))
      } else {
        report.add(
          rule: id.string == nil ? Schema.Rule.type : Schema.Rule.value, severity: .error, field: field,
          message: "expected an id of 1 to \(DeviceRoutes.userCharactersMax) characters, or null")
      }
    }
    return changes
  }

  /// An alias in a query: label and id, with a colon between them.
  static func alias(_ text: String) throws(Problem) -> UserAlias {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, UserAlias.isLabel(parts[0]), isID(parts[1]) else {
      throw Problem(.invalid, "alias: expected label:id, such as crm:1234")
    }
    return UserAlias(parts[0], parts[1])
  }

  /// As answers show them.
  static func json(_ aliases: [UserAlias]) -> JSONValue {
    .object(JSONObject(aliases.map { ($0.label, .string($0.id)) }))
  }

  private static func isID(_ text: String) -> Bool {
    (1...DeviceRoutes.userCharactersMax).contains(text.unicodeScalars.count)
  }

  // MARK: - Audiences

  /// Users of an audience that is named by aliases.
  struct Audience {
    /// The users, each once, in the order of the request.
    private(set) var users: [String] = []
    /// Where the request names each of them.
    private(set) var fields: [String] = []

    /// Resolves `{"label": ["id", …]}`; ids that no user has are reported as users without a device are.
    init(_ value: JSONValue, app: AppID, store: any Store, into report: inout Report) throws(Problem) {
      let path = "to.aliases"
      guard let (label, listed) = value.object?.first, value.object?.count == 1, UserAlias.isLabel(label) else {
        report.add(
          rule: "push-audience", severity: .error, field: path,
          message: "expected one label with the ids under it, as in {\"crm\": [\"1234\"]}")
        return
      }
      let field = "\(path).\(label)"
      let ids = listed.array?.compactMap(\.string) ?? []
      guard let array = listed.array, !ids.isEmpty, ids.count == array.count, ids.allSatisfy(AliasFields.isID),
        ids.count <= StoreLimits.listedAudienceMax
      else {
        report.add(
          rule: "push-audience", severity: .error, field: field,
          message: "expected 1 to \(StoreLimits.listedAudienceMax) ids of at most"
            + " \(DeviceRoutes.userCharactersMax) characters each")
        return
      }
      let names: [String: String]
      do throws(StoreError) { names = try store.users(app: app, label: label, ids: ids) } catch { throw Problem(error) }
      try add(ids, names, field, &report)
    }

    private mutating func add(
      _ ids: [String], _ names: [String: String], _ field: String, _ report: inout Report
    ) throws(Problem) {
      var (seen, unknown): (Set<String>, Int) = ([], 0)
      for (index, id) in ids.enumerated() {
        if let name = names[id] {
          guard seen.insert(name).inserted else { continue }
          users.append(name)
          fields.append("\(field)[\(index)]")
        } else {
          unknown += 1
          guard unknown <= StoreLimits.unreachedMax else { continue }
          report.add(
            rule: "push-user-unreached", severity: .warning, field: "\(field)[\(index)]",
            message: "no user has this alias; nothing is sent to it")
        }
      }
      guard users.isEmpty else { return }
      report.add(
        rule: "push-audience", severity: .error, field: field,
        message: "none of these ids is the alias of a user; PATCH /v1/apps/{app}/users/{user} sets aliases")
    }
  }
}
