import StoreModel

/// A vendor's tables as Markdown; `docs/leaving` shows them.
enum ImportPage {
  static func markdown(_ vendor: ImportVendor) -> String {
    (columns(vendor) + [""] + kinds(vendor)).joined(separator: "\n")
  }

  private static func columns(_ vendor: ImportVendor) -> [String] {
    ["| column | becomes | |", "| --- | --- | --- |"]
      + vendor.columns.map { column in
        let suffix = column.target == .family ? ".…" : ""
        let names = column.names.map { "`\($0)\(suffix)`" }.joined(separator: ", ")
        let about = column.isRequired ? "required; \(column.about)" : column.about
        return "| \(names) | \(column.target.member) | \(about) |"
      }
  }

  private static func kinds(_ vendor: ImportVendor) -> [String] {
    let name = vendor.column(.kind).map { vendor.columns[$0].name } ?? ""
    return ["| `\(name)` | becomes |", "| --- | --- |"]
      + vendor.kinds.map { kind in
        "| \(kind.values.map { "`\($0)`" }.joined(separator: ", ")) | \(kind.meaning.text) |"
      } + ["| none | \((vendor.kindDefault ?? .leftOut(.unknownKind)).text) |"]
      + ["| any other | \(ImportKind.Meaning.leftOut(.unknownKind).text) |"]
  }
}

extension ImportColumn.Target {
  /// The member of a registration that it becomes.
  fileprivate var member: String {
    switch self {
    case .token: "`token`"
    case .p256dh: "`p256dh`"
    case .auth: "`auth`"
    case .kind: "`type`"
    case .name: "`name`"
    case .user: "`user`"
    case .locale: "`locale`"
    case .appVersion: "`app_version`"
    case .zone, .zoneOffset: "`timezone`"
    case .environment: "`environment`"
    case .createdAt: "`created_at`"
    case .seenAt: "`registered_at`, the user's `last_seen_at`"
    case .dead, .vendorApp: "decides which rows are imported"
    case .optedOut, .optedOutUnlessPositive: "`opt_out`"
    case .alias(let label): "alias `\(label)` of the user"
    case .property(let name, _): "property `\(name)`"
    case .properties, .family: "properties"
    case .unused: "not imported"
    }
  }
}

extension ImportKind.Meaning {
  fileprivate var text: String {
    switch self {
    case .address(let kind, let environment):
      "`\(kind.name)`" + (environment.map { ", `\($0.name)`" } ?? "")
        + (kind.takesSubscription ? ", with the key of `--web-key`" : "")
    case .leftOut(let reason): "left out: \(reason.rawValue), \(reason.about)"
    }
  }
}

extension DeviceKind {
  fileprivate var takesSubscription: Bool { if case .subscription = form { true } else { false } }
}
