public import DeviceText
public import PushPayload
public import WireJSON

/// The string tables of an app on both platforms.
public struct AppTables: Sendable {
  /// Those of the iOS app; nil when none are known.
  public private(set) var ios: AppStrings?
  /// Those of the Android app; nil when none are known.
  public private(set) var android: AppStrings?
  /// The language the app is written in.
  public let developmentLocale: LocaleTag?

  /// No tables yet.
  public init(developmentLocale: LocaleTag? = nil) { self.developmentLocale = developmentLocale }

  /// Tables that were read already.
  public init(ios: AppStrings?, android: AppStrings?) {
    self.ios = ios
    self.android = android
    developmentLocale = ios?.developmentLocale ?? android?.developmentLocale
  }

  /// Reads a file by its path in the project; false when it is no file of string resources.
  @discardableResult
  public mutating func add(_ bytes: [UInt8], path: String) -> Bool {
    guard let file = TableFile(path: path) else { return false }
    switch file.format.platform {
    case .ios:
      var strings = ios ?? AppStrings(platform: .ios, developmentLocale: developmentLocale)
      ios = nil
      strings.add(bytes, path: path)
      ios = strings
    case .android:
      var strings = android ?? AppStrings(platform: .android, developmentLocale: developmentLocale)
      android = nil
      strings.add(bytes, path: path)
      android = strings
    }
    return true
  }

  /// The tables of a platform; nil when none are known.
  public subscript(platform: Platform) -> AppStrings? { platform == .ios ? ios : android }

  /// What is wrong with the files.
  public var problems: [TextProblem] { (ios?.problems ?? []) + (android?.problems ?? []) }
}

extension Report {
  /// Adds a problem of a string resource.
  ///
  /// - Parameter field: where in the push; the location in the file is part of the message.
  public mutating func add(_ problem: TextProblem, field: String) {
    let severity: Severity =
      switch problem.severity {
      case .note: .note
      case .warning: .warning
      case .error: .error
      }
    let position = problem.position.map { " (\($0))" } ?? ""
    add(rule: problem.rule.rawValue, severity: severity, field: field, message: problem.message + position)
  }
}

extension AppTables {
  /// The most files that are read from JSON.
  public static let filesMax = 500

  /// Reads tables that came as JSON, `{"de.lproj/Localizable.strings": "…"}`: paths in a project, with the files' texts,
  /// or `{"base64": "…"}` for files that are not UTF-8.
  ///
  /// - Returns: what is wrong, as a sentence; nil when all are files of string resources.
  public mutating func add(files: JSONObject) -> String? {
    guard files.count <= AppTables.filesMax else { return "at most \(AppTables.filesMax) files" }
    for (path, content) in files {
      guard let bytes = EncodedFile.bytes(of: content) else {
        return "\(path): expected the file's text, or {\"base64\": \"…\"}"
      }
      guard add(bytes, path: path) else {
        return "\(path): expected a path that ends like de.lproj/Localizable.strings, Localizable.xcstrings or "
          + "values-de/strings.xml"
      }
    }
    return nil
  }
}
