internal import Glibc

/// A call to the operating system that failed.
public struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The name of the call, such as `bind`.
  public let call: String
  /// What it was called for, such as `127.0.0.1:8443`; empty when there is nothing to add.
  public let subject: String
  /// The system's error number.
  public let errno: Int32

  init(_ call: String, _ subject: String = "", errno number: Int32 = Glibc.errno) {
    self.call = call
    self.subject = subject
    self.errno = number
  }

  /// One sentence: which call, on what, and the system's own words.
  public var description: String {
    let suffix = subject.isEmpty ? "" : " \(subject)"
    return "cannot \(call)\(suffix): \(SystemError.text(errno))"
  }

  /// The system's words for an error number.
  static func text(_ number: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 128)
    guard unsafe strerror_r(number, &buffer, buffer.count) == 0 else { return "system error \(number)" }
    return text(buffer)
  }

  /// The text of a zero-terminated buffer.
  static func text(_ buffer: [CChar]) -> String {
    String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
