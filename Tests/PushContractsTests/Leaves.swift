import PushContracts
import PushPayload
import WireJSON

/// The places of a rendering, each with its value: what a row test compares.
struct Leaves {
  /// Path (or `header NAME`) and minified value; arrays count as one value.
  var values: [(path: String, value: String)] = []
  /// Fields that hold an object as JSON text; its members are leaves of their own.
  var textObjects: [String] = []

  static func apns(_ rendering: Rendering) -> Leaves {
    var leaves = Leaves()
    guard let apns = rendering.apns else { return leaves }
    apns.headers.forEach { leaves.values.append(("header \($0)", $1)) }
    if let payload = try? JSON.parse(apns.payload) { leaves.add(payload, FieldPath()) }
    return leaves
  }

  static func fcm(_ rendering: Rendering, _ policy: ContractPolicy) -> Leaves {
    var leaves = Leaves(textObjects: policy.fcmTextObjects)
    if let body = rendering.fcm?.body, let json = try? JSON.parse(body) { leaves.add(json, FieldPath()) }
    return leaves
  }

  private mutating func add(_ value: JSONValue, _ path: FieldPath) {
    if case .string(let text) = value, textObjects.contains(path.text), let inner = try? JSON.parse(text) {
      return add(inner, path)
    }
    guard case .object(let members) = value, !members.isEmpty else {
      if !path.steps.isEmpty { values.append((path.text, JSON.minifiedText(value))) }
      return
    }
    for (key, member) in members { add(member, path.member(key)) }
  }

  /// The paths that are in only one of the two, or whose value differs.
  func changes(from other: Leaves) -> [String] {
    var changed: [String] = []
    for (path, value) in values where other.values.first(where: { $0.path == path })?.value != value {
      changed.append(path)
    }
    for (path, _) in other.values where !values.contains(where: { $0.path == path }) { changed.append(path) }
    return changed
  }
}

extension MappingSlot {
  /// True when a leaf stands at this place or below it.
  func covers(_ leaf: String) -> Bool { MappingSlot.covers(isHeader ? "header \(path)" : path, leaf) }

  static func covers(_ index: String, _ leaf: String) -> Bool {
    if index == "header *" { return leaf.hasPrefix("header ") }
    if index == "*" { return !leaf.hasPrefix("header ") && leaf != "aps" && !leaf.hasPrefix("aps.") }
    if index.hasSuffix(".*") { return leaf.hasPrefix(index.dropLast()) || leaf.hasPrefix(index.dropLast(2) + "[") }
    return leaf == index || leaf.hasPrefix(index + ".") || leaf.hasPrefix(index + "[")
  }
}
