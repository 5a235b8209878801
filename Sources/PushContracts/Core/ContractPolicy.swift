import PushPayload

/// Where a contract puts the Android notification.
public enum AndroidStyle: String, Sendable, Hashable {
  /// `message.notification`, with Android extras in `message.android.notification`; the system draws it.
  case messageNotification = "message.notification"
  /// `message.android.notification` only; the system draws it.
  case androidNotification = "message.android.notification"
  /// No notification block: everything is in `message.data` and the app draws it.
  case dataOnly = "message.data"
}

/// How a value that is not a string is carried in FCM's `data`, which takes strings only.
public enum DataCoercion: String, Sendable, Hashable {
  /// Strings as they are; everything else, `null` included, as its JSON text.
  case jsonText
  /// Strings as they are; everything else as its JSON text; `null` members are left out, on iOS too.
  case jsonTextSkippingNull
}

/// One switch that a contract offers beside its default way of writing.
public struct ContractOption: Sendable, Hashable {
  /// The name, as it is in `WriteContext.options`.
  public var name: String
  /// What it changes.
  public var doc: String

  /// Makes an option.
  public init(_ name: String, _ doc: String) {
    self.name = name
    self.doc = doc
  }
}

/// Another order of the keys in the APNs payload, with the option that switches it on.
public struct OptionalOrder: Sendable, Hashable {
  /// The option's name.
  public var option: String
  /// The order, in the form of ``ContractPolicy/apnsOrder``.
  public var order: [String]

  /// Makes an order.
  public init(option: String, order: [String]) {
    self.option = option
    self.order = order
  }
}

/// How many bytes a payload may have: the APNs body, or the names and values of FCM's data.
public struct PayloadBudget: Sendable, Hashable {
  /// The most it may have; more is an error.
  public var bytesMax: Int
  /// The most it should have; more is a warning.
  public var bytesAdvised: Int

  /// Makes a budget.
  public init(bytesMax: Int, bytesAdvised: Int) {
    self.bytesMax = bytesMax
    self.bytesAdvised = bytesAdvised
  }
}

/// What differs between contracts as a whole, stated as data at the top of each contract's file.
public struct ContractPolicy: Sendable, Hashable {
  /// Where the Android notification is.
  public var androidStyle: AndroidStyle
  /// How data values become strings for FCM.
  public var coercion: DataCoercion
  /// Names the app's data should not use on iOS.
  public var apnsReserved: [ReservedNames]
  /// Names the app's data should not use on Android.
  public var fcmReserved: [ReservedNames]
  /// The order of keys in the APNs payload, as paths; rows that are not listed follow, and `*` is the app's data.
  public var apnsOrder: [String]
  /// Other orders of the APNs payload, each with its option, for receivers that compare bytes.
  public var apnsOrders: [OptionalOrder] = []
  /// The order of keys in the FCM message, in the same form.
  public var fcmOrder: [String]
  /// Objects of the FCM message that are there as JSON text in a string, as paths such as `message.data.custom`.
  public var fcmTextObjects: [String]
  /// How many bytes a payload may have; nil leaves that to the rules of the providers.
  public var budget: PayloadBudget?
  /// The contract's switches.
  public var options: [ContractOption]
  /// One sentence per decision that holds for the contract as a whole, for its documentation page.
  public var statements: [String]

  /// What differs between the platforms, by platform.
  var reserved: PerPlatform<[ReservedNames]> { PerPlatform(ios: apnsReserved, android: fcmReserved) }
  var order: PerPlatform<[String]> { PerPlatform(ios: apnsOrder, android: fcmOrder) }
  var textObjects: PerPlatform<[String]> { PerPlatform(ios: [], android: fcmTextObjects) }

  /// Makes a policy; `reserved` and `order` are given for both providers at once.
  public init(
    androidStyle: AndroidStyle, coercion: DataCoercion,
    reserved: (apns: [ReservedNames], fcm: [ReservedNames]) = ([], []),
    order: (apns: [String], fcm: [String]) = ([], []), fcmTextObjects: [String] = [], budget: PayloadBudget? = nil,
    options: [ContractOption] = [], statements: [String] = []
  ) {
    self.androidStyle = androidStyle
    self.coercion = coercion
    (apnsReserved, fcmReserved) = reserved
    (apnsOrder, fcmOrder) = order
    self.fcmTextObjects = fcmTextObjects
    self.budget = budget
    self.options = options
    self.statements = statements
  }
}
