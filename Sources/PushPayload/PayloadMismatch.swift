public import WireJSON

/// A member of a document that is not what its provider documents.
public struct PayloadMismatch: Sendable {
  /// What is wrong with it.
  public enum Problem: Sendable {
    /// The value has another type; the loss is what is lost when the device ignores it.
    case type(expected: PayloadType, loss: String? = nil)
    /// A value of a map of strings is no string.
    case notString
    /// The value is none of the documented ones.
    case unknownValue(known: [String])
    /// The member is present in both spellings, snake_case and lowerCamelCase.
    case spelledTwice
    /// The object has no documented member of this name.
    case unknown(in: PayloadSchema)
  }

  /// The value.
  public let node: JSONNode
  /// Whose documentation it departs from.
  public let provider: PayloadSchema.Provider
  /// What is wrong with it.
  public let problem: Problem
}

extension PayloadSchema {
  /// Compares an object with its documentation, all the way down.
  ///
  /// Allocates only for what it finds.
  public func mismatches(in document: JSONDocument, at node: JSONNode) -> [PayloadMismatch] {
    var walk = PayloadWalk(document: document)
    walk.object(node, self)
    return walk.found
  }
}

/// The walk of a schema over a document.
struct PayloadWalk {
  /// A field: the object's documentation, and the field's index in it.
  struct Member {
    let schema: PayloadSchema
    let index: Int

    var type: PayloadType { schema.fields[index].type }
  }

  let document: JSONDocument
  var found: [PayloadMismatch] = []

  /// Compares a value with an object's documentation; one that is no object is a mismatch of the field that holds it.
  mutating func object(_ node: JSONNode, _ schema: PayloadSchema, in owner: Member? = nil) {
    guard document.kind(node) == .object else {
      guard let owner else { return fail(node, schema.provider, .model(schema), nil) }
      return fail(node, .model(schema), owner)
    }
    // One bit for each field and spelling; no schema has more than 64 fields.
    var seen: (snake: UInt64, camel: UInt64) = (0, 0)
    for (name, value) in document.members(of: node) {
      if let (index, isCamel) = schema.index(of: name, in: document) {
        let bit: UInt64 = 1 << UInt64(index)
        if isCamel { seen.camel |= bit } else { seen.snake |= bit }
        if seen.camel & seen.snake & bit != 0 {
          found.append(PayloadMismatch(node: value, provider: schema.provider, problem: .spelledTwice))
        }
        // The usual case is detected without reading the field's type.
        if let plain = schema.plainKinds[index], document.kind(value) == plain { continue }
        member(value, Member(schema: schema, index: index))
      } else if !schema.isOpen {
        found.append(PayloadMismatch(node: value, provider: schema.provider, problem: .unknown(in: schema)))
      }
    }
  }

  private mutating func member(_ node: JSONNode, _ owner: Member) {
    let kind = document.kind(node)
    let (schema, type) = (owner.schema, owner.type)
    if kind == .null && schema.isProto3 { return }
    switch type {
    case .model(let inner): object(node, inner, in: owner)
    case .stringOrModel(let inner):
      if kind == .object { object(node, inner) } else if kind != .string { fail(node, type, owner) }
    case .strings: elements(node, .string, in: owner)
    case .durations: elements(node, .duration, in: owner)
    case .models(let inner): objects(node, inner, in: owner)
    case .numbers: if kind != .number { elements(node, .number, in: owner) }
    case .stringMap: strings(node, in: owner)
    case .enumeration(let values, let anyCase):
      guard kind == .string else { return isPosition(node, values.count, schema) ? () : fail(node, type, owner) }
      if !isOne(of: values, node, anyCase) {
        found.append(PayloadMismatch(node: node, provider: schema.provider, problem: .unknownValue(known: values)))
      }
    default: if !fits(node, kind, type, schema.isProto3) { fail(node, type, owner) }
    }
  }

  private mutating func elements(_ node: JSONNode, _ element: PayloadType, in owner: Member) {
    guard document.kind(node) == .array else { return fail(node, owner.type, owner) }
    for item in document.elements(of: node)
    where !fits(item, document.kind(item), element, owner.schema.isProto3) { fail(item, element, owner) }
  }

  private mutating func objects(_ node: JSONNode, _ inner: PayloadSchema, in owner: Member) {
    guard document.kind(node) == .array else { return fail(node, owner.type, owner) }
    for item in document.elements(of: node) { object(item, inner, in: owner) }
  }

  private mutating func strings(_ node: JSONNode, in owner: Member) {
    guard document.kind(node) == .object else { return fail(node, owner.type, owner) }
    for (_, value) in document.members(of: node) where document.kind(value) != .string {
      found.append(PayloadMismatch(node: value, provider: owner.schema.provider, problem: .notString))
    }
  }

  private func fits(
    _ node: JSONNode, _ kind: JSONKind, _ type: PayloadType, _ isProto3: Bool
  ) -> Bool {
    switch type {
    case .string: kind == .string
    case .stringOrNull: kind == .string || kind == .null
    case .boolean: kind == .bool
    case .object: kind == .object
    case .flag: kind == .number && (document.int(node) == 1 || document.int(node) == 0)
    case .integer: isInteger(node, kind, isProto3)
    case .number: kind == .number || isProto3 && kind == .string && isNumberText(node)
    case .duration: kind == .string && document.string(node).flatMap { FCMDuration(text: $0) } != nil
    case .timestamp: kind == .string && document.string(node).flatMap { FCMTimestamp(text: $0) } != nil
    default: true
    }
  }

  /// proto3 JSON takes 32-bit integers as numbers and as strings; Apple's are plain numbers of any size.
  private func isInteger(_ node: JSONNode, _ kind: JSONKind, _ isProto3: Bool) -> Bool {
    guard isProto3 else { return kind == .number && document.int(node) != nil }
    if kind == .number { return document.int(node).map { Int32(exactly: $0) != nil } ?? false }
    guard kind == .string, let text = document.string(node) else { return false }
    return JSONNumber(text: text).flatMap { $0.int }.map { Int32(exactly: $0) != nil } ?? false
  }

  private func isNumberText(_ node: JSONNode) -> Bool {
    guard let text = document.string(node) else { return false }
    return JSONNumber(text: text) != nil || text == "NaN" || text == "Infinity" || text == "-Infinity"
  }

  /// Whether the value is a position in a list of enumeration values, which proto3 JSON takes.
  private func isPosition(_ node: JSONNode, _ count: Int, _ schema: PayloadSchema) -> Bool {
    guard schema.isProto3, let position = document.int(node) else { return false }
    return position >= 0 && position < count
  }

  private func isOne(of values: [String], _ node: JSONNode, _ anyCase: Bool) -> Bool {
    for value in values where document.isString(node, value) { return true }
    guard anyCase, let text = document.string(node) else { return false }
    return values.contains { value in
      value.utf8.elementsEqual(text.utf8) { $0 == ($1 >= 0x61 && $1 <= 0x7A ? $1 - 0x20 : $1) }
    } || values.contains(text.uppercased())
  }

  private mutating func fail(_ node: JSONNode, _ type: PayloadType, _ owner: Member) {
    fail(node, owner.schema.provider, type, owner.schema.fields[owner.index].loss)
  }

  private mutating func fail(
    _ node: JSONNode, _ provider: PayloadSchema.Provider, _ type: PayloadType, _ loss: String?
  ) {
    found.append(PayloadMismatch(node: node, provider: provider, problem: .type(expected: type, loss: loss)))
  }
}
