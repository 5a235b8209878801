internal import StoreModel

/// A question about one key that is asked about many of them.
///
/// On a server one message asks about all, as each has its way there and back; on a file each key is asked about by itself.
struct KeyedQuestion {
  /// What the keys are made of: the first list has the values of the first parameter, and so on.
  enum Values {
    case numbers([Int64])
    case texts([String])

    fileprivate var count: Int {
      switch self {
      case .numbers(let numbers): numbers.count
      case .texts(let texts): texts.count
      }
    }
  }

  /// The type of a parameter.
  enum Parameter: String {
    case number = "bigint"
    case text = "text"
  }

  fileprivate let one: String
  fileprivate let many: String

  /// - Parameter sql: a `SELECT` with all of these parameters and a `LIMIT` or an `ORDER BY`, with which a server answers it key
  ///   by key, through the index, however many rows it expects.
  init(_ sql: String, _ parameters: Parameter...) {
    let numbers = parameters.indices.map { $0 + 1 }
    // Behind the tenth parameter the first one would be replaced in it.
    precondition(parameters.count < 10, "a key has at most nine parts")
    let lists = zip(numbers, parameters).map { "CAST(?\($0) AS \($1.rawValue)[])" }
    let names = numbers.map { "k\($0)" }
    let lateral = numbers.reduce(sql) { $0.replacing("?\($1)", with: "asked.k\($1)") }
    one = sql
    many = """
      SELECT f.*, asked.ordinal FROM unnest(\(lists.joined(separator: ", "))) WITH ORDINALITY
        AS asked(\(names.joined(separator: ", ")), ordinal), LATERAL (\(lateral)) f
      """
  }
}

extension Connection {
  /// Asks about each key; `row` is called for each row found, with the index of the key that it is about.
  func ask(
    _ question: KeyedQuestion, _ keys: KeyedQuestion.Values...,
    row: (Int, borrowing Statement) throws(StoreError) -> Void
  ) throws(StoreError) {
    let count = keys[0].count
    precondition(keys.allSatisfy { $0.count == count }, "each key has all of its parts")
    guard count > 1, writesSets else {
      guard count > 0 else { return }
      let select = try prepare(parts: question.one)
      for key in 0..<count {
        for (index, values) in zip(Int32(1)..., keys) { select.bind(index, values, at: key) }
        while try select.step() { try row(key, select) }
        select.reset()
      }
      return
    }
    let select = try prepare(parts: question.many)
    for (index, values) in zip(Int32(1)..., keys) {
      switch values {
      case .numbers(let numbers): select.bind(index, set: numbers)
      case .texts(let texts): select.bind(index, set: texts)
      }
    }
    while try select.step() { try row(select.int(select.columnCount - 1) - 1, select) }
  }
}

extension Statement {
  fileprivate func bind(_ index: Int32, _ values: KeyedQuestion.Values, at key: Int) {
    switch values {
    case .numbers(let numbers): bind(index, numbers[key])
    case .texts(let texts): bind(index, texts[key])
    }
  }
}
