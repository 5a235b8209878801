internal import PushPayload
internal import StoreModel
internal import WireJSON

/// What is stored of one request.
struct ShadowRecord {
  let request: ShadowedCall
  var outcome: ShadowOutcome
  /// The status that this server would have answered.
  var status: Int?
  var problem: Problem?
  var found = ShadowTrial.Found()
  var vendor: VendorAnswer?
  /// What is said of how the request was divided.
  var note: String?
  /// How many recipients' messages are delivered from here and by the vendor, where it was divided.
  var shares: (here: Int, vendor: Int)?

  private static let listedMax = 20

  init(_ request: ShadowedCall, _ outcome: ShadowOutcome) { (self.request, self.outcome) = (request, outcome) }

  /// How the vendor's answer compares to ours; nil where there is nothing to compare.
  private var agreement: String? {
    guard let vendor else { return nil }
    guard let status = vendor.status else { return "vendor_down" }
    guard outcome != .skipped, outcome != .live else { return nil }
    let isTaken = (200..<300).contains(status)
    let isTakenHere = outcome != .refused
    return isTaken == isTakenHere ? "same" : isTaken ? "only_vendor" : "only_here"
  }

  /// The record, without texts of the caller's.
  var new: NewShadowRequest {
    let redaction = ShadowShape.Redaction(request.sentBody, others: request.named)
    let findings = found.report.findings + (problem?.report.findings ?? [])
    let unknown = ShadowRecord.unique(findings.filter(\.isAboutUnknown).map { ShadowShape.path($0.field) })
    let differences = ShadowRecord.unique(
      found.report.findings.filter { $0.severity != .note && !$0.isAboutUnknown }.map(\.rule))
    let reason = problem.map { redaction.sentence($0.detail) }
    var new = NewShadowRequest(
      app: request.entry.app.id, vendor: request.vendor.rawValue, operation: request.route.name, at: request.call.now,
      outcome: outcome, vendorStatus: vendor?.status, targeted: found.targeted,
      detail: detail(redaction, reason, unknown, findings))
    new.counts = [ShadowCount(.outcome, outcome.name), ShadowCount(.operation, request.route.name)]
    if let agreement { new.counts.append(ShadowCount(.agreement, agreement)) }
    if let reason { new.counts.append(ShadowCount(.reason, reason)) }
    new.counts += unknown.map { ShadowCount(.unknown, $0) } + differences.map { ShadowCount(.difference, $0) }
    new.counts += found.platforms.map { ShadowCount(.platform, $0.key, $0.value) }
    return new
  }

  private static func unique(_ texts: [String]) -> [String] {
    var seen: Set<String> = []
    return texts.filter { seen.insert($0).inserted }.prefix(listedMax).map { $0 }
  }

  private func detail(
    _ redaction: ShadowShape.Redaction, _ reason: String?, _ unknown: [String], _ findings: [Finding]
  ) -> [UInt8] {
    var object: JSONObject = ["mode": .string(request.setting.mode.rawValue)]
    if let status { object["status"] = .number(JSONNumber(status)) }
    if let reason { object["reason"] = .string(reason) }
    if let note { object["note"] = .string(note) }
    if let agreement { object["agreement"] = .string(agreement) }
    if let shares {
      object["shares"] = ["here": .number(JSONNumber(shares.here)), "vendor": .number(JSONNumber(shares.vendor))]
    }
    var platforms = JSONObject()
    for (name, count) in found.platforms.sorted(by: { $0.key < $1.key }) {
      platforms[name] = .number(JSONNumber(count))
    }
    object["platforms"] = .object(platforms)
    object["unknown"] = .array(unknown.map { .string($0) })
    object["vendor"] = vendor.map { vendorJSON($0, redaction) }
    object["findings"] = .array(
      findings.prefix(ShadowRecord.listedMax).map { finding in
        [
          "rule": .string(finding.rule), "severity": .string(finding.severity.rawValue),
          "field": .string(ShadowShape.path(finding.field)), "message": .string(redaction.sentence(finding.message)),
        ]
      })
    object["request"] = ShadowShape.of(request.sentBody)
    var payloads = JSONObject()
    for (name, shape) in found.payloads.sorted(by: { $0.key < $1.key }) { payloads[name] = shape }
    object["payloads"] = .object(payloads)
    // What is longest is of least use.
    for name in ["payloads", "request", "findings"] {
      let bytes = JSON.minified(.object(object))
      guard bytes.count > StoreLimits.shadowDetailBytesMax else { return bytes }
      object[name] = nil
    }
    return JSON.minified(.object(object))
  }

  private func vendorJSON(_ vendor: VendorAnswer, _ redaction: ShadowShape.Redaction) -> JSONValue {
    var object = JSONObject()
    if let status = vendor.status { object["status"] = .number(JSONNumber(status)) }
    if let count = vendor.recipients { object["recipients"] = .number(JSONNumber(count)) }
    if let error = vendor.error {
      // What this server says of a vendor that is away has no ids; the vendor's own words may have any.
      let sentence = redaction.sentence(error)
      object["error"] = .string(vendor.failure == nil ? ShadowShape.withoutIDs(sentence) : sentence)
    }
    return .object(object)
  }
}

extension ShadowOutcome {
  /// As the API names it.
  var name: String {
    switch self {
    case .accepted: "accepted"
    case .nobody: "nobody"
    case .refused: "refused"
    case .skipped: "skipped"
    case .live: "live"
    }
  }
}

extension ShadowTotal.Kind {
  /// The member of the report that has its totals.
  var name: String {
    switch self {
    case .outcome: "outcomes"
    case .agreement: "agreement"
    case .operation: "operations"
    case .reason: "reasons"
    case .unknown: "unknown"
    case .difference: "differences"
    case .platform: "platforms"
    }
  }
}
