internal import DevicePreview
internal import Glibc
internal import HTTPServer
internal import WireJSON

/// The report of a tap to the server that sent the push, as an app's library makes it.
struct PhoneReport: Sendable {
  let reporting: PhoneReporting
  let provider: EmulatedProvider
  let tap: TrayTap

  /// `POST /v1/apps/{app}/events` with one event.
  private var event: JSONValue {
    var event: JSONObject = ["type": .string(tap.type)]
    if let button = tap.button { event.append("action", .string(button.id)) }
    event.append(provider == .apns ? "apns_id" : "message_name", .string(tap.pushID ?? ""))
    return ["events": [.object(event)]]
  }

  /// Sends it, and tells what the server said: `{status, answer}` or `{error}`.
  func send() -> JSONValue {
    do throws(HTTPCallError) {
      let call = try HTTPCall(
        "POST", base: reporting.url, path: "/v1/apps/\(reporting.app)/events",
        headers: [("Authorization", "Bearer \(reporting.key)")], body: JSON.minified(event))
      let (status, body) = try call.run()
      return ["status": .number(JSONNumber(status)), "answer": (try? JSON.parse(body)) ?? .null]
    } catch {
      return ["error": .string(error.description)]
    }
  }
}

/// Threads for work that waits for another server.
enum PhoneThreads {
  private final class Work {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
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
