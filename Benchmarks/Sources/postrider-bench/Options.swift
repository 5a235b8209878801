import Glibc

/// The options of one subcommand: `--name value` pairs, each with a default or required.
struct Options {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private var values: [String: String] = [:]

  /// Reads the arguments; `known` names every option.
  init(_ arguments: [String], known: [String]) throws {
    var rest = arguments[...]
    while let name = rest.popFirst() {
      guard name.hasPrefix("--"), known.contains(String(name.dropFirst(2))) else {
        throw Failure(description: "unknown option \(name); known: \(known.map { "--\($0)" }.joined(separator: " "))")
      }
      guard let value = rest.popFirst() else { throw Failure(description: "\(name) needs a value") }
      values[String(name.dropFirst(2))] = value
    }
  }

  /// The text of an option.
  func text(_ name: String, default fallback: String? = nil) throws -> String {
    guard let value = values[name] ?? fallback else { throw Failure(description: "--\(name) is missing") }
    return value
  }

  /// The number of an option, at least 1.
  func number(_ name: String, default fallback: Int? = nil) throws -> Int {
    let text = try text(name, default: fallback.map { "\($0)" })
    guard let number = Int(text), number >= 1 else {
      throw Failure(description: "--\(name): expected a number of 1 or more, found \"\(text)\"")
    }
    return number
  }

  /// A server of the options `--gateway HOST:PORT`, or `--host` and `--port`.
  func gateway() throws -> (host: String, port: UInt16) {
    var host = try text("host", default: "127.0.0.1")
    var port = values["port"]
    if let gateway = values["gateway"] {
      guard port == nil, values["host"] == nil else {
        throw Failure(description: "give --gateway HOST:PORT, or --host and --port")
      }
      guard let colon = gateway.lastIndex(of: ":"), colon != gateway.startIndex else {
        throw Failure(description: "--gateway: expected HOST:PORT, found \"\(gateway)\"")
      }
      host = String(gateway[..<colon])
      port = String(gateway[gateway.index(after: colon)...])
    }
    guard let port = port.flatMap({ UInt16($0) }), port > 0 else {
      throw Failure(description: "--port: expected 1 to 65535, found \(port ?? "nothing")")
    }
    return (host, port)
  }

  /// An API key: never an argument, which every user of the machine could see.
  func apiKey() throws -> String {
    if values["key-file"] != nil {
      return String(decoding: try file("key-file").prefix { $0 > 0x20 }, as: UTF8.self)
    }
    guard let key = getenv("POSTRIDER_KEY").map({ String(cString: $0) }), !key.isEmpty else {
      throw Failure(description: "set POSTRIDER_KEY, or give --key-file FILE: an API key of the server")
    }
    return key
  }

  /// Whether an option was given.
  func has(_ name: String) -> Bool { values[name] != nil }

  /// The content of the file that an option names.
  func file(_ name: String) throws -> [UInt8] {
    let path = try text(name)
    guard let file = fopen(path, "r") else { throw Failure(description: "--\(name): cannot open \(path)") }
    defer { fclose(file) }
    var content: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { content += chunk[..<count] }
    return content
  }
}
