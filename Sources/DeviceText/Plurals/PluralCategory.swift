/// The plural categories of CLDR; each language uses some of them.
public enum PluralCategory: String, Sendable, Hashable, CaseIterable {
  case zero
  case one
  case two
  case few
  case many
  case other
}
