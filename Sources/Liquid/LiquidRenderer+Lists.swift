/// The filters of lists.
extension LiquidRenderer {
  /// Makes a list.
  mutating func keep(_ items: [Value]) -> Value {
    let start = values.count
    values.append(contentsOf: items)
    steps -= items.count
    if values.count > template.limits.heldValuesMax { fail(.held) }
    return .list(start: start, count: items.count)
  }

  /// The elements of a list, of the lists in it too; of another value, the value.
  private mutating func items(_ value: Value, flattens: Bool = true) -> [Value] {
    guard value.isList else { return value.isNothing ? [] : [value] }
    var items: [Value] = []
    items.reserveCapacity(Int(value.count))
    collect(value, flattens ? 5 : 0, &items)
    return items
  }

  private mutating func collect(_ list: Value, _ depth: Int, _ items: inout [Value]) {
    for index in 0..<Int(list.count) where stop == nil {
      let item = element(of: list, index)
      if item.kind == .list, depth > 0 {
        collect(item, depth - 1, &items)
      } else {
        items.append(item)
        steps -= 1
        if steps < 0 { fail(.steps) }
      }
    }
  }

  mutating func listed(_ filter: Filter, _ value: Value, _ first: Value, _ second: Value) -> Value {
    switch filter {
    case .size: return .integer(Int64(value.kind == .text ? scalarsCount(value.textRange) : length(of: value)))
    case .first: return value.isList || value.kind == .object ? end(of: value, isFirst: true) : .null
    case .last: return value.isList ? end(of: value, isFirst: false) : .null
    case .concat:
      guard first.isList else {
        fail(.type)
        return value
      }
      return keep(items(value) + items(first, flattens: false))
    case .join: return joined(items(value), first)
    case .reverse: return keep(items(value).reversed())
    case .sort, .sortNatural: return sorted(items(value), first, isNatural: filter == .sortNatural)
    case .map: return keep(items(value).map { property($0, first) })
    case .sum: return sum(first.kind == .unset ? items(value) : items(value).map { property($0, first) })
    case .compact:
      return keep(items(value).filter { !(first.kind == .unset ? $0 : property($0, first)).isNothing })
    case .uniq: return unique(items(value), first)
    default: return chosen(filter, items(value), first, second)
    }
  }

  private func end(of value: Value, isFirst: Bool) -> Value {
    value.count == 0 ? .null : element(of: value, isFirst ? 0 : Int(value.count) - 1)
  }

  private func property(_ item: Value, _ name: Value) -> Value {
    guard item.kind == .object, name.kind == .text else { return .null }
    return find(name, in: item) ?? .null
  }

  private mutating func joined(_ items: [Value], _ separator: Value) -> Value {
    let texts = items.map { text(of: $0) }
    let between = separator.kind == .unset ? nil : text(of: separator)
    let start = bytes.count
    for (index, text) in texts.enumerated() where bytes.count <= template.limits.heldBytesMax {
      if index > 0 {
        if let between {
          for at in between { bytes.append(bytes[at]) }
        } else {
          bytes.append(0x20)
        }
      }
      for at in text { bytes.append(bytes[at]) }
    }
    return held(from: start)
  }

  /// Items without the property are last.
  private mutating func sorted(_ items: [Value], _ name: Value, isNatural: Bool) -> Value {
    let keys = items.map { item in
      let key = name.kind == .unset ? item : property(item, name)
      return isNatural && !key.isNothing ? cased(.downcase, text(of: key)) : key
    }
    let isSortable = keys.allSatisfy { key in
      key.isNothing || (key.isNumber && keys[0].isNumber) || (key.kind == .text && keys[0].kind == .text)
        || keys[0].isNothing
    }
    guard isSortable || items.count < 2 else {
      fail(.type)
      return keep(items)
    }
    steps -= items.count * max(1, items.count.bitWidth - items.count.leadingZeroBitCount)
    let order = items.indices.sorted { one, other in
      if isBefore(keys[one], keys[other]) { return true }
      return !isBefore(keys[other], keys[one]) && one < other
    }
    return keep(order.map { items[$0] })
  }

  private func isBefore(_ one: Value, _ other: Value) -> Bool {
    if one.isNothing || other.isNothing { return !one.isNothing && other.isNothing }
    if one.kind == .text, other.kind == .text { return isLessText(one.textRange, other.textRange) }
    guard one.isNumber, other.isNumber else { return false }
    return double(one) < double(other)
  }

  private mutating func unique(_ items: [Value], _ name: Value) -> Value {
    var keys: [Value] = []
    var found: [Value] = []
    for item in items where stop == nil {
      let key = name.kind == .unset ? item : property(item, name)
      // Each is compared with all before.
      steps -= keys.count
      if steps < 0 { fail(.steps) }
      if !keys.contains(where: { isEqual($0, key) }) {
        keys.append(key)
        found.append(item)
      }
    }
    return keep(found)
  }

  /// `where` and its relatives.
  private mutating func chosen(_ filter: Filter, _ items: [Value], _ name: Value, _ wanted: Value) -> Value {
    let matches = { [self] (item: Value) in
      let value = property(item, name)
      return wanted.kind == .unset || wanted.isNothing ? isTrue(value) : isEqual(value, wanted)
    }
    switch filter {
    case .where: return keep(items.filter(matches))
    case .reject: return keep(items.filter { !matches($0) })
    case .has: return .bool(items.contains(where: matches))
    case .findIndex: return items.firstIndex(where: matches).map { .integer(Int64($0)) } ?? .null
    default: return items.first(where: matches) ?? .null
    }
  }
}
