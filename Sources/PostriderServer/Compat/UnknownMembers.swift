internal import PushPayload
internal import WireJSON

/// Members of vendors' requests that are not known here, for the log: whoever operates the server finds out what a backend
/// sends without success without reading its answers.
enum UnknownMembers {
  private static let listedMax = 20

  /// One line for a request that has any, with their paths and no values.
  static func log(_ paths: [String], _ vendor: CompatVendor, _ operation: String, _ log: Log) {
    guard !paths.isEmpty else { return }
    var seen: Set<String> = []
    let names = paths.map(ShadowShape.path).filter { seen.insert($0).inserted }.prefix(listedMax)
    log(
      .info, "unknown members",
      [
        "vendor": .text(vendor.rawValue), "operation": .text(operation),
        "members": .text(names.joined(separator: ", ")),
      ])
  }

  /// The paths in findings.
  static func paths(_ findings: [Finding]) -> [String] { findings.filter(\.isAboutUnknown).map(\.field) }

  /// The paths in the report of one of our own answers.
  static func paths(_ report: [JSONValue]) -> [String] {
    report.compactMap { finding in
      Finding.areAboutUnknown.contains(finding["rule"]?.string ?? "") ? finding["field"]?.string : nil
    }
  }
}

extension Finding {
  fileprivate static let areAboutUnknown = [Schema.Rule.unknownField, "field-unknown"]

  /// Whether it is about a member that is not known here.
  var isAboutUnknown: Bool { Finding.areAboutUnknown.contains(rule) }
}
