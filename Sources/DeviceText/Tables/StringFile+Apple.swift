internal import Basics
internal import WireJSON

extension StringFile {
  /// Reads `.strings`: a binary property list, an XML one, or the old form.
  static func strings(
    _ bytes: [UInt8], _ file: TableFile, _ limits: TextLimits, _ problems: inout ProblemList
  ) -> StringFile {
    if bytes.starts(with: BinaryPropertyList.mark) { return binary(bytes, file, limits, &problems) }
    let source = SourceText.decode(bytes, path: file.path, problems: &problems)
    let head = source.bytes.first { !AndroidText.isSpace($0) }
    if head == UInt8(ascii: "<") { return xml(source, file, limits, &problems) }
    var reader = OldStyleStrings(source, limits: limits)
    reader.read(&problems)
    reportDuplicates(reader.entries, &problems)
    return one(reader.entries, file, problems)
  }

  /// Reads `.stringsdict`: a property list, binary or XML.
  static func stringsdict(
    _ bytes: [UInt8], _ file: TableFile, _ limits: TextLimits, _ problems: inout ProblemList
  ) -> StringFile {
    if bytes.starts(with: BinaryPropertyList.mark) { return binary(bytes, file, limits, &problems) }
    return xml(SourceText.decode(bytes, path: file.path, problems: &problems), file, limits, &problems)
  }

  /// Reads a string catalog.
  static func catalog(
    _ bytes: [UInt8], _ file: TableFile, _ limits: TextLimits, _ problems: inout ProblemList
  ) -> StringFile {
    let source = SourceText.decode(bytes, path: file.path, problems: &problems)
    do throws(JSONError) {
      var reader = try StringCatalog(source, limits: limits)
      reader.read(&problems)
      for table in reader.tables { PluralCheck.check(table, platform: .ios, &problems) }
      return StringFile(file: file, tables: reader.tables, sourceLocale: reader.sourceLocale, problems: problems.all)
    } catch {
      problems.add(.syntax, "expected \(error.expected), found \(error.found)", at: error.offset, in: source)
      return StringFile(file: file, tables: [], sourceLocale: nil, problems: problems.all)
    }
  }

  private static func xml(
    _ source: SourceText, _ file: TableFile, _ limits: TextLimits, _ problems: inout ProblemList
  ) -> StringFile {
    var dictionary = StringsDictionary(source: source, path: file.path, limits: limits)
    do throws(XMLFault) {
      var reader = XMLPropertyList(source, limits: limits)
      dictionary.read(try reader.read(&problems), &problems)
    } catch {
      problems.add(error.rule, error.message, at: error.offset, in: source)
    }
    return one(dictionary.entries, file, problems)
  }

  private static func binary(
    _ bytes: [UInt8], _ file: TableFile, _ limits: TextLimits, _ problems: inout ProblemList
  ) -> StringFile {
    var dictionary = StringsDictionary(source: nil, path: file.path, limits: limits)
    do throws(BinaryPropertyList.Fault) {
      var reader = BinaryPropertyList(bytes, limits: limits)
      dictionary.read(try reader.read(), &problems)
    } catch {
      problems.add(
        TextProblem(
          .syntax, "the binary property list is broken at byte \(error.offset): \(error.message)",
          position: TextPosition(path: file.path, line: 1, column: error.offset + 1)))
    }
    return one(dictionary.entries, file, problems)
  }

  /// Reports each duplicate key, whose last value is used.
  private static func reportDuplicates(_ entries: [StringEntry], _ problems: inout ProblemList) {
    var first: [ByteKey: TextPosition] = [:]
    for entry in entries {
      if let position = first[ByteKey(entry.key)] {
        problems.add(
          TextProblem(
            .duplicateKey,
            "“\(ShownText.short(entry.key))” occurs twice, first at line \(position.line); the last one is taken",
            position: entry.position, key: entry.key))
      } else {
        first[ByteKey(entry.key)] = entry.position
      }
    }
  }
}
