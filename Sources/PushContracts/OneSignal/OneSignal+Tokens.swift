internal import Basics
public import PushPayload

extension OneSignal {
  /// The usual length of an iOS push token: 32 bytes as hexadecimal digits.
  public static let iosTokenCharacters = 64
  /// The usual length of an Android push token.
  public static let androidTokenCharacters = 163

  /// The text of an iOS device token, as OneSignal and APNs take it: lower-case hexadecimal digits.
  public static func tokenText(_ deviceToken: [UInt8]) -> String { Hex.encode(deviceToken) }

  /// Checks the format of a push token: 64 hexadecimal digits on iOS; letters, digits, `-`, `:` and `_`, typically 163,
  /// on Android.
  ///
  /// A character that is not allowed there is an error. An unusual length is a warning on iOS and a note on
  /// Android, as no provider promises one. The findings never show the token.
  public static func checkToken(_ token: String, platform: Platform, report: inout Report) {
    switch platform {
    case .ios: checkHex(token, &report)
    case .android: checkRegistration(token, &report)
    }
  }

  private static func checkHex(_ token: String, _ report: inout Report) {
    if let offset = token.utf8.enumerated().first(where: { Hex.value($0.element) == nil })?.offset ?? emptyOffset(token)
    {
      return report.add(
        rule: "onesignal-token-hex", severity: .error, field: "token",
        message: "expected hexadecimal digits only, found something else at character \(offset + 1); send the token as "
          + "hexadecimal text")
    }
    if token.utf8.contains(where: { $0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "F") }) {
      report.add(
        rule: "onesignal-token-case", severity: .warning, field: "token",
        message: "expected lower-case hexadecimal digits; two spellings of one token are treated as two devices")
    }
    checkLength(token, iosTokenCharacters, .warning, &report)
  }

  private static func checkRegistration(_ token: String, _ report: inout Report) {
    if let offset = token.utf8.enumerated().first(where: { !isTokenByte($0.element) })?.offset ?? emptyOffset(token) {
      return report.add(
        rule: "onesignal-token-characters", severity: .error, field: "token",
        message: "expected letters, digits, hyphens, colons and underscores, found something else at character "
          + "\(offset + 1); check for a space or a line break")
    }
    checkLength(token, androidTokenCharacters, .note, &report)
  }

  private static func checkLength(_ token: String, _ usual: Int, _ severity: Severity, _ report: inout Report) {
    let count = token.utf8.count
    guard count != usual else { return }
    report.add(
      rule: "onesignal-token-length", severity: severity, field: "token",
      message: "\(count) characters, and such a token usually has \(usual); check that it is whole")
  }

  private static func emptyOffset(_ token: String) -> Int? { token.isEmpty ? 0 : nil }

  private static func isTokenByte(_ byte: UInt8) -> Bool {
    let letter = byte | 0x20
    return byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
      || letter >= UInt8(ascii: "a") && letter <= UInt8(ascii: "z")
      || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "_")
  }
}
