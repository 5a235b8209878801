/// The filters.
enum Filter: UInt8, CaseIterable, Sendable {
  case abs, append, atLeast, atMost, base64Decode, base64Encode, base64URLSafeDecode, base64URLSafeEncode, capitalize
  case ceil, compact, concat, date, `default`, dividedBy, downcase, escape, escapeOnce, find, findIndex, first, floor
  case has, join, last, lstrip, map, minus, modulo, newlineToBr, plus, prepend, reject, remove, removeFirst, removeLast
  case replace, replaceFirst, replaceLast, reverse, round, rstrip, size, slice, sort, sortNatural, split, squish, strip
  case stripHTML, stripNewlines, sum, times, truncate, truncatewords, uniq, upcase, urlDecode, urlEncode, `where`

  /// The name in templates.
  var name: String {
    switch self {
    case .abs: "abs"
    case .append: "append"
    case .atLeast: "at_least"
    case .atMost: "at_most"
    case .base64Decode: "base64_decode"
    case .base64Encode: "base64_encode"
    case .base64URLSafeDecode: "base64_url_safe_decode"
    case .base64URLSafeEncode: "base64_url_safe_encode"
    case .capitalize: "capitalize"
    case .ceil: "ceil"
    case .compact: "compact"
    case .concat: "concat"
    case .date: "date"
    case .default: "default"
    case .dividedBy: "divided_by"
    case .downcase: "downcase"
    case .escape: "escape"
    case .escapeOnce: "escape_once"
    case .find: "find"
    case .findIndex: "find_index"
    case .first: "first"
    case .floor: "floor"
    case .has: "has"
    case .join: "join"
    case .last: "last"
    case .lstrip: "lstrip"
    case .map: "map"
    case .minus: "minus"
    case .modulo: "modulo"
    default: laterName
    }
  }

  private var laterName: String {
    switch self {
    case .newlineToBr: "newline_to_br"
    case .plus: "plus"
    case .prepend: "prepend"
    case .reject: "reject"
    case .remove: "remove"
    case .removeFirst: "remove_first"
    case .removeLast: "remove_last"
    case .replace: "replace"
    case .replaceFirst: "replace_first"
    case .replaceLast: "replace_last"
    case .reverse: "reverse"
    case .round: "round"
    case .rstrip: "rstrip"
    case .size: "size"
    case .slice: "slice"
    case .sort: "sort"
    case .sortNatural: "sort_natural"
    case .split: "split"
    case .squish: "squish"
    case .strip: "strip"
    case .stripHTML: "strip_html"
    case .stripNewlines: "strip_newlines"
    case .sum: "sum"
    case .times: "times"
    case .truncate: "truncate"
    case .truncatewords: "truncatewords"
    case .uniq: "uniq"
    case .upcase: "upcase"
    case .urlDecode: "url_decode"
    case .urlEncode: "url_encode"
    case .where: "where"
    default: ""
    }
  }

  /// How many arguments it takes.
  var arguments: ClosedRange<Int> {
    switch self {
    case .append, .atLeast, .atMost, .concat, .date, .dividedBy, .map, .minus, .modulo, .plus, .prepend, .remove,
      .removeFirst, .removeLast, .split, .times:
      1...1
    case .compact, .default, .join, .round, .sort, .sortNatural, .sum, .uniq: 0...1
    case .replace, .replaceFirst, .slice, .find, .findIndex, .has, .reject, .where: 1...2
    case .replaceLast: 2...2
    case .truncate, .truncatewords: 0...2
    default: 0...0
    }
  }

  private static let byName: [String: Filter] = Dictionary(uniqueKeysWithValues: allCases.map { ($0.name, $0) })

  init?(name: String) {
    guard let found = Self.byName[name] else { return nil }
    self = found
  }

  /// The names, for whoever proposes one.
  static var names: [String] { allCases.map { $0.name } }
}

/// The names of the filters.
public enum LiquidFilters {
  /// Whether there is a filter of a name.
  public static func isKnown(_ name: some StringProtocol) -> Bool { Filter(name: String(name)) != nil }

  /// Whether what is behind a bar begins with the name of a filter.
  public static func begin(_ bytes: some Collection<UInt8>) -> Bool {
    let word = bytes.prefix { ExpressionLexer.isWord($0) && $0 < 0x80 }
    return isKnown(String(decoding: word, as: UTF8.self))
  }
}
