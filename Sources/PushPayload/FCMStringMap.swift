public import WireJSON

/// An object of strings, such as FCM `data`: ordered, the last of equal keys counts.
///
/// A value that is not a string stays where it is and reads as nil; the rules report it.
public struct FCMStringMap: PayloadValue, ExpressibleByDictionaryLiteral {
  /// The object that is seen through this type.
  public var object: JSONObject

  /// Sees an object through this type; empty unless one is given.
  public init(object: JSONObject = JSONObject()) { self.object = object }

  /// Makes a map from pairs, in order.
  public init(dictionaryLiteral elements: (String, String)...) {
    object = JSONObject()
    for (key, value) in elements { object[key] = .string(value) }
  }

  /// Reads a JSON object.
  public init?(json: JSONValue) {
    guard case .object(let object) = json else { return nil }
    self.object = object
  }

  /// A JSON object.
  public var json: JSONValue { .object(object) }

  /// The string under a key; setting nil removes it.
  public subscript(key: String) -> String? {
    get { object[key].flatMap { String(json: $0) } }
    set {
      if let newValue { object[key] = .string(newValue) } else { _ = object.removeValue(forKey: key) }
    }
  }

  /// The pairs whose value is a string, in order.
  public var strings: [(key: String, value: String)] {
    object.compactMap { member in String(json: member.value).map { (member.key, $0) } }
  }
}
