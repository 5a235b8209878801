internal import DevicePreview
internal import HTTPServer
internal import System
internal import WireJSON

/// The reports to the server that sent the push, as an app's library makes them.
struct PhoneReport: Sendable {
  let reporting: PhoneReporting
  let provider: EmulatedProvider
  let tap: TrayTap

  /// Sends it, and returns the server's answer: `{status, answer}` or `{error}`.
  func send() -> JSONValue {
    Self.answer(to: Self.event(tap.type, action: tap.button?.id, of: tap.pushID ?? "", provider), reporting)
  }

  /// The server's answer to one event: `{status, answer}` or `{error}`.
  static func answer(to event: JSONValue, _ reporting: PhoneReporting) -> JSONValue {
    switch send([event], to: reporting) {
    case .success(let (status, answer)): return ["status": .number(JSONNumber(status)), "answer": answer]
    case .failure(let error): return ["error": .string(error.description)]
    }
  }

  /// One event: `received`, `opened` or `action`.
  static func event(
    _ type: String, action: String? = nil, of pushID: String, _ provider: EmulatedProvider, endpoint: String? = nil
  ) -> JSONValue {
    var event: JSONObject = ["type": .string(type)]
    if let action { event.append("action", .string(action)) }
    if let endpoint {
      event.append("token", .string(endpoint))
    }
    event.append(provider.row.pushMember, .string(pushID))
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
  private static let answers = BoundedThreads("phone", limit: EmulatorLimits.waitingAnswersMax)

  /// Runs `body` on a thread of its own; false, and nothing is run, when ``EmulatorLimits/waitingAnswersMax`` run already.
  static func runBounded(_ body: @escaping @Sendable () -> Void) -> Bool { answers.run(body) }

  /// Runs `body` on a thread of its own; on the calling one when the system gives none.
  static func run(_ body: @escaping @Sendable () -> Void) {
    do throws(SystemThread.Refusal) { try SystemThread.detach("phone", body) } catch { body() }
  }
}
