CREATE TABLE oidc_links(
  account INTEGER PRIMARY KEY, issuer TEXT NOT NULL, subject TEXT NOT NULL, linked_at INTEGER NOT NULL,
  UNIQUE(issuer, subject));
