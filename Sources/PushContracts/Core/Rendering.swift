public import PushPayload
package import WireJSON

#if !(_pointerBitWidth(_32))
  package import PushRules
#endif

/// What a message becomes: one request per platform, and the report.
public struct Rendering: Sendable, Hashable {
  /// The contract it was written in.
  public var contract: ContractName
  /// The APNs request; nil when iOS was not asked for or the message is not legal there.
  public var apns: APNsRequest?
  /// The FCM request; nil when Android was not asked for or the message is not legal there.
  public var fcm: FCMRequest?
  #if !(_pointerBitWidth(_32))
    /// What a browser's push service is sent, before it is encrypted; nil when it was not asked for, or there is nothing to
    /// send.
    public var web: WebRendering?
    /// What FCM hands on to other push services, beside ``fcm``: when a message is written for several kinds of device, each
    /// under the kind's name.
    package var carried: [FCMCarrier: FCMRequest] = [:]
    /// What services of their own are sent, whose form is no platform's.
    package var others: [OtherRequest] = []
  #endif
  /// What there is to say.
  public var report: Report

  /// Makes a rendering, empty unless parts are given.
  public init(
    contract: ContractName, apns: APNsRequest? = nil, fcm: FCMRequest? = nil, report: Report = Report()
  ) {
    self.contract = contract
    self.apns = apns
    self.fcm = fcm
    self.report = report
  }

  /// `{"apns": {"headers": {…}, "payload": {…}}, "fcm": {"message": {…}}, "report": […]}`, minified; requests
  /// that do not exist are left out, and those that do are embedded byte for byte.
  public var json: [UInt8] {
    var writer = JSONWriter(capacity: (apns?.payload.count ?? 0) + (fcm?.body.count ?? 0) + 1024)
    write(to: &writer)
    return writer.bytes
  }

  /// Writes what ``json`` is.
  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    if let apns {
      writer.literal("\"apns\":")
      apns.write(to: &writer)
    }
    if let fcm {
      writer.literal("\"fcm\":")
      writer.raw(fcm.body)
    }
    #if !(_pointerBitWidth(_32))
      for carrier in FCMCarrier.allCases {
        guard let request = carried[carrier] else { continue }
        writer.key(carrier.rawValue)
        writer.raw(request.body)
      }
      for other in others {
        writer.key(other.name)
        writer.raw(other.body)
      }
      if let web {
        writer.literal("\"web\":")
        writer.value(web.json)
      }
    #endif
    writer.literal("\"report\":")
    report.write(to: &writer)
    writer.endObject()
  }
}

#if !(_pointerBitWidth(_32))
  /// A request to a service whose form is no platform's.
  package struct OtherRequest: Sendable, Hashable {
    /// Its member of a rendering.
    package let name: String
    /// What people call the service.
    package let title: String
    /// The request without a device's address.
    package let request: JSONObject
    /// The body with an address.
    package let body: [UInt8]
    /// What the service's rules say.
    package let check: @Sendable (inout PushChecker) -> Report

    package static func == (one: OtherRequest, other: OtherRequest) -> Bool {
      one.name == other.name && one.body == other.body
    }

    package func hash(into hasher: inout Hasher) {
      hasher.combine(name)
      hasher.combine(body)
    }
  }
#endif

extension Rendering {
  /// Provider rules that a published contract breaks on purpose: it is followed, and the finding is a warning.
  ///
  /// PowerAuth keeps the badge on silent messages, which Apple's pages advise against.
  private static let departures: [ContractName: [String]] = [.powerauth: ["apns-background-visible"]]

  /// A report of the provider rules about this rendering, with the errors that its contract asks for as warnings.
  public func tolerating(_ report: Report) -> Report {
    guard report.hasErrors, let rules = Rendering.departures[contract] else { return report }
    var tolerant = Report()
    for var finding in report.findings {
      if finding.severity == .error, rules.contains(finding.rule) { finding.severity = .warning }
      tolerant.findings.append(finding)
    }
    return tolerant
  }
}
