internal import StoreModel

/// Whose attribute it is.
enum AttributeLevel: Int64 {
  case device = 1
  case user = 2
}

/// The numbers of the attributes' names in one app, at one level.
struct AttributeKeys {
  struct Key: Hashable {
    let name: String
    let kind: AttributeValue.Kind
  }

  struct Scope: Hashable {
    let app: AppID
    let level: AttributeLevel
  }

  private(set) var numbers: [Key: Int64] = [:]
  private(set) var keys: [Int64: Key] = [:]

  mutating func add(_ key: Key, _ number: Int64) {
    numbers[key] = number
    keys[number] = key
  }

  /// The numbers a name has, one for each type it is used with.
  func numbers(named name: String) -> [Int64] {
    AttributeValue.Kind.allCases.compactMap { numbers[Key(name: name, kind: $0)] }
  }

  /// The numbers of all names that begin so.
  func numbers(withPrefix prefix: String) -> [Int64] {
    numbers.filter { $0.key.name.hasPrefix(prefix) }.map(\.value).sorted()
  }
}

extension Connection {
  /// All names of an app at a level; their number is limited.
  func attributeKeys(_ scope: AttributeKeys.Scope) throws(StoreError) -> AttributeKeys {
    let select = try prepare("SELECT id, name, type FROM attribute_keys WHERE app = ?1 AND level = ?2")
    select.bindAll(scope.app, scope.level.rawValue)
    var keys = AttributeKeys()
    while try select.step() {
      guard let kind = AttributeValue.Kind(rawValue: select.int64(2)) else { continue }
      keys.add(.init(name: select.text(1), kind: kind), select.int64(0))
    }
    return keys
  }
}

extension WriterContext {
  /// The name that a number represents; all names of the scope are remembered between commands.
  mutating func key(_ number: Int64, _ scope: AttributeKeys.Scope) throws(StoreError) -> AttributeKeys.Key? {
    if let known = attributeKeys[scope]?.keys[number] { return known }
    // Read again: another node may have made it since.
    let read = try db.attributeKeys(scope)
    attributeKeys[scope] = read
    return read.keys[number]
  }

  /// The number of a name, made when it is new.
  mutating func number(of key: AttributeKeys.Key, _ scope: AttributeKeys.Scope) throws(StoreError) -> Int64 {
    if let number = attributeKeys[scope]?.numbers[key] { return number }
    // Read again: another handle may have created it since.
    let known = try db.attributeKeys(scope)
    attributeKeys[scope] = known
    if let number = known.numbers[key] { return number }
    guard known.numbers.count < StoreLimits.attributeNamesMax else {
      throw StoreError(
        .invalid, "\(key.name): the app has \(StoreLimits.attributeNamesMax) names of properties already",
        advice: "use names that are there; a value such as an id belongs into the value, not into the name")
    }
    let insert = try db.prepare("INSERT INTO attribute_keys(app, level, name, type) VALUES (?1, ?2, ?3, ?4)")
    insert.bindAll(scope.app, scope.level.rawValue, key.name, key.kind.rawValue)
    try insert.run()
    let number = try db.lastInsertedRowID()
    attributeKeys[scope]?.add(key, number)
    return number
  }
}
