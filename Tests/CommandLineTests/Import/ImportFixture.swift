import TestSupport
import Testing
import WireJSON

@testable import postrider

/// A vendor's file that a test makes up, and what becomes of it.
struct ImportFixture {
  /// 2026-11-01T00:00:00Z: the time of all imports in process.
  static let now: Int64 = 1_793_491_200_000
  static let apns = String(repeating: "ab", count: 32)
  static let fcm = "c2FtcGxl:APA91bSampleSampleSample"

  let folder: TemporaryFolder
  var options = DeviceMapper.Options(now: Self.now)

  init() throws { folder = try TemporaryFolder() }

  /// A row that is imported: the least that a vendor's file must have.
  static func base(_ vendor: ImportVendor) -> [(column: String, value: String)] {
    switch vendor.name {
    case "onesignal": [("identifier", apns), ("device_type", "0")]
    case "pinpoint": [("Address", apns), ("ChannelType", "APNS")]
    case "powerauth": [("push_token", apns), ("platform", "apns")]
    default: [("token", fcm)]
    }
  }

  /// The base row of a vendor with further cells, as CSV.
  static func csv(_ vendor: ImportVendor, _ cells: [(column: String, value: String)]) -> String {
    var row = base(vendor)
    for cell in cells {
      if let index = row.firstIndex(where: { $0.column == cell.column }) { row[index] = cell } else { row.append(cell) }
    }
    func line(_ cells: [String]) -> String {
      cells.map { "\"\($0.replacing("\"", with: "\"\""))\"" }.joined(separator: ",")
    }
    return line(row.map(\.column)) + "\n" + line(row.map(\.value)) + "\n"
  }

  func stream(_ vendor: ImportVendor, _ content: [UInt8], keepsLines: Bool = false) throws -> ImportStream {
    let path = "\(folder.path)/file"
    try Files.write(content, to: path)
    return try ImportStream(vendor, path, options, keepsLines: keepsLines)
  }

  /// Everything a stream gives, in pieces of so many bytes.
  static func output(_ stream: ImportStream, pieces: Int = 4_096) -> String {
    var text: [UInt8] = []
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: pieces, alignment: 1)
    defer { buffer.deallocate() }
    while true {
      let count = stream.read(into: buffer)
      if count == 0 { return String(decoding: text, as: UTF8.self) }
      text += buffer[..<count]
    }
  }

  /// The registrations of a file, and the report's numbers.
  func run(_ vendor: ImportVendor, _ text: String) throws -> (devices: [JSONValue], report: JSONValue) {
    let stream = try stream(vendor, Array(text.utf8))
    let lines = Self.output(stream).split(separator: "\n")
    #expect(stream.fault == nil, "\(stream.fault?.message ?? "")")
    return (try lines.map { try JSON.parse(String($0)) }, .object(stream.tally.json))
  }

  /// The reasons of a report.
  static func reasons(_ report: JSONValue) -> [String] {
    ["left_out_because", "doubtful_because"].flatMap { name in
      (report[name]?.array ?? []).compactMap { $0["reason"]?.string }
    }
  }
}
