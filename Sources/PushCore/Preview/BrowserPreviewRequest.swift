// The module for browsers is bounded in size; what browsers show is asked of the server.
#if !(_pointerBitWidth(_32))
  package import DevicePreview
  internal import PushContracts
  internal import PushRules
  package import PushPayload
  package import WireJSON

  /// `preview` with the platform `web`: what browsers show of a message, or of a content as a push service delivers it.
  package struct BrowserPreviewRequest: Sendable {
    /// The value of the option `platform`.
    package static let platform = "web"
    /// The longest content that a push service takes, in bytes: 4096 without what encryption adds.
    private static let contentBytesMax = 3993
    /// What the server adds to a message's content: `,"push":"…"` with the digits that an id has at most.
    private static let pushBytesMax = 29

    private let contract: ContractName?
    private let context: WriteContext
    private let siteName: String

    /// Whether the options ask for browsers.
    package static func isMeant(by options: some OptionSource) -> Bool { options.text("platform") == platform }

    /// Reads the options.
    package init(_ options: some OptionSource) throws(CoreError) {
      contract = options.contract()
      context = try options.writeContext()
      siteName = options.text("app") ?? "App"
      for name in ["push_type", "collapse_id"] where options.text(name) != nil {
        let (given, other) = (options.spelled(name), options.spelled("platform"))
        throw .usage("\(given) is for APNs; leave out \(other) web", option: given, fix: "leave out \(given)")
      }
    }

    /// What browsers show of a document: of a message when a contract is named, and of a content otherwise.
    package func preview(
      _ json: JSONValue, _ duplicates: [JSONDuplicate], as form: PreviewInput.Form = .recognized
    ) throws(CoreError) -> (preview: BrowserPreview?, report: Report) {
      var report = Report()
      for duplicate in duplicates { report.add(duplicate) }
      if form != .message, let message = PreviewInput.carried(json, "webpush") {
        var checker = PushChecker()
        report.append(checker.check(fcmBody: JSON.minified(json)))
        let content = BrowserNotification.content(ofFCM: message)
        return (BrowserPreview(content: content, siteName: siteName, contract: contract), report)
      }
      guard let contract, form != .payload else {
        guard form != .message else {
          throw .usage("a message needs its contract", option: "contract", fix: "give contract")
        }
        check(json, Self.contentBytesMax, &report)
        return (BrowserPreview(content: json, siteName: siteName, contract: contract), report)
      }
      let rendering = Contracts.renderWeb(contract, message: json, context: context, title: siteName)
      report.append(rendering.report)
      if let nothing = rendering.nothing {
        report.add(
          rule: "device-shows-nothing", severity: .error, field: "",
          message: "a browser shows nothing: \(nothing); add a text")
        return (BrowserPreview(silence: nothing, siteName: siteName, contract: contract), report)
      }
      guard let notification = rendering.notification, !rendering.report.hasErrors else { return (nil, report) }
      let content = JSONValue.object(notification)
      check(content, Self.contentBytesMax - Self.pushBytesMax, &report)
      return (BrowserPreview(content: content, siteName: siteName, contract: contract), report)
    }

    private func check(_ content: JSONValue, _ most: Int, _ report: inout Report) {
      let bytes = JSON.minified(content).count
      guard bytes > most else { return }
      report.add(
        rule: "web-push-too-large", severity: .error, field: "",
        message: most == Self.contentBytesMax
          ? "the content has \(bytes) bytes; a web push holds \(most): shorten the text"
          : "the content has \(bytes) bytes; with the push's id a web push holds \(most): shorten the text")
    }
  }
#endif
