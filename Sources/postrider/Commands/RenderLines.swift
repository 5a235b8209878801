import PushContracts
import PushCore
import PushPayload
import WireJSON

/// `render --lines`: one message on each line in, one result on each line out, in constant memory.
struct RenderLines: ~Copyable {
  /// The longest line that is read, in bytes.
  static let lineBytesMax = 1 << 20

  private let request: RenderRequest
  private let recipient: RecipientOptions
  private var desk = RenderRequest.Desk()
  private var pending: [UInt8] = []
  private var status = ExitStatus.fine
  private var output: [UInt8] = []

  /// Makes a run; `request` writes each message.
  init(_ request: RenderRequest, _ recipient: RecipientOptions) {
    self.request = request
    self.recipient = recipient
  }

  /// Renders every line of a file, or of standard input.
  mutating func run(_ path: String?) throws(Exit) -> ExitStatus {
    try Terminal.stream(path) { (piece) throws(Exit) in
      var rest = piece
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        pending += rest[..<end]
        try endLine()
        rest = rest[(end + 1)...]
      }
      pending += rest
      try checkLength()
      flush()
    }
    if !pending.isEmpty { try endLine() }
    flush()
    return status
  }

  private func checkLength() throws(Exit) {
    guard pending.count <= RenderLines.lineBytesMax else {
      throw .unreadable("a line is longer than \(RenderLines.lineBytesMax >> 20) MiB, the most that is read")
    }
  }

  /// A line that is no JSON has a result too, so that results and lines stay side by side.
  private mutating func endLine() throws(Exit) {
    defer { pending.removeAll(keepingCapacity: true) }
    try checkLength()
    do throws(JSONError) {
      if recipient.hasValues {
        let (message, duplicates) = try JSON.parseReporting(pending)
        let rendering = request.rendering(message, duplicates, for: recipient)
        if rendering.report.hasErrors { raise(.invalid) }
        output += rendering.json
      } else {
        let answer = try request.answer(pending, at: &desk)
        if answer.hasErrors { raise(.invalid) }
        output += answer.bytes
      }
    } catch {
      let path = FieldPath(pointer: error.pointer)
      let finding = Finding(rule: "json-invalid", severity: .error, field: path.text, message: error.description)
      output += JSON.minified(["report": Report([finding]).json])
      raise(.unreadable)
    }
    output.append(UInt8(ascii: "\n"))
  }

  private mutating func raise(_ other: ExitStatus) {
    if other.rawValue > status.rawValue { status = other }
  }

  private mutating func flush() {
    if !output.isEmpty { Terminal.print(output) }
    output.removeAll(keepingCapacity: true)
  }
}
