/// The properties of a string resource file that its path determines.
public struct TableFile: Sendable, Hashable {
  /// How the file is written.
  public enum Format: String, Sendable, Hashable, CaseIterable {
    /// `xx.lproj/Name.strings`
    case strings
    /// `xx.lproj/Name.stringsdict`
    case stringsdict
    /// `Name.xcstrings`
    case xcstrings
    /// `res/values-xx/name.xml`
    case androidXML = "android-xml"

    /// The platform that reads it.
    public var platform: DevicePlatform { self == .androidXML ? .android : .ios }
  }

  /// The path, as it was given.
  public let path: String
  /// How it is written.
  public let format: Format
  /// The name of the table (`Localizable`); for Android the name of the file.
  public let table: String
  /// The language of its folder; nil for `Base.lproj`, for `values`, for files in no such folder and for catalogs.
  public let locale: LocaleTag?
  /// What else the folder's name asks of a device (`land`, `v26`, `mcc310` …), Android only: the file is not for all.
  public let qualifiers: [String]

  /// Recognises a path (`/` between its parts) by its end; nil when it is no file of string resources.
  ///
  /// `pt-BR.lproj/Localizable.strings`, `Base.lproj/InfoPlist.stringsdict`, `Localizable.xcstrings`,
  /// `app/src/main/res/values-pt-rBR/strings.xml`. Only the two last parts matter.
  public init?(path: String) {
    let parts = path.split(separator: "/")
    guard let name = parts.last, let dot = name.lastIndex(of: "."), dot != name.startIndex else { return nil }
    let folder = parts.dropLast().last.map { String($0) } ?? ""
    self.path = path
    table = String(name[..<dot])
    switch name[name.index(after: dot)...] {
    case "strings": format = .strings
    case "stringsdict": format = .stringsdict
    case "xcstrings": format = .xcstrings
    case "xml" where folder == "values" || folder.hasPrefix("values-"): format = .androidXML
    default: return nil
    }
    switch format {
    case .strings, .stringsdict:
      let language = folder.hasSuffix(".lproj") ? String(folder.dropLast(6)) : ""
      locale = LocaleTag(appleFolder: language)
      qualifiers = []
    case .xcstrings:
      locale = nil
      qualifiers = []
    case .androidXML:
      (locale, qualifiers) = Self.androidFolder(folder)
    }
  }

  /// A file whose format and language the caller knows, whatever its path.
  public init(path: String, format: Format, table: String = "Localizable", locale: LocaleTag?) {
    self.path = path
    self.format = format
    self.table = table
    self.locale = locale
    qualifiers = []
  }

  /// Parses `values-mcc310-pt-rBR-land`: the language comes first, or after the mobile network.
  private static func androidFolder(_ folder: String) -> (LocaleTag?, [String]) {
    let words = folder.split(separator: "-").dropFirst().map { String($0) }
    var others: [String] = []
    var rest = words[...]
    while let word = rest.first, word.hasPrefix("mcc") || word.hasPrefix("mnc"), word.utf8.count > 3 {
      others.append(word)
      rest.removeFirst()
    }
    guard let first = rest.first else { return (nil, others) }
    if let second = rest.dropFirst().first, let locale = LocaleTag(androidQualifier: "\(first)-\(second)") {
      return (locale, others + rest.dropFirst(2))
    }
    if !notLanguages.contains(first), let locale = LocaleTag(androidQualifier: first) {
      return (locale, others + rest.dropFirst())
    }
    return (nil, others + rest)
  }

  /// Qualifiers of two or three letters that look like languages.
  private static let notLanguages = ["car"]
}
