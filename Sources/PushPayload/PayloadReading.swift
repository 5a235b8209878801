public import WireJSON

/// A model that was read, and what reading had to say.
public struct PayloadReading<Model: PayloadModel>: Sendable {
  /// The model, with every member of the source in its position, whether it is known and well-typed or not.
  public let model: Model
  /// Members of other types, unknown members, repeated names.
  public let report: Report
}

extension PayloadModel {
  /// Reads a model from JSON text.
  ///
  /// Writing it again (``bytes``) gives the same bytes when the source was minified and repeated no name.
  /// A source that is JSON but no object reads as an empty model with a finding.
  /// - Throws: `JSONError` when the source is not JSON.
  public static func read(
    _ bytes: [UInt8], limits: JSONLimits = .default
  ) throws(JSONError) -> PayloadReading<Self> {
    var document = JSONDocument()
    try document.parse(bytes, limits: limits)
    var report = Report()
    report.findings = PayloadMismatch.findings(schema.mismatches(in: document, at: document.root), in: document)
    if document.kind(document.root) != .object {
      for index in report.findings.indices { report.findings[index].severity = .error }
    }
    for duplicate in document.duplicates() {
      report.findings.append(PayloadMismatch.finding(duplicate, in: document))
    }
    return PayloadReading(
      model: Self(json: document.value(document.root)) ?? Self(object: JSONObject()), report: report)
  }
}

extension PayloadMismatch {
  /// The rule that the mismatch breaks: a type or an unknown name, at Apple or at Google.
  public var rule: String {
    switch problem {
    case .type: provider.row.rules.type
    case .unknown: provider.row.rules.name
    case .unknownValue: provider.row.rules.value
    case .notString: "fcm-data-not-string"
    case .spelledTwice: "fcm-field-twice"
    }
  }

  /// How serious it is: APNs takes what it does not know, and iOS ignores it; Google refuses it.
  public var severity: Severity {
    switch problem {
    case .type, .unknown, .unknownValue: provider.row.isLenient ? .warning : .error
    case .spelledTwice: .warning
    case .notString: .error
    }
  }

  /// The mismatch in a person's words.
  public func message(in document: JSONDocument) -> String {
    switch problem {
    case .type(let expected, let loss):
      // Apple documents the number 1; Foundation does not distinguish it from true.
      let isTrue = expected == .flag && document.bool(node) == true
      let cause = isTrue ? "Apple documents the number alone" : "iOS ignores it"
      let effect = loss.map { "; \(cause), so \($0)" } ?? ""
      return "expected \(expected.expectation), found \(PayloadMismatch.shown(node, in: document))\(effect)"
    case .notString:
      return "expected a string, found \(PayloadMismatch.shown(node, in: document)); write the value as a string"
    case .spelledTwice:
      return "the field occurs in both spellings, snake_case and lowerCamelCase; the last one counts, keep one"
    case .unknownValue(let known):
      return "expected one of \(known.joined(separator: ", ")), found \(PayloadMismatch.shown(node, in: document))"
    case .unknown(let schema):
      let (before, after) = provider.row.unknown
      return before + schema.name + after + "; check the spelling, or move it to the app's own data"
    }
  }

  /// The finding, with its path.
  public func finding(in document: JSONDocument, base: FieldPath = FieldPath()) -> Finding {
    finding(at: FieldPath(of: node, in: document), in: document, base: base)
  }

  private func finding(at path: FieldPath, in document: JSONDocument, base: FieldPath) -> Finding {
    Finding(
      rule: rule, severity: severity, field: base.appending(path).text, message: message(in: document))
  }

  /// The findings, with their paths.
  ///
  /// - Complexity: O(*n*) in the values of the document and the number of mismatches.
  public static func findings(
    _ mismatches: [PayloadMismatch], in document: JSONDocument, base: FieldPath = FieldPath()
  ) -> [Finding] {
    guard mismatches.count > 4 else { return mismatches.map { $0.finding(in: document, base: base) } }
    let ancestry = JSONAncestry(document)
    return mismatches.map { mismatch in
      mismatch.finding(at: FieldPath(of: mismatch.node, in: document, ancestry), in: document, base: base)
    }
  }

  /// The finding about a repeated name.
  public static func finding(
    _ duplicate: JSONDuplicate, in document: JSONDocument, base: FieldPath = FieldPath()
  ) -> Finding {
    let path = base.appending(FieldPath(pointer: duplicate.pointer, in: document))
    return Finding(
      rule: "json-duplicate-key", severity: .warning, field: path.text,
      message: "the name occurs more than once in its object, here at byte \(duplicate.offset); the last one counts")
  }

  /// The longest value that a message quotes, in bytes.
  static let shownBytesMax = 40

  /// A value as a message quotes it: its kind, and its text when that is short.
  static func shown(_ node: JSONNode, in document: JSONDocument) -> String {
    let kind = document.kind(node)
    let range = document.sourceRange(of: node)
    guard range.count <= shownBytesMax, kind != .null else { return kind.description }
    let text = unsafe document.withSource(of: node) { unsafe String(decoding: $0, as: UTF8.self) }
    return "\(kind.description) (\(text))"
  }
}
