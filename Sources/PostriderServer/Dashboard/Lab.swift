public import HTTPServer
internal import StoreModel

/// Virtual devices behind the server, for the dashboard's device lab; a server without an emulator has none.
public struct Lab: Sendable {
  /// Answers a request below `/lab/devices`: the method, the decoded segments behind `/lab`, the body.
  public typealias Handler =
    @Sendable (HTTPMethod, [String], [UInt8], @escaping @Sendable (HTTPResponse) -> Void) -> Void

  let handle: Handler

  /// A lab whose devices are worked by `handle`.
  public init(_ handle: @escaping Handler) { self.handle = handle }

  /// Whether a path leads here.
  ///
  /// Of what an emulator can do, only the devices are reached: its keys and faults stay its own.
  static func leads(_ segments: [String]) -> Bool {
    segments.count >= 2 && segments[0] == "lab" && segments[1] == "devices"
  }

  /// A picture of a device is drawn from what senders wrote: opened by itself, it may do nothing at all.
  static let headers: [(name: String, value: String)] = [
    ("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox"),
    ("X-Content-Type-Options", "nosniff"), ("Cache-Control", "no-store"),
  ]
}

extension Dispatcher {
  /// Checks that a caller may enter the lab.
  func checkLab(_ head: HTTPRequestHead) throws(Problem) {
    let isReading = head.method == .get || head.method == .head
    let now = service.now
    let caller = try caller(
      of: head, at: AccessTarget(operation: "lab", accepted: isReading ? [.send, .read] : [.send]), now: now)
    try checkRate(caller, head, now)
    guard caller.app == nil else { throw Problem(.forbidden, "the key is for one app only; the lab serves all") }
  }

  /// Hands a request to the lab, after ``checkLab(_:)``.
  func enter(_ lab: Lab, _ request: HTTPRequest, _ answer: @escaping @Sendable (HTTPResponse) -> Void) {
    lab.handle(request.method, Array(request.segments.dropFirst()), request.body) { response in
      var response = response
      response.headers += Lab.headers
      answer(response)
    }
  }
}
