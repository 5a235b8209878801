internal import StoreModel
internal import WireJSON

/// The outcomes of a push's A/B variants, in numbers.
enum VariantNumbers {
  private static let metrics: [SeriesMetric] = [.accepted, .rejected, .received, .opened, .action]

  static let schema = Schema.array(
    of: .object(
      [
        .optional("name", .string("The variant's name; absent for the message itself.", max: 100)),
        .optional("share", .integer(1...100, "The percentage of users that get it.")),
      ] + metrics.map { .required($0.name, .integer(RecordRoutes.many, "")) } + [
        .required("open_rate", .share("opened / accepted, 0 to 1, to four places; null while none is accepted."))
      ]), max: 11,
    "The outcomes of the A/B variants, in their order; the message itself is last. A delivery that ended before its"
      + " message was chosen is in none.")

  /// Nil for a push without variants.
  static func json(of push: PushID, _ service: Service) throws(Problem) -> JSONValue? {
    let variants = try service.ask { store throws(StoreError) in try store.variants(of: push) }
    return variants.isEmpty ? nil : .array(variants.map(json))
  }

  private static func json(_ numbers: VariantCounts) -> JSONValue {
    var object = JSONObject()
    if let variant = numbers.variant {
      object["name"] = .string(variant.name)
      object["share"] = .number(JSONNumber(variant.share))
    }
    for metric in metrics { object.append(metric.name, .number(JSONNumber(numbers.counts[metric] ?? 0))) }
    object["open_rate"] = RecordRoutes.openRate(
      opened: numbers.counts[.opened] ?? 0, accepted: numbers.counts[.accepted] ?? 0)
    return .object(object)
  }
}
