import DevicePreview
import DeviceText
import Glibc

/// The string tables of a project, found by themselves.
struct StringsFolder {
  /// The most files that are read.
  static let filesMax = 5000
  /// The deepest folder that is looked into, below the one that was named.
  static let depthMax = 16
  /// Folders that hold copies, or other people's texts.
  private static let skipped = ["build", "Build", "DerivedData", "Pods", "Carthage", "node_modules", "out"]

  /// The files that say which language an app is written in, with the member that does.
  private static let projects = ["project.pbxproj": "developmentRegion", "Package.swift": "defaultLocalization"]

  private let root: String
  /// The files of string resources, by their paths below the folder.
  private(set) var paths: [String] = []
  /// The language the project says it is written in.
  private(set) var developmentLocale: LocaleTag?

  /// Looks for files in a folder.
  init(_ folder: String) throws(Exit) {
    root = folder.count > 1 && folder.hasSuffix("/") ? String(folder.dropLast()) : folder
    guard try visit("", depth: 0) else {
      throw .unreadable("--strings: cannot read the folder \(folder): \(Terminal.lastError())")
    }
    keepMainResources()
    guard !paths.isEmpty else {
      throw .unreadable(
        "--strings: no string tables in \(folder): expected de.lproj/Localizable.strings, Localizable.xcstrings or "
          + "res/values/strings.xml somewhere below it")
    }
  }

  /// Reads the tables that were found.
  func tables(developmentLocale given: LocaleTag?) throws(Exit) -> AppTables {
    var tables = AppTables(developmentLocale: given ?? developmentLocale)
    for path in paths { tables.add(try Input.bytes("\(root)/\(path)"), path: "\(root)/\(path)") }
    return tables
  }

  /// Looks into one folder; false when it cannot be read.
  private mutating func visit(_ folder: String, depth: Int) throws(Exit) -> Bool {
    guard let stream = unsafe opendir(folder.isEmpty ? root : "\(root)/\(folder)") else { return false }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    unsafe closedir(stream)
    for name in names.sorted() {
      let path = folder.isEmpty ? name : "\(folder)/\(name)"
      if isFolder(path) {
        if depth < Self.depthMax, !Self.skipped.contains(name) { _ = try visit(path, depth: depth + 1) }
      } else if TableFile(path: path) != nil {
        guard paths.count < Self.filesMax else {
          throw .unreadable("--strings: more than \(Self.filesMax) tables in \(root); name a folder further down")
        }
        paths.append(path)
      } else if let member = Self.projects[name] {
        readProject(path, member)
      }
    }
    return true
  }

  /// A link is followed to a file, and not to a folder, so that no walk is endless.
  private func isFolder(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat("\(root)/\(path)", &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Of several source sets of an Android project only `main` is what people get.
  private mutating func keepMainResources() {
    let isMain = { (path: String) in path.hasPrefix("src/main/") || path.contains("/src/main/") }
    let isOther = { (path: String) in path.hasSuffix(".xml") && (path.contains("/src/") || path.hasPrefix("src/")) }
    guard paths.contains(where: { $0.hasSuffix(".xml") && isMain($0) }) else { return }
    paths.removeAll { isOther($0) && !isMain($0) }
  }

  /// Takes `developmentRegion = en;` from an Xcode project, or `defaultLocalization: "en"` from a package.
  private mutating func readProject(_ path: String, _ name: String) {
    guard developmentLocale == nil, let bytes = try? Input.bytes("\(root)/\(path)") else { return }
    let text = String(decoding: bytes, as: UTF8.self)
    for range in text.ranges(of: name) {
      let rest = text[range.upperBound...].drop { " \t\n\"=:".contains($0) }
      developmentLocale = LocaleTag(String(rest.prefix { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }))
      if developmentLocale != nil { return }
    }
  }
}
