import Glibc
internal import PostgresEngine
import PostriderServer
import PushStore
import StoreModel
import System

/// The database server: reachable, rights, schema, standby, clock, ledger and sealed secrets.
struct DoctorStore {
  let server: DatabaseServer
  let keyFolder: String
  let readsLedger: Bool

  /// How far the clocks may differ: what nodes lease from each other is for seconds.
  private static let clockMs: Int64 = 1_000
  /// Connections that should be left for a node that starts.
  private static let connectionsLeft = 20

  var findings: [DoctorFinding] {
    let report: PostgresReport
    do throws(StoreError) {
      report = try PostgresReport(PostgresOptions(url: server.url, password: server.password)) {
        var now = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec) * 1_000 + Int64(now.tv_nsec) / 1_000_000
      }
    } catch { return [.error("database", error.message, remedy: error.advice)] }
    let schema = Self.schema(report)
    let isUsable = schema.verdict == .ok && report.schemaVersion > 0
    return [
      .ok("database", "\(report.name): PostgreSQL \(report.serverVersion), \(report.encoding), \(report.collation)"),
      Self.rights(report), schema, Self.standby(report), Self.room(report), Self.clock(report),
    ] + (isUsable ? [DoctorLedger.finding(.server(server, keyFolder: keyFolder), readsLedger: readsLedger)] : [])
  }

  static func rights(_ report: PostgresReport) -> DoctorFinding {
    guard !report.missingGrants.isEmpty else { return .ok("role", "\(report.role) may make and change the tables") }
    return .error(
      "role", "\(report.role) may not make and change the tables",
      remedy: "Make it the owner of the database, or as its owner: \(report.missingGrants.joined(separator: "; ")).")
  }

  static func schema(_ report: PostgresReport) -> DoctorFinding {
    let (found, known) = (report.schemaVersion, report.knownVersion)
    if found == 0 { return .ok("schema", "empty; the first start of serve makes the tables") }
    if found == known { return .ok("schema", "version \(found)") }
    if found < known {
      return .warning(
        "schema", "version \(found), and \(known) in this program",
        remedy: "The next start of serve moves it forward; nodes of the version before work on beside it.")
    }
    return .error(
      "schema", "version \(found), newer than \(known) in this program", remedy: "Install the newer Postrider.")
  }

  static func standby(_ report: PostgresReport) -> DoctorFinding {
    let count = report.standbys == 1 ? "1 standby" : "\(report.standbys) standbys"
    let (synchronous, wanted) = (report.synchronousStandbys, report.standbysWaitedFor)
    let found = "\(count), \(synchronous == 0 ? "none" : "\(synchronous)") of them synchronous"
    if synchronous > 0, synchronous >= wanted { return .ok("standby", found) }
    if wanted > 0, report.standbys == 0 || report.seesStandbys {
      return .error(
        "standby",
        "\(report.standbys == 0 ? "none" : found), and commits wait for \(wanted == 1 ? "one" : "\(wanted)"): nothing is written",
        remedy:
          "Start what synchronous_standby_names names, or let commits continue without:"
          + " ALTER SYSTEM SET synchronous_standby_names = ''; SELECT pg_reload_conf().")
    }
    if report.standbys == 0 {
      return .warning(
        "standby", "none: the loss of the server's machine loses what was acknowledged since the last backup",
        remedy: "Set up a standby and synchronous_standby_names (docs/scale.md), or accept it.")
    }
    guard report.seesStandbys else {
      return .warning(
        "standby", "\(count); whether commits wait for it is not shown to \(report.role)",
        remedy: "GRANT pg_monitor TO \(report.role), and look again.")
    }
    return .warning(
      "standby", "\(found): a failover may lose the last acknowledged pushes",
      remedy: "Name it in synchronous_standby_names of the server.")
  }

  static func room(_ report: PostgresReport) -> DoctorFinding {
    let text = "\(report.bytes >> 20) MiB, \(report.connections) of \(report.connectionsMax) connections in use"
    guard report.connectionsMax - report.connections < connectionsLeft else { return .ok("size", text) }
    return .warning("size", text, remedy: "Raise max_connections of the server, or stop other clients.")
  }

  static func clock(_ report: PostgresReport) -> DoctorFinding {
    let (ahead, size) = (report.clockAheadMs, abs(report.clockAheadMs))
    let amount = size < 1_000 ? "\(size) ms" : "\(size / 1_000) s"
    guard size > clockMs else { return .ok("database clock", "\(amount) beside this machine's") }
    return .warning(
      "database clock", "\(amount) \(ahead > 0 ? "ahead of" : "behind") this machine's",
      remedy: "Let both follow a time server (chrony, systemd-timesyncd).")
  }
}

/// The ledger of a folder or of a database, and the key of what is sealed in it.
enum DoctorLedger {
  static func finding(_ location: StoreLocation, readsLedger: Bool) -> DoctorFinding {
    guard readsLedger else { return .skipped("ledger", "--quick") }
    let isServer = if case .server = location { true } else { false }
    do throws(PostriderServerError) {
      let key = unsafe getenv("POSTRIDER_SEALING_KEY").map { unsafe String(cString: $0) }
      let result = try LedgerCheck.run(location, sealingKey: key)
      if let fault = result.faults.first {
        return .error(
          "ledger", "\(result.faults.count) faults; the first: \(fault)",
          remedy: isServer
            ? "Stop every server, keep a dump of the database, and restore the newest backup that is sound."
            : "Stop the server, keep a copy of the folder, and restore the newest backup that is sound.")
      }
      guard let unopened = result.unopened else {
        return .warning(
          "ledger", "\(result.examination.pushes) pushes balance; there is no sealing key to try the secrets with",
          remedy: "Set POSTRIDER_SEALING_KEY as for the server.")
      }
      guard unopened.isEmpty else {
        return .error(
          "ledger", "the sealing key does not open \(unopened.joined(separator: ", "))",
          remedy: "Bring the right key back, or save these again.")
      }
      return .ok("ledger", "\(result.examination.pushes) pushes balance; the sealing key opens every secret")
    } catch {
      return .error(
        "ledger", error.description,
        remedy: isServer
          ? "Check the role's rights on the tables." : "Name the server's data folder, and run this as its user.")
    }
  }
}
