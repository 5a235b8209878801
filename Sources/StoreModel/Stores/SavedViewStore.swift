/// Queries of the list of pushes that are kept under a name.
public protocol SavedViewStore: Sendable {
  /// Saves a new view, or replaces the one with its name; true when it is new. Throws `notFound` (app), `invalid`.
  func saveView(app: AppID, name: String, query: [UInt8], now: Timestamp) throws(StoreError) -> Bool
  /// An app's views, by name; at most `StoreLimits.viewsMax`.
  func views(app: AppID) throws(StoreError) -> [SavedView]
  /// Removes a view. Throws `notFound`.
  func deleteView(app: AppID, named name: String) throws(StoreError)
}

/// A query of the list of pushes that is saved under a name.
public struct SavedView: Sendable, Hashable {
  /// The name, unique in the app.
  public let name: String
  /// The query; opaque to the store.
  public let query: [UInt8]
  /// When it was last saved.
  public let updatedAt: Timestamp

  /// Creates a value from its parts.
  package init(name: String, query: [UInt8], updatedAt: Timestamp) {
    self.name = name
    self.query = query
    self.updatedAt = updatedAt
  }
}

extension StoreLimits {
  /// Views of one app.
  public static let viewsMax = 200
}
