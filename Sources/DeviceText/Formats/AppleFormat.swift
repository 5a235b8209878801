/// Formats as `NSString` does when every argument is a string, which is what `loc-args` are.
///
/// Only `%@` takes a string. What Apple does not document for pushes (too few arguments, `%d`, plurals that a text
/// drives) is left as it is in the table and reported.
public enum AppleFormat {
  /// Formats one text.
  public static func format(
    _ format: String, arguments: [String], locale: LocaleTag? = nil, limits: TextLimits = .default
  ) -> FormattedText {
    var writer = AppleFormatWriter(arguments: arguments, locale: locale, device: AppleDevice(), limits: limits)
    writer.write(.text(format))
    return writer.result
  }
}

/// What variations of Apple's tables are chosen by.
public struct AppleDevice: Sendable, Hashable {
  /// The kind: `iphone`, `ipad`, `applewatch`, `mac`, `appletv`, `applevision`, `ipod`.
  public var kind: String
  /// The width for `NSStringVariableWidthRuleType`; nil: the widest text is taken.
  public var width: Int?

  /// A device.
  public init(kind: String = "iphone", width: Int? = nil) {
    self.kind = kind
    self.width = width
  }
}
