import HTTP2
import ProviderEmulator

/// One request on its way, and which delivery it is for.
struct SimulatedRequest {
  let id: UInt64
  let deadlineMs: Int64
  var request = GatewayRequest()
  var target = GatewayTarget(marker: -1, token: "")
  var apnsID: [UInt8] = []
}

/// Which delivery a request is for, as the gateway sees it: the push by a number in its text, the device by its token.
struct GatewayTarget: Hashable {
  var marker: Int64
  var token: String
}

/// Turns the requests of a batch into what the emulated gateways read.
struct SimulatedRequestReader: HTTP2RequestReader {
  let nowMs: Int64
  let provider: EmulatedProvider
  private(set) var requests: [SimulatedRequest] = []

  init(nowMs: Int64, provider: EmulatedProvider) {
    self.nowMs = nowMs
    self.provider = provider
  }

  mutating func begin(id: UInt64, timeout: Duration) {
    let milliseconds = timeout.components.seconds * 1000 + timeout.components.attoseconds / 1_000_000_000_000_000
    requests.append(SimulatedRequest(id: id, deadlineMs: nowMs + milliseconds))
  }

  mutating func field(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
    let last = requests.count - 1
    requests[last].request.add(name: name, value: value)
    if provider == .apns, name.elementsEqual(":path".utf8) {
      requests[last].target.token = String(decoding: value.dropFirst("/3/device/".utf8.count), as: UTF8.self)
    } else if name.elementsEqual("apns-id".utf8) {
      requests[last].apnsID = Array(value)
    }
  }

  mutating func end(_ body: UnsafeBufferPointer<UInt8>) {
    let last = requests.count - 1
    requests[last].request.setBody(body)
    if provider == .fcm { requests[last].target.token = SimulatedPayload.token(in: body) }
    requests[last].target.marker = SimulatedPayload.marker(in: body)
  }
}
