import HTTPClient
import WireJSON

/// The running server, asked whether it is ready.
enum DoctorServer {
  private static let subject = "server"
  private static let seconds = 10
  private static let answerBytesMax = 64 << 10

  static func finding(_ arguments: Arguments) throws(Exit) -> DoctorFinding {
    let settings = try APISettings(arguments)
    guard let connection = HTTPConnection(authorities: settings[.ca]?.value) else {
      throw .failure("the HTTP library cannot be had")
    }
    var body: [UInt8] = []
    do throws(HTTPConnectionError) {
      // With a key, a server elsewhere says which host or file it lacks.
      let key = settings[.key].map { [(name: "Authorization", value: "Bearer \($0.value)")] } ?? []
      let status = try unsafe connection.exchange(
        "GET", settings.url + "/readyz", headers: key, seconds: seconds
      ) { _, piece in
        unsafe body += piece
        return body.count <= answerBytesMax
      }
      return judge(status, body, settings.url)
    } catch {
      // One that was named must be there; the one by default need not run.
      guard settings[.url]?.source != .builtIn else { return .skipped(subject, "none answers at \(settings.url)") }
      return .error(subject, "cannot reach \(settings.url): \(error)", remedy: "Start it, or name it with --url.")
    }
  }

  private static func judge(_ status: Int, _ body: [UInt8], _ url: String) -> DoctorFinding {
    guard status != 200 else { return .ok(subject, "\(url) is ready") }
    let detail = (try? JSON.parse(body))?.object?["detail"]?.string
    return .error(
      subject, "\(url) is not ready: \(detail ?? "it answers \(status)")",
      remedy: "Its log says more (journalctl -u postrider).")
  }
}
