public import Basics
public import DeviceText
public import PushContracts
public import PushPayload
public import WireJSON

/// A push as it reaches a device.
public struct PreviewPush: Sendable, Hashable {
  /// Which platform it was sent to.
  public var platform: Platform
  /// The APNs payload; or the FCM message, a RemoteMessage or the flat map of the client.
  public var payload: JSONValue
  /// The contract of the app; nil recognizes it.
  public var contract: ContractName?
  /// `apns-collapse-id` (iOS).
  public var collapseID: String?
  /// `apns-push-type` (iOS).
  public var pushType: APNsPushType?
  /// `apns-topic` (iOS), which decides when it is that of a Wallet pass; nil when nobody knows.
  public var topic: String?
  /// When it was sent, in seconds since 1970; nil when nobody knows.
  public var sentTime: WholeNumber?

  /// Makes a push.
  public init(
    platform: Platform, payload: JSONValue, contract: ContractName? = nil, collapseID: String? = nil,
    pushType: APNsPushType? = nil, sentTime: WholeNumber? = nil
  ) {
    self.platform = platform
    self.payload = payload
    self.contract = contract
    self.collapseID = collapseID
    self.pushType = pushType
    self.sentTime = sentTime
  }

  /// Makes a push from a document as a person has it: a payload, or a request to APNs or FCM.
  ///
  /// The headers of a request to APNs give the topic, and the push type and the collapse id that are not named.
  ///
  /// - Parameters:
  ///   - document: the payload or request.
  ///   - platform: whose it is.
  ///   - contract: the contract of the app; nil recognizes it.
  ///   - collapseID: `apns-collapse-id`, if it is known.
  ///   - pushType: `apns-push-type`, if it is known.
  public init(
    document: JSONValue, platform: Platform, contract: ContractName? = nil, collapseID: String? = nil,
    pushType: APNsPushType? = nil
  ) {
    self.init(
      platform: platform, payload: document, contract: contract, collapseID: collapseID, pushType: pushType)
    guard platform.traits.hasHeaders, let request = document.object, Contracts.isRequest(toAPNs: request) else {
      return
    }
    var ignored = Report()
    let headers = APNsHeaders(reading: request["headers"]?.object ?? [:], report: &ignored)
    payload = request["payload"] ?? document
    self.collapseID = collapseID ?? headers.collapseID
    self.pushType = pushType ?? headers.pushType
    topic = headers.topic
  }
}

/// A device as far as a preview needs to know it.
public struct PreviewDevice: Sendable {
  /// The preferred languages, best first, as BCP 47 tags; what is no tag chooses nothing.
  public var locales: [String] {
    didSet { tags = locales.compactMap { LocaleTag($0) } }
  }
  /// The name under the app's icon.
  public var appName: String
  /// The app's string tables; nil when they are not known.
  public var tables: AppTables?
  /// What iOS is taken to do with its texts where Apple's pages leave it open.
  public var appleTexts = AppleTextChoices()
  /// The time at which the push arrives, in seconds since 1970; nil when it does not matter.
  public var now: WholeNumber?
  /// How many seconds after its arrival the push is looked at; timers run meanwhile.
  public var age: WholeNumber = 0
  /// The languages, as tables are chosen by them.
  private(set) var tags: [LocaleTag]

  /// Makes a device.
  public init(locales: [String] = ["en"], appName: String = "App", tables: AppTables? = nil) {
    self.locales = locales
    self.appName = appName
    self.tables = tables
    tags = locales.compactMap { LocaleTag($0) }
  }
}
