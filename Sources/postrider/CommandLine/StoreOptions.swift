import PostriderServer

/// The options that name a database server, for `serve` and for the commands that work without it.
enum StoreOptions {
  static let url = Option(
    name: "--store", value: "URL",
    help: "The PostgreSQL database that keeps all but the sealing key, without a password: "
      + "postgresql://user@host:5432/database (docs/scale.md); POSTRIDER_STORE unless given.")
  static let password = Option(
    name: "--store-password-file", value: "FILE",
    help: "The file with the database's password; POSTRIDER_STORE_PASSWORD unless given.")

  static let all = [url, password]

  /// The database server that the option or the environment names; nil for the folder's own database.
  static func database(_ arguments: Arguments) throws(Exit) -> DatabaseServer? {
    let url = arguments.value("--store") ?? Environment.value("POSTRIDER_STORE")
    guard url != nil || arguments.value("--store-password-file") == nil else {
      throw .usage("--store-password-file belongs to --store")
    }
    let password = try passwords(arguments)
    return url.map { DatabaseServer(url: $0, password: password) }
  }

  /// The password from the file or the environment.
  static func passwords(_ arguments: Arguments) throws(Exit) -> String? {
    // Out of the environment in any case, as the other secrets.
    let password = ProcessSecrecy.take("POSTRIDER_STORE_PASSWORD")
    guard let file = arguments.value("--store-password-file") else { return password }
    let found = try APISettings.key(inFile: file)
    guard !found.isEmpty else { throw .unreadable("\(file) has no password in its first line") }
    return found
  }

  /// Where the rows are: on the database server when there is one, else in the data folder.
  static func location(_ arguments: Arguments) throws(Exit) -> StoreLocation {
    let folder = arguments.value("--data") ?? "postrider-data"
    guard let server = try database(arguments) else { return .folder(folder) }
    return .server(server, keyFolder: folder)
  }
}

extension Exit {
  /// Why a store could not be used.
  init(_ error: PostriderServerError) {
    self.init(status: error.isAboutNetwork ? .failure : .unreadable, message: error.description)
  }
}
