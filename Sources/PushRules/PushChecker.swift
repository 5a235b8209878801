public import PushPayload
public import WireJSON

/// Checks messages against the rules of their providers; keep one and use it again, it reuses its memory.
///
/// ```swift
/// var checker = PushChecker()
/// let report = checker.check(request)
/// if report.hasErrors { … }
/// ```
/// A checker never changes a message and never fails: bytes that are no JSON are a finding like any other.
public struct PushChecker: Sendable {
  /// Which rules apply, and how strictly.
  public var settings: RuleSettings
  /// The document that was checked last, for finding lines and columns.
  public private(set) var document = JSONDocument()
  /// Why the last text was no JSON; nil when it was.
  public private(set) var failure: JSONError?
  /// What a check of what the device makes of payloads keeps.
  package var device = DeviceCheckMemory()
  #if !_pointerBitWidth(_32)
    /// A topic of which nothing is to be said with an alert; the headers of most requests have the one of those before.
    var plainTopic: String?
  #endif

  /// Makes a checker.
  public init(settings: RuleSettings = RuleSettings()) { self.settings = settings }

  /// Checks an APNs request as it will be sent to a device.
  ///
  /// Header findings have paths such as `headers.apns-topic`, payload findings such as `aps.alert.title`.
  public mutating func check(_ request: APNsRequest) -> Report {
    check(apnsPayload: request.payload, headers: request.headers)
  }

  /// Checks an APNs payload; without headers it is not judged by its push type.
  public mutating func check(apnsPayload bytes: [UInt8], headers: APNsHeaders? = nil) -> Report {
    let limit = headers?.pushType?.payloadBytesMax ?? APNsPushType.alert.payloadBytesMax
    return run(bytes, payloadMax: limit, prepare: { if let headers { $0.checkHeaders(headers) } }) { check in
      let root = check.document.root
      check.checkPayload(root, headers)
      check.checkSize(root, limit: limit, written: bytes.count)
    }
  }

  /// Checks a broadcast.
  public mutating func check(_ broadcast: APNsBroadcast) -> Report {
    let request = broadcast.request
    let limit = APNsBroadcast.payloadBytesMax
    return run(request.payload, payloadMax: limit, prepare: { $0.checkBroadcastHeaders(request.headers) }) { check in
      check.checkBroadcastPayload(check.document.root)
      check.checkSize(check.document.root, limit: limit, written: request.payload.count)
    }
  }

  /// Checks the body that creates a channel.
  public mutating func check(channelCreation bytes: [UInt8]) -> Report {
    run(bytes) { $0.checkChannelCreation($0.document.root) }
  }

  /// Checks the body of an FCM v1 `messages:send`.
  public mutating func check(fcmBody bytes: [UInt8]) -> Report {
    run(bytes) { $0.checkFCM($0.document.root) }
  }

  /// Checks an FCM request.
  public mutating func check(_ request: FCMRequest) -> Report { check(fcmBody: request.body) }

  /// Reads the bytes and runs the checks; what is wrong with the text itself is a finding.
  ///
  /// - Parameter payloadMax: the most bytes, when the text is the body of a request to APNs.
  mutating func run(
    _ bytes: [UInt8], payloadMax: Int? = nil, prepare: (inout RuleCheck) -> Void = { _ in },
    _ body: (inout RuleCheck) -> Void
  ) -> Report {
    failure = nil
    do throws(JSONError) { try document.parse(bytes) } catch { failure = error }
    var check = RuleCheck(document, settings)
    prepare(&check)
    if bytes.isEmpty, payloadMax != nil {
      check.addWhole(.apnsPayloadEmpty, "the body is empty; send an object such as {\"aps\":{\"alert\":\"Hi\"}}")
    } else if let failure {
      check.addWhole(.jsonInvalid, at: FieldPath(pointer: failure.pointer), failure.description)
      if let payloadMax, bytes.count > payloadMax {
        check.addWhole(
          .apnsPayloadTooLarge,
          "the payload has \(bytes.count) bytes, the limit is \(payloadMax); "
            + "\(Quoted.bytes(bytes.count - payloadMax)) must go")
      }
    } else {
      body(&check)
      check.checkDuplicates()
    }
    return Report(check.findings)
  }
}

/// What a check of what the device makes of payloads keeps from one document to the next.
package struct DeviceCheckMemory: Sendable {
  /// The documents in the strings of the last payload, for their memory.
  package var documents: [JSONDocument] = []
  /// False where readers and device models judge every payload: what tests compare with what is found on the tape.
  package var usesTape = true
  /// How many payloads with a vendor's marks were judged by what is found on the tape.
  package var tapeCount = 0
}

extension RuleCheck {
  /// A finding about the whole document.
  mutating func addWhole(_ rule: RuleID, at path: FieldPath = FieldPath(), _ message: @autoclosure () -> String) {
    guard let severity = severity(of: rule) else { return }
    note(rule, severity, path, message())
  }
}
