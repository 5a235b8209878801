import Glibc

/// A run of one target over its corpus and a fixed number of mutations of it, the same ones each time.
struct FuzzSmoke {
  let target: FuzzTarget
  /// The inputs to begin with.
  let corpus: [[UInt8]]
  /// Where the input under way is kept, so that one that traps can be looked at; nil keeps none.
  var keeper: Int32?

  /// Runs the corpus and then mutations of it.
  /// - Throws: the first broken property, with the input.
  func run(mutations: Int, seed: UInt64) throws(FuzzFailure) {
    for input in corpus { try run(input) }
    var mutator = Mutator(seed: seed, corpus: corpus)
    for _ in 0..<mutations { try run(mutator.next()) }
  }

  /// Runs one input.
  func run(_ input: [UInt8]) throws(FuzzFailure) {
    if let keeper {
      _ = pwrite(keeper, input, input.count, 0)
      ftruncate(keeper, off_t(input.count))
    }
    do throws(FuzzFailure) { try target.run(input) } catch {
      throw FuzzFailure("\(target.name): \(error) on \(FuzzSmoke.shown(input))")
    }
  }

  /// An input as a person reads it: text where it is printable.
  static func shown(_ input: [UInt8]) -> String {
    var text = ""
    for byte in input.prefix(2000) {
      switch byte {
      case 0x5C: text += "\\\\"
      case 0x20...0x7E: text.unicodeScalars.append(Unicode.Scalar(byte))
      default: text += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
    }
    return text
  }
}

/// Changes inputs a little, in ways that JSON and text break on.
struct Mutator {
  private let corpus: [[UInt8]]
  private var state: UInt64

  init(seed: UInt64, corpus: [[UInt8]]) {
    self.corpus = corpus.isEmpty ? [[]] : corpus
    state = seed
  }

  /// The next input.
  mutating func next() -> [UInt8] {
    var input = corpus[below(corpus.count)]
    for _ in 0...below(4) { mutate(&input) }
    return input
  }

  private static let words: [String] = [
    "\"", "\\", "{", "}", "[", "]", ",", ":", "null", "true", "-0", "1e400", "99999999999999999999", "0.1e-3",
    "\\ud83d", "\\ude00", "\\u0000", "👩‍👩‍👧", "e\u{301}", "\u{2067}", "\u{2069}", "{\"aps\":", "\"alert\":", "\"data\":",
    "\"message\":", "\"apns\":", "{{name}}", "\r\n", "\u{FEFF}", " ", "3.5s", "#ff00", "[[[[", "{}", "\"\"", "1",
    "%1$s", "%@", "%#@n@", "\\U00e9", "<![CDATA[", "</string>", "&lt;", " = ", ";", "/*", "\u{FFFE}",
    "9223372036854775807", "-9223372036854775808", "1e308", "\n\n", "\nPOST ", "Host: a\r\n", "Content-Length: 5\r\n",
    "Transfer-Encoding: chunked\r\n", "\r\n\r\n", "0\r\n", "%00",
    "apns-expiration: ", "\"advance_ms\":",
  ]

  private mutating func mutate(_ input: inout [UInt8]) {
    let index = below(input.count + 1)
    switch below(7) {
    case 0 where index < input.count: input[index] = UInt8(truncatingIfNeeded: random())
    case 1 where index < input.count: input[index] ^= 1 << UInt8(below(8))
    case 2 where index < input.count: input.removeSubrange(index..<min(input.count, index + 1 + below(8)))
    case 3: input.insert(contentsOf: Array(Mutator.words[below(Mutator.words.count)].utf8), at: index)
    case 4 where index < input.count:
      let piece = Array(input[index..<min(input.count, index + 1 + below(32))])
      input.insert(contentsOf: piece, at: below(input.count + 1))
    case 5: input.removeSubrange(index...)
    default:
      let other = corpus[below(corpus.count)]
      input.replaceSubrange(index..., with: other.dropFirst(below(other.count + 1)))
    }
  }

  private mutating func below(_ bound: Int) -> Int { bound <= 1 ? 0 : Int(random() % UInt64(bound)) }

  /// SplitMix64.
  private mutating func random() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
