internal import Liquid
internal import PushPayload
internal import PushRules
internal import PushStore
internal import WireJSON

/// A message with marked placeholders, so that their positions can be found in a contract's output.
///
/// A mark is a number between two characters that no text has (of a private plane), with a quotation mark that is
/// escaped during rendering: the number of its backslashes shows whether the mark is in a JSON string or in JSON inside
/// of one.
struct MarkedMessage {
  /// What is put in for each recipient.
  struct Placeholder {
    let name: String
    let fallback: String
    /// The whole text, when it is in Liquid.
    let template: String?
  }

  /// The message as a recipient without any value gets it.
  private(set) var plain = JSONValue.null
  /// The same with one letter replacing each text that has only placeholders without a fallback.
  private(set) var filled = JSONValue.null
  /// The message with a mark for each placeholder; nil without placeholders.
  private(set) var marked: JSONValue?
  private(set) var placeholders: [Placeholder] = []
  /// The names of those without a fallback.
  private(set) var namesWithoutFallback: Set<String> = []
  /// What is wrong with texts in Liquid, and where they are.
  private(set) var errors: [(field: String, error: LiquidError)] = []

  private static let open: [UInt8] = Array("\u{F0000}".utf8)
  private static let close: [UInt8] = Array("\u{F0001}".utf8)

  /// Reads a message.
  ///
  /// - Parameters:
  ///   - common: values for everybody, which texts in Liquid have in `plain`.
  ///   - isProgram: whether every text with a placeholder is rendered as Liquid, so that a missing value is noticed.
  init(_ message: JSONValue, common: JSONValue = [:], isProgram: Bool = false) {
    var texts = Texts(common: common, isProgram: isProgram)
    let found = texts.value(message, FieldPath())
    plain = found.plain
    filled = found.filled
    placeholders = texts.placeholders
    namesWithoutFallback = texts.bare
    errors = texts.errors
    marked = placeholders.isEmpty ? JSONValue?.none : .some(found.marked)
  }

  /// Whether a text has a mark.
  static func isMarked(_ text: String) -> Bool { text.unicodeScalars.contains("\u{F0000}") }

  /// A value of a message in its three forms.
  private struct Forms {
    var plain, filled, marked: JSONValue

    init(_ value: JSONValue) { (plain, filled, marked) = (value, value, value) }
  }

  /// Reads the texts of a message.
  private struct Texts {
    let common: JSONValue
    let isProgram: Bool
    var placeholders: [Placeholder] = []
    var bare: Set<String> = []
    var errors: [(field: String, error: LiquidError)] = []

    mutating func value(_ value: JSONValue, _ path: FieldPath) -> Forms {
      var forms = Forms(value)
      switch value {
      case .string(let text): return self.text(text, path)
      case .array(let elements):
        let all = elements.enumerated().map { self.value($0.element, path.element($0.offset)) }
        forms.plain = .array(all.map(\.plain))
        forms.filled = .array(all.map(\.filled))
        forms.marked = .array(all.map(\.marked))
      case .object(let object):
        let all = object.map { (key: $0.key, forms: self.value($0.value, path.member($0.key))) }
        forms.plain = .object(JSONObject(all.map { ($0.key, $0.forms.plain) }))
        forms.filled = .object(JSONObject(all.map { ($0.key, $0.forms.filled) }))
        forms.marked = .object(JSONObject(all.map { ($0.key, $0.forms.marked) }))
      default: break
      }
      return forms
    }

    private mutating func text(_ text: String, _ path: FieldPath) -> Forms {
      do throws(LiquidError) {
        switch try MessageText(text) {
        case .plain: return Forms(.string(text))
        case .placeholders(let cut):
          return isProgram || MessageText.hasPath(cut)
            ? program(try MessageText.compile(text), text) : placeholders(cut, text)
        case .program(let template): return program(template, text)
        }
      } catch {
        errors.append((path.text, error))
        return Forms(.string(text))
      }
    }

    private mutating func placeholders(_ cut: PlaceholderText, _ text: String) -> Forms {
      bare.formUnion(cut.namesWithoutFallback)
      let marked = cut.text { name, fallback in mark(Placeholder(name: name, fallback: fallback, template: nil)) }
      return forms(plain: cut.text { _, fallback in fallback }, marked: marked)
    }

    private mutating func program(_ template: LiquidTemplate, _ text: String) -> Forms {
      var renderer = LiquidRenderer(template)
      for (number, input) in template.inputs.enumerated() {
        if let value = input.value(in: common) { renderer.set(number, value) }
      }
      let isRendered = renderer.render() == .rendered
      return forms(
        plain: isRendered ? renderer.text : "", marked: mark(Placeholder(name: "", fallback: "", template: text)))
    }

    private mutating func mark(_ placeholder: Placeholder) -> String {
      placeholders.append(placeholder)
      return "\u{F0000}\(placeholders.count - 1)\"\u{F0001}"
    }

    private func forms(plain: String, marked: String) -> Forms {
      var forms = Forms(.string(plain))
      forms.filled = .string(plain.isEmpty ? "x" : plain)
      forms.marked = .string(marked)
      return forms
    }
  }

  /// Removes the marks from a payload and records their positions; nil when one was changed by rendering, or is in a
  /// header.
  func holes(in payload: RenderedPayload) -> RenderedPayload? {
    guard !payload.headers.contains(where: { Self.isMarked($0.value) }) else { return nil }
    var result = payload
    result.body = []
    result.body.reserveCapacity(payload.body.count)
    result.holes = []
    let body = payload.body
    var index = 0
    while index < body.count {
      if index == payload.tokenOffset { result.tokenOffset = result.body.count }
      guard body[index] == Self.open[0], body[index...].starts(with: Self.open) else {
        result.body.append(body[index])
        index += 1
        continue
      }
      guard let (number, depth, end) = Self.mark(in: body, at: index), number < placeholders.count else { return nil }
      let found = placeholders[number]
      result.holes.append(
        RenderedPayload.Hole(
          offset: result.body.count, name: found.name, fallback: found.fallback, depth: depth, template: found.template)
      )
      index = end
    }
    if payload.tokenOffset == body.count { result.tokenOffset = result.body.count }
    return result
  }

  private static func mark(in body: [UInt8], at start: Int) -> (number: Int, depth: Int, end: Int)? {
    var index = start + open.count
    var number = 0
    let digits = index
    while index < body.count, (0x30...0x39).contains(body[index]), index - digits < 6 {
      number = number * 10 + Int(body[index] - 0x30)
      index += 1
    }
    guard index > digits else { return nil }
    var backslashes = 0
    while index < body.count, body[index] == UInt8(ascii: "\\") { (index, backslashes) = (index + 1, backslashes + 1) }
    // Each time a text is escaped, the quotation mark's n backslashes become 2n + 1.
    guard let depth = [1: 1, 3: 2, 7: 3][backslashes], index < body.count, body[index] == UInt8(ascii: "\""),
      body[(index + 1)...].starts(with: close)
    else { return nil }
    return (number, depth, index + 1 + close.count)
  }
}
