internal import PushPayload
internal import PushRules
public import PushStore
internal import WebPush

/// The size of a message as its provider counts it.
public enum PersonalSize {
  /// The bytes that count.
  public static func bytes(_ payload: RenderedPayload) -> Int { payload.budget.bytes(payload.body) }

  /// Whether texts count as they are, and not as JSON writes them.
  static func countsDecoded(_ payload: RenderedPayload) -> Bool { payload.budget.countsDecoded }

  /// The bytes that count with nothing in the holes, and of each hole whether what is put into it counts.
  static func parts(_ payload: RenderedPayload) -> (bytes: Int, counted: [Bool]) {
    let empty = bytes(payload)
    guard !payload.budget.countsAll else { return (empty, payload.holes.map { _ in true }) }
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
  public static func bytesMax(_ payload: RenderedPayload) -> Int { payload.budget.bytesMax(payload.headers) }
}

/// How a provider counts a message.
private struct MessageBudget {
  /// The bytes that count, of a body.
  var bytes: ([UInt8]) -> Int = { $0.count }
  /// Whether all of the body counts.
  var countsAll = true
  /// Whether texts count as they are, and not as JSON writes them.
  var countsDecoded = false
  /// The limit, of a message with these headers.
  let bytesMax: ([RenderedPayload.Header]) -> Int

  init(bytesMax: @escaping ([RenderedPayload.Header]) -> Int) { self.bytesMax = bytesMax }

  /// FCM counts names and values of some parts.
  init(fcm bytes: @escaping ([UInt8]) -> Int, countsDecoded: Bool = true) {
    self.init { _ in FCMBudget.bytesMax }
    self.bytes = bytes
    countsAll = false
    self.countsDecoded = countsDecoded
  }
}

extension RenderedPayload {
  /// The kinds of one payload are of one provider; a payload of FCM is one kind's.
  fileprivate var budget: MessageBudget { (kinds.first ?? .ios).budget }
}

extension DeviceKind {
  fileprivate var budget: MessageBudget {
    switch self {
    case .ios, .iosVoIP, .iosLiveActivity, .iosLiveActivityStart, .iosBroadcast:
      MessageBudget { headers in
        let type = headers.first { $0.name == "apns-push-type" }.map { APNsPushType(rawValue: $0.value) }
        return (type ?? .alert).payloadBytesMax
      }
    case .web: MessageBudget { _ in WebContent.bytesMax }
    case .hms: MessageBudget { _ in HuaweiRequest.bytesMax }
    case .android, .androidFID: MessageBudget(fcm: FCMBudget.bytes(ofRequest:))
    // APNs is handed JSON.
    case .fcmIOS: MessageBudget(fcm: FCMBudget.bytes(ofCarried:), countsDecoded: false)
    case .fcmWeb: MessageBudget(fcm: FCMBudget.bytes(ofCarried:))
    }
  }
}
