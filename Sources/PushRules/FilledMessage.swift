// The core for other languages renders for no recipient.
#if !hasFeature(Embedded)
  internal import Liquid
  package import PushPayload
  package import WireJSON

  /// What a value means that is not there, without a default.
  package enum UndefinedValues: String, Sendable, CaseIterable {
    /// The text is empty there, and it is reported.
    case strict
    /// The text is empty there.
    case lax
    /// The recipient gets nothing.
    case skip
  }

  /// A message with its placeholders and its texts in Liquid rendered for one recipient.
  package struct FilledMessage: Sendable {
    /// The message as the recipient gets it; nil when the recipient gets nothing, or a text has an error.
    package private(set) var message: JSONValue?
    /// What is wrong with texts, what has no value, and why the recipient gets nothing.
    package private(set) var report = Report()
    private let values: JSONValue
    private let undefined: UndefinedValues
    private let now: Int64
    private var isSkipped = false

    /// Values that are reported as missing.
    private static let missingMax = 20

    /// Renders a message.
    ///
    /// - Parameters:
    ///   - values: what is known of the recipient and the push: names with values, or the objects `user`, `device`, `push` and
    ///     `request` with them.
    ///   - undefined: what a value means that is not there.
    ///   - now: the time that `"now"` means, in seconds since 1970.
    package init(_ message: JSONValue, values: JSONValue, undefined: UndefinedValues = .strict, now: Int64) {
      self.values = values
      self.undefined = undefined
      self.now = now
      let filled = fill(message, FieldPath())
      if !isSkipped, !report.hasErrors { self.message = filled }
    }

    private mutating func fill(_ value: JSONValue, _ path: FieldPath) -> JSONValue {
      switch value {
      case .string(let text): return MessageText.hasBraces(text) ? .string(fill(text, path)) : value
      case .array(let elements):
        var filled: [JSONValue] = []
        for (index, element) in elements.enumerated() { filled.append(fill(element, path.element(index))) }
        return .array(filled)
      case .object(let members):
        var filled = JSONObject()
        for (name, member) in members { filled.append(name, fill(member, path.member(name))) }
        return .object(filled)
      default: return value
      }
    }

    private mutating func fill(_ text: String, _ path: FieldPath) -> String {
      let template: LiquidTemplate
      do throws(LiquidError) { template = try MessageText.compile(text) } catch {
        report.add(rule: "push-template-syntax", severity: .error, field: path.text, message: error.description)
        return text
      }
      var renderer = LiquidRenderer(template)
      renderer.isStrict = undefined == .skip
      for (number, input) in template.inputs.enumerated() {
        if let value = MessageText.value(of: input, in: values) { renderer.set(number, value) }
      }
      switch renderer.render(now: now) {
      case .rendered: break
      case .aborted: skip(path, "{% abort %}: this recipient gets nothing", .note)
      case .undefined(let failure):
        skip(path, "this recipient gets nothing: \(failure.error(in: template.source))", .note)
      case .failed(let failure):
        skip(path, "this recipient gets nothing: \(failure.error(in: template.source))", .warning)
      }
      if undefined == .strict { tell(of: renderer.missing, path) }
      return renderer.text
    }

    private mutating func skip(_ path: FieldPath, _ message: String, _ severity: Severity) {
      isSkipped = true
      report.add(rule: "push-recipient-skipped", severity: severity, field: path.text, message: message)
    }

    private mutating func tell(of missing: [LiquidInput], _ path: FieldPath) {
      for input in missing.prefix(Self.missingMax) {
        report.add(
          rule: "push-placeholder-empty", severity: .warning, field: path.text,
          message: "{{\(input.name)}} has no value and is empty; give a default, {{ \(input.name) | default: \"…\" }}")
      }
    }

    /// A message that is shown without values, with what there is to say of it.
    ///
    /// - Returns: nil when no text has a placeholder or Liquid.
    package static func findingWithoutValues(_ message: JSONValue) -> Finding? {
      guard MessageText.isTemplate(message) else { return nil }
      return Finding(
        rule: "push-placeholder-unused", severity: .warning, field: "",
        message:
          "has placeholders, which are shown as they are; give values (they may be empty) to have them replaced")
    }
  }

  extension MessageText {
    /// Whether any text of a message has a placeholder or is in Liquid.
    package static func isTemplate(_ message: JSONValue) -> Bool {
      switch message {
      case .string(let text):
        guard hasBraces(text) else { return false }
        switch try? MessageText(text) {
        case .placeholders(let cut): return cut.isTemplate
        case .program: return true
        case .plain, nil: return false
        }
      case .array(let elements): return elements.contains { isTemplate($0) }
      case .object(let object): return object.contains { isTemplate($0.value) }
      default: return false
      }
    }

    /// The texts of a message that read a value, by their field paths, with the value's name as it is written there.
    ///
    /// - Parameter value: its name as recipients have it, ``name(_:)``.
    package static func texts(
      of message: JSONValue, reading value: String, at path: FieldPath = FieldPath()
    ) -> [(field: String, name: String)] {
      switch message {
      case .string(let text):
        let inputs = hasBraces(text) ? (try? compile(text).inputs) ?? [] : []
        return inputs.first { name($0) == value || $0.name == value }.map { [(path.text, $0.name)] } ?? []
      case .array(let elements):
        return elements.enumerated().flatMap { texts(of: $0.element, reading: value, at: path.element($0.offset)) }
      case .object(let members):
        return members.flatMap { texts(of: $0.value, reading: value, at: path.member($0.key)) }
      default: return []
      }
    }

    /// What a text reads, in an object that has everything of a recipient: under its whole name, under its name without the
    /// object in front, or for a name alone among what is known of the device and the user.
    static func value(of input: LiquidInput, in values: JSONValue) -> JSONValue? {
      // The user is the user's name.
      if input.path == ["user"] || input.path == ["user", "id"], let user = values["user"] {
        return user.object == nil ? user : user["id"]
      }
      if let value = input.value(in: values) { return value }
      guard input.path.count > 1, objects.contains(input.path[0]) else {
        return ["device", "user"].lazy.compactMap { values[$0] }.compactMap { input.value(in: $0) }.first
      }
      // What the server says of the push is not among the names of a request.
      return input.path[0] == "push" ? nil : input.inner.value(in: values)
    }
  }
#endif
