internal import GatewayPool
internal import Liquid
internal import StoreModel
internal import WireJSON

/// How one payload is filled, worked out once for each push: where each text comes from, how deep it is escaped, and
/// what it adds to the size that the provider limits.
struct PersonalFill: Sendable {
  /// A text as it appears in the body, and the bytes that it adds to the size.
  private struct Text: Sendable {
    let bytes: [UInt8]
    let counted: Int
  }

  private struct Placeholder: Sendable {
    let name: String
    let depth: Int
    /// The slot of the recipient's row that has the value.
    let slot: Int?
    /// The request's value for every recipient.
    let common: Text?
    let fallback: Text
    /// Whether the provider counts what is put in here.
    let isCounted: Bool
    /// The number of the text in Liquid that is put in here.
    let program: Int?
    let need: RenderedPayload.Need
  }

  /// How filling a payload for a recipient ended.
  enum Outcome: Equatable {
    /// Its texts are added; the size of the message.
    case added(bytes: Int)
    /// The message would be too large; nothing is added.
    case tooLarge(bytes: Int)
    /// The recipient gets nothing, for a reason of `PipelineReason`.
    case skipped(String)
  }

  private let placeholders: [Placeholder]
  private let programs: [PersonalProgram]
  /// Whether a text in Liquid cannot be compiled: no recipient gets this payload.
  private let isBroken: Bool
  /// Whether there are texts of which one must not be empty.
  private let needsOneOf: Bool
  /// The size with nothing in the placeholders, and the limit.
  private let bytes: Int
  /// The size that the provider accepts.
  let bytesMax: Int
  /// Whether the provider counts characters as they are shown, not as they are sent.
  private let countsDecoded: Bool

  /// Texts in every row.
  var perRow: Int { placeholders.count }
  /// What renders the texts in Liquid, for whoever fills; in the order that `add` expects.
  var renderers: [LiquidRenderer] { programs.map(\.renderer) }

  init(_ payload: RenderedPayload, _ values: PersonalValues, slot: (String) -> Int?) {
    let (bytes, counted) = PersonalSize.parts(payload)
    self.bytes = bytes
    bytesMax = PersonalSize.bytesMax(payload)
    let countsDecoded = PersonalSize.countsDecoded(payload)
    self.countsDecoded = countsDecoded
    var escaper = TextEscaper()
    var placeholders: [Placeholder] = []
    var programs: [PersonalProgram] = []
    var isBroken = false
    for (placeholder, isCounted) in zip(payload.placeholders, counted) {
      let text = { (text: String) in
        let (bytes, shown) = escaper.escaped(text, depth: placeholder.depth)
        return Text(bytes: bytes, counted: countsDecoded ? shown : bytes.count)
      }
      if let template = placeholder.template {
        if let program = PersonalProgram(template, values, slot: slot) {
          programs.append(program)
        } else {
          isBroken = true
        }
      }
      placeholders.append(
        Placeholder(
          name: placeholder.name, depth: placeholder.depth, slot: slot(placeholder.name),
          common: values.common[placeholder.name].map { text($0) },
          fallback: text(placeholder.fallback), isCounted: isCounted,
          program: placeholder.template == nil ? nil : programs.count - 1, need: placeholder.need))
    }
    self.placeholders = placeholders
    self.programs = programs
    self.isBroken = isBroken
    needsOneOf = placeholders.contains { $0.need == .oneOf }
  }

  /// The request's values for one recipient.
  struct Own {
    var token: [String: String]?
    var user: [String: String]?
    var tokenTrees: JSONObject?
    var userTrees: JSONObject?

    func value(_ name: String) -> String? { token?[name] ?? user?[name] }
    var isEmpty: Bool { token == nil && user == nil }
  }

  /// Adds the texts of a recipient, unless it gets nothing.
  func add(
    _ row: borrowing RecipientRow, _ own: Own, now: Int64, _ escaper: inout TextEscaper,
    _ renderers: inout [LiquidRenderer], to texts: inout SendTexts
  ) -> Outcome {
    guard !isBroken else { return .skipped(PipelineReason.templateFailed) }
    let rows = texts.count
    var size = bytes
    var isShown = !needsOneOf
    for placeholder in placeholders {
      let counted: Int
      if let program = placeholder.program {
        if let reason = programs[program].render(row, own, now: now, &renderers[program]) {
          texts.truncate(to: rows)
          return .skipped(reason)
        }
        counted = unsafe renderers[program].withOutput { unsafe add($0, placeholder, &escaper, to: &texts) }
      } else {
        counted = add(placeholder, row, own, &escaper, to: &texts)
      }
      if placeholder.isCounted { size += counted }
      if counted > 0 {
        isShown = isShown || placeholder.need == .oneOf
      } else if placeholder.need == .always {
        texts.truncate(to: rows)
        return .skipped(PipelineReason.templateEmpty)
      }
    }
    guard isShown else {
      texts.truncate(to: rows)
      return .skipped(PipelineReason.templateEmpty)
    }
    guard size > bytesMax else { return .added(bytes: size) }
    texts.truncate(to: rows)
    return .tooLarge(bytes: size)
  }

  /// The names of the placeholders that nothing fills and that have no text of their own.
  func unfilled(_ row: borrowing RecipientRow, _ own: Own) -> [String] {
    var names: [String] = []
    for placeholder in placeholders
    where placeholder.program == nil && placeholder.fallback.bytes.isEmpty && placeholder.common == nil {
      let isInRow = placeholder.slot.map { row.range(of: $0) != nil } ?? false
      if !isInRow, own.value(placeholder.name) == nil { names.append(placeholder.name) }
    }
    return names
  }

  private func add(
    _ placeholder: Placeholder, _ row: borrowing RecipientRow, _ own: Own, _ escaper: inout TextEscaper,
    to texts: inout SendTexts
  ) -> Int {
    if !own.isEmpty, var value = own.value(placeholder.name) {
      return value.withUTF8 { unsafe add($0, placeholder, &escaper, to: &texts) }
    }
    if let common = placeholder.common { return add(common, to: &texts) }
    if let slot = placeholder.slot, let range = row.range(of: slot) {
      return unsafe row.bytes.withUnsafeBufferPointer {
        unsafe add(UnsafeBufferPointer(rebasing: $0[range]), placeholder, &escaper, to: &texts)
      }
    }
    return add(placeholder.fallback, to: &texts)
  }

  private func add(_ text: Text, to texts: inout SendTexts) -> Int {
    texts.append(text.bytes)
    return text.counted
  }

  private func add(
    _ text: UnsafeBufferPointer<UInt8>, _ placeholder: Placeholder, _ escaper: inout TextEscaper,
    to texts: inout SendTexts
  ) -> Int {
    let before = texts.bytesCount
    let shown = unsafe escaper.escape(text, depth: placeholder.depth) { unsafe texts.append($0) }
    return countsDecoded ? shown : texts.bytesCount - before
  }
}

/// Escapes texts as JSON strings do, in a buffer that is used again.
package struct TextEscaper: ~Copyable {
  private var writer = JSONWriter(capacity: 256)

  /// Makes the buffer.
  package init() {}

  /// Hands out a text without the quotes around it, escaped `depth` times, and returns its length as a reader of the
  /// outermost string sees it: escaped once less.
  package mutating func escape(
    _ text: UnsafeBufferPointer<UInt8>, depth: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Void
  ) -> Int {
    guard depth > 1 else {
      unsafe write(text)
      unsafe writer.withBytes { unsafe body(UnsafeBufferPointer(rebasing: $0[1..<$0.count - 1])) }
      return text.count
    }
    unsafe write(text)
    var inner = unsafe writer.withBytes { unsafe Array($0[1..<$0.count - 1]) }
    for _ in 2..<depth {
      unsafe inner.withUnsafeBufferPointer { unsafe write($0) }
      inner = unsafe writer.withBytes { unsafe Array($0[1..<$0.count - 1]) }
    }
    unsafe inner.withUnsafeBufferPointer { unsafe write($0) }
    unsafe writer.withBytes { unsafe body(UnsafeBufferPointer(rebasing: $0[1..<$0.count - 1])) }
    return inner.count
  }

  /// The same as an array.
  mutating func escaped(_ text: String, depth: Int) -> (bytes: [UInt8], shown: Int) {
    var text = text
    var bytes: [UInt8] = []
    let shown = text.withUTF8 { unsafe escape($0, depth: depth) { bytes = unsafe Array($0) } }
    return (bytes, shown)
  }

  private mutating func write(_ text: UnsafeBufferPointer<UInt8>) {
    writer.removeAll()
    unsafe writer.string(utf8: text)
  }
}
