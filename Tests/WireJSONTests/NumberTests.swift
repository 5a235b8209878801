import Testing
import WireJSON

@Suite("JSON numbers")
struct NumberTests {
  struct Row: CustomTestStringConvertible {
    let text: String
    let int: Int?
    let double: Double?
    let isInteger: Bool
    var testDescription: String { text }

    init(_ text: String, _ int: Int?, _ double: Double?, _ isInteger: Bool) {
      (self.text, self.int, self.double, self.isInteger) = (text, int, double, isInteger)
    }
  }

  static let rows: [Row] = [
    Row("0", 0, 0, true), Row("-0", 0, -0.0, true), Row("7", 7, 7, true), Row("-7", -7, -7, true),
    Row("7.0", 7, 7, false), Row("70e-1", 7, 7, false), Row("7e0", 7, 7, false), Row("0.7e1", 7, 7, false),
    Row("7.5", nil, 7.5, false), Row("1e3", 1000, 1000, false), Row("1E+3", 1000, 1000, false),
    Row("0e99", 0, 0, false), Row("0.00", 0, 0, false), Row("-0.0", 0, -0.0, false),
    Row("123456789012345678", 123_456_789_012_345_678, 123_456_789_012_345_680, true),
    Row("-123456789012345678", -123_456_789_012_345_678, -123_456_789_012_345_680, true),
    Row("9223372036854775807", .max, 9223372036854775808, true),
    Row("9223372036854775808", nil, 9223372036854775808, true),
    Row("-9223372036854775808", .min, -9223372036854775808, true),
    Row("-9223372036854775809", nil, -9223372036854775808, true),
    Row("9223372036854775807.0", .max, 9223372036854775808, false),
    Row("-9223372036854775808e0", .min, -9223372036854775808, false),
    Row("9223372036854775808.0", nil, 9223372036854775808, false),
    Row("99999999999999999999", nil, 1e20, true),
    Row("1e18", 1_000_000_000_000_000_000, 1e18, false), Row("1e19", nil, 1e19, false),
    Row("1e400", nil, nil, false), Row("1e-400", nil, 0, false), Row("1e99999999999999999999", nil, nil, false),
    Row("0.1", nil, 0.1, false), Row("1.7976931348623157e308", nil, .greatestFiniteMagnitude, false),
    Row("5e-324", nil, .leastNonzeroMagnitude, false),
    Row("9007199254740993", 9_007_199_254_740_993, 9007199254740992, true),
  ]

  @Test("reads as integer and as double", arguments: rows)
  func reads(row: Row) throws {
    let value = try JSON.parse(row.text)
    let number = try #require(value.number)
    #expect(number.text == row.text)
    #expect(number.int == row.int)
    #expect(number.double == row.double)
    #expect(number.isInteger == row.isInteger)
    #expect(number == JSONNumber(text: row.text))
    var document = JSONDocument()
    try document.parse(row.text)
    #expect(document.int(document.root) == row.int)
    #expect(document.double(document.root) == row.double)
    #expect(document.number(document.root) == number)
  }

  @Test("made from integers and doubles")
  func made() {
    #expect(JSONNumber(Int.min).text == "-9223372036854775808")
    #expect(JSONNumber(UInt64.max).text == "18446744073709551615")
    #expect(JSONNumber(0.5)?.text == "0.5")
    #expect(JSONNumber(3.0)?.text == "3.0")
    #expect(JSONNumber(1e300)?.text == "1e+300")
    #expect(JSONNumber(-0.0)?.text == "-0.0")
    #expect(JSONNumber(Double.infinity) == nil)
    #expect(JSONNumber(Double.nan) == nil)
  }

  @Test(
    "texts outside of the grammar are no numbers",
    arguments: [
      "", "-", "+1", "01", "-01", "00", "1.", ".5", "1.e1", "1e", "1e+", "1e1.0", "0x1", "1_0", " 1", "1 ", "1,0",
      "NaN",
      "Infinity", "--1", "1-", "１",
    ])
  func refused(text: String) {
    #expect(JSONNumber(text: text) == nil)
  }
}
