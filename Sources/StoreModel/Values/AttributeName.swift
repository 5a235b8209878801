/// How the members of a device or a user are named among the attributes.
package enum AttributeName {
  package static let properties = "properties."
  package static let entitlements = "entitlements."
  package static let tags = "tags"
  /// True when no push is wanted; absent otherwise.
  package static let optOut = "opt_out"
  /// Categories of pushes that are not wanted.
  package static let optOutCategories = "opt_out_categories"
  /// What is known of a user as a person, each one text.
  package static let profile = ["anonymous_id", "display_name", "email", "phone"]
}
