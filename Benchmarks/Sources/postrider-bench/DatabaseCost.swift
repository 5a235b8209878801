import Glibc
import TestSupport

/// Processor time of a database server (`--store-pid`, its first process).
struct DatabaseCost {
  private let server: Int
  private var before = 0.0

  /// Counts from now on; nil where no process is named.
  init?(_ options: Options) throws {
    guard options.has("store-pid") else { return nil }
    server = try options.number("store-pid")
    before = try seconds()
  }

  /// Seconds until now.
  func spent() throws -> Double { try seconds() - before }

  /// Seconds of its processes, those of now and those that have ended.
  private func seconds() throws -> Double {
    let children = try read("/proc/\(server)/task/\(server)/children").split(separator: " ").compactMap { Int($0) }
    let own = try ticks(of: server, withEnded: true)
    let all = children.reduce(own) { sum, child in sum + ((try? ticks(of: child, withEnded: false)) ?? 0) }
    return Double(all) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  /// Ticks of a process: user and system, and with those of its children that have ended.
  private func ticks(of process: Int, withEnded: Bool) throws -> Int {
    let fields = try read("/proc/\(process)/stat").split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 14 else { throw Options.Failure(description: "--store-pid: no process \(process)") }
    return fields[11..<(withEnded ? 15 : 13)].reduce(0) { $0 + (Int($1) ?? 0) }
  }

  private func read(_ path: String) throws -> String { String(decoding: try Files.read(path), as: UTF8.self) }
}

/// Starts a database server that flushes every commit, prints its URL and its first process, and ends it with the input; then it
/// prints how often a process waited for a lock for longer than a tenth of a second.
func database(_ arguments: [String]) throws {
  let options = try Options(arguments, known: ["folder"])
  let server = try PostgresServer(.durable, in: options.text("folder", default: "/tmp"))
  print(server.url(try server.createDatabase()), try server.processID())
  fflush(nil)
  while readLine() != nil {}
  let log = String(decoding: try Files.read(server.folder + "/log"), as: UTF8.self)
  print(log.split(separator: "\n").count { $0.contains("still waiting for") })
}
