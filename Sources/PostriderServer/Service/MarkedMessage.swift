internal import Liquid
internal import PushPayload
internal import PushRules
internal import StoreModel
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
    /// What a recipient without any value gets instead.
    let plain: String
    /// The same, or one letter where nothing would be left of the whole text.
    fileprivate(set) var filled: String
    /// Whether nothing is left of the whole text when what is put in is empty.
    let isWhole: Bool
  }

  /// The message as a recipient without any value gets it.
  private(set) var plain = JSONValue.null
  /// The message with a mark for each placeholder; nil without placeholders.
  private(set) var marked: JSONValue?
  private(set) var placeholders: [Placeholder] = []
  /// The names of those without a fallback.
  private(set) var namesWithoutFallback: Set<String> = []
  /// What is wrong with texts in Liquid, and where they are.
  private(set) var errors: [(field: String, error: LiquidError)] = []
  /// The texts in Liquid that abort whatever the values are, so that nobody gets the message.
  private(set) var aborted: [String] = []
  /// Members whose names have placeholders, which are sent as they are; the first few.
  private(set) var namedByPlaceholders: [String] = []

  static let open: [UInt8] = Array("\u{F0000}".utf8)
  static let close: [UInt8] = Array("\u{F0001}".utf8)

  /// Reads a message.
  ///
  /// - Parameters:
  ///   - common: values for everybody, which texts in Liquid have in `plain`.
  ///   - isProgram: whether every text with a placeholder is rendered as Liquid, so that a missing value is noticed.
  init(_ message: JSONValue, common: JSONValue = [:], isProgram: Bool = false) {
    var texts = Texts(common: common, isProgram: isProgram)
    let found = texts.value(message, FieldPath())
    plain = found.plain
    placeholders = texts.placeholders
    namesWithoutFallback = texts.bare
    errors = texts.errors
    aborted = texts.aborted
    namedByPlaceholders = texts.namedByPlaceholders
    marked = placeholders.isEmpty ? JSONValue?.none : .some(found.marked)
  }

  /// The plain message with one letter replacing each text that has only placeholders without a fallback.
  var filled: JSONValue { marked.map { Self.filled(plain, $0) } ?? plain }

  private static func filled(_ plain: JSONValue, _ marked: JSONValue) -> JSONValue {
    switch (plain, marked) {
    case (.string(let text), .string(let mark)): text.isEmpty && isMarked(mark) ? "x" : plain
    case (.array(let values), .array(let marks)): .array(zip(values, marks).map { filled($0, $1) })
    case (.object(let values), .object(let marks)):
      .object(JSONObject(zip(values, marks).map { ($0.key, filled($0.value, $1.value)) }))
    default: plain
    }
  }

  /// The message with a text instead of each placeholder.
  func form(_ texts: [String]) -> JSONValue { marked.map { Self.form($0, texts) } ?? plain }

  private static func form(_ value: JSONValue, _ texts: [String]) -> JSONValue {
    switch value {
    case .string(let text): isMarked(text) ? .string(form(text, texts)) : value
    case .array(let values): .array(values.map { form($0, texts) })
    case .object(let values): .object(JSONObject(values.map { ($0.key, form($0.value, texts)) }))
    default: value
    }
  }

  private static func form(_ text: String, _ texts: [String]) -> String {
    var form = ""
    for part in text.split(separator: "\u{F0001}", omittingEmptySubsequences: false) {
      guard let mark = part.firstIndex(of: "\u{F0000}") else {
        form += part
        continue
      }
      form += part[..<mark]
      if let number = Int(part[part.index(after: mark)...].dropLast()) { form += texts[number] }
    }
    return form
  }

  /// Whether a text has a mark.
  static func isMarked(_ text: String) -> Bool { text.unicodeScalars.contains("\u{F0000}") }

  /// A value of a message in both forms.
  private struct Forms {
    var plain, marked: JSONValue

    init(_ value: JSONValue) { (plain, marked) = (value, value) }
  }

  /// Reads the texts of a message.
  private struct Texts {
    let common: JSONValue
    let isProgram: Bool
    var placeholders: [Placeholder] = []
    var bare: Set<String> = []
    var errors: [(field: String, error: LiquidError)] = []
    var aborted: [String] = []
    var namedByPlaceholders: [String] = []
    /// Members that are reported; one that is found says enough of many.
    static let namedMax = 5

    mutating func value(_ value: JSONValue, _ path: FieldPath) -> Forms {
      var forms = Forms(value)
      switch value {
      case .string(let text): return self.text(text, path)
      case .array(let elements):
        let all = elements.enumerated().map { self.value($0.element, path.element($0.offset)) }
        forms.plain = .array(all.map(\.plain))
        forms.marked = .array(all.map(\.marked))
      case .object(let object):
        for (key, _) in object where namedByPlaceholders.count < Self.namedMax {
          if MessageText.isTemplate(.string(key)) { namedByPlaceholders.append(path.member(key).text) }
        }
        let all = object.map { (key: $0.key, forms: self.value($0.value, path.member($0.key))) }
        forms.plain = .object(JSONObject(all.map { ($0.key, $0.forms.plain) }))
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
            ? try program(try MessageText.compile(text), text, path) : placeholders(cut, text)
        case .program(let template): return try program(template, text, path)
        }
      } catch {
        errors.append((path.text, error))
        return Forms(.string(text))
      }
    }

    private mutating func placeholders(_ cut: PlaceholderText, _ text: String) -> Forms {
      bare.formUnion(cut.namesWithoutFallback)
      let first = placeholders.count
      let isWhole = cut.text { _, _ in "" }.isEmpty
      let marked = cut.text { name, fallback in
        mark(name: name, fallback: fallback, template: nil, plain: fallback, isWhole: isWhole)
      }
      return forms(plain: cut.text { _, fallback in fallback }, marked: marked, first)
    }

    private mutating func program(
      _ template: LiquidTemplate, _ text: String, _ path: FieldPath
    ) throws(LiquidError) -> Forms {
      var renderer = LiquidRenderer(template)
      for (number, input) in template.inputs.enumerated() {
        if let value = input.value(in: common) { renderer.set(number, value) }
      }
      let outcome = renderer.render()
      let plain = outcome == .rendered ? renderer.text : ""
      // What reads no value ends the same way for every recipient, unless it reads the time.
      if template.inputs.isEmpty, !text.contains("now"), !text.contains("today") {
        switch outcome {
        case .rendered: break
        case .aborted: aborted.append(path.text)
        case .undefined(let failure), .failed(let failure): throw failure.error(in: Array(text.utf8))
        }
      }
      let first = placeholders.count
      let marked = mark(name: "", fallback: "", template: text, plain: plain, isWhole: true)
      return forms(plain: plain, marked: marked, first)
    }

    private mutating func mark(
      name: String, fallback: String, template: String?, plain: String, isWhole: Bool
    ) -> String {
      placeholders.append(
        Placeholder(
          name: name, fallback: fallback, template: template, plain: plain, filled: plain, isWhole: isWhole))
      return "\u{F0000}\(placeholders.count - 1)\"\u{F0001}"
    }

    private mutating func forms(plain: String, marked: String, _ first: Int) -> Forms {
      var forms = Forms(.string(plain))
      forms.marked = .string(marked)
      if plain.isEmpty, first < placeholders.count { placeholders[first].filled = "x" }
      return forms
    }
  }
}
