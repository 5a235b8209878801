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
    else { throw missingPlatform }
    for duplicate in duplicates { parsed.report.add(duplicate) }
    return parsed
  }

  /// Reads the JSON text of a payload and writes the answer: the bytes of ``parsed(_:_:)``.
  ///
  /// - Parameters:
  ///   - text: the payload.
  ///   - parser: reads it; one that is used again allocates less.
  ///   - name: what the text is called in an error.
  package func answer(
    _ text: [UInt8], _ parser: inout PayloadParser, named name: String
  ) throws(CoreError) -> PayloadParser.Answer {
    let answer: PayloadParser.Answer?
    do throws(JSONError) {
      answer = try parser.parse(text, platform: platform, contract: contract, headers: headers, state: state)
    } catch { throw .notJSON(error, in: name) }
    guard let answer else { throw missingPlatform }
    return answer
  }

  private var missingPlatform: CoreError {
    .usage(
      "\(platformName) is missing: ios or android", option: platformName, fix: "give \(platformName) ios or android")
  }
}
