/// The platform a message is written for or read on.
public enum Platform: String, Sendable, Hashable, CaseIterable {
  /// Apple devices, through APNs.
  case ios
  /// Android devices, through FCM.
  case android
}
