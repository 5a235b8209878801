internal import Basics
import WireJSON

/// A vendor's file on its way to the lines of NDJSON that the server imports.
///
/// The line of a row in the output is its line in the file: what is left out is an empty line, which the server skips.
/// So the server's messages name lines of the file. Of a row, memory keeps two numbers at most (`SeenNames`).
final class ImportStream {
  /// Unreadable rows whose problem is stored; more are only counted.
  static let problemsMax = 100
  /// Bytes that are looked at to see what a file is.
  private static let startBytesMax = 65_536

  let file: ImportFile
  let vendor: ImportVendor
  private(set) var tally = ImportTally()
  private(set) var problems: [(line: Int, message: String)] = []
  /// Bytes of registrations that were read from here.
  private(set) var bytesGiven = 0
  /// Why the file could not be read to its end.
  private(set) var fault: Exit?

  private let options: DeviceMapper.Options
  private let keepsLines: Bool
  private var mapper: DeviceMapper
  private var splitter: RecordSplitter
  private var reader: RowReader
  private var writer = JSONWriter(capacity: 4_096)
  private var output: [UInt8] = []
  private var outputUsed = 0
  private var outputLine = 1
  private var isAtEnd = false

  /// Opens the file and reads as much of it as is needed to see that it is one of the vendor's.
  /// - Parameter keepsLines: whether what is left out becomes an empty line.
  init(_ vendor: ImportVendor, _ path: String, _ options: DeviceMapper.Options, keepsLines: Bool) throws(Exit) {
    file = try ImportFile(path)
    self.vendor = vendor
    self.options = options
    self.keepsLines = keepsLines
    mapper = DeviceMapper(vendor, options)
    var start: [UInt8] = []
    do throws(Exit) {
      while start.count < Self.startBytesMax, !start.contains(UInt8(ascii: "\n")), let bytes = try file.next() {
        start += bytes
      }
      if start.starts(with: [0xEF, 0xBB, 0xBF]) { start.removeFirst(3) }
      let form = try ImportForm.find(start, vendor)
      reader = RowReader(vendor, form: form)
      splitter = RecordSplitter(isCSV: form == .csv)
    } catch {
      throw .unreadable("\(file.name): \(error.message)")
    }
    split(start, isLast: false)
    while !reader.isReady, fault == nil, !isAtEnd { advance() }
    if let fault { throw fault }
    guard reader.isReady else {
      throw .unreadable(
        "\(file.name): there is no table \(vendor.tableName ?? "") in the dump; dump it with its rows, as plain text")
    }
  }

  var header: ImportHeader { reader.header }

  /// Reads the rest without giving any output; `progress` is called between pieces.
  func drain(_ progress: () -> Void = {}) {
    while !isAtEnd {
      dropOutput()
      advance()
      progress()
    }
    dropOutput()
  }

  /// Fills a buffer and returns how many bytes it has; 0 at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    while outputUsed == output.count, !isAtEnd {
      dropOutput()
      advance()
    }
    let count = min(buffer.count, output.count - outputUsed)
    unsafe buffer.copyBytes(from: output[outputUsed..<outputUsed + count])
    outputUsed += count
    bytesGiven += count
    return count
  }

  private func dropOutput() {
    output.removeAll(keepingCapacity: true)
    outputUsed = 0
  }

  // MARK: - Reading

  private func advance() {
    do throws(Exit) {
      if let bytes = try file.next() { return split(bytes, isLast: false) }
      split([], isLast: true)
      if fault == nil, !reader.isComplete {
        fail("the dump ends inside the table; it is not complete, so dump it again", line: nil)
      }
    } catch {
      // The last line may be incomplete, so it is not read.
      fail(error.message, line: nil)
    }
    isAtEnd = true
  }

  private func split(_ bytes: [UInt8], isLast: Bool) {
    splitter.take(bytes, isLast: isLast) { record in
      guard fault == nil else { return }
      guard let bytes = record.bytes, !record.isUnclosed else {
        return fail(
          record.isUnclosed
            ? "a quoted cell that begins here does not end; double the quotes inside it"
            : "the record that begins here is longer than \(RecordSplitter.recordBytesMax) bytes; is a quote not closed?",
          line: record.line)
      }
      do throws(Exit) {
        guard let row = try reader.read(bytes, line: record.line) else { return }
        take(row, line: record.line)
      } catch {
        fail(error.message, line: record.line)
      }
    }
    if fault != nil { isAtEnd = true }
  }

  private func take(_ row: Result<VendorRow, RowProblem>, line: Int) {
    switch row {
    case .failure(let problem):
      if problems.count < Self.problemsMax { problems.append((line, problem.message)) }
      tally.add(DeviceMapper.Verdict(leftOut: .unreadable), line: line)
    case .success(let row):
      writer.removeAll()
      let verdict = mapper.map(row, into: &writer)
      if verdict.leftOut == .otherApp, options.vendorApp == nil {
        return fail(
          "is a row of another app than those before it (\(mapper.firstApp ?? "")); choose one with --vendor-app ID",
          line: line)
      }
      tally.add(verdict, line: line)
      if verdict.leftOut == nil { write(line) }
    }
  }

  private func write(_ line: Int) {
    if keepsLines { output.append(contentsOf: repeatElement(UInt8(ascii: "\n"), count: line - outputLine)) }
    unsafe writer.withBytes { unsafe output.append(contentsOf: $0) }
    output.append(UInt8(ascii: "\n"))
    outputLine = line + 1
  }

  private func fail(_ message: String, line: Int?) {
    fault = .unreadable("\(file.name):\(line.map { "\($0):" } ?? "") \(message)")
  }
}

extension ImportVendor {
  /// The table that a dump must have.
  var tableName: String? {
    forms.compactMap { form in if case .copy(let table) = form { table } else { nil } }.first
  }
}
