import PushRules

/// The worst case of a template over a made-up audience, fed in pieces as a file would be.
func templateAudit(_ arguments: [String]) throws {
  let rows = arguments.contains("--quick") ? 10_000 : 1_000_000
  let template = try PushTemplate(
    Array(
      #"{"aps":{"alert":{"title":"Hi {{name}}","body":"{{name}}, your order {{order}} is on its way to {{city}}."}}}"#
        .utf8))
  let piece = Array("u-000001,Ann Example,AB-123456,Rome\nu-000002,Bartholomew,AB-123457,\"Paris, 5e\"\n".utf8)
  var audit = TemplateAudit(template)
  let measured = try Measurement.run("CSV audience, one row", count: 1) {
    audit = TemplateAudit(template)
    var reader = AudienceReader(.csv)
    try reader.feed("user_id,name,order,city\n".utf8) { audit.add($0) }
    for _ in 0..<rows / 2 { try reader.feed(piece) { audit.add($0) } }
    try reader.finish { audit.add($0) }
    return audit.rows
  }
  precondition(audit.worst[0].recipient == "u-000002")
  let spent = Spent(
    count: audit.rows, seconds: measured.seconds, cpuSeconds: measured.cpuSeconds, allocations: measured.allocations)
  printLine("template-audit", sizes: [("piece_bytes", piece.count)], spent) { _ in }
}
