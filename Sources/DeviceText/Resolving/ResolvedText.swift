/// A field of a push that is text, as the payload has it.
public struct PushText: Sendable, Hashable {
  /// What to show for a key that the app does not have.
  public enum MissingKey: Sendable, Hashable {
    /// What the platform does by itself: iOS shows the key, Android leaves the field empty.
    case platform
    /// The plain text, as an app that looks keys up in its own code does (IMKit asks for this); without one, the key.
    case plainText
  }

  /// The text itself; nil when the payload has none.
  public var plain: String?
  /// The key of a text in the app: `loc-key`, `title_loc_key` …; nil when the payload has none.
  public var key: String?
  /// The arguments; nil when the payload has none, which is not the same as an empty list.
  public var arguments: [String]?
  /// What to show when the app lacks the key.
  public var missingKey: MissingKey
  /// What iOS is taken to do where it is not documented.
  public var apple: AppleTextChoices

  /// A text.
  public init(
    plain: String? = nil, key: String? = nil, arguments: [String]? = nil, missingKey: MissingKey = .platform,
    apple: AppleTextChoices = AppleTextChoices()
  ) {
    self.plain = plain
    self.key = key
    self.arguments = arguments
    self.missingKey = missingKey
    self.apple = apple
  }
}

/// What a person reads, where it comes from, and what is wrong with it.
public struct ResolvedText: Sendable, Hashable {
  /// Where a text comes from.
  public enum Source: String, Sendable, Hashable, CaseIterable {
    /// The payload itself.
    case plain
    /// A string resource of the app.
    case table
    /// The key, shown as it is because the app has no text for it.
    case key
    /// Nowhere: the field stays empty.
    case nothing
    /// Nowhere: the app crashes while it makes the text.
    case crash
  }

  /// The text; nil when nothing is shown.
  public let text: String?
  /// Where it comes from.
  public let source: Source
  /// The key it was looked up by; nil for plain text.
  public let key: String?
  /// The language of the resource; nil for plain text, and for resources of no language (`values`, `Base.lproj`).
  public let locale: LocaleTag?
  /// The position of the resource in its file.
  public let position: TextPosition?
  /// The class of the exception that ended the formatting, such as `UnknownFormatConversionException`; Android only.
  public let exception: String?
  /// What is wrong, the worst included: a crash is an error here and no text.
  public let problems: [TextProblem]

  /// A resolved text.
  public init(
    text: String?, source: Source, key: String? = nil, locale: LocaleTag? = nil, position: TextPosition? = nil,
    exception: String? = nil, problems: [TextProblem] = []
  ) {
    self.text = text
    self.source = source
    self.key = key
    self.locale = locale
    self.position = position
    self.exception = exception
    self.problems = problems
  }
}
