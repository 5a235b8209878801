package import Basics
import PushPayload
package import WireJSON

/// Keys under which Android's library keeps what a person has chosen, in an intent to itself; it takes them from the data of
/// a push, too.
///
/// Source: Adobe, `ProductRatingPushTemplate` and `ProductCatalogPushTemplate` (`data.getInteger`). `ManualCarouselPushTemplate`
/// takes its own, `centerImageIndex`, of an intent alone.
extension Adobe {
  private static let ratingKey = "ratingSelected"
  private static let productKey = "catalogItemIndex"

  /// The index of the rating that counts as chosen, which may be beyond the ratings; nil for none.
  package static func chosenRating(in data: JSONObject) -> WholeNumber? {
    index(ratingKey, data).flatMap { $0 < 0 ? Optional.none : $0 }
  }

  /// The index of the product that is drawn first; it may be beyond the products, or below 0.
  package static func firstProduct(in data: JSONObject) -> WholeNumber { index(productKey, data) ?? 0 }

  private static func index(_ key: String, _ data: JSONObject) -> WholeNumber? {
    data[key]?.string.flatMap { KotlinNumber.int($0) }.map { WholeNumber($0) }
  }

  /// Reports what such a key does to the template that reads it; it is no unknown key, then.
  static func readIntentKeys(_ message: Message, _ data: JSONObject, _ path: FieldPath, _ report: inout Report) {
    switch message.shownTemplate {
    case .rating: readChosenRating(message, data, path.member(ratingKey), &report)
    case .catalog: readFirstProduct(message, data, path.member(productKey), &report)
    default: return
    }
  }

  private static func readChosenRating(
    _ message: Message, _ data: JSONObject, _ field: FieldPath, _ report: inout Report
  ) {
    guard let chosen = chosenRating(in: data) else { return }
    forget(field, &report)
    let count = message.ratings?.count ?? 0
    guard chosen < WholeNumber(count) else {
      return add(
        "adobe-intent-key", .error, field,
        "Android takes it for the rating that was chosen, and there are \(counted(count, "rating")); \(notShown)",
        &report)
    }
    add(
      "adobe-intent-key", .warning, field,
      "Android takes it for the rating that was chosen: \(chosen + 1) of \(count) are drawn as chosen, with the button that confirms",
      &report)
  }

  private static func readFirstProduct(
    _ message: Message, _ data: JSONObject, _ field: FieldPath, _ report: inout Report
  ) {
    let first = firstProduct(in: data)
    guard first != 0 else { return }
    forget(field, &report)
    let isThere = first > 0 && first < WholeNumber(productCount)
    add(
      "adobe-intent-key", isThere ? .warning : .error, field,
      isThere
        ? "Android takes it for the product that was chosen, and begins with product \(first + 1)"
        : "Android takes it for the product that was chosen, and there is none; \(notShown)", &report)
  }

  private static func forget(_ field: FieldPath, _ report: inout Report) {
    report.findings.removeAll { $0.rule == "key-unknown" && $0.field == field.text }
  }
}
