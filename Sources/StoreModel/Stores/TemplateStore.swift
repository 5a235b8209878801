/// Messages that are stored by name for reuse.
public protocol TemplateStore: Sendable {
  /// Saves a new template, or replaces the one with its name; true when it is new. Throws `notFound` (app), `invalid`.
  func saveTemplate(app: AppID, name: String, body: [UInt8], now: Timestamp) throws(StoreError) -> Bool
  /// The template with a name, or nil.
  func template(app: AppID, named name: String) throws(StoreError) -> StoredTemplate?
  /// A page of an app's templates, by name, after `after`.
  func templates(app: AppID, after: String?, limit: Int) throws(StoreError) -> [StoredTemplate]
  /// Removes a template. Throws `notFound`.
  func deleteTemplate(app: AppID, named name: String) throws(StoreError)
}

/// A message that is saved under a name.
public struct StoredTemplate: Sendable, Hashable {
  /// The name, unique in the app.
  public let name: String
  /// The message and what goes with it; opaque to the store.
  public let body: [UInt8]
  /// When it was created.
  public let createdAt: Timestamp
  /// When it was last saved.
  public let updatedAt: Timestamp

  /// Creates a value from its parts.
  package init(name: String, body: [UInt8], createdAt: Timestamp, updatedAt: Timestamp) {
    self.name = name
    self.body = body
    self.createdAt = createdAt
    self.updatedAt = updatedAt
  }
}
