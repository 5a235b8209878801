public import Basics
public import WireJSON

/// A Swift type that represents a JSON value in a payload.
public protocol PayloadValue: Sendable, Hashable {
  /// Reads a value; nil when the JSON has another type.
  init?(json: JSONValue)
  /// The value as JSON.
  var json: JSONValue { get }
}

/// A typed view of a JSON object: the object itself is stored, so order and unknown members are preserved.
///
/// Getting a member of another type gives nil; setting nil removes the member; setting an existing member keeps its
/// position. A member may be spelled in snake_case or lowerCamelCase; the last one is used, as the providers read it.
public protocol PayloadModel: PayloadValue {
  /// The object that is seen through this type.
  var object: JSONObject { get set }
  /// Sees an object through this type.
  init(object: JSONObject)
  /// The documented members.
  static var schema: PayloadSchema { get }
}

extension PayloadModel {
  /// Sees a JSON object through this type; nil for another JSON type.
  public init?(json: JSONValue) {
    guard case .object(let object) = json else { return nil }
    self.init(object: object)
  }

  /// The object as a JSON value.
  public var json: JSONValue { .object(object) }

  /// The exact minified text.
  public var bytes: [UInt8] { JSON.minified(.object(object)) }

  /// The member of a name from the provider's documentation, typed.
  public subscript<Value: PayloadValue>(name name: String) -> Value? {
    get { value(name).flatMap { Value(json: $0) } }
    set { set(name, newValue?.json) }
  }

  /// The member as JSON, in either spelling; the last one when there are several.
  public func value(_ name: String) -> JSONValue? {
    let camel = PayloadField.lowerCamelCase(name)
    guard let camel else { return object[name] }
    var found: JSONValue?
    for (key, value) in object where key == name || key == camel { found = value }
    return found
  }

  /// Sets or removes the member, keeping the position and spelling of an existing one.
  public mutating func set(_ name: String, _ value: JSONValue?) {
    let camel = PayloadField.lowerCamelCase(name)
    guard let value else {
      _ = object.removeValue(forKey: name)
      if let camel { _ = object.removeValue(forKey: camel) }
      return
    }
    guard let camel, object[camel] != nil else { return object[name] = value }
    _ = object.removeValue(forKey: name)
    object[camel] = value
  }
}

extension PayloadModel {
  /// A member that is the number 1 for yes; false when it is absent or anything else.
  func flag(_ name: String) -> Bool { self[name: name] == 1 }

  /// Writes 1 for yes and removes the member for no.
  mutating func setFlag(_ name: String, _ isSet: Bool) { set(name, isSet ? .number(JSONNumber(1)) : nil) }
}

extension String: PayloadValue {
  /// Reads a JSON string.
  public init?(json: JSONValue) {
    guard case .string(let text) = json else { return nil }
    self = text
  }

  /// A JSON string.
  public var json: JSONValue { .string(self) }
}

extension Bool: PayloadValue {
  /// Reads `true` or `false`.
  public init?(json: JSONValue) {
    guard case .bool(let flag) = json else { return nil }
    self = flag
  }

  /// `true` or `false`.
  public var json: JSONValue { .bool(self) }
}

extension WholeNumber: PayloadValue {
  /// Reads a whole number.
  public init?(json: JSONValue) {
    guard case .number(let number) = json, let value = number.int else { return nil }
    self = value
  }

  /// A JSON number.
  public var json: JSONValue { .number(JSONNumber(self)) }
}

extension Double: PayloadValue {
  /// Reads any number.
  public init?(json: JSONValue) {
    guard case .number(let number) = json, let value = number.double else { return nil }
    self = value
  }

  /// A JSON number; 0 for a value that JSON cannot hold (infinity, not a number).
  public var json: JSONValue {
    if let exact = WholeNumber(exactly: self) { return exact.json }
    return .number(JSONNumber(self) ?? JSONNumber(0))
  }
}

extension JSONObject: PayloadValue {
  /// Reads a JSON object.
  public init?(json: JSONValue) {
    guard case .object(let object) = json else { return nil }
    self = object
  }

  /// A JSON object.
  public var json: JSONValue { .object(self) }
}

extension Array: PayloadValue where Element: PayloadValue {
  /// Reads an array whose elements are all of the type.
  public init?(json: JSONValue) {
    guard case .array(let values) = json else { return nil }
    var elements: [Element] = []
    elements.reserveCapacity(values.count)
    for value in values {
      guard let element = Element(json: value) else { return nil }
      elements.append(element)
    }
    self = elements
  }

  /// A JSON array.
  public var json: JSONValue { .array(map { $0.json }) }
}

/// A string out of a set that the provider may extend; unknown values survive.
public protocol PayloadEnumeration: PayloadValue, RawRepresentable where RawValue == String {
  /// The documented values, in the provider's order.
  static var known: [Self] { get }
  /// Makes a value from its wire text, known or not.
  init(rawValue: String)
}

extension PayloadEnumeration {
  /// Reads the text, or the position in the documented list (proto3 JSON).
  public init?(json: JSONValue) {
    switch json {
    case .string(let text): self.init(rawValue: text)
    case .number(let number):
      guard let index = number.int.flatMap({ Int(exactly: $0) }), Self.known.indices.contains(index) else { return nil }
      self = Self.known[index]
    default: return nil
    }
  }

  /// The wire text.
  public var json: JSONValue { .string(rawValue) }

  /// The type of a member that holds one.
  public static var payloadType: PayloadType { .enumeration(known.map { $0.rawValue }, anyCase: false) }

  /// True for a documented value.
  public var isKnown: Bool { Self.known.contains(self) }
}
