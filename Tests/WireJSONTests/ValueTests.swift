import Testing
import WireJSON

@Suite("JSON values")
struct ValueTests {
  static let sample: JSONValue = [
    "aps": ["alert": ["title": "Hi", "loc-args": ["a", 1]], "badge": 3, "mutable-content": 1],
    "ratio": 0.5, "on": true, "off": false, "none": nil, "list": [1, "two", nil, [:], []],
  ]

  @Test("literals write themselves")
  func literals() {
    #expect(
      JSON.minifiedText(ValueTests.sample)
        == #"{"aps":{"alert":{"title":"Hi","loc-args":["a",1]},"badge":3,"mutable-content":1},"#
        + #""ratio":0.5,"on":true,"off":false,"none":null,"list":[1,"two",null,{},[]]}"#)
    #expect("\(ValueTests.sample["list"]?[1] ?? nil)" == #""two""#)
  }

  @Test("accessors give the content of their kind and nil for others")
  func accessors() {
    let value = ValueTests.sample
    #expect(value["aps"]?["alert"]?["title"]?.string == "Hi")
    #expect(value["aps"]?["badge"]?.int == 3)
    #expect(value["ratio"]?.double == 0.5)
    #expect(value["ratio"]?.int == nil)
    #expect(value["on"]?.bool == true)
    #expect(value["off"]?.bool == false)
    #expect(value["none"]?.isNull == true)
    #expect(value["list"]?.array?.count == 5)
    #expect(value["list"]?[0]?.int == 1)
    #expect(value["list"]?[5] == nil)
    #expect(value["list"]?[-1] == nil)
    #expect(value["missing"] == nil)
    #expect(value["on"]?["deeper"] == nil)
    #expect(value["aps"]?.string == nil)
    #expect(value.object?.keys == ["aps", "ratio", "on", "off", "none", "list"])
    #expect(value["aps"]?[0] == nil)
  }

  @Test("kinds print with their article")
  func kinds() {
    let kinds: [JSONValue] = [nil, true, 1, "s", [], [:]]
    #expect(kinds.map { "\($0.kind)" } == ["null", "a boolean", "a number", "a string", "an array", "an object"])
  }

  @Test("equality looks at order, number text and bytes of strings")
  func equality() {
    #expect(JSONValue.object(["a": 1, "b": 2]) != ["b": 2, "a": 1])
    #expect(JSONValue.number(JSONNumber(1)) != JSONNumber(text: "1.0").map { .number($0) })
    // Canonically equivalent, so Swift's own `==` takes them for the same.
    #expect(JSONValue.string("\u{E9}") != "e\u{301}")
    #expect(JSONValue.object(["\u{E9}": 1]) != ["e\u{301}": 1])
    let pairs: [(JSONValue, JSONValue)] = [(ValueTests.sample, ValueTests.sample), ([1, 2], [1, 2]), (nil, nil)]
    for (left, right) in pairs {
      #expect(left == right)
      #expect(left.hashValue == right.hashValue)
    }
  }

  @Test(
    "equivalence does not look at order and number text",
    arguments: [
      (#"{"a":1,"b":[{"c":2,"d":3}]}"#, #"{"b":[{"d":3.0,"c":20e-1}],"a":1e0}"#, true),
      (#"{"a":1}"#, #"{"a":1,"b":null}"#, false),
      (#"{"a":1}"#, #"{"b":1}"#, false),
      ("[1,2]", "[2,1]", false),
      ("[1]", "[1,1]", false),
      ("1", "\"1\"", false),
      ("-0", "0", true),
      ("0.0e99", "-0", true),
      ("1e2", "100", true),
      ("1e-2", "0.010", true),
      ("12345678901234567890", "12345678901234567891", false),
      ("1e400", "10e399", true),
      ("1e9999999999999999999", "1e9999999999999999998", false),
      ("-1", "1", false),
    ])
  func equivalence(left: String, right: String, isSame: Bool) throws {
    #expect(try JSON.parse(left).isEquivalent(to: JSON.parse(right)) == isSame)
    #expect(try JSON.parse(right).isEquivalent(to: JSON.parse(left)) == isSame)
  }

  @Test("members are set in place, appended and removed")
  func members() {
    var object: JSONObject = ["a": 1, "b": 2, "a": 3]
    #expect(JSON.minifiedText(.object(object)) == #"{"a":3,"b":2}"#)
    object["c"] = 4
    object["a"] = 5
    object["b"] = nil
    object["never"] = nil
    #expect(JSON.minifiedText(.object(object)) == #"{"a":5,"c":4}"#)
    #expect(object.removeValue(forKey: "a") == 5)
    #expect(object.removeValue(forKey: "a") == nil)
    object.append("d", [1])
    #expect(object.map(\.key) == ["c", "d"])
    #expect(object.index(of: "d") == 1)
    #expect(object[1].value == [1])
    #expect(JSONObject([("x", 1), ("y", 2), ("x", 3)]) == ["x": 3, "y": 2])
    #expect(object["e\u{301}"] == nil)
  }

  @Test("the form for people")
  func pretty() {
    #expect(
      JSON.pretty(["a": 1, "b": [], "c": [:], "d": [1, ["x": "é\n"]], "e": ["f": ["g": nil]]]) == #"""
        {
          "a": 1,
          "b": [],
          "c": {},
          "d": [
            1,
            {
              "x": "é\n"
            }
          ],
          "e": {
            "f": {
              "g": null
            }
          }
        }
        """#)
  }
}
