import PostriderServer
import WireJSON

/// One call of the HTTP API as a command, as data: what a person types, the request it becomes, how the answer is shown.
struct APIRow: Sendable {
  /// How the answer is shown.
  enum Shows: Sendable {
    /// A list under a member of the answer: the columns for people. Pages are followed where the API has them.
    case list(String, columns: [String])
    /// One thing, member by member.
    case details
    /// What is said when it is done and the answer has no content.
    case done(String)
    /// A file of any length, as the server streams it.
    case file
    /// A push until it is over.
    case watch
  }

  /// What the request's body is made of, besides the members that options and operands name.
  enum Body: Sendable {
    /// Nothing else.
    case members
    /// A JSON file: the body itself, or one member of it.
    case file(member: String? = nil, isRequired: Bool = false)
    /// A file of any length, sent as it is read.
    case upload
  }

  /// `devices list`.
  let name: String
  let operation: APIOperation
  let summary: String
  /// Members of the body that are operands, in order, behind those in the path.
  var operands: [String] = []
  var fields: [APIField] = []
  /// Members of the body that are always the same.
  var fixed: [(member: String, value: JSONValue)] = []
  var body = Body.members
  /// Options that replace a file that is required otherwise.
  var inPlaceOfFile: [String] = []
  /// Reads the file; nil for plain JSON.
  var readsFile: (@Sendable (String) throws(Exit) -> JSONValue)?
  /// The only members of a file that go along; nil means all.
  var keptMembers: [String]?
  /// The member of the body that is a list, of which what was typed is the only element.
  var element: String?
  let shows: Shows
  /// Another command for arguments that this one is not for.
  var instead: (@Sendable (Arguments) -> APIRow?)?
  /// The member that rows of a list must have to be shown.
  var keeps: String?
  /// The member of the answer that is a secret for the dashboard's address: shown once more as the link with it.
  var link: (member: String, path: String)?
  /// Whether the answer names a push that can be watched with `--watch`.
  var isWatchable = false
  var details = ""
  var examples: [String] = []

  /// A command for the operation with this `operationId`, described as the API describes it unless `summary` is given.
  init(_ name: String, _ operation: String, _ summary: String? = nil, shows: Shows) {
    self.name = name
    self.operation = .named(operation)
    self.summary = summary ?? self.operation.summary
    self.shows = shows
  }

  var method: String { operation.method }
  var path: String { operation.path }
  /// Where the same is asked of one app, when `--app` is given.
  var pathInApp: String? { operation.pathInApp }
  var isPaged: Bool { operation.isPaged }

  /// The row with further settings.
  func with(_ change: (inout APIRow) -> Void) -> APIRow {
    var row = self
    change(&row)
    return row
  }

  /// The names of the path's parameters that are operands: the app is an option, except where it is the subject.
  var pathOperands: [String] {
    path.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
      .filter { $0 != "app" || name.hasPrefix("apps ") }
  }

  /// Whether the app of the path is an option.
  var takesApp: Bool { path.contains("{app}") && !name.hasPrefix("apps ") }
}

/// An option that becomes a part of the request.
struct APIField: Sendable {
  /// Where it goes.
  enum Location: Sendable {
    case query(String)
    /// A member of the body, as a path such as `message.title`.
    case member(String)
  }

  /// What its text becomes.
  enum Kind: Sendable {
    case text, integer, bool
    /// The option is a switch.
    case yes
    /// Repeated: a list of texts.
    case list
    /// Repeated: `NAME=TEXT` or `NAME:=JSON`, an object.
    case pairs
    /// The name of a file with JSON.
    case file
    /// The name of a file with text, such as a key in PEM.
    case textFile
    /// A text, or null when it is empty.
    case textOrNull
    /// The option is a switch that removes the member.
    case clears
    /// The option is a switch: an object without members.
    case empty
  }

  let option: Option
  let location: Location
  let kind: Kind

  /// A parameter of the query; `state` is `--state` unless `option` says otherwise.
  static func query(
    _ name: String, _ value: String, _ help: String, option: String? = nil, choices: [String] = []
  ) -> APIField {
    APIField(
      option: Option(name: option ?? "--" + dashed(name), value: value, help: help, choices: choices),
      location: .query(name), kind: .text)
  }

  /// A member of the body; `app_version` is `--app-version` unless `option` says otherwise.
  static func member(
    _ path: String, _ value: String, _ help: String, _ kind: Kind = .text, option: String? = nil,
    choices: [String] = []
  ) -> APIField {
    let repeats =
      switch kind {
      case .list, .pairs: true
      default: false
      }
    let name = option ?? "--" + dashed(path.split(separator: ".").last.map(String.init) ?? path)
    return APIField(
      option: Option(name: name, value: value, help: help, choices: choices, repeats: repeats), location: .member(path),
      kind: kind)
  }

  /// The same, with values that a shell offers.
  func offering(_ kind: CompletionValues.Kind) -> APIField {
    var option = option
    option.offers = .records(kind)
    return APIField(option: option, location: location, kind: self.kind)
  }

  private static func dashed(_ name: String) -> String { String(name.map { $0 == "_" ? "-" : $0 }) }
}
