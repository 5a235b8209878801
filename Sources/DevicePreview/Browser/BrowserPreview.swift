// The module for browsers is bounded in size; what browsers show is asked of the server.
#if !(_pointerBitWidth(_32))
  public import PushContracts
  public import PushPayload
  public import WireJSON

  /// What browsers show of a push: the texts on each of ``BrowserScreen``, and everything around them.
  public struct BrowserPreview: Sendable, Hashable {
    /// What one browser shows.
    public struct Screen: Sendable, Hashable {
      /// The browser.
      public var screen: BrowserScreen
      /// The title.
      public var title: TextLines
      /// The text.
      public var body: TextLines
      /// The buttons.
      public var actions: [BrowserNotification.Action]
      /// The members that it does not draw.
      public var undrawn: [String]
    }

    /// What the content says.
    public var notification: BrowserNotification
    /// Why nothing is sent to browsers; nil when something is shown.
    public var silence: String?
    /// The contract that the message is in; nil for a content as it is.
    public var contract: ContractName?
    /// What each browser shows; empty when nothing is sent.
    public var screens: [Screen] = []
    /// The name of the site, which is shown with each notification.
    public var siteName: String
    /// What there is to say: texts that do not fit, texts that the page has.
    public var report = Report()

    /// Looks at a content.
    public init(content: JSONValue, siteName: String, contract: ContractName? = nil) {
      notification = BrowserNotification(content)
      self.siteName = siteName
      self.contract = contract
      let texts = (InertText(title), InertText(notification.body ?? ""))
      screens = BrowserScreen.all.map { screen in
        // Titles are bold, and bold letters are a little wider; the icon is beside the texts.
        let room = screen.width - (screen.drawsIcon && notification.icon != nil ? 56 : 0)
        return Screen(
          screen: screen,
          title: TextLines(texts.0, width: room * 1000 / 15 * 15 / 16, linesMax: screen.lines.title),
          body: TextLines(texts.1, width: room * 1000 / 14, linesMax: screen.lines.body),
          actions: Array(screen.actions(of: notification)), undrawn: screen.undrawn(of: notification))
      }
      reportTexts()
    }

    /// A message of which browsers are sent nothing.
    public init(silence: String, siteName: String, contract: ContractName?) {
      notification = BrowserNotification([:])
      self.silence = silence
      self.siteName = siteName
      self.contract = contract
    }

    /// The title that is shown.
    public var title: String { notification.title ?? siteName }

    /// Whether the content has no text, so that the site's worker shows the name of the site alone.
    private var isNameAlone: Bool {
      notification.title == nil && notification.body == nil && notification.pageTitle == nil
        && notification.pageBody == nil
    }

    private mutating func reportTexts() {
      if isNameAlone {
        report.add(
          rule: "device-fallback", severity: .warning, field: "",
          message: "browsers show the name of the site alone, as the content has neither title nor body")
      }
      if notification.isReduced {
        report.add(
          rule: PreviewRule.reduced.rawValue, severity: .warning, field: "",
          message:
            "browsers refuse a member of it (a button without action or title, renotify without tag, vibrate with silent), so that"
            + " title and text are shown alone")
      }
      for (name, text) in [("title", notification.pageTitle), ("body", notification.pageBody)] {
        guard let text else { continue }
        report.add(
          rule: PreviewRule.noTables.rawValue, severity: .note, field: FieldPath(members: name),
          message: "the text “\(text.key)” of the page wins where its worker has it (self.postriderText)")
      }
      guard let first = screens.first else { return }
      for (name, lines, severity) in [("title", first.title, Severity.warning), ("body", first.body, .note)]
      where lines.isCut {
        report.add(
          rule: PreviewRule.textCut.rawValue, severity: severity, field: FieldPath(members: name),
          message:
            "\(first.screen.name): about \(lines.shown) of \(lines.count) characters fit on \(lines.lines.count) "
            + "line\(lines.lines.count == 1 ? "" : "s")")
      }
    }
  }

  extension BrowserPreview {
    /// The preview as JSON, with the members of ``Preview/json``, as far as browsers have them.
    public var json: JSONObject {
      var object: JSONObject = ["platform": "web"]
      if let contract { object.append("contract", .string(contract.rawValue)) }
      object.append("silent", .bool(silence != nil))
      object.append("outcome", silence != nil ? "nothing" : isNameAlone ? "fallback" : "shown")
      if let silence { object.append("silence", .string(silence)) } else { add(to: &object) }
      object.append("report", report.json)
      return object
    }

    private func add(to object: inout JSONObject) {
      let text = NotificationText(title, origin: notification.title == nil ? .fallback : .payload)
      object.append("title", .object(text.json))
      if let body = notification.body { object.append("body", .object(NotificationText(body).json)) }
      for (name, text) in [("page_title", notification.pageTitle), ("page_body", notification.pageBody)] {
        guard let text else { continue }
        object.append(name, ["key": .string(text.key), "args": .array(text.arguments.map { .string($0) })])
      }
      if let badge = notification.appBadge { object.append("badge", ["set": .number(JSONNumber(badge))]) }
      object.add("image", notification.image)
      object.add("large_icon", notification.icon)
      object.add("small_icon", notification.badge)
      if !notification.actions.isEmpty {
        object.append("buttons", .array(notification.actions.map { .object(ShownButton($0).json) }))
      }
      object.add("replaces", notification.tag)
      if notification.isSilent { object.append("without_sound", true) }
      if notification.requiresInteraction { object.append("sticky", true) }
      if notification.isDeclarative { object.append("declarative", true) }
      if notification.isReduced { object.append("reduced", true) }
      var tap: JSONObject = ["effect": "web"]
      tap.add("link", notification.link)
      object.append("tap", .object(tap))
      object.append("surfaces", .array(screens.map { .object($0.json) }))
    }
  }

  extension BrowserPreview.Screen {
    /// `{surface, title, body, buttons, cut, undrawn}`.
    public var json: JSONObject {
      var object: JSONObject = ["surface": .string(screen.name)]
      var cut: [JSONValue] = []
      for (name, text) in [("title", title), ("body", body)] {
        if !text.lines.isEmpty { object.append(name, .array(text.lines.map { .string($0) })) }
        if text.isCut { cut.append(.string(name)) }
      }
      if !actions.isEmpty { object.append("buttons", .array(actions.map { .string($0.id) })) }
      if !cut.isEmpty { object.append("cut", .array(cut)) }
      if !undrawn.isEmpty { object.append("undrawn", .array(undrawn.map { .string($0) })) }
      return object
    }
  }

  extension ShownButton {
    /// A button of a browser's notification.
    init(_ action: BrowserNotification.Action) {
      self.init(
        id: action.id, label: action.title, effect: action.link == nil ? .action : .web, link: action.link,
        icon: action.icon)
    }
  }

  extension BrowserPreview {
    /// The preview as plain text for a terminal, with nothing in it that a terminal would obey.
    public var text: String {
      var lines = ["web" + (contract.map { " · \($0.rawValue)" } ?? "")]
      if let silence { lines.append("  nothing is shown: \(InertText(silence).line)") }
      for shown in screens {
        lines.append("  \(shown.screen.title)")
        lines += (shown.title.lines + shown.body.lines).map { "    \($0)" }
        if !shown.actions.isEmpty {
          lines.append("    " + shown.actions.map { "[\(InertText($0.title).line)]" }.joined(separator: " "))
        }
        if !shown.undrawn.isEmpty { lines.append("    not drawn: " + shown.undrawn.joined(separator: ", ")) }
      }
      let details = [
        ("image", notification.image), ("icon", notification.icon), ("replaces", notification.tag),
        ("badge", notification.appBadge?.description), ("tap opens", notification.link),
      ]
      for (name, text) in details { if let text { lines.append("  \(name): " + InertText(text).line) } }
      for action in notification.actions {
        let link = action.link.map { " → " + InertText($0).line } ?? ""
        lines.append("  button: [\(InertText(action.title).line)]\(link)")
      }
      for finding in report.findings { lines.append("  " + InertText(finding.description).line) }
      return lines.joined(separator: "\n") + "\n"
    }
  }
#endif
