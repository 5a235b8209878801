public import PushPayload
public import WireJSON

/// What a device makes of the payloads of a contract: a pure function, independent of the contract's reader and writer.
public struct DeviceModel<Message: Sendable>: Sendable {
  /// What a device does with a payload.
  ///
  /// It is given the members of the APNs payload with the headers it came with, when they are known, or the members of
  /// the FCM message.
  public typealias Outcome = @Sendable (JSONObject, Platform, APNsHeaders?) -> DeviceOutcome

  let outcome: Outcome
  /// True when a message says that it shows nothing.
  let saysSilent: @Sendable (Message) -> Bool
  /// The rules of the contract that already say what is shown instead.
  let fallbackRules: [String]

  /// Declares a model.
  ///
  /// - Parameters:
  ///   - fallbackRules: the rules of the contract that say what is shown instead, where it reports fallbacks itself.
  ///   - saysSilent: true when a message says that it shows nothing.
  ///   - outcome: what a device does with a payload; by default what the system does that has no library of a vendor.
  public init(
    fallbackRules: [String] = [], saysSilent: @escaping @Sendable (Message) -> Bool = { _ in false },
    outcome: @escaping Outcome = { DeviceModel.system($0, $1, $2) }
  ) {
    self.fallbackRules = fallbackRules
    self.saysSilent = saysSilent
    self.outcome = outcome
  }

  /// Declares a model from what devices of each system do, as ``init(fallbackRules:saysSilent:outcome:)`` does.
  public init(
    fallbackRules: [String] = [], saysSilent: @escaping @Sendable (Message) -> Bool,
    apple: @escaping @Sendable (JSONObject, APNsHeaders?) -> DeviceOutcome,
    android: @escaping @Sendable (JSONObject) -> DeviceOutcome
  ) {
    self.init(
      fallbackRules: fallbackRules, saysSilent: saysSilent,
      outcome: { members, platform, headers in
        platform == .ios ? apple(members, headers) : android(members)
      })
  }

  /// What the system does that has no library of a vendor: iOS itself, and Firebase's client on Android.
  public static func system(_ members: JSONObject, _ platform: Platform, _ headers: APNsHeaders?) -> DeviceOutcome {
    switch platform {
    case .ios: AppleDevice.outcome(of: members, headers)
    case .android: FirebaseDevice.outcome(of: members)
    }
  }
}

extension Report {
  /// Reports what a device does with a payload, unless another finding says so already.
  mutating func add(_ outcome: DeviceOutcome, on platform: Platform, fallbackRules: [String]) {
    switch outcome {
    case .shown, .silent: return
    case .fallback(let text):
      guard !findings.contains(where: { fallbackRules.contains($0.rule) }) else { return }
      add(
        rule: "device-fallback", severity: .warning, field: "",
        message: "\(platform.title) does not show what the push asks for but \(text)")
    case .nothing(let reason):
      guard !hasErrors else { return }
      add(
        rule: "device-shows-nothing", severity: .error, field: "", message: "\(platform.title) shows nothing: \(reason)"
      )
    }
  }
}

extension Contracts {
  /// What a device does with a payload of a contract.
  ///
  /// - Parameters:
  ///   - contract: the contract of the app; an unknown one is read as ``ContractName/native``.
  ///   - payload: for iOS the APNs payload; for Android the FCM message, a RemoteMessage or the flat map of the client.
  ///   - platform: which of the two it is.
  ///   - headers: the headers that an APNs payload came with, when they are known.
  public static func outcome(
    _ contract: ContractName, of payload: JSONValue, on platform: Platform, headers: APNsHeaders? = nil
  ) -> DeviceOutcome {
    guard case .object(let root) = payload else { return .nothing("the payload is not a JSON object") }
    let entry = entry(contract) ?? Native.entry
    return entry.outcome(root, platform, headers)
  }

  /// What an Apple device does with a message that FCM hands on to APNs; nil when the message says nothing to Apple
  /// devices, having no `apns` or nothing that goes into a payload.
  ///
  /// FCM takes the alert from the message's notification where `apns.payload` has none, and puts data beside `aps`.
  ///
  /// - Parameter message: the body of `messages:send`, or the message in it.
  public static func appleOutcome(ofFCM message: JSONValue) -> DeviceOutcome? {
    (message["message"] ?? message).object.flatMap { FirebaseDevice.appleOutcome(of: $0) }
  }

  /// The findings about what a device does with a payload, beside those of a reader.
  ///
  /// - Parameters:
  ///   - outcome: what the device does.
  ///   - contract: the contract of the app.
  ///   - platform: the platform of the device.
  ///   - report: what the reader said; it gets an error when the device does nothing, and a warning when it shows
  ///     something simpler, unless it says so already.
  public static func add(
    _ outcome: DeviceOutcome, of contract: ContractName, on platform: Platform, to report: inout Report
  ) {
    report.add(outcome, on: platform, fallbackRules: entry(contract)?.fallbackRules ?? [])
  }
}
