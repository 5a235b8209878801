/// A template in Liquid, compiled once: rendering it is running a list of steps.
///
/// The language is that of Shopify's Liquid 5; docs/templates.md lists what there is and what differs. A template is
/// checked whole when it is compiled, so that rendering can only fail on values and limits.
public struct LiquidTemplate: Sendable {
  /// The template as it was written.
  public let source: [UInt8]
  /// What it reads, each once, in the order of the source.
  public var inputs: [LiquidInput] { program.inputs }
  /// What it may do.
  public let limits: LiquidLimits
  /// Whether there is an `{% abort %}`.
  public let canAbort: Bool
  let program: Program

  /// Compiles a template.
  ///
  /// - Parameters:
  ///   - source: UTF-8.
  ///   - fallbacks: whether `{{ name|there }}` is a name and its default, when what is behind the bar is no filter.
  ///   - objects: names whose members are looked up together with them, even `size`, `first` and `last`: `user.size` is a
  ///     property of the user there, not the number of its members.
  ///   - limits: how large it may be.
  /// - Throws: the first error, with its position.
  public init(
    _ source: [UInt8], objects: Set<String> = [], fallbacks: Bool = false, limits: LiquidLimits = LiquidLimits()
  ) throws(LiquidError) {
    guard source.count <= limits.sourceBytesMax else {
      throw LiquidError(
        source, at: 0, "the template has \(source.count) bytes; at most \(limits.sourceBytesMax) are compiled",
        fix: "write a shorter text")
    }
    let pieces = try MarkupScanner.pieces(source)
    var compiler = Compiler(source: source, pieces: pieces, objects: objects, takesFallbacks: fallbacks, limits: limits)
    try compiler.compile()
    self.source = source
    self.limits = limits
    canAbort = compiler.program.code.contains { $0.code == .abort }
    program = compiler.program
  }
}

/// A value that a template reads: a name, or a path of names.
public struct LiquidInput: Sendable, Hashable {
  /// The names up to an index in brackets: `["user", "first_name"]` for `{{ user.first_name }}`.
  public let path: [String]
  /// The path with dots.
  public let name: String
  /// Where it is first read, in bytes of the source.
  public let offset: Int

  /// The same without the first name: `first_name` of `user.first_name`.
  public var inner: LiquidInput {
    let rest = Array(path.dropFirst())
    return LiquidInput(path: rest, name: rest.joined(separator: "."), offset: offset)
  }
}
