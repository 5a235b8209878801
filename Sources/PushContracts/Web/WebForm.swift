// The module for browsers is bounded in size, and nothing in it writes messages for push services.
#if !(_pointerBitWidth(_32))
  import PushPayload
  import WireJSON

  /// A member of the notification that a browser is sent: those of the Notifications API and of declarative web push, and
  /// two for texts that the page's own worker looks up.
  enum WebMember: String, CaseIterable, Sendable {
    case title
    case body
    case icon
    case image
    case badge
    case appBadge = "app_badge"
    case tag
    case navigate
    case actions
    case data
    case titleLoc = "title_loc"
    case bodyLoc = "body_loc"
  }

  /// Where the fields of all contracts are in the notification that a browser is sent: by what they mean, and by their name
  /// where a contract has one for browsers or none that means the same.
  ///
  /// Sources: Notifications API, `NotificationOptions`; Push API, “Declarative push message”.
  enum WebForm {
    /// One use of a field.
    struct Use: Sendable {
      let member: WebMember
      /// The rule that the table of the contract shows beside the member; empty when there is none.
      var rule = ""
      /// Of several fields with the same member the one with the lowest rank is taken.
      var rank = 0
    }

    /// The uses of a field; empty when it is not carried to browsers.
    static func uses(of name: String, _ role: FieldRole?, in contract: ContractName) -> [Use] {
      named[contract]?[name] ?? role.flatMap { byRole[$0] } ?? []
    }

    private static let address = "an https address"
    private static let byRole: [FieldRole: [Use]] = [
      .title: [Use(member: .title)], .body: [Use(member: .body)], .image: [Use(member: .image, rule: address)],
      .largeIcon: [Use(member: .icon, rule: address)],
      .icon: [Use(member: .icon, rule: address, rank: 1), Use(member: .badge, rule: address)],
      .badge: [Use(member: .appBadge)], .collapse: [Use(member: .tag)], .link: [Use(member: .navigate, rank: 1)],
      .actions: [Use(member: .actions)], .data: [Use(member: .data)],
      .titleLocKey: [Use(member: .titleLoc, rule: "key")], .titleLocArgs: [Use(member: .titleLoc, rule: "args")],
      .bodyLocKey: [Use(member: .bodyLoc, rule: "key")], .bodyLocArgs: [Use(member: .bodyLoc, rule: "args")],
    ]
    private static let named: [ContractName: [String: [Use]]] = [
      .onesignal: [
        "buttons": [Use(member: .actions, rank: 1)], "web_buttons": [Use(member: .actions)],
        "chrome_web_icon": [Use(member: .icon, rule: address, rank: -2)],
        "firefox_icon": [Use(member: .icon, rule: address, rank: -1)],
        "chrome_web_image": [Use(member: .image, rule: address, rank: -1)],
        "chrome_web_badge": [Use(member: .badge, rule: address, rank: -1)],
        "web_push_topic": [Use(member: .tag, rank: -1)], "global_image": [Use(member: .image, rule: address, rank: 1)],
        "web_url": [Use(member: .navigate)],
      ],
      .native: ["fcm": [Use(member: .data, rule: "webpush: headers, notification, data and link")]],
    ]

    /// The cell of a row in the table of a contract.
    static func cell(_ name: String, _ role: FieldRole?, in contract: ContractName) -> [String] {
      if contract == .native, name == "fcm" { return ["members of webpush.notification"] }
      return uses(of: name, role, in: contract).map { use in
        switch use.member {
        case .titleLoc, .bodyLoc: "\(use.member.rawValue).\(use.rule)"
        default: use.rule.isEmpty ? use.member.rawValue : "\(use.member.rawValue), \(use.rule)"
        }
      }
    }
  }

  extension MappingTable {
    /// Where a row is in the notification for browsers, as a cell.
    func webCells(_ row: MappingRow) -> [String] {
      guard row.source == .message || row.source == .context else { return [] }
      return WebForm.cell(row.field, row.role, in: contract)
    }
  }
#endif
