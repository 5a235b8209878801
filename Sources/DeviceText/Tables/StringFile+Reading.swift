extension StringFile {
  /// Reads a file of string resources.
  ///
  /// Never fails: what cannot be read is in ``problems``.
  public static func read(_ bytes: [UInt8], as file: TableFile, limits: TextLimits = .default) -> StringFile {
    var problems = ProblemList(limit: limits.problemsMax)
    guard bytes.count <= limits.fileBytesMax else {
      problems.add(
        TextProblem(
          .fileTooLarge, "the file has \(bytes.count) bytes; at most \(limits.fileBytesMax) are read",
          position: TextPosition(path: file.path, line: 1, column: 1)))
      return StringFile(file: file, tables: [], sourceLocale: nil, problems: problems.all)
    }
    switch file.format {
    case .strings: return strings(bytes, file, limits, &problems)
    case .stringsdict: return stringsdict(bytes, file, limits, &problems)
    case .xcstrings: return catalog(bytes, file, limits, &problems)
    case .androidXML: return android(bytes, file, limits, &problems)
    }
  }

  private static func android(
    _ bytes: [UInt8], _ file: TableFile, _ limits: TextLimits, _ problems: inout ProblemList
  ) -> StringFile {
    let source = SourceText.decode(bytes, path: file.path, problems: &problems)
    var reader = AndroidStringsReader(source, limits: limits, problems: problems)
    reader.read()
    return one(reader.entries, file, reader.problems)
  }

  /// A file of one table.
  static func one(_ entries: [StringEntry], _ file: TableFile, _ problems: ProblemList) -> StringFile {
    let table = StringTable(locale: file.locale, entries: entries)
    var problems = problems
    PluralCheck.check(table, platform: file.format.platform, &problems)
    return StringFile(file: file, tables: [table], sourceLocale: nil, problems: problems.all)
  }
}
