public import Basics
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
  /// How the reasons end that those rules say; empty where they say every one.
  var fallbackEndings: [String] = []
  /// Those of them that say what is drawn, and say nothing of a push of which nothing is drawn.
  let drawnRules: [String]
  /// Why a message that was written would be an empty push by accident on a platform; nil when it would not.
  var emptiness = PerPlatform<Emptiness>(
    ios: { _, _, _ in Optional.none }, android: { _, members, _ in FirebaseDevice.emptiness(of: members) })

  /// Why a written message is an empty push although it does not say that it is silent.
  ///
  /// It is given the message, the members of the APNs payload or of the FCM message, and the surroundings of the send.
  typealias Emptiness = @Sendable (Message, JSONObject, WriteContext) -> String?

  /// What a device does with what it would show, where the time of arrival decides; nil where it does not.
  ///
  /// It is given the members of the payload in whatever shape it was handed over, and the time in seconds since 1970, nil
  /// for what no time changes.
  typealias AtArrival = @Sendable (JSONObject, WholeNumber?) -> DeviceOutcome?
  var atArrival = PerPlatform<AtArrival> { _ in { _, _ in Optional.none } }

  /// True for a message with a text of which a device may show less than it asks for.
  ///
  /// What is written of such a message is held to ``outcome``; of any other with a text the text is shown, and nothing is
  /// lost.
  var mayLose: @Sendable (Lent<Message>, Platform) -> Bool = { _, _ in false }

  /// True for a message that the vendor's library takes before Firebase's client draws its notification block.
  var takesBlock: @Sendable (JSONObject) -> Bool = { _ in false }

  /// Declares a model.
  ///
  /// - Parameters:
  ///   - fallbackRules: the rules of the contract that say what is shown instead, where it reports fallbacks itself.
  ///   - drawnRules: those of them that say nothing of a push of which nothing is drawn.
  ///   - saysSilent: true when a message says that it shows nothing.
  ///   - outcome: what a device does with a payload; by default what the system does that has no library of a vendor.
  public init(
    fallbackRules: [String] = [], drawnRules: [String] = [],
    saysSilent: @escaping @Sendable (Message) -> Bool = { _ in false },
    outcome: @escaping Outcome = { DeviceModel.system($0, $1, $2) }
  ) {
    self.fallbackRules = fallbackRules
    self.drawnRules = drawnRules
    self.saysSilent = saysSilent
    self.outcome = outcome
  }

  /// Declares a model from what devices of each system do, as ``init(fallbackRules:drawnRules:saysSilent:outcome:)`` does.
  public init(
    fallbackRules: [String] = [], saysSilent: @escaping @Sendable (Message) -> Bool,
    apple: @escaping @Sendable (JSONObject, APNsHeaders?) -> DeviceOutcome,
    android: @escaping @Sendable (JSONObject) -> DeviceOutcome
  ) {
    let outcomes = PerPlatform<@Sendable (JSONObject, APNsHeaders?) -> DeviceOutcome>(
      ios: apple, android: { members, _ in android(members) })
    self.init(
      fallbackRules: fallbackRules, saysSilent: saysSilent,
      outcome: { members, platform, headers in outcomes[platform](members, headers) })
  }

  /// The same model, whose ``fallbackRules`` say what ends like one of these and nothing else.
  func saying(_ endings: [String]) -> DeviceModel {
    var model = self
    model.fallbackEndings = endings
    return model
  }

  /// The same model, with a reason of the contract's own for which a push is empty by accident.
  func refusing(on platform: Platform, _ emptiness: @escaping Emptiness) -> DeviceModel {
    var model = self
    let system = self.emptiness[platform]
    model.emptiness[platform] = { system($0, $1, $2) ?? emptiness($0, $1, $2) }
    return model
  }

  /// The same model, with the messages of which a device may show less than they ask for.
  func losing(_ mayLose: @escaping @Sendable (Lent<Message>, Platform) -> Bool) -> DeviceModel {
    var model = self
    model.mayLose = mayLose
    return model
  }

  /// The same model, with the messages that the vendor's library takes before Firebase's client.
  func taking(_ takesBlock: @escaping @Sendable (JSONObject) -> Bool) -> DeviceModel {
    var model = self
    model.takesBlock = takesBlock
    return model
  }

  /// The same model, with what the time of arrival decides.
  func judging(arrivalOn platform: Platform, _ atArrival: @escaping AtArrival) -> DeviceModel {
    var model = self
    model.atArrival[platform] = atArrival
    return model
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
  /// Takes back what a reader said against what the device does.
  ///
  /// What a vendor's reader refuses is a loss where the device shows something all the same, such as a block that Firebase
  /// draws before the library sees the message. What would be drawn instead is not said of a push of which nothing is
  /// drawn.
  ///
  /// - Parameters:
  ///   - outcome: what the device does.
  ///   - drawnRules: the rules of the contract that say what is drawn instead.
  mutating func follow(_ outcome: DeviceOutcome, drawnRules: [String]) {
    if !outcome.isVisible { findings.removeAll { $0.severity == .warning && drawnRules.contains($0.rule) } }
    if case .nothing = outcome { return }
    for index in findings.indices where findings[index].severity == .error { findings[index].severity = .warning }
  }

  /// Reports what a device does with a payload, unless another finding says so already.
  ///
  /// - Parameters:
  ///   - fallbackRules: the rules of the contract that say what is shown instead.
  ///   - fallbackEndings: how the reasons end that those rules say; empty for every reason.
  mutating func add(
    _ outcome: DeviceOutcome, on platform: Platform, fallbackRules: [String], fallbackEndings: [String]
  ) {
    switch outcome {
    case .shown, .silent: return
    case .fallback(let text):
      let isSaid =
        fallbackEndings.isEmpty
        || fallbackEndings.contains { text.utf8.reversed().starts(with: $0.utf8.reversed()) }
      guard !isSaid || !findings.contains(where: { fallbackRules.contains($0.rule) }) else { return }
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
  ///   - now: when it arrives, in seconds since 1970; nil says nothing of what only the time decides.
  public static func outcome(
    _ contract: ContractName, of payload: JSONValue, on platform: Platform, headers: APNsHeaders? = nil,
    now: WholeNumber? = nil
  ) -> DeviceOutcome {
    guard case .object(let root) = payload else { return .nothing("the payload is not a JSON object") }
    let entry = entry(contract) ?? Native.entry
    let outcome = entry.outcome(root, platform, headers)
    guard outcome.isVisible, let now else { return outcome }
    return entry.atArrival[platform](root, now) ?? outcome
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

  /// What a browser does with the `webpush.notification` of a message; nil when the message has none.
  ///
  /// - Parameter message: the body of `messages:send`, or the message in it.
  public static func browserOutcome(ofFCM message: JSONValue) -> DeviceOutcome? {
    (message["message"] ?? message).object.flatMap { FirebaseDevice.browserOutcome(of: $0) }
  }
}
