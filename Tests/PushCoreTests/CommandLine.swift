import PushContracts
import TestSupport
import WireJSON

/// The built command line, whose answers the core's must equal byte for byte.
enum CommandLine {
  /// What the command prints on standard output, without the line feed at its end.
  static func print(_ arguments: [String], input: [UInt8]) throws -> [UInt8] {
    let output = try Subprocess.run(Files.buildProducts + "/postrider", arguments, input: input).output
    return output.last == UInt8(ascii: "\n") ? Array(output.dropLast()) : output
  }

  /// Options of the core as options of the command line, and as the members of a JSON object.
  static func options(_ options: [(name: String, value: JSONValue)]) -> (words: [String], json: [UInt8]) {
    var words: [String] = []
    var object = JSONObject()
    for (name, value) in options {
      object.append(name, value)
      let flag = flag(name)
      switch value {
      case .bool(true): words.append(flag)
      case .array(let items): for item in items { words += [flag + "=" + (item.string ?? "")] }
      case .number(let number): words.append("\(flag)=\(number)")
      default: words.append("\(flag)=\(value.string ?? "")")
      }
    }
    return (words, object.isEmpty ? [] : JSON.minified(.object(object)))
  }

  private static func flag(_ name: String) -> String {
    switch name {
    case "options": "--option"
    case "rules": "--rule"
    case "locales": "--locale"
    default: "--" + name.split(separator: "_").joined(separator: "-")
    }
  }
}
