import Glibc

/// The bytes of a file or of standard input, decompressed when they are gzip, piece by piece.
final class ImportFile {
  private static let pieceBytes = 65_536

  let name: String
  /// The size of a regular file.
  let bytesTotal: Int?
  /// Bytes read, as they are in the file.
  private(set) var bytesRead = 0
  private let descriptor: Int32
  private var inflater: Inflater?
  private var hasEnded = false

  /// Opens a file; `-` is standard input.
  init(_ path: String) throws(Exit) {
    name = path == "-" ? "standard input" : path
    descriptor = unsafe path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .unreadable("cannot open \(path): \(Terminal.lastError())") }
    var info = stat()
    bytesTotal = unsafe fstat(descriptor, &info) == 0 && info.st_mode & S_IFMT == S_IFREG ? Int(info.st_size) : nil
  }

  /// Whether a path is another name of this file.
  func isSame(as path: String) -> Bool {
    var (own, other) = (stat(), stat())
    return unsafe bytesTotal != nil && fstat(descriptor, &own) == 0 && stat(path, &other) == 0
      && own.st_dev == other.st_dev && own.st_ino == other.st_ino
  }

  /// Reads a gzip file to its end, where its check sum is; standard input can be read only once, and is not checked.
  static func checkCompression(_ path: String) throws(Exit) {
    let file = try ImportFile(path)
    guard path != "-", file.bytesTotal != nil else { return }
    do throws(Exit) {
      while try file.next() != nil, file.inflater != nil {}
    } catch {
      throw .unreadable("\(file.name): \(error.message)\n  Nothing was sent.")
    }
  }

  deinit { if descriptor > STDIN_FILENO { close(descriptor) } }

  /// The next bytes; nil at the end.
  func next() throws(Exit) -> [UInt8]? {
    while true {
      if let inflater, !inflater.needsInput {
        if let bytes = try inflated(inflater) { return bytes }
        continue
      }
      let isFirst = bytesRead == 0
      let bytes = try read()
      if isFirst {
        try Self.refuseOthers(bytes)
        if bytes.starts(with: [0x1F, 0x8B]) { inflater = Inflater() }
      }
      guard let inflater else { return bytes.isEmpty ? nil : bytes }
      if bytes.isEmpty {
        guard inflater.isComplete else {
          throw .unreadable("the gzip data ends too early; the file is not complete, so download it again")
        }
        return nil
      }
      inflater.feed(bytes)
    }
  }

  private func inflated(_ inflater: Inflater) throws(Exit) -> [UInt8]? {
    guard let bytes = inflater.next() else {
      throw .unreadable("the gzip data is damaged near byte \(bytesRead) of the file; download it again")
    }
    return bytes.isEmpty ? nil : bytes
  }

  private func read() throws(Exit) -> [UInt8] {
    guard !hasEnded else { return [] }
    var failure: Int32 = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Self.pieceBytes) { buffer, count in
      var got = unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      while got < 0 && errno == EINTR { got = unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count) }
      if got < 0 { failure = errno }
      count = max(0, got)
    }
    guard failure == 0 else { throw .unreadable(unsafe "cannot read it: \(String(cString: strerror(failure)))") }
    hasEnded = bytes.isEmpty
    bytesRead += bytes.count
    return bytes
  }

  /// Refuses archives, which have other programs for them.
  private static func refuseOthers(_ bytes: [UInt8]) throws(Exit) {
    let others: [(start: [UInt8], name: String, advice: String)] = [
      ([0x50, 0x4B, 0x03, 0x04], "a zip archive", "unpack it first: unzip FILE"),
      ([0x42, 0x5A, 0x68], "compressed by bzip2", "unpack it first: bunzip2 FILE"),
      ([0xFD, 0x37, 0x7A, 0x58], "compressed by xz", "unpack it first: unxz FILE"),
      ([0x28, 0xB5, 0x2F, 0xFD], "compressed by Zstandard", "unpack it first: unzstd FILE"),
      (Array("PGDMP".utf8), "a dump in PostgreSQL's own format", "dump it as text: pg_dump --format=plain"),
    ]
    if let other = others.first(where: { bytes.starts(with: $0.start) }) {
      throw .unreadable("is \(other.name); \(other.advice)")
    }
  }
}
