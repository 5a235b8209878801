internal import DevicePreview
internal import HTTPServer
internal import PushPayload
internal import WireJSON

/// The Live Activities of a phone.
extension VirtualPhone {
  /// A push for a Live Activity, read as the phone reads it.
  static func livePush(
    _ push: PreviewPush, _ aps: JSONValue?, to address: LiveActivity.Address, id: String, on device: PreviewDevice
  ) -> LiveScreen.Push {
    var alert: LiveActivity.Alert?
    if aps?["alert"]?.isNull == false {
      let shown = Preview(push, on: device).notification
      alert = LiveActivity.Alert(title: shown.title?.text, body: shown.body?.text)
    }
    return LiveScreen.Push(aps: aps ?? .null, alert: alert, id: id, address: address)
  }

  /// The token of the phone's activity with a number: as long as Apple's, and the same for the same phone.
  static func activityToken(of token: String, _ number: Int) -> String {
    var seed: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in token.utf8 { seed = (seed ^ UInt64(byte)) &* 0x100_0000_01B3 }
    var random = EmulatorRandom(seed: seed &+ UInt64(number))
    return (0..<10).map { _ in random.hex() }.joined()
  }
}

/// What an app does when a push has started a Live Activity: it reports the activity's token under its id.
struct ActivityReport: Sendable {
  private let reporting: PhoneReporting
  private let id: String
  private let token: String
  private let environment: String?
  private let tally: ReportTally

  /// The report of an activity; nil when it has no token or its attributes no `id` that can be in an address.
  init?(_ activity: LiveActivity, _ reporting: PhoneReporting, environment: String?, tally: ReportTally) {
    guard case .token(let token) = activity.address, let id = activity.attributes["id"]?.string,
      (1...100).contains(id.utf8.count), id != ".", id != "..",
      id.utf8.allSatisfy({ byte in
        byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26 || byte == 0x2D || byte == 0x2E || byte == 0x5F
      })
    else { return nil }
    (self.reporting, self.id, self.token, self.environment, self.tally) = (reporting, id, token, environment, tally)
  }

  /// Sends it on a thread of its own, and counts how it went.
  func start() {
    if !PhoneThreads.runBounded({ send() }) {
      tally.add(failed: 1, error: "\(EmulatorLimits.waitingAnswersMax) answers are waited for already")
    }
  }

  private func send() {
    var body: JSONObject = ["token": .string(token)]
    if let environment { body.append("environment", .string(environment)) }
    do throws(HTTPCallError) {
      let call = try HTTPCall(
        "POST", base: reporting.url, path: "/v1/apps/\(reporting.app)/activities/\(id)/tokens",
        headers: [("Authorization", "Bearer \(reporting.key)")], body: JSON.minified(.object(body)))
      let (status, answer) = try call.run()
      switch status {
      case 200, 201: tally.add(delivered: 1)
      case 404: tally.add(unknown: 1)
      default:
        let detail = (try? JSON.parse(answer))?["detail"]?.string
        tally.add(failed: 1, error: detail ?? "the server answered \(status)")
      }
    } catch {
      tally.add(failed: 1, error: error.description)
    }
  }
}

extension VirtualDevices {
  /// The index of the device that has the phone of a device: itself, or the one whose phone it shares.
  func phoneIndex(of index: Int) -> Int { phones[index] == nil ? hosts[index] ?? index : index }

  /// Makes a token one of another device's phone; false when that has none.
  mutating func share(_ owner: Int, with index: Int) -> Bool {
    guard owner != index, phones[owner] != nil else { return false }
    phones[index] = nil
    hosts[index] = owner
    return true
  }

  /// A broadcast reaches the phones whose activities listen to its channel.
  mutating func broadcast(_ request: GatewayRequest, channel: String, isStored: Bool, id: String, nowMs: Int64) {
    for index in phones.keys where phones[index]?.listens(to: channel) == true {
      phones[index]?.receive(broadcast: request, channel: channel, isStored: isStored, id: id, nowMs: nowMs)
      settle(index, nowMs: nowMs)
    }
  }

  /// Makes the tokens of new activities, and takes away those of activities that have left.
  mutating func settle(_ host: Int, nowMs: Int64) {
    guard let (new, gone) = phones[host]?.takeTokens() else { return }
    for activity in new {
      guard case .token(let token) = activity.address, hasRoom(for: DeviceDescription(provider: .apns, token: token))
      else { continue }
      let index = make(.apns, token: token)
      self[index].topics = self[host].topics
      self[index].environment = self[host].environment
      self[index].registration = .active
      hosts[index] = host
      phones[host]?.report(activity, environment: self[host].environment?.rawValue)
    }
    for token in gone {
      if let index = find(.apns, token) { self[index].registration = .unregistered(sinceMs: nowMs) }
    }
  }
}
