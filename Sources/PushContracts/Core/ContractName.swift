/// The name of a payload contract.
///
/// An open set, so that a name from a command line or a file can be carried and reported; `Contracts.names` lists the
/// ones this library knows.
public struct ContractName: RawRepresentable, Sendable, Hashable {
  /// The lower-case name.
  public let rawValue: String

  /// Makes a name from its text, known or not.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Amba: title, body and data; data keys beside `aps`, strings on Android.
  public static let amba = ContractName(rawValue: "amba")
  /// IMKit: chat events as localization keys and arguments.
  public static let imkit = ContractName(rawValue: "imkit")
  /// PowerAuth: one abstract `PushMessageBody` for both providers.
  public static let powerauth = ContractName(rawValue: "powerauth")
  /// Adobe: the `adb_*` template keys.
  public static let adobe = ContractName(rawValue: "adobe")
  /// OneSignal: `OSNotification`.
  public static let onesignal = ContractName(rawValue: "onesignal")
  /// No dialect: Apple's and FCM's own keys.
  public static let native = ContractName(rawValue: "native")
}

extension ContractName: CustomStringConvertible {
  /// The name.
  public var description: String { rawValue }
}
