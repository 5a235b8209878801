/// A property that was broken.
struct FuzzFailure: Error, CustomStringConvertible {
  /// What should have held, and what was found.
  let description: String

  init(_ description: String) { self.description = description }
}

/// Throws unless a property holds.
func expect(_ holds: Bool, _ property: @autoclosure () -> String) throws(FuzzFailure) {
  if !holds { throw FuzzFailure(property()) }
}

/// One thing that takes bytes from outside, and what must hold for any bytes at all.
struct FuzzTarget: Sendable {
  /// The name on the command line and of the folder of its corpus.
  let name: String
  /// What is run and what must hold.
  let about: String
  /// Runs it on one input.
  let run: @Sendable ([UInt8]) throws(FuzzFailure) -> Void

  /// Every target, in the order of the README.
  static let all: [FuzzTarget] = [
    json, payloads, rules, fitting, readIOS, readAndroid, write, answers, audience, places, tunnel,
  ]

  /// A target that must fail, and soon: it shows that failures are seen.
  static let canary = FuzzTarget(name: "canary", about: "fails on any input that has the byte !") {
    (bytes) throws(FuzzFailure) in
    try expect(!bytes.contains(UInt8(ascii: "!")), "the canary sang")
  }
}
