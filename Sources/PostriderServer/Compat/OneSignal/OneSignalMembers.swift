internal import PushPayload
internal import WireJSON

extension Problem {
  /// The same of what is inside another member.
  func inside(_ path: String) -> Problem {
    var problem = self
    for index in problem.report.findings.indices {
      let field = problem.report.findings[index].field
      if !field.hasPrefix(path) { problem.report.findings[index].field = field.isEmpty ? path : "\(path).\(field)" }
    }
    return problem
  }
}

/// Members of OneSignal's requests, strictly: absent and null are nothing, and a value of another kind is refused, because what it
/// decides is who gets a message, and whether once.
extension JSONValue {
  func text(_ name: String, in path: String = "") throws(Problem) -> String? {
    try member(name, path, "a text") { $0.string }
  }

  func flag(_ name: String, in path: String = "") throws(Problem) -> Bool? {
    try member(name, path, "true or false") { $0.bool }
  }

  func whole(_ name: String, in path: String = "") throws(Problem) -> Int? {
    try member(name, path, "a whole number") { $0.int }
  }

  func members(_ name: String, in path: String = "") throws(Problem) -> JSONObject? {
    try member(name, path, "an object") { $0.object }
  }

  func elements(_ name: String, in path: String = "") throws(Problem) -> [JSONValue]? {
    try member(name, path, "an array") { $0.array }
  }

  /// Refuses a member that is not known, by its name: what it asks for would be passed over.
  func refuseOthers(than known: Set<String>) throws(Problem) {
    for (name, value) in object ?? [:]
    where !known.contains(name) && name != CompatCall.appMember && !value.isNull && value.bool != false {
      throw Problem.ofUnknownMember(
        String(name.prefix(40)), "is not stored here; there are \(known.sorted().joined(separator: ", "))")
    }
  }

  private func member<Value>(
    _ name: String, _ path: String, _ expected: String, _ read: (JSONValue) -> Value?
  ) throws(Problem) -> Value? {
    guard let value = self[name], !value.isNull else { return nil }
    if let read = read(value) { return read }
    throw OneSignalErrors.refusal(path.isEmpty ? name : "\(path).\(name)", "expected \(expected)")
  }
}
