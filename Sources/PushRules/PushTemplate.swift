public import Liquid
internal import PushPayload
public import WireJSON

/// A message with `{{placeholders}}` and Liquid, and what it will cost for any recipient.
///
/// A placeholder is inside a string: `{{first_name}}`, or `{{first_name|there}}` with a default for recipients without a
/// value, who get nothing otherwise. ``MessageText`` says which texts are more than that.
public struct PushTemplate: Sendable {
  /// A limit that the message has to keep, and its parts.
  public struct Budget: Sendable, Hashable {
    /// Whose limit it is: a platform, `fcm-ios` and `fcm-web` for what FCM hands on, `web` for browsers, `hms` for Huawei's
    /// Push Kit.
    public let name: String
    /// The limit.
    public let bytesMax: Int
    /// How values count.
    public let cost: TextShortener.Cost
    /// The bytes without any value.
    public let fixedBytes: Int
    /// The placeholders that count, once for each occurrence.
    public let placeholders: [String]
    /// The bytes of the default, for each of the placeholders.
    public let fallbackBytes: [Int]
    /// The texts in Liquid that count, by their number in `PushTemplate.programs`, once for each occurrence.
    public let programs: [Int]
    /// How many of the placeholders and of the texts in Liquid, the last ones, are in JSON that is itself a text.
    var nested = Nested()

    struct Nested: Sendable, Hashable {
      var placeholders = 0
      var programs = 0
    }

    /// The size for a recipient, in bytes.
    ///
    /// - Parameters:
    ///   - texts: what the texts in Liquid are for the recipient, by their number.
    ///   - value: the value of a placeholder.
    public func bytes(texts: [String] = [], _ value: (String) -> String?) -> Int {
      var bytes = fixedBytes
      for (index, name) in placeholders.enumerated() {
        let cost = cost(isNested: index >= placeholders.count - nested.placeholders)
        bytes += value(name).map { TextShortener.bytes($0, cost) } ?? fallbackBytes[index]
      }
      for (index, program) in programs.enumerated() where program < texts.count {
        bytes += TextShortener.bytes(texts[program], cost(isNested: index >= programs.count - nested.programs))
      }
      return bytes
    }

    private func cost(isNested: Bool) -> TextShortener.Cost {
      #if _pointerBitWidth(_32)
        return cost
      #else
        return isNested ? .nested : cost
      #endif
    }
  }

  /// A text in Liquid that cannot be compiled.
  public struct TextError: Sendable, Hashable {
    /// The text.
    public let text: String
    /// What is wrong with it.
    public let error: LiquidError
  }

  /// The limits, one for each kind of device that the document has a message for.
  public let budgets: [Budget]
  /// Every placeholder and every value that a text in Liquid reads, once, in the order of the document.
  public let placeholders: [String]
  /// The texts in Liquid, each once.
  public let programs: [LiquidTemplate]
  /// The texts that cannot be compiled.
  public let errors: [TextError]

  /// Reads a template.
  ///
  /// - Parameters:
  ///   - bytes: a document as `PushChecker.check(document:)` takes it.
  ///   - kind: what it is; nil recognizes it.
  ///   - settings: the limit of topic messages.
  /// - Throws: `JSONError` when it is not JSON.
  public init(
    _ bytes: [UInt8], kind: PushDocumentKind? = nil, settings: RuleSettings = RuleSettings()
  ) throws(JSONError) {
    var document = JSONDocument()
    try document.parse(bytes)
    var reader = TemplateReader(document: document, settings: settings)
    let whole = reader.texts.text(document.value(document.root))
    if let kind = kind ?? PushDocumentKind.recognize(document) { reader.read(document.root, kind) }
    budgets = reader.budgets
    programs = reader.texts.programs
    errors = reader.texts.errors
    var names: [String] = []
    let read = whole.names + programs.flatMap { $0.inputs.map(MessageText.name) }
    for name in read where !names.contains(name) { names.append(name) }
    placeholders = names
  }
}

/// The texts of a document, with those in Liquid taken out.
struct TemplateTexts {
  private(set) var programs: [LiquidTemplate] = []
  private(set) var errors: [PushTemplate.TextError] = []
  private var numbers: [String: Int?] = [:]

  /// A value cut at its placeholders, as it is written.
  mutating func text(_ value: JSONValue, isNested: Bool = false) -> TemplateText {
    var found: [Int] = []
    let rest = without(value, &found)
    var text = TemplateText(JSON.minified(rest), isNested: isNested)
    text.programs = found
    return text
  }

  private mutating func without(_ value: JSONValue, _ found: inout [Int]) -> JSONValue {
    switch value {
    case .string(let text):
      guard let number = program(text) else { return value }
      found.append(number)
      return .string("")
    case .array(let elements): return .array(elements.map { without($0, &found) })
    case .object(let object): return .object(JSONObject(object.map { ($0.key, without($0.value, &found)) }))
    default: return value
    }
  }

  /// The number of a text in Liquid; nil for another.
  mutating func program(_ text: String) -> Int? {
    guard text.utf8.contains(UInt8(ascii: "{")) else { return nil }
    if let known = numbers[text] { return known }
    var number: Int?
    do throws(LiquidError) {
      if case .program(let template) = try MessageText(text) {
        number = programs.count
        programs.append(template)
      }
    } catch {
      errors.append(PushTemplate.TextError(text: text, error: error))
    }
    numbers.updateValue(number, forKey: text)
    return number
  }
}

struct TemplateReader {
  let document: JSONDocument
  let settings: RuleSettings
  var budgets: [PushTemplate.Budget] = []
  var texts = TemplateTexts()

  mutating func read(_ node: JSONNode, _ kind: PushDocumentKind) {
    switch kind {
    case .apnsPayload: addAPNs(node, bytesMax: APNsPushType.alert.payloadBytesMax)
    case .apnsRequest:
      let type = document.member(of: node, "headers").flatMap { document.member(of: $0, "apns-push-type") }
      let pushType = type.flatMap { document.string($0) }.map { APNsPushType(rawValue: $0) } ?? .alert
      if let payload = document.member(of: node, "payload") { addAPNs(payload, bytesMax: pushType.payloadBytesMax) }
    case .broadcastRequest:
      if let payload = document.member(of: node, "payload") {
        addAPNs(payload, bytesMax: APNsBroadcast.payloadBytesMax)
      }
    case .fcmRequest:
      if let message = document.member(of: node, "message") { addFCM(message) }
    case .rendering:
      if let apns = document.member(of: node, "apns") { read(apns, .apnsRequest) }
      if let fcm = document.member(of: node, "fcm") { read(fcm, .fcmRequest) }
      #if !(_pointerBitWidth(_32))
        if let hms = document.member(of: node, "hms") { read(hms, .hmsRequest) }
        if let web = document.member(of: node, "web").flatMap({ document.member(of: $0, "payload") }) {
          addEscaped(web, "web", bytesMax: WebBudget.bytesMax)
        }
      #endif
    case .hmsRequest:
      #if !(_pointerBitWidth(_32))
        addHuawei(node)
      #endif
    case .channelCreation, .fcmMessage, .receivedMessage, .fcmLegacyRequest: break
    }
  }

  private mutating func addAPNs(_ payload: JSONNode, bytesMax: Int) {
    addEscaped(payload, Platform.ios.rawValue, bytesMax: bytesMax)
  }

  /// Of what is sent as JSON, all of it counts.
  private mutating func addEscaped(_ content: JSONNode, _ name: String, bytesMax: Int) {
    let text = texts.text(document.value(content))
    budgets.append(
      PushTemplate.Budget(
        name: name, bytesMax: bytesMax, cost: .escaped, fixedBytes: text.fixedBytes, placeholders: text.names,
        fallbackBytes: text.fallbackBytes, programs: text.programs))
  }

  #if !(_pointerBitWidth(_32))
    /// Data are the text of JSON, in which a value has escapes of its own.
    private mutating func addHuawei(_ request: JSONNode) {
      var value = document.value(request)
      guard case .object(var members) = value, case .object(var message)? = members["message"] else { return }
      message["token"] = [""]
      var nested = TemplateText([])
      if let data = message["data"]?.string, let inner = try? JSON.parse(data) {
        nested = texts.text(inner, isNested: true)
        message["data"] = ""
      }
      members["message"] = .object(message)
      value = .object(members)
      let text = texts.text(value)
      budgets.append(
        PushTemplate.Budget(
          name: "hms", bytesMax: HuaweiRequest.bytesMax, cost: .escaped,
          fixedBytes: text.fixedBytes + nested.fixedBytes,
          placeholders: text.names + nested.names, fallbackBytes: text.fallbackBytes + nested.fallbackBytes,
          programs: text.programs + nested.programs,
          nested: .init(placeholders: nested.names.count, programs: nested.programs.count)))
    }
  #endif

  /// What FCM counts of a message: of what it hands to Android itself, and of each block for another push service.
  private mutating func addFCM(_ message: JSONNode) {
    #if !(_pointerBitWidth(_32))
      let apple = document.member(of: message, "apns").flatMap { document.member(of: $0, "payload") }
      let web = document.member(of: message, "webpush")
      let names: [StaticString] = ["data", "notification", "android"]
      if apple == nil && web == nil || names.contains(where: { document.member(of: message, $0) != nil }) {
        addAndroid(message)
      }
      if let apple { addEscaped(apple, "fcm-ios", bytesMax: FCMBudget.bytesMax) }
      if let web {
        addPlain("fcm-web", bytesMax: FCMBudget.bytesMax) { FCMBudget.forEachText(ofWebpush: web, in: $0, $1) }
      }
    #else
      addAndroid(message)
    #endif
  }

  private mutating func addAndroid(_ message: JSONNode) {
    let isTopic = document.member(of: message, "topic") != nil || document.member(of: message, "condition") != nil
    addPlain(Platform.android.rawValue, bytesMax: isTopic ? settings.fcmTopicBytesMax : FCMBudget.bytesMax) {
      FCMBudget.forEachText(of: message, in: $0, $1)
    }
  }

  /// What FCM counts is the same as for a message without placeholders, with each of them taken out.
  private mutating func addPlain(
    _ name: String, bytesMax: Int, _ forEachText: (JSONDocument, ([UInt8]) -> Void) -> Void
  ) {
    var fixed = 0
    var names: [String] = []
    var fallbacks: [Int] = []
    var programs: [Int] = []
    forEachText(document) { text in
      if let program = texts.program(String(decoding: text, as: UTF8.self)) { return programs.append(program) }
      let counted = TemplateText(text)
      fixed += counted.fixedBytes
      names += counted.names
      fallbacks += counted.fallbackBytes
    }
    budgets.append(
      PushTemplate.Budget(
        name: name, bytesMax: bytesMax, cost: .plain, fixedBytes: fixed, placeholders: names,
        fallbackBytes: fallbacks, programs: programs))
  }
}
