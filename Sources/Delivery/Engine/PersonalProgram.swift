internal import Liquid
internal import PushRules
internal import StoreModel
internal import WireJSON

/// A text in Liquid, compiled once for each push, and where each of the values that it reads comes from.
struct PersonalProgram: Sendable {
  /// Which of the request's values are looked at.
  private enum Scope: Sendable {
    /// Those of the address, of the user, and for everybody.
    case all
    /// Those of the user: `user.first_name`.
    case user
    /// Those of the address: `device.city`.
    case device
    /// What the server says of the push: `push.name`.
    case push
  }

  private struct Source: Sendable {
    /// The path without the object in front.
    let input: LiquidInput
    let scope: Scope
    /// The slot of the recipient's row that has the value.
    let slot: Int?
  }

  /// Has the values for everybody.
  let renderer: LiquidRenderer
  private let sources: [Source]

  /// Nil for a text that cannot be compiled.
  init?(_ text: String, _ values: PersonalValues, slot: (String) -> Int?) {
    guard let template = try? MessageText.compile(text) else { return nil }
    var renderer = LiquidRenderer(template)
    renderer.isStrict = values.skipsUndefined
    var sources: [Source] = []
    for (number, input) in template.inputs.enumerated() {
      let scope = Self.scope(input)
      let isObject = input.path.count > 1 && MessageText.objects.contains(input.path[0])
      let inner = isObject && scope != .push ? input.inner : input
      if scope == .all || scope == .push {
        if let tree = inner.value(in: .object(values.trees.common)) {
          renderer.share(number, tree)
        } else if let text = values.common[inner.name] {
          renderer.share(number, .string(text))
        }
      }
      let isStored = scope != .push && !(isObject && scope == .all)
      sources.append(Source(input: inner, scope: scope, slot: isStored ? slot(MessageText.name(input)) : nil))
    }
    self.renderer = renderer
    self.sources = sources
  }

  /// The names of what a text reads of recipients, as `slot` takes them.
  static func names(_ text: String) -> [String] {
    guard let template = try? MessageText.compile(text) else { return [] }
    return template.inputs.filter { input in
      input.path.count == 1 || (input.path[0] != "push" && input.path[0] != "request")
    }.map(MessageText.name)
  }

  private static func scope(_ input: LiquidInput) -> Scope {
    guard input.path.count > 1 else { return .all }
    switch input.path[0] {
    case "user": return .user
    case "device": return .device
    case "push": return .push
    default: return .all
    }
  }

  /// Renders the text for a recipient; the reason when the recipient gets nothing.
  func render(
    _ row: borrowing RecipientRow, _ own: PersonalFill.Own, now: Int64, _ renderer: inout LiquidRenderer
  ) -> String? {
    renderer.begin()
    for number in sources.indices {
      let source = sources[number]
      if !own.isEmpty, bind(number, source, own, &renderer) { continue }
      if renderer.isSet(number) { continue }
      if let slot = source.slot, let range = row.range(of: slot) {
        unsafe row.bytes.withUnsafeBufferPointer {
          unsafe renderer.set(number, utf8: UnsafeBufferPointer(rebasing: $0[range]), isProperty: true)
        }
      }
    }
    switch renderer.render(now: now) {
    case .rendered: return nil
    case .aborted: return PipelineReason.aborted
    case .undefined: return PipelineReason.undefined
    case .failed: return PipelineReason.templateFailed
    }
  }

  /// Takes the request's value for this recipient; false when there is none.
  private func bind(
    _ number: Int, _ source: Source, _ own: PersonalFill.Own, _ renderer: inout LiquidRenderer
  ) -> Bool {
    func take(_ trees: JSONObject?, _ texts: [String: String]?) -> Bool {
      if let tree = trees.flatMap({ source.input.value(in: .object($0)) }) {
        renderer.set(number, tree)
        return true
      }
      guard let text = texts?[source.input.name] else { return false }
      renderer.set(number, text)
      return true
    }
    if source.scope == .all || source.scope == .device, take(own.tokenTrees, own.token) { return true }
    return (source.scope == .all || source.scope == .user) && take(own.userTrees, own.user)
  }
}
