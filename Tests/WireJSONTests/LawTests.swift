import TestSupport
import Testing
import WireJSON

/// Random values, all kinds and all classes of character.
struct RandomValues {
  var random: SeededRandom

  mutating func value(depth: Int) -> JSONValue {
    switch Int.random(in: 0..<(depth > 0 ? 9 : 7), using: &random) {
    case 0: return .null
    case 1: return .bool(Bool.random(using: &random))
    case 2, 3: return .number(number())
    case 4, 5, 6: return .string(string())
    case 7: return .array((0..<Int.random(in: 0...6, using: &random)).map { _ in value(depth: depth - 1) })
    default:
      var object = JSONObject()
      for _ in 0..<Int.random(in: 0...20, using: &random) { object[string()] = value(depth: depth - 1) }
      return .object(object)
    }
  }

  mutating func number() -> JSONNumber {
    var text = Bool.random(using: &random) ? "-" : ""
    text += Bool.random(using: &random) ? "0" : "\(Int.random(in: 1...Int.max, using: &random))"
    if Bool.random(using: &random) { text += ".\(Int.random(in: 0...99999, using: &random))" }
    if Int.random(in: 0..<4, using: &random) == 0 { text += ["e1", "E+20", "e-3"].randomElement(using: &random) ?? "" }
    return JSONNumber(text: text) ?? JSONNumber(0)
  }

  mutating func string() -> String {
    let ranges: [ClosedRange<UInt32>] = [
      0...0x1F, 0x20...0x7E, 0x20...0x7E, 0x20...0x7E, 0x61...0x7A, 0x22...0x22, 0x5C...0x5C, 0x7F...0x7FF,
      0x800...0xD7FF, 0xE000...0xFFFF, 0x10000...0x10FFFF,
    ]
    var text = ""
    for _ in 0..<Int.random(in: 0...40, using: &random) {
      let range = ranges.randomElement(using: &random) ?? 0x61...0x7A
      if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &random)) { text.unicodeScalars.append(scalar) }
    }
    return text
  }
}

@Suite("WireJSON laws")
struct LawTests {
  static let sample =
    #"{"aps":{"alert":{"title":"Hé\n😀","loc-args":["a",-1.5e3,{}]},"b\u0061dge":0},"x":null,"y":[true,false,[],"\ud83d\ude00"]}"#

  @Test("what is written reads back the same, in both forms")
  func roundTrip() throws {
    var values = RandomValues(random: .fromEnvironment())
    for round in 0..<400 {
      let value = values.value(depth: 4)
      let note: Comment = "POSTRIDER_SEED=\(values.random.seed), round \(round)"
      let bytes = JSON.minified(value)
      let (again, duplicates) = try JSON.parseReporting(bytes)
      #expect(again == value, note)
      #expect(duplicates.isEmpty, note)
      #expect(again.hashValue == value.hashValue, note)
      #expect(JSON.minified(again) == bytes, note)
      #expect(try JSON.parse(JSON.pretty(value)) == value, note)
      #expect(again.isEquivalent(to: value), note)
    }
  }

  @Test("a text cut anywhere is an error, and the error lies at its end")
  func truncation() throws {
    let bytes = Array(LawTests.sample.utf8)
    _ = try JSON.parse(bytes)
    for count in 0..<bytes.count {
      let error = try #require(throws: JSONError.self) { try JSON.parse(Array(bytes[..<count])) }
      // A character, a word or a surrogate pair that is cut is named from its start.
      #expect(error.offset > count - 12, "\(count): \(error)")
      #expect(error.offset <= count, "\(count): \(error)")
      #expect(error.line == 1)
    }
  }

  @Test("each byte replaced by each other one reads, or is an error with a place inside; nothing traps")
  func everyByte() {
    let bytes = Array(#"{"a":[1.5,"é\n",null],"b":{}}"#.utf8)
    for index in bytes.indices {
      for byte in UInt8.min...UInt8.max {
        var mutated = bytes
        mutated[index] = byte
        LawTests.checkReading(mutated, "byte \(byte) at \(index)")
      }
    }
  }

  @Test("random damage never traps, and what still reads is written and read again the same")
  func mutation() {
    var random = SeededRandom.fromEnvironment()
    let original = Array(LawTests.sample.utf8)
    let pieces = [
      "\"", "\\", "{", "}", "[", "]", ",", ":", "\\u", "\\ud800", "1", "-", ".", "e", "\u{0}", " ", "é", "null",
    ]
    for round in 0..<4000 {
      var bytes = original
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let index = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: bytes[index] = UInt8.random(in: .min ... .max, using: &random)
        case 1: bytes.remove(at: index)
        case 2: bytes.insert(contentsOf: (pieces.randomElement(using: &random) ?? "").utf8, at: index)
        case 3: bytes.removeSubrange(index..<min(index + 9, bytes.count))
        default: bytes.insert(contentsOf: bytes[index..<min(index + 12, bytes.count)], at: index)
        }
        if bytes.isEmpty { bytes = original }
      }
      LawTests.checkReading(bytes, "POSTRIDER_SEED=\(random.seed), round \(round)")
    }
  }

  static func checkReading(_ bytes: [UInt8], _ note: Comment) {
    do throws(JSONError) {
      let (value, _) = try JSON.parseReporting(bytes)
      let minified = JSON.minified(value)
      #expect(try JSON.parse(minified) == value, note)
      #expect(String(validating: bytes, as: UTF8.self) != nil, note)
    } catch {
      #expect((0...bytes.count).contains(error.offset), note)
      #expect(!error.description.utf8.contains { $0 < 0x20 }, note)
    }
  }

  @Test("UTF-8 is accepted exactly when the standard library accepts it")
  func utf8() {
    let interesting: [UInt8] = [
      0x41, 0x7F, 0x80, 0x81, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF,
      0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xF8, 0xFF,
    ]
    let following: [UInt8] = [0x41, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC2, 0xE0]
    var document = JSONDocument()
    for first in interesting {
      for second in interesting {
        for third in following {
          for fourth in following {
            let text = [first, second, third, fourth]
            let isValid = String(validating: text, as: UTF8.self) != nil
            let isRead = (try? document.parse([0x22] + text + [0x22])) != nil
            if isRead != isValid { Issue.record("\(text): read \(isRead), valid \(isValid)") }
          }
        }
      }
    }
  }
}
