// The module for browsers is bounded in size, and nothing in it writes messages for push services.
#if !(_pointerBitWidth(_32))
  public import PushPayload
  internal import PushRules
  public import WireJSON

  /// What a message becomes for Huawei's phones.
  public struct HuaweiRendering: Sendable, Hashable {
    /// Push Kit's message; nil when there is nothing to send.
    public var request: HuaweiRequest?
    /// Why nothing is sent although the message has no errors; nil when it is.
    public var nothing: String?
    /// What there is to say.
    public var report = Report()

    /// Reports that nothing is sent, if so.
    ///
    /// - Parameter isAlone: whether the message is for nothing else, so that this is an error.
    public mutating func reportNothing(isAlone: Bool) {
      guard let nothing else { return }
      report.add(
        rule: "device-shows-nothing", severity: isAlone ? .error : .warning, field: "",
        message: "a Huawei phone gets nothing: \(nothing); "
          + (isAlone ? "send another message" : "nothing is sent there"))
    }

    /// Reports a message that is too long for Push Kit.
    public mutating func reportSize() {
      guard let request else { return }
      let bytes = request.template().body.count
      guard bytes > HuaweiRequest.bytesMax else { return }
      report.add(
        rule: "hms-message-too-large", severity: .error, field: "",
        message:
          "the message for Huawei's phones has \(bytes) bytes; Push Kit takes \(HuaweiRequest.bytesMax) without the"
          + " token: shorten the text, or send a reference")
    }
  }

  extension Contracts {
    /// Writes a message for Huawei's phones: a PowerAuth message as its server writes it, any other as what it is for Android.
    ///
    /// - Parameters:
    ///   - contract: the contract that the message is in.
    ///   - message: the message's JSON form.
    ///   - context: which send it belongs to.
    ///   - title: the title of a notification that has a text and no title.
    ///   - android: what the message is for Android; nil when it has errors there, or nothing to send.
    public static func renderHuawei(
      _ contract: ContractName, message: JSONValue, context: WriteContext, title: String, android: FCMRequest?
    ) -> HuaweiRendering {
      var result = HuaweiRendering()
      // What is wrong with the message is said where it is written for Android.
      guard let android, let written = (try? JSON.parse(android.body))?["message"] else { return result }
      if contract == .powerauth {
        var ignored = Report()
        let body = PowerAuth.contract.decode(message, report: &ignored)
        HuaweiPowerAuth(message: body, context: context).write(&result)
      } else {
        let own = contract == .onesignal ? HuaweiOneSignal(message: message, title: title) : nil
        let rendered = own?.forAndroid.map {
          render(contract, message: $0, context: context, platforms: [.android]).fcm?.body
        }
        let whole = rendered.flatMap { body in body.flatMap { try? JSON.parse($0) }?["message"] } ?? written
        var form = HuaweiForm(whole, title: title)
        form.write(&result)
        own?.complete(&result)
      }
      result.reportSize()
      return result
    }

    /// Writes a message for Huawei's phones and nothing else.
    ///
    /// - Parameters:
    ///   - contract: the contract that the message is in.
    ///   - message: the message's JSON form.
    ///   - context: which send it belongs to.
    ///   - title: the title of a notification that has a text and no title.
    ///   - isAlone: whether it is written for nothing else at all, so that a message with nothing for them is an error.
    public static func renderForHuawei(
      _ contract: ContractName, message: JSONValue, context: WriteContext, title: String, isAlone: Bool = true
    ) -> Rendering {
      var rendering = render(contract, message: message, context: context, platforms: [.android])
      var written = renderHuawei(contract, message: message, context: context, title: title, android: rendering.fcm)
      written.reportNothing(isAlone: isAlone)
      rendering.fcm = nil
      rendering.report.append(written.report)
      if !rendering.report.hasErrors, let request = written.request {
        var token = WriteContext.tokenPlaceholder
        if case .token(let own) = context.target { token = own }
        var json: JSONObject = ["message": .object(request.message)]
        json["validate_only"] = request.validateOnly.map { .bool($0) }
        rendering.others.append(
          OtherRequest(name: "hms", title: "Push Kit", request: json, body: request.body(token: token)) {
            $0.check(request)
          })
      }
      return rendering
    }
  }

  extension Rendering {
    /// The request to Huawei's Push Kit; nil when it was not asked for, or there is nothing to send.
    public var hms: HuaweiRequest? {
      guard let request = others.first(where: { $0.name == "hms" })?.request else { return nil }
      return HuaweiRequest(
        message: request["message"]?.object ?? [:], validateOnly: request["validate_only"]?.bool)
    }
  }
#endif
