internal import DevicePreview
internal import DeviceText
internal import PushContracts
internal import PushRules
internal import WireJSON

/// The operations that need no server and no file, with bytes in and bytes out: what every language's package calls.
///
/// An answer is the JSON that the command of the same name prints, or `{"error": …}`. There is no state between calls, no
/// clock, and no input for which there is no answer. docs/core.md describes options and answers.
public enum Core {
  /// The version of this interface; it changes when an operation, option or answer is no longer what it was.
  public static let interfaceVersion: UInt32 = 1

  /// The most bytes of an input, and of options: more has an error for an answer.
  public static let bytesMax = 16 << 20

  /// What there is to ask for.
  public enum Operation: String, Sendable, CaseIterable {
    /// A raw payload → typed properties.
    case parse
    /// A message → the exact requests.
    case render
    /// A message or document → findings.
    case check
    /// A provider's reason or answer → what it means.
    case explain
    /// A payload or message → what devices show.
    case preview
    /// The contracts, one table, or the difference of two.
    case contracts
  }

  /// Answers one request.
  ///
  /// - Parameters:
  ///   - operation: what is asked for.
  ///   - input: the payload, message, document or reason.
  ///   - options: a JSON object, or nothing.
  public static func answer(_ operation: Operation, _ input: [UInt8], options: [UInt8] = []) -> [UInt8] {
    do throws(CoreError) {
      for (name, bytes) in [("input", input), ("options", options)] where bytes.count > bytesMax {
        throw CoreError(
          .unreadable, "\(name) is larger than \(bytesMax >> 20) MiB, the most that is read", location: name,
          fix: "give at most \(bytesMax) bytes")
      }
      switch operation {
      case .parse: return try parse(input, options)
      case .render: return try render(input, options)
      case .check: return try check(input, options)
      case .explain: return try explain(input, options)
      case .preview: return try preview(input, options)
      case .contracts: return try contracts(input, options)
      }
    } catch {
      return JSON.minified(error.json)
    }
  }

  // None of the operations is inlined: as one function, code of all of them is compiled in a browser for the first answer of any.

  private static func read(_ input: [UInt8]) throws(CoreError) -> (value: JSONValue, duplicates: [JSONDuplicate]) {
    do throws(JSONError) { return try JSON.parseReporting(input) } catch { throw .notJSON(error, in: "input") }
  }

  @inline(never)
  private static func parse(_ input: [UInt8], _ options: [UInt8]) throws(CoreError) -> [UInt8] {
    let request = try ParseRequest(JSONOptions(options, of: "parse", ParseRequest.options))
    var parser = PayloadParser()
    return try request.answer(input, &parser, named: "input").bytes
  }

  @inline(never)
  private static func render(_ input: [UInt8], _ options: [UInt8]) throws(CoreError) -> [UInt8] {
    let request = try RenderRequest(JSONOptions(options, of: "render", RenderRequest.options))
    var desk = RenderRequest.Desk()
    do throws(JSONError) { return try request.answer(input, at: &desk).bytes } catch {
      throw .notJSON(error, in: "input")
    }
  }

  @inline(never)
  private static func check(_ input: [UInt8], _ options: [UInt8]) throws(CoreError) -> [UInt8] {
    let options = try JSONOptions(options, of: "check", CheckOptions.options)
    var checker = FileChecker(try CheckOptions(options))
    let file = checker.check(input, name: options.text("file") ?? "-")
    var totals = CheckTotals()
    totals.add(file)
    return CheckJSON.document(file.findings.isEmpty ? [] : [file], totals)
  }

  @inline(never)
  private static func explain(_ input: [UInt8], _ options: [UInt8]) throws(CoreError) -> [UInt8] {
    _ = try JSONOptions(options, of: "explain", [])
    if input.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") {
      return JSON.minified(try ExplainRequest(body: input, name: "input").json)
    }
    return JSON.minified(try ExplainRequest(reason: String(decoding: input, as: UTF8.self)).json)
  }

  @inline(never)
  private static func preview(_ input: [UInt8], _ options: [UInt8]) throws(CoreError) -> [UInt8] {
    let options = try JSONOptions(options, of: "preview", PreviewRequest.options)
    let (json, duplicates) = try read(input)
    let answer = try PreviewRequest.answer(input, json, options, duplicates: duplicates)
    return JSON.minified(options.text("format") == "text" ? ["text": .string(answer.text)] : answer.json)
  }

  @inline(never)
  private static func contracts(_ input: [UInt8], _ options: [UInt8]) throws(CoreError) -> [UInt8] {
    let options = try JSONOptions(options, of: "contracts", ContractsRequest.options)
    if let name = options.text("show") { return JSON.minified(try ContractsRequest.table(name).json) }
    let names = options.texts("diff")
    guard !names.isEmpty else { return JSON.minified(ContractsRequest.list) }
    let (message, duplicates) = try read(input)
    return JSON.minified(try ContractsRequest.diff(names, message, duplicates, options).json)
  }
}
