internal import WireJSON

/// The shape of a JSON value: checked when a request comes in, and written into the OpenAPI document.
///
/// One source for both.
struct Schema: Sendable {
  indirect enum Form: Sendable {
    /// Text of so many characters (Unicode code points, as JSON Schema counts).
    case string(min: Int, max: Int)
    case choice([String])
    case integer(ClosedRange<Int>)
    case boolean
    case object([Property])
    /// An object with keys of the caller's choice.
    case map
    case array(Schema, min: Int, max: Int)
    /// Any JSON value.
    case any
    /// A schema described once, under a name.
    case named(String)
  }

  struct Property: Sendable {
    let name: String
    let schema: Schema
    var isRequired = false
    /// Whether null is taken too.
    var isNullable = false
  }

  /// What is done with members of an object that its shape does not know.
  enum Unknown: Sendable {
    /// They are ignored, with a warning.
    case ignored
    /// They are refused: each could decide who gets a push.
    case refused
    /// Those that resemble a member, or another service's member that decides who gets a push, when or how, are refused;
    /// others are ignored, with a warning.
    case doubted
  }

  var form: Form
  var about: String
  var unknown = Unknown.ignored
  var example: JSONValue?
  /// Further members for the OpenAPI document only: bounds that the code checks, with better messages.
  var documented: JSONObject = [:]

  init(_ form: Form, _ about: String = "", example: JSONValue? = nil) {
    self.form = form
    self.about = about
    self.example = example
  }

  static func string(_ about: String, min: Int = 1, max: Int = 200, example: JSONValue? = nil) -> Schema {
    Schema(.string(min: min, max: max), about, example: example)
  }

  static func choice(_ values: [String], _ about: String, example: JSONValue? = nil) -> Schema {
    Schema(.choice(values), about, example: example)
  }

  static func integer(_ range: ClosedRange<Int>, _ about: String, example: JSONValue? = nil) -> Schema {
    Schema(.integer(range), about, example: example)
  }

  static func boolean(_ about: String) -> Schema { Schema(.boolean, about) }

  static func object(_ properties: [Property], _ about: String = "") -> Schema { Schema(.object(properties), about) }

  static func array(of item: Schema, min: Int = 0, max: Int, _ about: String = "") -> Schema {
    Schema(.array(item, min: min, max: max), about)
  }

  /// The schema with further members in the OpenAPI document.
  func documented(_ members: JSONObject) -> Schema {
    var copy = self
    for (name, value) in members { copy.documented[name] = value }
    return copy
  }

  /// The same object, which refuses members that it does not know.
  var strict: Schema {
    var copy = documented(["additionalProperties": false])
    copy.unknown = .refused
    return copy
  }

  /// The shape of a request that decides who gets a push, when and how.
  static func push(_ properties: [Property]) -> Schema {
    var schema = Schema.object(properties)
    schema.unknown = .doubted
    return schema
  }

  /// The same object with no required member: for requests that change the members they name.
  var changing: Schema {
    guard case .object(let properties) = form else { return self }
    var copy = self
    copy.form = .object(
      properties.map { property in
        var property = property
        property.isRequired = false
        return property
      })
    return copy
  }

  static func named(_ name: String) -> Schema { Schema(.named(name)) }

  /// A timestamp: in answers in the API's format, in requests any of RFC 3339, of which a fraction and an offset are part.
  static func time(_ about: String, example: JSONValue = "2026-11-20T12:00:00.000Z") -> Schema {
    .string(about, max: 40, example: example).documented(["format": "date-time"])
  }

  /// A part of a whole, 0 to 1, and null while the whole is nothing.
  static func share(_ about: String) -> Schema {
    Schema(.any, about).documented(["type": ["number", "null"], "minimum": 0, "maximum": 1])
  }
}

extension Schema.Property {
  static func required(_ name: String, _ schema: Schema) -> Schema.Property {
    Schema.Property(name: name, schema: schema, isRequired: true)
  }

  /// A member that may be absent, or null.
  static func nullable(_ name: String, _ schema: Schema) -> Schema.Property {
    Schema.Property(name: name, schema: schema, isNullable: true)
  }

  static func optional(_ name: String, _ schema: Schema) -> Schema.Property {
    Schema.Property(name: name, schema: schema)
  }
}
