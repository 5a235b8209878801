/// One key of a table with its value.
public struct StringEntry: Sendable, Hashable {
  /// The key, as the file has it.
  public let key: String
  /// The value.
  public let value: StringValue
  /// Where the entry starts.
  public let position: TextPosition
  /// False when the file says that the text is not for translators.
  public let isTranslatable: Bool
  /// The Android product the value is for, such as `tablet`; nil for all.
  public let product: String?

  /// An entry.
  public init(
    key: String, value: StringValue, position: TextPosition, isTranslatable: Bool = true, product: String? = nil
  ) {
    self.key = key
    self.value = value
    self.position = position
    self.isTranslatable = isTranslatable
    self.product = product
  }
}

/// The entries of one file for one language.
public struct StringTable: Sendable, Hashable {
  /// The language; nil for the texts of no language in particular (Android's `values`, Apple's `Base.lproj`).
  public let locale: LocaleTag?
  /// The entries, in the order of the file; a key may occur more than once.
  public var entries: [StringEntry]

  /// A table.
  public init(locale: LocaleTag?, entries: [StringEntry] = []) {
    self.locale = locale
    self.entries = entries
  }
}

/// What a file of string resources holds.
public struct StringFile: Sendable, Hashable {
  /// The file's path in its project.
  public let file: TableFile
  /// Its tables: one, or one per language of a string catalog, the catalog's source language first.
  public let tables: [StringTable]
  /// The language that a string catalog is written in; nil for other files.
  public let sourceLocale: LocaleTag?
  /// What is wrong with it, in the order of the file.
  public let problems: [TextProblem]
}
