import DeviceText

extension FuzzTarget {
  /// The first byte chooses the format, the rest is the file.
  static let strings = FuzzTarget(
    name: "strings", about: "string tables of all four formats: limits are kept, problems have a place, texts read back"
  ) { (bytes) throws(FuzzFailure) in
    guard let first = bytes.first else { return }
    let path = paths[Int(first) % paths.count]
    guard let file = TableFile(path: path) else { throw FuzzFailure("\(path) is no table") }
    let content = Array(bytes.dropFirst())
    let table = StringFile.read(content, as: file)
    try expect(StringFile.read(content, as: file) == table, "a file read twice has two contents")
    try checkPlaces(table, lines: 1 + content.count)
    try checkLimits(content, file)
    try checkWriting(table, file)
    try checkTexts(content, path, file.format.platform)
  }

  private static let paths = [
    "App/en.lproj/Localizable.strings", "App/en.lproj/Localizable.stringsdict", "App/Localizable.xcstrings",
    "app/res/values/strings.xml",
  ]

  /// Entries and problems stand in the file.
  private static func checkPlaces(_ table: StringFile, lines: Int) throws(FuzzFailure) {
    for problem in table.problems {
      try expect(!problem.message.isEmpty, "\(problem.rule) has no words")
      guard let index = problem.position else { throw FuzzFailure("\(problem.rule.rawValue) stands nowhere") }
      try expect((1...lines).contains(index.line) && index.column >= 1, "\(problem) stands outside of the file")
    }
    for entry in table.tables.flatMap(\.entries) {
      let isInside = (1...lines).contains(entry.position.line) && entry.position.column >= 1
      try expect(isInside, "the entry \(entry.key) stands outside of the file")
    }
  }

  /// However little may be read, no more is.
  private static func checkLimits(_ content: [UInt8], _ file: TableFile) throws(FuzzFailure) {
    let limits = TextLimits(fileBytesMax: 2048, entriesMax: 3, depthMax: 4, problemsMax: 2, textBytesMax: 64)
    let table = StringFile.read(content, as: file, limits: limits)
    let entries = table.tables.reduce(0) { $0 + $1.entries.count }
    try expect(entries <= limits.entriesMax, "\(entries) entries were kept, at most \(limits.entriesMax) may be")
    try expect(table.problems.count <= limits.problemsMax + 1, "\(table.problems.count) problems were kept")
    if content.count > limits.fileBytesMax {
      try expect(entries == 0 && table.problems.map(\.rule) == [.fileTooLarge], "a file that is too large was read")
    }
  }

  /// Plain entries, written in the simplest spelling of their format, read back as they were.
  private static func checkWriting(_ table: StringFile, _ file: TableFile) throws(FuzzFailure) {
    guard file.format == .strings else { return }
    var wanted: [String: String] = [:]
    var text = "\u{FEFF}"  // So that zeros are not taken for UTF-16.
    for entry in table.tables.flatMap(\.entries) {
      guard case .text(let value) = entry.value, wanted[entry.key] == nil else { continue }
      wanted[entry.key] = value
      text += "\(quoted(entry.key)) = \(quoted(value));\n"
    }
    let again = StringFile.read(Array(text.utf8), as: file)
    var found: [String: String] = [:]
    for entry in again.tables.flatMap(\.entries) {
      guard case .text(let value) = entry.value else { throw FuzzFailure("\(entry.key) reads back as no text") }
      found[entry.key] = value
    }
    try expect(found == wanted, "texts that were written read back as others: \(text)")
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      if scalar == "\"" || scalar == "\\" { quoted += "\\" }
      quoted.unicodeScalars.append(scalar)
    }
    return quoted + "\""
  }

  /// What a device makes of each key, with no, too few and enough arguments.
  private static func checkTexts(_ content: [UInt8], _ path: String, _ platform: DevicePlatform) throws(FuzzFailure) {
    var strings = AppStrings(platform: platform, developmentLocale: LocaleTag("en"))
    strings.add(content, path: path)
    let languages = ["ar-EG", "en"].compactMap { LocaleTag($0) }
    for key in strings.keys().prefix(20) {
      for arguments in [nil, [], ["3"], ["\u{202E}ı", "%1$s", "👩‍👩‍👧"]] as [[String]?] {
        let shown = strings.resolve(key, arguments, preferred: languages)
        let bytes = (shown.text ?? "").utf8.count
        try expect(bytes <= TextLimits.default.textBytesMax, "the text of \(key) has \(bytes) bytes")
        try expect(
          (shown.source == .crash) == (shown.exception != nil && shown.text == nil && shown.source != .nothing),
          "\(key) crashes without an exception, or the other way round")
        try expect(
          shown.source != .crash || shown.problems.contains { $0.severity == .error }, "a crash of \(key) is no error")
      }
    }
  }
}
