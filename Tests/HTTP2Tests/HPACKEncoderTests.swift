import CNGHTTP2
import TestSupport
import Testing

@testable import HTTP2

/// nghttp2's decoder as the oracle.
private final class Oracle {
  private var inflater: OpaquePointer?

  init() { nghttp2_hd_inflate_new(&inflater) }

  deinit { nghttp2_hd_inflate_del(inflater) }

  func setLimit(_ limit: Int) { nghttp2_hd_inflate_change_table_size(inflater, limit) }

  /// The fields of a block, or the error number.
  func fields(_ block: [UInt8]) -> Result<[String], OracleError> {
    var fields: [String] = []
    var rest = block[...]
    while true {
      var field = nghttp2_nv()
      var flags: Int32 = 0
      let used = rest.withUnsafeBufferPointer {
        nghttp2_hd_inflate_hd2(inflater, &field, &flags, $0.baseAddress, $0.count, 1)
      }
      guard used >= 0 else { return .failure(OracleError(number: used)) }
      rest = rest.dropFirst(used)
      if flags & Int32(NGHTTP2_HD_INFLATE_EMIT.rawValue) != 0 {
        let name = String(decoding: UnsafeBufferPointer(start: field.name, count: field.namelen), as: UTF8.self)
        let value = String(decoding: UnsafeBufferPointer(start: field.value, count: field.valuelen), as: UTF8.self)
        fields.append("\(name)=\(value)")
      }
      if flags & Int32(NGHTTP2_HD_INFLATE_FINAL.rawValue) != 0 {
        nghttp2_hd_inflate_end_headers(inflater)
        return .success(fields)
      }
    }
  }

  struct OracleError: Error, Equatable { let number: Int }
}

extension HPACKEncoder {
  fileprivate func block(_ template: HTTP2RequestTemplate, path: String, values: [String?]) -> [UInt8] {
    let path = Array(path.utf8)
    let bytes = values.flatMap { Array(($0 ?? "").utf8) }
    let lengths = values.map { $0.map { Int32($0.utf8.count) } ?? BatchStorage.absent }
    let bound = HPACKEncoder.bound(template.block, path: path.count, values: bytes.count)
    return [UInt8](unsafeUninitializedCapacity: bound) { buffer, count in
      guard let out = buffer.baseAddress else { return }
      let padded = bytes + [0]
      padded.withUnsafeBufferPointer { values in
        path.withUnsafeBufferPointer { path in
          guard let start = values.baseAddress else { return }
          count = encode(template.block, path: path, values: start, lengths: lengths[...], to: out) - out
        }
      }
    }
  }
}

private func expected(_ headers: [HTTP2Header], path: String, names: [String], values: [String?]) -> [String] {
  [":method=POST", ":scheme=https", ":authority=a.example", ":path=\(path)"]
    + headers.map { "\($0.name)=\($0.value)" }
    + zip(names, values).compactMap { name, value in value.map { "\(name)=\($0)" } }
}

@Suite struct HPACKEncoderTests {
  @Test func aRepeatedTemplateCostsOneBytePerConstantField() throws {
    let encoder = HPACKEncoder()
    let oracle = Oracle()
    let headers = [HTTP2Header("authorization", "bearer x"), HTTP2Header("apns-topic", "com.example")]
    let template = try HTTP2RequestTemplate(authority: "a.example", headers: headers, variableHeaders: ["apns-id"])
    var sizes: [Int] = []
    for round in 0..<4 {
      let block = encoder.block(template, path: "/3/device/\(round)", values: ["id"])
      sizes.append(block.count)
      #expect(
        oracle.fields(block)
          == .success(expected(headers, path: "/3/device/\(round)", names: ["apns-id"], values: ["id"])))
    }
    // Two static fields, three dynamic ones, the path (2 + 11) and the value (1 + 1 + 7 + 1 + 2).
    #expect(sizes[1...] == [30, 30, 30])
    #expect(sizes[0] > 30)
  }

  /// Random templates in random order, fields that are too large, limits that change: the decoder follows always.
  @Test func theDecoderFollowsWhateverHappens() throws {
    var random = SeededRandom.fromEnvironment()
    let encoder = HPACKEncoder()
    let oracle = Oracle()
    let rows = try (0..<12).map { number in
      let headers = (0..<Int.random(in: 0...8, using: &random)).map { field in
        HTTP2Header(
          ["x-\(field)", "content-type", "authorization", "accept"][Int.random(in: 0...3, using: &random)],
          String(repeating: "v\(number)", count: [1, 10, 300, 1700][Int.random(in: 0...3, using: &random)]),
          indexed: Bool.random(using: &random))
      }
      return (
        headers,
        try HTTP2RequestTemplate(authority: "a.example", headers: headers, variableHeaders: ["apns-id", "x-other"])
      )
    }
    for round in 0..<3000 {
      if Int.random(in: 0..<40, using: &random) == 0 {
        for _ in 0..<Int.random(in: 1...3, using: &random) {
          let limit = [0, 64, 500, 4096, 65_536][Int.random(in: 0...4, using: &random)]
          encoder.announce(limit: UInt32(limit))
          oracle.setLimit(limit)
        }
      }
      let (headers, template) = rows[Int.random(in: 0..<rows.count, using: &random)]
      let path = "/" + String(repeating: "p", count: Int.random(in: 0...200, using: &random))
      let values = (0..<2).map { _ in Bool.random(using: &random) ? "value \(round)" : nil }
      let block = encoder.block(template, path: path, values: values)
      let bytes = path.utf8.count + values.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
      #expect(block.count <= HPACKEncoder.bound(template.block, path: bytes, values: 0))
      #expect(
        oracle.fields(block)
          == .success(expected(headers, path: path, names: ["apns-id", "x-other"], values: values)),
        "seed \(random.seed), round \(round)")
    }
  }

  /// The appendix of the RFC, spot-checked at both ends and where names repeat.
  @Test(arguments: [
    ((":authority", "x"), (0, 1)), ((":method", "POST"), (3, 3)), ((":method", "PUT"), (0, 2)),
    ((":path", "/a"), (0, 4)),
    ((":scheme", "https"), (7, 7)), (("content-type", "a"), (0, 31)), (("www-authenticate", ""), (61, 61)),
    (("apns-id", ""), (0, 0)),
  ])
  func theStaticTable(field: (String, String), index: (Int, Int)) {
    let found = HPACKStaticTable.find(field.0, field.1)
    #expect(found.field == index.0 && found.name == index.1)
    #expect(HPACKStaticTable.rows.count == 61)
  }
}
