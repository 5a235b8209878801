// The module for browsers is bounded in size, and nothing in it writes messages that FCM hands on.
#if !(_pointerBitWidth(_32))
  public import PushPayload
  internal import PushRules
  public import WireJSON

  /// What an app is that FCM reaches over another push service.
  public enum FCMCarrier: String, Sendable, Hashable, CaseIterable {
    /// An app of Apple's, over APNs.
    case ios = "fcm-ios"
    /// A browser, over its push service.
    case web = "fcm-web"

    /// The carriers, one row each.
    private var row: (name: String, title: String, phone: Platform?) {
      switch self {
      case .ios: ("ios", "iOS over FCM", .ios)
      case .web: ("web", "a browser over FCM", nil)
      }
    }

    /// The name of what the app runs on: `ios`, `web`.
    public var platform: String { row.name }

    /// The name for a person.
    public var title: String { row.title }

    /// The platform whose phones show its messages; nil for browsers.
    public var phone: Platform? { row.phone }

    /// Whether the app runs in a browser.
    public var isBrowser: Bool { phone == nil }
  }

  /// What a message becomes for apps that FCM reaches over another push service.
  public struct CarriedRendering: Sendable, Hashable {
    /// FCM's message; nil when there is nothing to send.
    public var request: FCMRequest?
    /// Why nothing is sent although the message has no errors; nil when it is.
    public var nothing: String?
    /// What there is to say.
    public var report = Report()

    /// Reports that nothing is sent, if so.
    ///
    /// - Parameter isAlone: whether the message is for nothing else, so that this is an error.
    public mutating func reportNothing(to carrier: FCMCarrier, isAlone: Bool) {
      guard let nothing else { return }
      report.add(
        rule: "device-shows-nothing", severity: isAlone ? .error : .warning, field: "",
        message: "\(carrier.title) shows nothing: \(nothing); "
          + (isAlone ? "send another message" : "nothing is sent there"))
    }
  }

  extension Contracts {
    /// Writes a message for apps that FCM reaches over another push service.
    ///
    /// An app of Apple's gets the payload that it would get from APNs directly, byte for byte, in `apns.payload`; a browser
    /// the notification of ``renderWeb(_:message:context:title:)`` in `webpush.notification`.
    ///
    /// - Parameters:
    ///   - carrier: what the app is.
    ///   - contract: the contract that the message is in; an unknown one is an error in the report.
    ///   - message: the message's JSON form.
    ///   - context: which send it belongs to; its target is FCM's.
    ///   - title: the title of a browser's notification that has a text and no title.
    ///   - topic: makes a topic of web push of a collapse id that is none; without it such an id is left out.
    public static func render(
      for carrier: FCMCarrier, _ contract: ContractName, message: JSONValue, context: WriteContext, title: String,
      topic: (String) -> String? = { _ in nil }
    ) -> CarriedRendering {
      switch carrier {
      case .ios:
        var surroundings = context
        // FCM knows the app's bundle id from its registration.
        surroundings.topic = context.topic ?? unknownTopic
        let rendering = render(contract, message: message, context: surroundings, platforms: [.ios])
        var carried = carried(rendering, message: message, to: context.target)
        let isTaken = own(contract, message)?["apns"] != nil
        let said = rendering.report.findings.filter { !isTaken || $0.rule != "field-not-carried" || $0.field != "fcm" }
        carried.report.findings = said + carried.report.findings
        return carried
      case .web:
        var rendering = renderWeb(contract, message: message, context: context, title: title)
        if let collapse = rendering.collapse, !FCMNames.isWebpushTopic(collapse) {
          rendering.collapse = topic(collapse)
          if rendering.collapse == nil {
            rendering.report.add(
              rule: "field-not-carried", severity: .note, field: "",
              message: "the collapse id is no topic of web push, 1 to 32 letters, digits, - and _, and is left out")
          }
        }
        var carried = CarriedRendering(nothing: rendering.nothing, report: rendering.report)
        guard let notification = rendering.notification, !rendering.report.hasErrors else { return carried }
        let own = own(contract, message)?["webpush"]?.object
        var web = FCMCarriedWeb(rendering, notification, own)
        web.write(to: context.target, &carried)
        return carried
      }
    }

    /// The same for an app of Apple's, of a message that is written for APNs already; its report is not repeated.
    public static func carried(_ rendering: Rendering, message: JSONValue, to target: FCMTarget) -> CarriedRendering {
      var carried = CarriedRendering()
      guard let request = rendering.apns else { return carried }
      FCMCarriedApple(request, own(rendering.contract, message)?["apns"]?.object).write(to: target, &carried)
      return carried
    }

    /// The topic of a message that is written for an app of Apple's whose bundle id FCM alone knows.
    public static let unknownTopic = "app"

    /// What a native message says in FCM's own words.
    private static func own(_ contract: ContractName, _ message: JSONValue) -> JSONObject? {
      contract == .native ? message["fcm"]?.object : Optional.none
    }
  }

  extension FCMRequest {
    /// A message with one block for another service, its target first.
    fileprivate init(target: FCMTarget, block: StaticString, _ body: (inout JSONWriter) -> Void) {
      var writer = JSONWriter(capacity: 2_048)
      writer.beginObject()
      writer.key("message")
      writer.beginObject()
      writer.key(target.key)
      writer.string(target.value)
      writer.key(block)
      writer.beginObject()
      body(&writer)
      writer.endObject()
      writer.endObject()
      writer.endObject()
      self.init(body: writer.bytes, target: target)
    }
  }

  extension JSONWriter {
    fileprivate mutating func texts(_ name: StaticString, _ texts: [(name: String, value: String)]) {
      guard !texts.isEmpty else { return }
      key(name)
      beginObject()
      for text in texts {
        key(text.name)
        string(text.value)
      }
      endObject()
    }
  }

  /// The block `apns` of a message.
  ///
  /// Sources: Firebase, REST `ApnsConfig`; “Customize a message across platforms”.
  struct FCMCarriedApple {
    /// FCM adds these itself.
    private static let ownHeaders = ["apns-topic", "apns-id", "apns-channel-id", "apns-request-id"]

    private let request: APNsRequest
    private let own: JSONObject?

    /// - Parameter own: what a native message says in FCM's own words; it wins.
    init(_ request: APNsRequest, _ own: JSONObject?) {
      self.request = request
      self.own = own
    }

    func write(to target: FCMTarget, _ carried: inout CarriedRendering) {
      switch request.headers.pushType {
      case .alert, .background, nil: break
      case let type?:
        carried.nothing =
          "FCM hands alert and background pushes to Apple devices, and this has the push type \(type.rawValue)"
        return
      }
      let payload = payload
      guard Self.hasAps(payload) else {
        carried.nothing = "FCM refuses a payload without aps, and the message has nothing for it but data"
        return
      }
      carried.request = FCMRequest(target: target, block: "apns") { writer in
        writer.texts("headers", headers)
        writer.key("payload")
        writer.raw(payload)
        for (name, value) in own ?? [:] where name != "headers" && name != "payload" {
          writer.key(name)
          writer.value(value)
        }
      }
    }

    private var headers: [(name: String, value: String)] {
      var headers: [(name: String, value: String)] = []
      request.headers.forEach { name, value in
        if !FCMCarriedApple.ownHeaders.contains(name) { headers.append((name, value)) }
      }
      for (name, value) in own?["headers"]?.object ?? [:] {
        guard let text = value.string else { continue }
        headers.removeAll { $0.name == name.lowercased() }
        headers.append((name, text))
      }
      return headers
    }

    private static func hasAps(_ payload: [UInt8]) -> Bool {
      (try? JSON.parse(payload))?["aps"]?.object.map { !$0.isEmpty } ?? false
    }

    private var payload: [UInt8] {
      guard let own = own?["payload"]?.object, let object = (try? JSON.parse(request.payload))?.object else {
        return request.payload
      }
      return JSON.minified(.object(Self.merged(object, own)))
    }

    /// Object by object; where both have a value, the own one wins.
    private static func merged(_ object: JSONObject, _ own: JSONObject) -> JSONObject {
      var result = object
      for (name, value) in own {
        if let known = object[name]?.object, let members = value.object {
          result[name] = .object(merged(known, members))
        } else {
          result[name] = value
        }
      }
      return result
    }
  }

  /// The block `webpush` of a message.
  ///
  /// Sources: Firebase, REST `WebpushConfig` and `WebpushFcmOptions`; firebase-js-sdk, what its worker shows and opens.
  private struct FCMCarriedWeb {
    private let rendering: WebRendering
    private var notification: JSONObject
    private let own: JSONObject?

    init(_ rendering: WebRendering, _ notification: JSONObject, _ own: JSONObject?) {
      self.rendering = rendering
      self.notification = notification
      self.own = own
    }

    mutating func write(to target: FCMTarget, _ carried: inout CarriedRendering) {
      let (options, data) = (options(&carried.report), takeData())
      carried.request = FCMRequest(target: target, block: "webpush") { writer in
        writer.texts("headers", headers)
        writer.key("notification")
        writer.value(.object(notification))
        writer.texts("data", data)
        if !options.isEmpty {
          writer.key("fcm_options")
          writer.value(.object(options))
        }
      }
      reportTexts(&carried.report)
    }

    private var headers: [(name: String, value: String)] {
      var headers: [(name: String, value: String)] = []
      if let ttl = rendering.ttl { headers.append(("TTL", "\(min(max(ttl, 0), Int64(FCMCarriedWeb.ttlMax)))")) }
      if let urgency = rendering.urgency { headers.append(("Urgency", urgency)) }
      if let topic = rendering.collapse { headers.append(("Topic", topic)) }
      for (name, value) in own?["headers"]?.object ?? [:] {
        guard !["ttl", "urgency", "topic"].contains(name.lowercased()), let text = value.string else { continue }
        headers.append((name, text))
      }
      return headers
    }

    /// Four weeks, the most that FCM keeps a message.
    private static let ttlMax = 2_419_200

    /// The link, which Firebase's worker opens: an https address, as FCM refuses any other.
    private mutating func options(_ report: inout Report) -> JSONObject {
      var options = (own?["fcm_options"] ?? own?["fcmOptions"])?.object ?? [:]
      guard let link = notification.removeValue(forKey: "navigate") else { return options }
      // FCM's own word is written as it is, and FCM's rule judges it.
      if options["link"] != nil { return options }
      if link.string?.utf8.starts(with: "https://".utf8) == true {
        options["link"] = link
      } else {
        report.add(
          rule: "field-not-carried", severity: .note, field: "",
          message: "the link is not carried to browsers over FCM, which takes an https address")
      }
      return options
    }

    /// The data as texts: FCM takes no other, and hands them to the page beside the notification.
    private mutating func takeData() -> [(name: String, value: String)] {
      guard let data = notification["data"]?.object else { return [] }
      notification.removeValue(forKey: "data")
      return data.map { ($0.key, $0.value.string ?? JSON.minifiedText($0.value)) }
    }

    /// Firebase's worker knows no texts by key.
    private func reportTexts(_ report: inout Report) {
      guard notification["title_loc"] != nil || notification["body_loc"] != nil else { return }
      report.add(
        rule: "field-not-carried", severity: .note, field: "",
        message: "texts by key are for a worker of your own: Firebase's shows title and body, whatever title_loc and"
          + " body_loc say")
    }
  }
#endif
