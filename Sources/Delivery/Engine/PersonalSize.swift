internal import PushPayload
internal import PushRules
public import PushStore
internal import WebPush

/// The size of a message as its provider counts it.
public enum PersonalSize {
  /// The bytes that count.
  public static func bytes(_ payload: RenderedPayload) -> Int {
    payload.budget.bytes?(payload.body) ?? payload.body.count
  }

  /// Whether texts count as they are, and not as JSON writes them.
  static func countsDecoded(_ payload: RenderedPayload) -> Bool { payload.budget.countsDecoded }

  /// The bytes that count with nothing in the holes, and of each hole whether what is put into it counts.
  static func parts(_ payload: RenderedPayload) -> (bytes: Int, counted: [Bool]) {
    let empty = bytes(payload)
    guard payload.budget.bytes != nil else { return (empty, payload.holes.map { _ in true }) }
    var probe = payload
    for place in probe.holes.indices { probe.holes[place].name = "\(place)" }
    func added(_ isFilled: (String) -> Bool) -> Int {
      bytes(PersonalPush.splice(probe) { isFilled($0) ? "x" : "" }) - empty
    }
    // Mostly all of them count, or none does.
    let all = added { _ in true }
    if all == payload.holes.count || all == 0 { return (empty, payload.holes.map { _ in all > 0 }) }
    return (empty, payload.holes.indices.map { place in added { $0 == "\(place)" } > 0 })
  }

  /// The limit.
  public static func bytesMax(_ payload: RenderedPayload) -> Int { payload.budget.bytesMax }
}

/// How a provider counts a message.
private struct MessageBudget {
  var bytesMax = FCMBudget.bytesMax
  /// The bytes that count, of a body; nil where all of it counts.
  var bytes: (([UInt8]) -> Int)?
  /// Whether texts count as they are, and not as JSON writes them.
  var countsDecoded = false
}

extension RenderedPayload {
  /// The kinds of one payload are of one provider; a payload of FCM is one kind's.
  fileprivate var budget: MessageBudget {
    switch kinds.first ?? .ios {
    case .ios, .iosVoIP, .iosLiveActivity, .iosLiveActivityStart, .iosBroadcast:
      let type = headers.first { $0.name == "apns-push-type" }.map { APNsPushType(rawValue: $0.value) }
      return MessageBudget(bytesMax: (type ?? .alert).payloadBytesMax)
    case .web: return MessageBudget(bytesMax: WebContent.bytesMax)
    case .hms: return MessageBudget(bytesMax: HuaweiRequest.bytesMax)
    case .android, .androidFID: return MessageBudget(bytes: FCMBudget.bytes(ofRequest:), countsDecoded: true)
    // APNs is handed JSON.
    case .fcmIOS: return MessageBudget(bytes: FCMBudget.bytes(ofCarried:))
    case .fcmWeb: return MessageBudget(bytes: FCMBudget.bytes(ofCarried:), countsDecoded: true)
    }
  }
}
