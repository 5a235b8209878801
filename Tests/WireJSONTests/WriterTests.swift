import Testing
import WireJSON

@Suite("JSONWriter")
struct WriterTests {
  @Test("commas are the writer's business")
  func commas() {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("a")
    writer.int(1)
    writer.key("b")
    writer.beginArray()
    writer.null()
    writer.bool(true)
    writer.bool(false)
    writer.string("x")
    writer.beginObject()
    writer.endObject()
    writer.beginArray()
    writer.endArray()
    writer.endArray()
    writer.key("c")
    writer.beginObject()
    writer.endObject()
    writer.endObject()
    #expect(writer.text == #"{"a":1,"b":[null,true,false,"x",{},[]],"c":{}}"#)
    #expect(writer.count == writer.bytes.count)
    #expect(writer.withBytes { $0.count } == writer.count)
    writer.removeAll()
    let isEmpty = writer.isEmpty
    #expect(isEmpty)
    #expect(writer.bytes == [])
    writer.string(",")
    #expect(writer.text == #"",""#)
  }

  @Test(
    "every way to write a name or a string gives the same bytes",
    arguments: [
      "", "a", "title", "thread-id", "0123456789abcdef", String(repeating: "k", count: 33),
    ])
  func names(text: String) {
    var writer = JSONWriter(capacity: 0)
    writer.beginObject()
    writer.key(text)
    writer.string(text)
    let utf8 = Array(text.utf8)
    utf8.withUnsafeBufferPointer {
      writer.key(utf8: $0)
      writer.string(utf8: $0)
    }
    writer.endObject()
    #expect(writer.text == #"{"\#(text)":"\#(text)","\#(text)":"\#(text)"}"#)
  }

  @Test("keys known when the program is written")
  func keys() {
    let key: JSONKey = "thread-id"
    var writer = JSONWriter()
    writer.beginObject()
    writer.key(key)
    writer.string(key)
    writer.key("thread-id")
    writer.string("thread-id")
    writer.endObject()
    #expect(writer.text == #"{"thread-id":"thread-id","thread-id":"thread-id"}"#)
    #expect(key == "thread-id")
    #expect(key != "thread-ie")
    #expect("\(key)" == "thread-id")
    #expect(Set<JSONKey>(["a", "b", "a"]).count == 2)
  }

  @Test("a key that needs an escape traps")
  func badKey() async {
    await #expect(processExitsWith: .failure) { _ = JSONKey("a\"b") }
    await #expect(processExitsWith: .failure) { _ = JSONKey("a\nb") }
  }

  @Test("each character is escaped at each place of texts of each length as RFC 8259 requires")
  func escapes() throws {
    let short: [UInt8: String] = [
      0x08: "\\b", 0x09: "\\t", 0x0A: "\\n", 0x0C: "\\f", 0x0D: "\\r", 0x22: "\\\"", 0x5C: "\\\\",
    ]
    var writer = JSONWriter()
    for byte in UInt8(0)..<128 {
      let hex = String(byte, radix: 16)
      let escaped =
        short[byte] ?? (byte < 0x20 ? "\\u00" + (hex.count < 2 ? "0" : "") + hex : String(Unicode.Scalar(byte)))
      for length in 1...20 {
        for index in [0, 1, 3, 4, 7, 8, 12, length - 1] where index < length {
          let before = String(repeating: "x", count: index)
          let after = String(repeating: "y", count: length - index - 1)
          writer.removeAll()
          writer.string(before + String(Unicode.Scalar(byte)) + after)
          try #require(writer.text == "\"\(before)\(escaped)\(after)\"", "byte \(byte) at \(index) of \(length)")
        }
      }
    }
  }

  @Test("characters beyond ASCII are written raw")
  func raw() {
    var writer = JSONWriter()
    writer.string("\u{7F}\u{80}é€\u{2028}😀\u{10FFFF}")
    #expect(writer.text == "\"\u{7F}\u{80}é€\u{2028}😀\u{10FFFF}\"")
  }

  @Test("a text of nothing but escapes grows the buffer as needed")
  func growth() throws {
    let text = String(repeating: "\u{1}", count: 10_000)
    var writer = JSONWriter(capacity: 1)
    writer.beginArray()
    for _ in 0..<3 { writer.string(text) }
    writer.endArray()
    #expect(writer.count == 1 + 3 * (2 + 60_000) + 2 + 1)
    #expect(try JSON.parse(writer.bytes) == [.string(text), .string(text), .string(text)])
  }

  @Test(
    "integers",
    arguments: [
      0, 1, 9, 10, 99, 100, 12345, 999_999_999, 1_000_000_000, 999_999_999_999_999_999, 1_000_000_000_000_000_000, .max,
      -1, -10, .min,
    ])
  func integers(value: Int) {
    var writer = JSONWriter()
    writer.beginArray()
    writer.int(value)
    writer.uint(UInt64(value.magnitude))
    writer.uint(.max)
    writer.endArray()
    #expect(writer.text == "[\(value),\(value.magnitude),18446744073709551615]")
  }

  @Test("JSON text as a value")
  func rawValues() throws {
    let number = try #require(JSONNumber(text: "1.50"))
    var writer = JSONWriter()
    writer.beginArray()
    writer.raw(Array("{\"a\":1}".utf8))
    writer.raw("[2]")
    writer.number(number)
    writer.value(["b": [nil]])
    writer.endArray()
    #expect(writer.text == #"[{"a":1},[2],1.50,{"b":[null]}]"#)
  }

  @Test("a value becomes a string that holds its text")
  func quote() throws {
    let values: [JSONValue] = [
      nil, 1, "", "a\"b\\c\n\u{1}é", [], ["a": ["b\"": "\\\\", "c": [1, nil]]], ["plain"],
    ]
    for value in values {
      for capacity in [1, 4096] {
        var writer = JSONWriter(capacity: capacity)
        writer.beginObject()
        writer.key("data")
        let mark = writer.mark()
        writer.value(value)
        writer.quote(since: mark)
        writer.key("next")
        writer.int(1)
        writer.endObject()
        #expect(try JSON.parse(writer.bytes) == ["data": .string(JSON.minifiedText(value)), "next": 1])
      }
    }
  }

  @Test("going back to a mark takes the key with it")
  func rollback() {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("a")
    writer.int(1)
    let first = writer.mark()
    writer.key("b")
    writer.beginObject()
    writer.key("c")
    writer.int(2)
    writer.rollback(to: first)
    #expect(writer.text == #"{"a":1"#)
    writer.key("d")
    writer.int(3)
    let second = writer.mark()
    writer.key("e")
    writer.beginObject()
    writer.endObject(orRollbackTo: second)
    writer.key("f")
    writer.beginArray()
    writer.endArray(orRollbackTo: second)
    let third = writer.mark()
    writer.key("g")
    writer.beginObject()
    writer.key("h")
    writer.beginArray()
    writer.null()
    writer.endArray(orRollbackTo: third)
    writer.endObject(orRollbackTo: third)
    writer.endObject()
    #expect(writer.text == #"{"a":1,"d":3,"g":{"h":[null]}}"#)
  }

  @Test("an object whose every member was dropped can be dropped itself")
  func nestedRollback() {
    var writer = JSONWriter()
    writer.beginObject()
    let outer = writer.mark()
    writer.key("aps")
    writer.beginObject()
    let inner = writer.mark()
    writer.key("alert")
    writer.beginObject()
    writer.endObject(orRollbackTo: inner)
    writer.endObject(orRollbackTo: outer)
    writer.endObject()
    #expect(writer.text == "{}")
  }

  @Test("misuse traps instead of writing outside of the buffer")
  func misuse() async {
    await #expect(processExitsWith: .failure) {
      var writer = JSONWriter()
      writer.string("x")
      let mark = writer.mark()
      writer.removeAll()
      writer.rollback(to: mark)
    }
    var writer = JSONWriter()
    writer.endObject()
    #expect(writer.text == "}")
  }
}
