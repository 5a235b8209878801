import PushCore
import WireJSON

/// What a value looks like: one declaration for the schema that clients are shown and for the check of what they send.
indirect enum MCPShape: Sendable {
  case text(max: Int, form: Form = .any)
  case choice([String])
  case integer(ClosedRange<Int>)
  case number
  case flag
  case list(MCPShape, max: Int)
  /// An object with these members; an open one may have others.
  case members([MCPField], isOpen: Bool = false)
  /// Any object.
  case object
  case any

  /// What a text may be made of.
  enum Form: Sendable {
    case any
    /// The name of an app or a segment: one part of an address, and not `.` or `..`, which lead elsewhere.
    case name
    /// The id of a push or a device.
    case id

    var pattern: String? {
      switch self {
      case .any: nil
      case .name: #"^(?!\.{1,2}$)[A-Za-z0-9._-]+$"#
      case .id: "^[1-9][0-9]{0,18}$"
      }
    }

    func holds(_ text: String) -> Bool {
      let bytes = text.utf8
      switch self {
      case .any: return true
      case .name:
        return !bytes.isEmpty && text != "." && text != ".."
          && bytes.allSatisfy { Form.isAlphanumeric($0) || $0 == 0x2E || $0 == 0x5F || $0 == 0x2D }
      case .id: return (1...19).contains(bytes.count) && bytes.first != 0x30 && bytes.allSatisfy(Form.isDigit)
      }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    private static func isAlphanumeric(_ byte: UInt8) -> Bool { isDigit(byte) || (0x61...0x7A).contains(byte | 0x20) }
  }
}

/// A member of an object.
struct MCPField: Sendable {
  let name: String
  let shape: MCPShape
  let about: String
  let isRequired: Bool

  static func required(_ name: String, _ shape: MCPShape, _ about: String = "") -> MCPField {
    MCPField(name: name, shape: shape, about: about, isRequired: true)
  }

  static func optional(_ name: String, _ shape: MCPShape, _ about: String = "") -> MCPField {
    MCPField(name: name, shape: shape, about: about, isRequired: false)
  }
}

// MARK: As JSON Schema

extension MCPShape {
  /// The schema, in JSON Schema 2020-12.
  var schema: JSONObject {
    switch self {
    case .text(let max, let form):
      var schema: JSONObject = ["type": "string", "maxLength": .number(JSONNumber(max))]
      if let pattern = form.pattern { schema.append("pattern", .string(pattern)) }
      return schema
    case .choice(let names): return ["type": "string", "enum": .array(names.map { .string($0) })]
    case .integer(let range):
      return [
        "type": "integer", "minimum": .number(JSONNumber(range.lowerBound)),
        "maximum": .number(JSONNumber(range.upperBound)),
      ]
    case .number: return ["type": "number"]
    case .flag: return ["type": "boolean"]
    case .list(let shape, let max):
      return ["type": "array", "items": .object(shape.schema), "maxItems": .number(JSONNumber(max))]
    case .members(let fields, let isOpen): return MCPShape.schema(of: fields, isOpen: isOpen)
    case .object: return ["type": "object"]
    case .any: return [:]
    }
  }

  private static func schema(of fields: [MCPField], isOpen: Bool) -> JSONObject {
    var properties = JSONObject()
    for field in fields {
      var schema = field.shape.schema
      if !field.about.isEmpty { schema.append("description", .string(field.about)) }
      properties.append(field.name, .object(schema))
    }
    var schema: JSONObject = ["type": "object", "properties": .object(properties)]
    let required = fields.filter(\.isRequired).map { JSONValue.string($0.name) }
    if !required.isEmpty { schema.append("required", .array(required)) }
    if !isOpen { schema.append("additionalProperties", false) }
    return schema
  }
}

// MARK: Checking

extension MCPShape {
  /// What is wrong with a value, in one sentence that names where; nil when nothing is.
  func problem(_ value: JSONValue, at path: String = "") -> String? {
    func wrong(_ expected: String) -> String { "\(path.isEmpty ? "arguments" : path): expected \(expected)" }
    switch self {
    case .text(let max, let form):
      guard let text = value.string else { return wrong("a text, found \(value.kind)") }
      guard text.unicodeScalars.count <= max else { return wrong("at most \(max) characters") }
      return form.holds(text) ? nil : wrong(form == .id ? "an id in digits" : "letters, digits, - _ and . only")
    case .choice(let names):
      return value.string.map(names.contains) == true ? nil : wrong("one of \(names.joined(separator: ", "))")
    case .integer(let range):
      guard let number = value.int, range.contains(number) else {
        return wrong("a whole number from \(range.lowerBound) to \(range.upperBound)")
      }
      return nil
    case .number: return value.number == nil ? wrong("a number, found \(value.kind)") : nil
    case .flag: return value.bool == nil ? wrong("true or false, found \(value.kind)") : nil
    case .list(let shape, let max):
      guard let array = value.array else { return wrong("a list, found \(value.kind)") }
      guard array.count <= max else { return wrong("at most \(max) entries") }
      for (index, element) in array.enumerated() {
        if let problem = shape.problem(element, at: "\(path)[\(index)]") { return problem }
      }
      return nil
    case .members(let fields, let isOpen):
      guard let object = value.object else { return wrong("an object, found \(value.kind)") }
      return MCPShape.problem(object, fields, isOpen: isOpen, at: path)
    case .object: return value.object == nil ? wrong("an object, found \(value.kind)") : nil
    case .any: return nil
    }
  }

  private static func problem(_ object: JSONObject, _ fields: [MCPField], isOpen: Bool, at path: String) -> String? {
    let leading = path.isEmpty ? "" : "\(path)."
    let unknown = object.first { member in !fields.contains { $0.name == member.key } }
    if !isOpen, let unknown {
      let nearest = Nearest.match(String(unknown.key.prefix(64)), among: fields.map(\.name))
      let known = fields.isEmpty ? "it takes none" : "there are \(fields.map(\.name).joined(separator: ", "))"
      return "\(leading)\(MCPText.line(unknown.key, max: 64)): no such member; "
        + (nearest.map { "did you mean \($0)?" } ?? known)
    }
    for field in fields {
      guard let value = object[field.name] else {
        if field.isRequired { return "\(leading)\(field.name) is missing" }
        continue
      }
      if let problem = field.shape.problem(value, at: leading + field.name) { return problem }
    }
    return nil
  }
}
