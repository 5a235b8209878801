internal import Basics

/// Reads `res/values…/*.xml`: `<string>`, `<plurals>`, `<string-array>` and `<item type="string">`.
struct AndroidStringsReader {
  private var reader: XMLReader
  private let limits: TextLimits
  private var source: SourceText { reader.source }
  private(set) var entries: [StringEntry] = []
  private(set) var problems: ProblemList
  private var seen: [ByteKey: Int] = [:]

  /// Where XLIFF's elements live.
  static let xliff = "urn:oasis:names:tc:xliff:document:1.2"

  init(_ source: SourceText, limits: TextLimits, problems: ProblemList) {
    reader = XMLReader(source, depthMax: limits.depthMax)
    self.limits = limits
    self.problems = problems
  }

  /// Reads the file; what precedes an XML syntax error is kept.
  mutating func read() {
    do throws(XMLFault) {
      try readRoot()
    } catch {
      problems.add(error.rule, error.message, at: error.offset, in: source)
    }
  }

  private mutating func readRoot() throws(XMLFault) {
    guard case .start(let root) = try nextTag(), root.name == "resources", root.namespace.isEmpty else {
      throw XMLFault("the root element of string resources is <resources>", at: 0, rule: .structure)
    }
    while case .start(let element) = try nextTag() {
      guard entries.count < limits.entriesMax else {
        problems.add(
          .tooMany, "only the first \(limits.entriesMax) resources are read", at: element.offset, in: source)
        return
      }
      try resource(element)
    }
    _ = try reader.next()
  }

  private mutating func resource(_ element: XMLElement) throws(XMLFault) {
    guard element.namespace.isEmpty else { return try skip() }
    switch element.name {
    case "string": try string(element)
    case "plurals": try plurals(element)
    case "string-array": try array(element)
    case "item" where element.attribute("type") == "string": try string(element)
    default: try skip()
    }
  }

  // MARK: Kinds of resources

  private mutating func string(_ element: XMLElement) throws(XMLFault) {
    let isFormatted = boolean(element, "formatted")
    let isTranslatable = boolean(element, "translatable")
    let name = self.name(element)
    let (value, isStyled) = try text(element, key: name)
    if isFormatted, isTranslatable, !isStyled, case .text(let text) = value, !JavaFormat.isRearrangeable(text) {
      problems.add(
        .androidNonPositional,
        "the resource compiler refuses several specifiers without positions; write %1$s and %2$s, or add "
          + "formatted=\"false\"",
        at: element.offset, in: source, key: name)
    }
    keep(element, name, value, isTranslatable: isTranslatable)
  }

  private mutating func plurals(_ element: XMLElement) throws(XMLFault) {
    let name = self.name(element)
    var forms: [PluralForm] = []
    while case .start(let item) = try nextTag() {
      guard item.namespace.isEmpty, item.name == "item" else {
        problems.add(
          .structure, "expected <item quantity=\"…\">, found <\(ShownText.short(item.name))>", at: item.offset,
          in: source, key: name)
        try skip()
        continue
      }
      let quantity = item.attribute("quantity").map { Self.trimmed($0) }
      let value = try text(item, key: name).value
      guard let quantity, let category = PluralCategory(rawValue: quantity) else {
        problems.add(
          .structure, "an <item> of <plurals> has the attribute quantity: zero, one, two, few, many or other",
          at: item.offset, in: source, key: name)
        continue
      }
      if forms.contains(where: { $0.category == category }) {
        problems.add(.duplicateKey, "the quantity \(quantity) occurs twice", severity: .error, at: item, source, name)
        continue
      }
      forms.append(PluralForm(category, value))
    }
    if !forms.contains(where: { $0.category == .other }) {
      problems.add(
        .pluralOther, "<plurals> without quantity=\"other\": the app crashes for every number that needs it",
        at: element.offset, in: source, key: name)
    }
    keep(element, name, .plural(forms), isTranslatable: boolean(element, "translatable"))
  }

  private mutating func array(_ element: XMLElement) throws(XMLFault) {
    let name = self.name(element)
    var values: [StringValue] = []
    while case .start(let item) = try nextTag() {
      guard item.namespace.isEmpty, item.name == "item" else {
        problems.add(
          .structure, "expected <item>, found <\(ShownText.short(item.name))>", at: item.offset, in: source, key: name)
        try skip()
        continue
      }
      values.append(try text(item, key: name).value)
    }
    keep(element, name, .array(values), isTranslatable: boolean(element, "translatable"))
  }

  // MARK: Parts of a resource

  /// Reads up to the end of the element that has just started; `isStyled`: whether it contains formatting elements.
  private mutating func text(
    _ element: XMLElement, key: String
  ) throws(XMLFault) -> (value: StringValue, isStyled: Bool) {
    var text = AndroidText()
    var inner: [Inner] = []
    while true {
      switch try reader.next() {
      case .text(let piece): text.append(.text(piece))
      case .start(let element): inner.append(start(element, in: inner, &text, key))
      case .end:
        guard let last = inner.popLast() else { return (value(of: text, key: key), text.hasSpans) }
        text.append(last == .span ? .span : .cut)
      case .finished: return (.text(""), false)
      }
    }
  }

  /// What an element within a text is to it.
  private enum Inner {
    case span
    case untranslatable
    case ignored
  }

  private mutating func start(
    _ element: XMLElement, in inner: [Inner], _ text: inout AndroidText, _ key: String
  ) -> Inner {
    if element.namespace.isEmpty {
      text.append(.span)
      return .span
    }
    text.append(.cut)
    guard element.namespace == Self.xliff, element.name == "g" else { return .ignored }
    if inner.contains(.untranslatable) {
      problems.add(.structure, "<xliff:g> is not allowed in <xliff:g>", at: element.offset, in: source, key: key)
    }
    return .untranslatable
  }

  private mutating func value(of text: AndroidText, key: String) -> StringValue {
    let raw = text.raw
    if !text.hasSpans, AndroidReference(raw) != nil {
      return .reference(raw)
    }
    let (compiled, faults) = text.compiled()
    for fault in faults {
      problems.add(fault.rule, fault.message, at: fault.offset, in: source, key: key, severity: fault.severity)
    }
    return .text(compiled)
  }

  private mutating func name(_ element: XMLElement) -> String {
    guard let name = element.attribute("name"), !name.isEmpty else {
      problems.add(
        .androidName, "<\(ShownText.short(element.name))> needs the attribute name", at: element.offset, in: source)
      return ""
    }
    if !AndroidName.isValid(name) {
      problems.add(
        .androidName,
        "“\(ShownText.short(name))” is no name of a resource: letters, digits, _ . and -, not a digit at the start",
        at: element.offset, in: source, key: name)
    }
    return name
  }

  private mutating func boolean(_ element: XMLElement, _ name: String) -> Bool {
    guard let text = element.attribute(name) else { return true }
    switch Self.trimmed(text) {
    case "true", "TRUE", "True": return true
    case "false", "FALSE", "False": return false
    default:
      problems.add(
        .androidBoolean, "\(name) is “\(ShownText.short(text))”; write true or false", at: element.offset, in: source,
        key: element.attribute("name"))
      return true
    }
  }

  private mutating func keep(_ element: XMLElement, _ name: String, _ value: StringValue, isTranslatable: Bool) {
    guard !name.isEmpty else { return }
    let product = element.attribute("product").flatMap { $0.isEmpty || $0 == "default" ? nil : $0 }
    let kind =
      switch value {
      case .plural: "plurals"
      case .array: "array"
      default: "string"
      }
    let identity = ByteKey("\(kind)/\(name)/\(product ?? "")")
    if let first = seen[identity] {
      problems.add(
        .duplicateKey,
        "\(kind)/\(ShownText.short(name)) occurs twice; the first is at line \(entries[first].position.line)",
        severity: .error, at: element, source, name)
      return
    }
    seen[identity] = entries.count
    entries.append(
      StringEntry(
        key: name, value: value, position: source.position(element.offset), isTranslatable: isTranslatable,
        product: product))
  }

  // MARK: Reading

  /// The next start or end of an element, past the text between elements.
  private mutating func nextTag() throws(XMLFault) -> XMLEvent {
    while true {
      let event = try reader.next()
      if case .text(let text) = event {
        if let index = text.bytes.firstIndex(where: { !AndroidText.isSpace($0) }) {
          problems.add(
            .structure, "there is text between the resources; put it into an element", at: text.offset(of: index),
            in: source)
        }
        continue
      }
      return event
    }
  }

  /// Skips what is left of the element that has just started.
  private mutating func skip() throws(XMLFault) {
    let depth = reader.depth
    while true {
      if case .end = try reader.next(), reader.depth < depth { return }
    }
  }

  private static func trimmed(_ text: String) -> String {
    let bytes = Array(text.utf8)
    let start = bytes.firstIndex { !AndroidText.isSpace($0) } ?? bytes.count
    let end = bytes.lastIndex { !AndroidText.isSpace($0) }.map { $0 + 1 } ?? start
    return String(decoding: bytes[start..<end], as: UTF8.self)
  }
}

extension ProblemList {
  fileprivate mutating func add(
    _ rule: TextRule, _ message: String, severity: TextSeverity, at element: XMLElement, _ source: SourceText,
    _ key: String
  ) {
    add(rule, message, at: element.offset, in: source, key: key, severity: severity)
  }
}
