internal import Basics
package import PushContracts
internal import PushPayload
package import WireJSON

/// `parse`: a raw payload → typed properties.
package struct ParseRequest: Sendable {
  private let platform: Platform?
  private let contract: ContractName?
  private let headers: APNsHeaders?
  private let state: DeviceState?
  private let platformName: String

  static let options = [
    OptionRow("platform", .choice(Platform.allCases.map { $0.rawValue })),
    OptionRow("contract", .choice(Contracts.names.map { $0.rawValue })),
    OptionRow("push_type", .text),
    OptionRow("badge", .integer(0...WholeNumber(Int32.max))),
  ]

  /// Reads the options.
  package init(_ options: some OptionSource) throws(CoreError) {
    platform = options.platform()
    contract = options.contract()
    headers = try options.pushType().map { APNsHeaders(pushType: $0) }
    state = try options.integer("badge", in: 0...WholeNumber(Int32.max)).map { DeviceState(badge: $0) }
    platformName = options.spelled("platform")
  }

  /// Reads a payload.
  package func parsed(_ payload: JSONValue, _ duplicates: [JSONDuplicate] = []) throws(CoreError) -> Parsed {
    guard
      var parsed = Contracts.parse(
        document: payload, platform: platform, contract: contract, headers: headers, state: state)
    else {
      throw .usage(
        "\(platformName) is missing: ios or android", option: platformName, fix: "give \(platformName) ios or android")
    }
    for duplicate in duplicates { parsed.report.add(duplicate) }
    return parsed
  }
}
