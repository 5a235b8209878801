internal import Basics

/// The string resources of one app on one platform, and what a device makes of them.
///
/// ```swift
/// var strings = AppStrings(platform: .ios, developmentLocale: LocaleTag("en"))
/// strings.add(bytes, path: "App/en.lproj/Localizable.strings")
/// strings.add(bytes, path: "App/de.lproj/Localizable.strings")
/// let text = strings.resolve(
///   PushText(key: "im_loc_text", arguments: ["Alice", "Hello"]), preferred: [LocaleTag("de-AT")!])
/// ```
public struct AppStrings: Sendable {
  /// The platform.
  public let platform: DevicePlatform
  /// The language that the app is written in.
  ///
  /// It is what an Apple device falls back to (`CFBundleDevelopmentRegion`), and what Android's `values` hold. Nil when it is not known; a string catalog's source language fills it in.
  public private(set) var developmentLocale: LocaleTag?
  /// What was wrong with the files, in the order in which they were added.
  public private(set) var problems: [TextProblem] = []
  /// The languages with resources of their own, in the order in which they were added.
  public private(set) var locales: [LocaleTag] = []
  /// The present name of each of their languages, so that most of them are passed over at a glance.
  private(set) var languages: [String] = []
  /// What variations of Apple's tables are chosen by.
  public var device = AppleDevice()

  let limits: TextLimits
  /// Per table name (empty for Android, where files do not matter), the language and its entries.
  private var tables: [TableKey: [ByteKey: StringEntry]] = [:]
  /// The keys of each table name, in the order in which they came.
  private var keysByTable: [String: [String]] = [:]
  private var knownKeys: [String: Set<ByteKey>] = [:]

  private struct TableKey: Hashable {
    let name: String
    let locale: LocaleTag?
  }

  /// The table in which the keys of a push are looked up on Apple's platforms.
  public static let pushTable = "Localizable"

  /// No resources yet.
  public init(platform: DevicePlatform, developmentLocale: LocaleTag? = nil, limits: TextLimits = .default) {
    self.platform = platform
    self.developmentLocale = developmentLocale
    self.limits = limits
  }

  /// Reads a file and adds its entries; false when its path is none of this platform's.
  @discardableResult
  public mutating func add(_ bytes: [UInt8], path: String) -> Bool {
    guard let file = TableFile(path: path), file.format.platform == platform else { return false }
    add(StringFile.read(bytes, as: file, limits: limits))
    return true
  }

  /// Adds the entries of a file that was read.
  public mutating func add(_ file: StringFile) {
    problems += file.problems
    if developmentLocale == nil { developmentLocale = file.sourceLocale }
    guard file.file.qualifiers.isEmpty else {
      problems.append(
        TextProblem(
          .androidQualifier,
          "the folder is for devices with \(ShownText.short(file.file.qualifiers.joined(separator: ", "))) only; a "
            + "preview does not look into it",
          position: TextPosition(path: file.file.path, line: 1, column: 1)))
      return
    }
    let name = name(of: file.file.table)
    for table in file.tables { add(table, name, file.file.format) }
  }

  private mutating func add(_ table: StringTable, _ name: String, _ format: TableFile.Format) {
    if let locale = table.locale, !locales.contains(locale) {
      locales.append(locale)
      languages.append(LikelySubtags.presentLanguage(locale.language))
    }
    let tableKey = TableKey(name: name, locale: table.locale)
    for entry in table.entries {
      let key = ByteKey(entry.key)
      let kept = tables[tableKey, default: [:]][key]
      if let kept, !replaces(entry, kept, format) { continue }
      tables[tableKey, default: [:]][key] = entry
      if knownKeys[name, default: []].insert(key).inserted { keysByTable[name, default: []].append(entry.key) }
    }
  }

  /// Whether an entry replaces an existing one; reports a duplicate when only one of them can be intended.
  private mutating func replaces(_ entry: StringEntry, _ kept: StringEntry, _ format: TableFile.Format) -> Bool {
    switch format {
    case .androidXML:
      if entry.product != kept.product { return entry.product == nil }
      if entry.value.androidType != kept.value.androidType { return entry.value.androidType == "string" }
    case .stringsdict: return true  // Apple reads a .stringsdict before the .strings beside it.
    default: if kept.position.path.hasSuffix(".stringsdict") { return false }
    }
    if entry.position.path != kept.position.path {
      problems.append(
        TextProblem(
          .duplicateKey,
          "“\(ShownText.short(entry.key))” is in another file too, at \(kept.position); that one is taken",
          position: entry.position, key: entry.key))
      return false
    }
    return platform.row.lastCounts
  }

  // MARK: Looking up

  /// The name of a table; empty for all on a platform that has one.
  private func name(of table: String) -> String { platform.row.hasTables ? table : "" }

  /// The language the app is written in; `und` where its texts are in a folder without one.
  public var sourceLocale: LocaleTag? { developmentLocale ?? platform.row.unnamedLocale }

  /// Every key, in the order of the files.
  public func keys(table: String = pushTable) -> [String] {
    keysByTable[name(of: table)] ?? []
  }

  /// The entry of a key in exactly one language; nil as the language: `values`, `Base.lproj`.
  public func entry(_ key: String, locale: LocaleTag?, table: String = pushTable) -> StringEntry? {
    tables[TableKey(name: name(of: table), locale: locale)]?[ByteKey(key)]
  }

  /// Whether any language has the key.
  func knows(_ key: String, table: String) -> Bool {
    knownKeys[name(of: table)]?.contains(ByteKey(key)) ?? false
  }

  /// The text that a device shows for a field of a push.
  ///
  /// `preferred` are the languages of the device, best first. On iOS a key beats a plain text; on Android a plain text
  /// that is not empty beats a key.
  public func resolve(_ text: PushText, preferred: [LocaleTag]) -> ResolvedText {
    resolve(text, preferred: preferred, table: AppStrings.pushTable)
  }

  private func resolve(_ text: PushText, preferred: [LocaleTag], table: String) -> ResolvedText {
    switch platform {
    case .ios: AppleResolver(strings: self, preferred: preferred, table: table).resolve(text)
    case .android: AndroidResolver(strings: self, preferred: preferred).resolve(text)
    }
  }

  /// The text that a device shows for a key; another `table` than a push's is one that the app's own code asks.
  public func resolve(
    _ key: String, _ arguments: [String]?, preferred: [LocaleTag], table: String = pushTable
  ) -> ResolvedText {
    resolve(PushText(key: key, arguments: arguments), preferred: preferred, table: table)
  }
}

extension StringValue {
  /// The type of an Android resource.
  var androidType: String {
    switch self {
    case .plural: "plurals"
    case .array: "array"
    default: "string"
    }
  }
}
