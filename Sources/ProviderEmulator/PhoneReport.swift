internal import DevicePreview
internal import Glibc
internal import HTTPServer
internal import Synchronization
internal import WireJSON

/// The reports to the server that sent the push, as an app's library makes them.
struct PhoneReport: Sendable {
  let reporting: PhoneReporting
  let provider: EmulatedProvider
  let tap: TrayTap

  /// Sends it, and tells what the server said: `{status, answer}` or `{error}`.
  func send() -> JSONValue {
    let event = Self.event(tap.type, action: tap.button?.id, of: tap.pushID ?? "", provider)
    switch Self.send([event], to: reporting) {
    case .success(let (status, answer)): return ["status": .number(JSONNumber(status)), "answer": answer]
    case .failure(let error): return ["error": .string(error.description)]
    }
  }

  /// One event: `received`, `opened` or `action`.
  static func event(
    _ type: String, action: String? = nil, of pushID: String, _ provider: EmulatedProvider
  ) -> JSONValue {
    var event: JSONObject = ["type": .string(type)]
    if let action { event.append("action", .string(action)) }
    event.append(provider == .apns ? "apns_id" : "message_name", .string(pushID))
    return .object(event)
  }

  /// `POST /v1/apps/{app}/events`: the status, and the answer as JSON.
  static func send(_ events: [JSONValue], to reporting: PhoneReporting) -> Result<(Int, JSONValue), HTTPCallError> {
    do throws(HTTPCallError) {
      let call = try HTTPCall(
        "POST", base: reporting.url, path: "/v1/apps/\(reporting.app)/events",
        headers: [("Authorization", "Bearer \(reporting.key)")], body: JSON.minified(["events": .array(events)]))
      let (status, body) = try call.run()
      return .success((status, (try? JSON.parse(body)) ?? .null))
    } catch {
      return .failure(error)
    }
  }
}

/// Threads for work that waits for another server.
enum PhoneThreads {
  private final class Work {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  private static let running = Mutex(0)

  /// Runs `body` on a thread of its own; false, and nothing is run, when ``EmulatorLimits/waitingAnswersMax`` run already.
  static func runBounded(_ body: @escaping @Sendable () -> Void) -> Bool {
    let isFree = running.withLock { running -> Bool in
      guard running < EmulatorLimits.waitingAnswersMax else { return false }
      running += 1
      return true
    }
    guard isFree else { return false }
    run {
      body()
      running.withLock { $0 -= 1 }
    }
    return true
  }

  /// Runs `body` on a thread of its own; on the calling one when the system gives none.
  static func run(_ body: @escaping @Sendable () -> Void) {
    let context = Unmanaged.passRetained(Work(body))
    var id = pthread_t()
    let result = pthread_create(
      &id, nil,
      { argument in
        if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body() }
        return nil
      }, context.toOpaque())
    if result == 0 { pthread_detach(id) } else { context.takeRetainedValue().body() }
  }
}
