internal import CPQ
internal import Glibc
public import StoreModel

/// How a PostgreSQL database is reached.
public struct PostgresOptions: Sendable {
  /// The URL, `postgresql://user@host:port/database?parameters`, without a password.
  public let url: String
  /// The password; nil when the server asks for none, or libpq finds it (`PGPASSWORD`, `~/.pgpass`).
  public let password: String?
  /// How long the server may work on one statement.
  public let statementSeconds: Int
  /// How long connecting to one host may take.
  public let connectSeconds: Int
  /// Called with each statement that was prepared and the types of its parameters; tests keep what a version asks.
  package var onPrepare: (@Sendable (_ sql: String, _ types: [UInt32]) -> Void)?
  /// Hosts and database, for messages.
  package let name: String
  /// Whether every host is this machine.
  private let isLocal: Bool
  /// Each of several hosts by itself, as parameters instead of the URL's; empty for a single host.
  private let alone: [[(String, String)]]
  private let given: Set<String>

  /// Reads a URL; throws `invalid` with what is wrong in it.
  public init(
    url: String, password: String? = nil, statementSeconds: Int = 30, connectSeconds: Int = 5
  ) throws(StoreError) {
    var message: UnsafeMutablePointer<CChar>?
    guard Self.isURL(url), let parsed = unsafe PQconninfoParse(url, &message) else {
      let words = unsafe message.map { unsafe PostgresFailure.oneLine(String(cString: $0)) } ?? ""
      unsafe PQfreemem(message)
      // The library repeats the URL, which may hold a password.
      let reason = words.isEmpty || words.contains(url) ? "" : ": \(words)"
      throw Self.invalid("the store's URL cannot be read" + reason)
    }
    defer { unsafe PQconninfoFree(parsed) }
    var values: [String: String] = [:]
    var option = unsafe parsed
    while let keyword = unsafe option.pointee.keyword {
      if let value = unsafe option.pointee.val {
        unsafe values[String(cString: keyword)] = unsafe String(cString: value)
      }
      unsafe option += 1
    }
    guard values["password"] == nil else {
      throw StoreError(
        .invalid, "the store's URL holds a password, which every user of this machine can read there",
        advice: "leave it out, and give it in POSTRIDER_STORE_PASSWORD or in a file")
    }
    if let attributes = values["target_session_attrs"], attributes != "read-write", attributes != "primary" {
      throw Self.invalid("target_session_attrs is \(attributes); the store writes")
    }
    guard let database = values["dbname"], !database.isEmpty else {
      throw Self.invalid("the store's URL names no database")
    }
    // The library finds this out only when it connects.
    for port in (values["port"] ?? "").split(separator: ",") where UInt16(port).map({ $0 > 0 }) != true {
      throw Self.invalid("the store's URL cannot be read: “\(port)” is no port")
    }
    let environment = { (name: String) in unsafe getenv(name).map { unsafe String(cString: $0) } }
    let hosts = (values["host"] ?? values["hostaddr"] ?? environment("PGHOST") ?? "").split(separator: ",")
    self.url = url
    self.password = password
    self.statementSeconds = statementSeconds
    self.connectSeconds = connectSeconds
    name = "PostgreSQL database \(database) at \(hosts.isEmpty ? "this machine" : hosts.joined(separator: ", "))"
    isLocal = Self.isLocal(values, environment)
    alone = Self.alone(values)
    given = Set(values.keys)
  }

  /// Whether no server that the library may connect to is beyond this machine.
  ///
  /// It goes to the address where one is given, and the host is then only what the certificate is for. What the URL leaves out comes
  /// from the environment, or from a file of services.
  static func isLocal(_ values: [String: String], _ environment: (String) -> String?) -> Bool {
    func list(_ keyword: String, _ variable: String) -> [String] {
      (values[keyword] ?? environment(variable) ?? "").split(separator: ",", omittingEmptySubsequences: false)
        .map(String.init)
    }
    let (hosts, addresses) = (list("host", "PGHOST"), list("hostaddr", "PGHOSTADDR"))
    let namesNone = values["host"] == nil && values["hostaddr"] == nil
    if namesNone, (values["service"] ?? environment("PGSERVICE")) != nil { return false }
    return (0..<max(hosts.count, addresses.count)).allSatisfy { index in
      let address = addresses.indices.contains(index) ? addresses[index] : ""
      let server = address.isEmpty && hosts.indices.contains(index) ? hosts[index] : address
      return server.isEmpty || server.hasPrefix("/") || ["localhost", "127.0.0.1", "::1"].contains(server)
    }
  }

  private static func alone(_ values: [String: String]) -> [[(String, String)]] {
    func list(_ keyword: String) -> [String] {
      (values[keyword] ?? "").split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    let count = max(list("host").count, list("hostaddr").count)
    guard count > 1 else { return [] }
    return (0..<count).map { index in
      ["host", "hostaddr", "port"].map { keyword in
        let all = list(keyword)
        // One port is that of every host; an empty text would leave the list of all.
        let own = all.indices.contains(index) ? all[index] : keyword == "port" ? all.last ?? "" : ""
        return (keyword, keyword == "port" && own.isEmpty ? "5432" : own)
      }
    }
  }

  /// Whether a text is meant as the URL of such a database.
  public static func isURL(_ text: String) -> Bool {
    text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
  }

  private static func invalid(_ what: String) -> StoreError {
    StoreError(.invalid, what, advice: "write it as postgresql://user@host:5432/database")
  }

  /// What is passed to the library, in the order in which later values replace earlier ones.
  package var parameters: [(String, String)] {
    var list: [(String, String)] = [
      ("connect_timeout", "\(connectSeconds)"), ("keepalives_idle", "10"), ("keepalives_interval", "5"),
      ("keepalives_count", "3"), ("tcp_user_timeout", "20000"),
    ]
    // Beyond this machine nothing is sent before the server has proven who it is.
    if !isLocal, !given.contains("sslmode") { list.append(("sslmode", "verify-full")) }
    if !isLocal, !given.contains("sslrootcert"), unsafe access(Self.authorities, R_OK) == 0 {
      list.append(("sslrootcert", Self.authorities))
    }
    list.append(("dbname", url))
    if !given.contains("target_session_attrs") { list.append(("target_session_attrs", "read-write")) }
    list += [("client_encoding", "UTF8"), ("application_name", "postrider")]
    if let password { list.append(("password", password)) }
    return list
  }

  /// Where Debian keeps the certificates of the authorities that it trusts.
  private static let authorities = "/etc/ssl/certs/ca-certificates.crt"

  /// Opens a connection; throws `unavailable` when no server answers, and `cannotOpen` when one refuses.
  func connect() throws(StoreError) -> OpaquePointer {
    do throws(StoreError) { return try unsafe connect(to: []) } catch {
      guard error.code == .unavailable else { throw error }
      // The library goes on to the next host when one cannot be reached or takes no writes, but not when it accepts the connection and
      // ends it, as what is before a lost primary does.
      for host in alone {
        if let link = try? unsafe connect(to: host) { return unsafe link }
      }
      throw error
    }
  }

  private func connect(to host: [(String, String)]) throws(StoreError) -> OpaquePointer {
    let parameters = parameters + host
    let keywords = unsafe parameters.map { unsafe strdup($0.0) }
    let values = unsafe parameters.map { unsafe strdup($0.1) }
    defer { unsafe (keywords + values).forEach { unsafe free($0) } }
    var names = unsafe keywords.map { unsafe UnsafePointer($0) }
    var texts = unsafe values.map { unsafe UnsafePointer($0) }
    unsafe names.append(nil)
    unsafe texts.append(nil)
    guard let link = unsafe PQconnectdbParams(&names, &texts, 1) else {
      throw StoreError(.ioFailure, "connect to \(name): memory ran out", advice: "give the process more memory")
    }
    guard unsafe PQstatus(link) == CONNECTION_OK else {
      defer { unsafe PQfinish(link) }
      throw unsafe PostgresFailure.connecting(name, PQerrorMessage(link).map { unsafe String(cString: $0) } ?? "")
    }
    unsafe PQsetnonblocking(link, 1)
    // Notices are the server's remarks to somebody at a terminal.
    unsafe PQsetNoticeReceiver(link, { _, _ in }, nil)
    return unsafe link
  }
}
