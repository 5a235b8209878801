extension Schema {
  /// As whom an identity provider knows people: one identity of a person, and one person of an identity.
  ///
  /// Somebody who is removed keeps no row.
  static let oidcLinks = """
    CREATE TABLE oidc_links(
      account INTEGER PRIMARY KEY, issuer TEXT NOT NULL, subject TEXT NOT NULL, linked_at INTEGER NOT NULL,
      UNIQUE(issuer, subject));
    """
}
