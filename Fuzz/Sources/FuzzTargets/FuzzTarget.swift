/// A property that was broken.
public struct FuzzFailure: Error, CustomStringConvertible {
  /// What should have held, and what was found.
  public let description: String

  init(_ description: String) { self.description = description }
}

/// Throws unless a property holds.
func expect(_ holds: Bool, _ property: @autoclosure () -> String) throws(FuzzFailure) {
  if !holds { throw FuzzFailure(property()) }
}

/// One thing that takes bytes from outside, and what must hold for any bytes at all.
public struct FuzzTarget: Sendable {
  /// The name on the command line and of the folder of its corpus.
  public let name: String
  /// What is run and what must hold.
  public let about: String
  /// Runs it on one input.
  public let run: @Sendable ([UInt8]) throws(FuzzFailure) -> Void

  /// Every target, in the order of the README.
  public static let all: [FuzzTarget] = [
    json, payloads, rules, fitting, readIOS, readAndroid, write, answers, audience, records, smallTexts, strings,
    tunnel, emulatorAPNs, emulatorGoogle, emulatorControl, scenarios, heads, chunks, core, identity, liquid, passkeys,
  ]

  /// A target that must fail, and soon: it shows that failures are seen.
  public static let canary = FuzzTarget(name: "canary", about: "fails on any input that has the byte !") {
    (bytes) throws(FuzzFailure) in
    try expect(!bytes.contains(UInt8(ascii: "!")), "the canary sang")
  }
}
