internal import PushPayload
internal import WireJSON

/// Whether requests to a vendor's interface deliver: what an administrator sets for one app and vendor.
struct ShadowSetting: Sendable, Hashable {
  /// What happens to requests.
  enum Mode: String, Sendable, CaseIterable {
    /// They deliver.
    case off
    /// They are checked and counted, and nothing is delivered; the backend sends them to the vendor, too.
    case observe
    /// The same, and each is passed on to the vendor, whose answer the caller gets.
    case forward
  }

  var mode = Mode.off
  /// Where the vendor is, without a slash at the end; nil for the vendor's public address.
  var url: String?
  /// The users of a hundred who get their messages from here.
  var livePercent = 0

  /// Whether requests are anything but live.
  var isOn: Bool { mode != .off && livePercent < 100 }

  /// As it is stored and shown.
  var json: JSONObject {
    var object: JSONObject = ["mode": .string(mode.rawValue)]
    if let url { object["url"] = .string(url) }
    object["live_percent"] = .number(JSONNumber(livePercent))
    return object
  }

  init() {}

  /// Reads what ``json`` is.
  init(_ json: JSONValue) {
    mode = json["mode"]?.string.flatMap(Mode.init) ?? .off
    url = json["url"]?.string
    livePercent = json["live_percent"]?.int ?? 0
  }

  /// Reports what cannot be: a message would reach a person twice, or nobody would know where to pass it on to.
  func check(_ vendor: CompatVendor, into report: inout Report) {
    if mode == .observe, livePercent != 0, livePercent != 100 {
      report.add(
        rule: Schema.Rule.value, severity: .error, field: "live_percent",
        message:
          "expected 0 or 100 with \"observe\": the backend sends everything to the vendor itself, so that these users would"
          + " get it twice; use \"forward\"")
    }
    if mode == .forward, livePercent < 100, url == nil, vendor.address(isOld: false) == nil {
      report.add(
        rule: Schema.Rule.value, severity: .error, field: "url",
        message: "is required: \(vendor.rawValue) has no public address; give that of your server")
    }
  }
}

extension CompatVendor {
  /// The vendor's public address; nil for one that each customer has for itself.
  ///
  /// - Parameter isOld: whether the request came with the path that older clients have.
  func address(isOld: Bool) -> String? {
    switch self {
    case .oneSignal: isOld ? "https://onesignal.com" : "https://api.onesignal.com"
    case .amba: "https://api.amba.dev"
    case .powerAuth, .imKit: nil
    }
  }
}
