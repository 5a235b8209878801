/// A position in a file of string resources.
public struct TextPosition: Sendable, Hashable, CustomStringConvertible {
  /// The file, as the caller named it.
  public let path: String
  /// The line, from 1; a line ends after LF, CR or CR LF.
  public let line: Int
  /// The column, from 1, counted in Unicode scalars since the start of the line.
  public let column: Int

  /// Creates a position.
  public init(path: String, line: Int, column: Int) {
    self.path = path
    self.line = line
    self.column = column
  }

  /// `path:line:column`, as compilers write it.
  public var description: String { "\(path):\(line):\(column)" }
}
