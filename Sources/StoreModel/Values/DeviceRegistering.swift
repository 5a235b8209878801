extension StoreError.Code {
  /// The token of a device is that of another kind of device.
  public static let invalidToken = Self(rawValue: "invalid-token")
  /// The name of a device is that of another kind of device.
  public static let invalidName = Self(rawValue: "invalid-name")

  /// Whether an argument is wrong, whichever it is.
  public var isOfArgument: Bool { [.invalid, .invalidToken, .invalidName].contains(self) }
}
