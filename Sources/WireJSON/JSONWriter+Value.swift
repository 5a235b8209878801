extension JSONWriter {
  /// Writes a value with everything in it.
  public mutating func value(_ value: JSONValue) {
    switch value {
    case .null: null()
    case .bool(let value): bool(value)
    case .number(let value): number(value)
    case .string(let value): string(value)
    case .array(let elements): array(elements)
    case .object(let members): object(members)
    }
  }

  /// Writes an array with everything in it.
  public mutating func array(_ elements: [JSONValue]) {
    beginArray()
    for element in elements { value(element) }
    endArray()
  }

  /// Writes an object with everything in it, its members in their order.
  public mutating func object(_ members: JSONObject) {
    beginObject()
    for (name, member) in members {
      key(name)
      value(member)
    }
    endObject()
  }
}
