// The module for browsers is bounded in size, and nothing in it writes messages for push services.
#if !(_pointerBitWidth(_32))
  public import PushPayload
  internal import PushRules
  public import WireJSON

  /// What a message becomes for browsers: one notification, and what its push service is sent.
  public struct WebRendering: Sendable, Hashable {
    /// The members of the notification, which the page's service worker shows; nil when the message has errors or nothing
    /// to show.
    public var notification: JSONObject?
    /// For how many seconds the push service keeps it; nil when the message does not say.
    public var ttl: Int64?
    /// `very-low`, `low`, `normal` or `high`; nil when the message does not say.
    public var urgency: String?
    /// What a later message replaces it by.
    public var collapse: String?
    /// Why a browser would have nothing to show; nil when it has.
    public var nothing: String?
    /// What there is to say.
    public var report = Report()

    /// The most bytes of a notification: 4096 of a message without what encryption (RFC 8291) and the push's id add.
    public static let bytesMax = WebBudget.bytesMax

    /// Reports that a browser would have nothing to show, if so.
    ///
    /// - Parameter isAlone: whether the message is for nothing else, so that this is an error.
    public mutating func reportNothing(isAlone: Bool) {
      guard let nothing else { return }
      report.add(
        rule: "device-shows-nothing", severity: isAlone ? .error : .warning, field: "",
        message: "a browser shows nothing: \(nothing); " + (isAlone ? "add a text" : "nothing is sent to browsers"))
    }

    /// Reports a link that not every browser opens.
    ///
    /// - Parameter isDeclarative: whether the browser shows the notification without the page's worker.
    public mutating func reportLink(isDeclarative: Bool) {
      guard let link = notification?["navigate"]?.string, !link.utf8.starts(with: "https://".utf8) else { return }
      if isDeclarative {
        report.add(
          rule: "field-not-carried", severity: .note, field: "",
          message: "the link is not carried to browsers: a declarative notification takes an https address")
      } else if link.utf8.starts(with: "http://".utf8) {
        report.add(
          rule: "field-not-carried", severity: .note, field: "",
          message:
            "browsers get the link as it is, with http: where they show a notification by themselves, and over FCM, they"
            + " take an https address only")
      }
    }

    /// Reports a notification that is too long for a web push.
    public mutating func reportSize() {
      guard let notification else { return }
      let bytes = JSON.minified(.object(notification)).count
      guard bytes > Self.bytesMax else { return }
      report.add(
        rule: "web-push-too-large", severity: .error, field: "",
        message:
          "the notification for browsers has \(bytes) bytes; a web push holds \(Self.bytesMax): shorten the text,"
          + " or send a reference")
    }

    /// `{"headers": {"TTL": "…", …}, "payload": {…}}`: the request without its address, its key and its encryption.
    public var json: JSONValue {
      var headers = JSONObject()
      if let ttl { headers["TTL"] = .string("\(max(ttl, 0))") }
      if let urgency { headers["Urgency"] = .string(urgency) }
      if let collapse, !collapse.isEmpty { headers["Topic"] = .string(collapse) }
      return ["headers": .object(headers), "payload": notification.map { .object($0) } ?? .null]
    }
  }

  /// The fields of a message, for browsers.
  struct WebFields: Sendable {
    struct Value: Sendable {
      let name: String
      let role: FieldRole?
      let json: JSONValue
      let isNoticed: Bool
    }

    var values: [Value] = []
    var report = Report()

    subscript(name: String) -> JSONValue? { values.first { $0.name == name }?.json }
  }

  /// The properties of a contract's messages as browsers take them, in the order of its fields.
  ///
  /// Made once for a contract, so that writing a message copies no field's description.
  struct WebReader<Message: Sendable>: Sendable {
    private typealias Value = @Sendable (Lent<Message>, Lent<WriteContext>) -> JSONValue?

    private struct Property: Sendable {
      let name: String
      let role: FieldRole?
      let isNoticed: Bool
      let value: Value
    }

    private let contract: Contract<Message>
    private let properties: [Property]

    init(_ contract: Contract<Message>) {
      self.contract = contract
      properties = contract.fields.filter { $0.isProperty }.map { field in
        let access = field.access
        // Texts as they are sent: of several languages one, and a key that follows from other fields. Objects and lists have
        // forms of each platform.
        let isWire = [.texts, .string, .strings].contains(field.type) || !field.isInput
        let property: Value = { message, _ in access.isThere(message) ? access.property(message.pointee) : nil }
        return Property(
          name: field.name, role: field.role, isNoticed: field.isNoticed, value: isWire ? access.wire : property)
      }
    }

    /// The fields that a message has, as they are written.
    func fields(_ json: JSONValue, _ context: WriteContext) -> WebFields {
      var result = WebFields()
      let message = contract.decode(json, report: &result.report)
      guard !result.report.hasErrors else { return result }
      contract.validate(message, context: context, report: &result.report)
      lending(message, context) { address in
        for index in properties.indices {
          guard let value = properties[index].value(address.message, address.context), !value.isNull else { continue }
          let property = properties[index]
          result.values.append(
            WebFields.Value(name: property.name, role: property.role, json: value, isNoticed: property.isNoticed))
        }
      }
      return result
    }
  }

  extension Contracts {
    /// Writes a message for browsers.
    ///
    /// Time to live and urgency are those that the contract gives the other platforms.
    ///
    /// - Parameters:
    ///   - contract: the contract that the message is in; an unknown one is an error in the report.
    ///   - message: the message's JSON form.
    ///   - context: which send it belongs to.
    ///   - title: the title of a message that has a text and no title, such as the app's.
    ///   - rendering: what the message is for both other platforms, if it was written for them; nil writes it.
    public static func renderWeb(
      _ contract: ContractName, message: JSONValue, context: WriteContext, title: String, rendering: Rendering? = nil
    ) -> WebRendering {
      guard let entry = entry(contract) else { return WebRendering(report: Report([unknown(contract)])) }
      let fields = entry.webFields(message, context)
      guard !fields.report.hasErrors else { return WebRendering(report: fields.report) }
      var writer = WebWriter(contract: contract, fields: fields)
      writer.write(title: title, context)
      var context = context
      context.topic = context.topic ?? "web"
      writer.takeDelivery(rendering ?? render(contract, message: message, context: context), now: context.now)
      writer.takeOwn()
      return writer.result
    }
  }

  /// Fills a notification.
  private struct WebWriter {
    let contract: ContractName
    let fields: WebFields
    var result: WebRendering
    private var members: [WebMember: (rank: Int, value: JSONValue)] = [:]

    init(contract: ContractName, fields: WebFields) {
      self.contract = contract
      self.fields = fields
      result = WebRendering(report: fields.report)
    }

    mutating func write(title: String, _ context: WriteContext) {
      let campaign = context.campaign
      for value in fields.values { take(value) }
      if let text = builtInText(context.language) { members[.body] = (0, .string(text)) }
      if members[.navigate] == nil, contract == .amba, let link = members[.data]?.value["deep_link"], link.string != nil
      {
        members[.navigate] = (0, link)
      }
      result.collapse = members[.tag]?.value.string ?? campaign
      if members[.tag] == nil, let campaign { members[.tag] = (0, .string(campaign)) }
      let isShown = [.title, .body, .titleLoc, .bodyLoc].contains { members[$0].map { $0.value.string != "" } ?? false }
      guard isShown, fields.values.first(where: { $0.role == .silent })?.json != true else {
        result.nothing = "a browser has to show something for every push, and the message has no text"
        return
      }
      if members[.title].map({ $0.value.string == "" }) ?? true { members[.title] = (0, .string(title)) }
      var object = JSONObject()
      for member in WebMember.allCases {
        if let value = members[member]?.value { object.append(member.rawValue, value) }
      }
      result.notification = object
    }

    /// IMKit's messages name their text by a key whose texts are known: what a page without texts of its own shows, and
    /// Safari, which shows a declarative notification without asking the page.
    private func builtInText(_ language: String?) -> String? {
      guard contract == .imkit, members[.body] == nil, let named = members[.bodyLoc]?.value,
        let key = named["key"]?.string, IMKit.argumentCount(of: key) != nil
      else { return nil }
      let isChinese = language?.lowercased().hasPrefix("zh") ?? false
      return IMKit.text(
        key: key, arguments: named["args"]?.array?.compactMap { $0.string } ?? [],
        language: isChinese ? .traditionalChinese : .english)
    }

    private mutating func take(_ value: WebFields.Value) {
      let uses = WebForm.uses(of: value.name, value.role, in: contract)
      if contract == .native, value.name == "fcm" { return }
      guard !uses.isEmpty else {
        // What names another platform is meant for that alone.
        if value.isNoticed { lose(value.name, "browsers have no field for it") }
        return
      }
      var isTaken = false
      for use in uses {
        guard let taken = Self.value(value.json, for: use, members[use.member]?.value) else { continue }
        isTaken = true
        if let known = members[use.member], known.rank < use.rank { continue }
        members[use.member] = (use.rank, taken)
      }
      if !isTaken { lose(value.name, "a browser needs an https address here") }
    }

    private mutating func lose(_ name: String, _ why: String) {
      result.report.add(
        rule: "field-not-carried", severity: .note, field: name, message: "\(name) is not carried to browsers: \(why)")
    }

    /// The value in the form that a member has; nil when it cannot have it.
    private static func value(_ json: JSONValue, for use: WebForm.Use, _ known: JSONValue?) -> JSONValue? {
      switch use.member {
      case .icon, .image, .badge: json.string?.utf8.starts(with: "https://".utf8) == true ? json : Optional.none
      case .actions: .array((json.array ?? []).enumerated().map { action($0.element, $0.offset) })
      case .titleLoc, .bodyLoc:
        .object(JSONObject((known?.object ?? [:]).map { ($0.key, $0.value) } + [(use.rule, json)]))
      default: json
      }
    }

    /// A button: OneSignal's `{id, text, icon}` and `{id, text, icon, url}`, Adobe's `{label, uri, type}`.
    private static func action(_ button: JSONValue, _ index: Int) -> JSONValue {
      let label = button["text"]?.string ?? button["label"]?.string ?? ""
      var action: JSONObject = [
        "action": .string(button["id"]?.string ?? (button["text"] == nil ? "\(index)" : label)),
        "title": .string(label),
      ]
      if let uri = (button["uri"] ?? button["url"])?.string { action["navigate"] = .string(uri) }
      if let icon = button["icon"]?.string, icon.utf8.starts(with: "https://".utf8) { action["icon"] = .string(icon) }
      return .object(action)
    }

    // MARK: Delivery

    /// Takes time to live and urgency from what the other platforms are sent.
    mutating func takeDelivery(_ rendering: Rendering, now: Int64?) {
      let android = rendering.fcm.flatMap { try? JSON.parse($0.body) }?["message"]?["android"]
      if let ttl = android?["ttl"]?.string, ttl.utf8.last == UInt8(ascii: "s"), let seconds = Int64(ttl.dropLast()) {
        result.ttl = seconds
      } else if let until = rendering.apns?.headers.expiration.flatMap({ Int64($0.text) }) {
        result.ttl = until == 0 ? 0 : now.map { max(until - $0, 0) }
      }
      switch rendering.apns?.headers.priority?.rawValue {
      case 10: result.urgency = "high"
      case 5: result.urgency = "normal"
      case 1: result.urgency = "low"
      default: result.urgency = android?["priority"]?.string.map { $0.lowercased() == "high" ? "high" : "normal" }
      }
    }

    /// What a native message says in FCM's own words for browsers wins over what its other fields say.
    mutating func takeOwn() {
      guard contract == .native, let own = fields["fcm"]?["webpush"]?.object, var notification = result.notification
      else {
        return
      }
      for (name, value) in own["notification"]?.object ?? [:] { notification[name] = value }
      if let data = own["data"] { notification["data"] = data }
      let options = own["fcm_options"] ?? own["fcmOptions"]
      if let link = options?["link"] { notification["navigate"] = link }
      result.notification = notification
      for (name, value) in own["headers"]?.object ?? [:] {
        switch name.lowercased() {
        case "ttl": result.ttl = value.string.flatMap { Int64($0) } ?? result.ttl
        case "urgency": result.urgency = value.string ?? result.urgency
        case "topic": result.collapse = value.string ?? result.collapse
        default: break
        }
      }
    }
  }
#endif
