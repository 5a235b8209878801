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
      answers: [Route.Answer(status: 200, about: "The mapping table.", schema: Schema(.map))],
      traits: .init(isStateless: true), action: .now(show)),
  ]

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
