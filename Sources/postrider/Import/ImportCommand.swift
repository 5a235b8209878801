import StoreModel

/// `postrider import VENDOR FILE`: a command for each vendor.
enum ImportCommand {
  static let group = Command.group(
    "import", "Devices and users from the file of another push service.", ImportVendor.all.map(command))

  private static func command(_ vendor: ImportVendor) -> Command {
    Command(
      name: "import \(vendor.name)", summary: vendor.summary, operands: vendor.operand, operandsMax: 1,
      options: options(vendor),
      details: vendor.details + """


        “-” reads standard input; gzip is recognized. Each row is imported, left out with a reason, or imported and doubtful; the
        report counts them, with the first lines of each reason. Importing a file twice changes nothing that the first import
        wrote; what was changed with other commands since is set to the file's values again, unless the device has registered
        itself since. Exit status: 0 every row was read and registered; 1 some could not be; 3 the file is in another format, or damaged.
        """,
      examples: [vendor.example]
    ) { (arguments) throws(Exit) in try ImportRun(vendor: vendor, arguments: arguments).run() }
  }

  private static func options(_ vendor: ImportVendor) -> [Option] {
    var options = [
      Option(name: "--app", value: "NAME", help: "The app; POSTRIDER_APP or the configured one unless given."),
      Option(name: "--dry-run", help: "Only reads the file and reports; no server is needed."),
      Option(
        name: "--output", value: "FILE",
        help: "Writes the registrations as NDJSON for “devices import”, “-” to standard output; no server is needed."),
    ]
    let hasAPNs = vendor.kinds.contains { if case .address(.ios, nil) = $0.meaning { true } else { false } }
    if hasAPNs {
      options.append(
        Option(
          name: "--environment", value: "NAME",
          help: "The environment of APNs tokens whose row names none; production unless given.",
          choices: ["production", "development"]))
    }
    if vendor.column(.p256dh) != nil {
      options.append(
        Option(
          name: "--web-key", value: "KEY",
          help: "The public VAPID key that browsers subscribed for; without it they are left out."))
    }
    options.append(
      Option(
        name: "--seen-at", value: "TIME", help: "When devices were last seen whose row does not say; now unless given.")
    )
    if vendor.column(.vendorApp) != nil {
      options.append(
        Option(name: "--vendor-app", value: "ID", help: "Only rows of this app of \(vendor.title)'s."))
    }
    return options + [Option(name: "--json", help: "Prints the report as one JSON document.")] + APISettings.options
  }
}
