#if !_pointerBitWidth(_32)
  package import PushContracts
  internal import PushPayload
  package import PushRules
  package import WireJSON

  extension RenderRequest {
    /// What a message is written for instead of the platforms.
    package enum Target: Sendable {
      /// An app that FCM reaches over another push service, and what makes a topic of web push of a collapse id that is
      /// none.
      case carried(FCMCarrier, topic: @Sendable (String) -> String?)
      /// Browsers, over their own push services, and the same for their topics.
      case web(topic: @Sendable (String) -> String?)
      /// Huawei's phones.
      case hms

      /// The name of browsers.
      package static let browsers = "web"
      /// The name of the phones of Huawei.
      package static let huawei = "hms"

      /// The names of all.
      package static let names = FCMCarrier.allCases.map { $0.rawValue } + [browsers, huawei]

      /// Its name.
      package var name: String {
        switch self {
        case .carried(let carrier, _): carrier.rawValue
        case .web: Target.browsers
        case .hms: Target.huawei
        }
      }

      /// The platform whose screens such a device has.
      package var platform: String {
        switch self {
        case .carried(let carrier, _): carrier.platform
        case .web: Target.browsers
        case .hms: Platform.android.rawValue
        }
      }

      /// The member of a rendering that has the request, when it is written alone.
      package var member: String {
        switch self {
        case .carried: "fcm"
        case .web, .hms: name
        }
      }

      /// A request to the provider in the form that the platform's reader takes.
      package func read(_ request: JSONValue) -> JSONValue {
        switch self {
        case .carried, .web: request
        case .hms: HuaweiDevice.android(request["message"] ?? request)
        }
      }

      /// The target of a name; nil for a platform's.
      ///
      /// - Parameter topic: makes a topic of web push of a collapse id that is none.
      package init?(_ name: String, topic: @escaping @Sendable (String) -> String?) {
        if name == Target.huawei {
          self = .hms
        } else if name == Target.browsers {
          self = .web(topic: topic)
        } else if let carrier = FCMCarrier(rawValue: name) {
          self = .carried(carrier, topic: topic)
        } else {
          return nil
        }
      }
    }

    /// The title of a notification that has a text and no title: without an app nobody knows a name.
    package static let untitled = "Notification"

  }

  extension RenderRequest.Target {
    /// What a message is for it.
    ///
    /// - Parameter isAlone: whether it is written for nothing else, so that a message with nothing for it is an error.
    package func rendering(
      _ contract: ContractName, _ message: JSONValue, _ context: WriteContext, isAlone: Bool = true
    ) -> Rendering {
      let title = RenderRequest.untitled
      switch self {
      case .hms:
        return Contracts.renderForHuawei(
          contract, message: message, context: context, title: title, isAlone: isAlone)
      case .web(let topic):
        var web = Contracts.renderWeb(contract, message: message, context: context, title: title)
        web.reportNothing(isAlone: isAlone)
        web.reportLink(isDeclarative: false)
        web.reportSize()
        web.collapse = web.collapse.flatMap(topic)
        var rendering = Rendering(contract: contract, report: web.report)
        if !web.report.hasErrors, web.notification != nil { rendering.web = web }
        return rendering
      case .carried(let carrier, let topic):
        var carried = Contracts.render(
          for: carrier, contract, message: message, context: context, title: title, topic: topic)
        carried.reportNothing(to: carrier, isAlone: isAlone)
        return Rendering(contract: contract, fcm: carried.request, report: carried.report)
      }
    }

    /// What a document is that is said to be for it, by the kind that its members tell; nil for no change.
    package func kind(of document: PushDocumentKind?) -> PushDocumentKind? {
      switch (self, document) {
      case (_, .rendering?): .rendering
      case (.hms, _): .hmsRequest
      case (.carried, _): .fcmRequest
      case (.web, _): document
      }
    }
  }
#endif
