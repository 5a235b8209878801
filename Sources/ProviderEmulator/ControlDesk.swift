public import HTTPServer

/// The control API without its port, for a program that has the emulator inside.
public struct ControlDesk: Sendable {
  private let control: ControlAPI

  init(control: ControlAPI) { self.control = control }

  /// Answers a request as `http://…/control` would.
  ///
  /// - Parameters:
  ///   - segments: the decoded segments of the path after `/control`.
  ///   - answer: called once; on the calling thread, unless the answer depends on another server.
  public func handle(
    _ method: HTTPMethod, _ segments: [String], _ body: [UInt8], _ answer: @escaping @Sendable (HTTPResponse) -> Void
  ) {
    let found = control.handle(method: method.rawValue, segments: segments, body: body)
    found.finish { answer($0.response) }
  }
}

extension ControlAnswer {
  var response: HTTPResponse { HTTPResponse(status: status, contentType: contentType, bytes: body) }
}
