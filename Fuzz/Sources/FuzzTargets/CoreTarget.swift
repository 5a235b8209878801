import PushCore
import WireJSON

extension FuzzTarget {
  static let core = FuzzTarget(
    name: "core",
    about: "the C interface's requests: any input and options have an answer, JSON, and the same one twice"
  ) { (bytes) throws(FuzzFailure) in
    // One byte says what is asked for, two how long the options are; then options and input.
    guard bytes.count >= 3 else { return }
    let operation = Core.Operation.allCases[Int(bytes[0]) % Core.Operation.allCases.count]
    let rest = bytes.dropFirst(3)
    let length = min(rest.count, Int(bytes[1]) << 8 | Int(bytes[2]))
    let (options, input) = (Array(rest.prefix(length)), Array(rest.dropFirst(length)))
    let answer = Core.answer(operation, input, options: options)
    guard let json = read(answer) else { throw FuzzFailure("\(operation.rawValue): the answer is no JSON") }
    try expect(JSON.minified(json) == answer, "\(operation.rawValue): the answer is not minified")
    try expect(Core.answer(operation, input, options: options) == answer, "\(operation.rawValue): another answer")
    guard let error = json["error"] else { return }
    for name in ["kind", "what", "where", "fix"] {
      try expect(error[name]?.string?.isEmpty == false, "an error without \(name)")
    }
  }
}
