extension Schema {
  /// Rejected deliveries are few and looked for: they have an index of their own, which costs the others nothing to write.
  static let deliveries = """
    CREATE INDEX deliveries_refused ON deliveries(id) WHERE state = 6;
    """
}
