internal import HTTPServer
internal import PushContracts
internal import WireJSON

/// `/v1/contracts`: the contracts and their fields, from the declarations that write and read payloads.
enum ContractTableRoutes {
  static let routes: [Route] = [
    Route(
      .get("/v1/contracts", .scopes([.send, .read])), name: "listContracts", about: "Lists the payload contracts.",
      answers: [
        Route.Answer(
          status: 200, about: "The contracts.",
          schema: .object([
            .required(
              "contracts",
              .array(
                of: .object([
                  .required("name", .string("The contract's name.", max: 40)),
                  .required("summary", .string("What it is.", max: 1_000)),
                ]), max: 100))
          ]))
      ], traits: .init(isStateless: true), action: .now(list)),
    Route(
      .get("/v1/contracts/{contract}", .scopes([.send, .read])), name: "getContract",
      about: "Shows where each field of a contract lands, and its rules.",
      answers: [Route.Answer(status: 200, about: "The mapping table.", schema: table)],
      traits: .init(isStateless: true), action: .now(show)),
  ]

  private static let slots = Schema.array(
    of: .object([
      .required("path", .string("Where in the payload, or the header's name.", min: 0)),
      .required("form", .string("The form of the value there.")),
      .optional("header", .boolean("Whether it is a request header.")),
      .optional("condition", .string("When it is carried there; absent for always.", max: 1_000)),
    ]), max: 100, "Where it lands.")
  private static let field = Schema.object([
    .optional("field", .string("The field's name; absent for a value that is always the same.")),
    .optional("aliases", .array(of: .string("Another name."), max: 20)),
    .optional("source", .choice(["context", "computed", "fixed"], "Where it is from; absent for the message.")),
    .optional("value", Schema(.any, "What is always the same.")),
    .required("type", .string("Its JSON type.")),
    .required("required", .string("When it must be present.", max: 1_000)),
    .optional("role", .string("What it is in every contract.")),
    .required("apns", slots), .required("fcm", slots),
    .required("rule", .string("The rule beside the slots.", min: 0, max: 4_096)),
    .required("doc", .string("What it is.", min: 0, max: 4_096)),
    .optional("example", Schema(.any, "A legal value.")),
    .optional("delivery", .boolean("Whether it decides who gets a push, when or how often.")),
  ])
  private static let table = Schema.object([
    .required("contract", SchemaTable.contract), .required("summary", .string("What it is.", max: 1_000)),
    .required("android_style", .string("What an Android message consists of.")),
    .required("data_coercion", .string("What becomes of data that is no text.")),
    .required("rules", .array(of: .string("A rule.", max: 4_096), max: 100)),
    .required(
      "options",
      .array(
        of: .object([
          .required("name", .string("Its name.")), .required("doc", .string("What it switches on.", max: 4_096)),
        ]), max: 100)),
    .required("fields", .array(of: field, max: 1_000)),
  ])

  @Sendable private static func list(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    let rows = Contracts.names.map { name -> JSONValue in
      ["name": .string(name.rawValue), "summary": .string(Contracts.summary(name) ?? "")]
    }
    return Reply(200, ["contracts": .array(rows)])
  }

  @Sendable private static func show(_ call: Call, _ service: Service) throws(Problem) -> Reply {
    guard let table = Contracts.mappingTable(ContractName(rawValue: call.parameters[0])) else {
      let known = Contracts.names.map(\.rawValue).joined(separator: ", ")
      throw Problem(.notFound, "there is no such contract; the contracts are \(known)")
    }
    return Reply(200, table.json)
  }
}
