import Liquid

/// A text of a push in Liquid for one recipient after the other: two objects, a condition and a filter.
///
/// `--template` prints what `Benchmarks/compare.py` gives to python-liquid: the same template and recipients.
func liquidBench(_ arguments: [String]) throws {
  let source =
    #"Hello {{ user.first_name }}{% if user.city == "Berlin" %}, {{ user.city | upcase }} is waiting{% endif %}."#
  let people = [("Ann", "Berlin"), ("Bartholomew", "Wien"), ("Zoë", "Berlin"), ("Bob", "Rome")]
  if arguments.contains("--template") {
    print(source)
    for (name, city) in people { print("\(name)\t\(city)") }
    return
  }
  let template = try LiquidTemplate(Array(source.utf8))
  precondition(template.inputs.map(\.name) == ["user.first_name", "user.city"])
  var renderer = LiquidRenderer(template)
  let recipients = people.map { (Array($0.0.utf8), Array($0.1.utf8)) }
  var number = 0
  let rendered = Measurement.run("Liquid, two objects, one if, one filter", count: 4_000_000) {
    let (name, city) = recipients[number & 3]
    number += 1
    renderer.begin()
    name.withUnsafeBufferPointer { renderer.set(0, utf8: $0, isProperty: true) }
    city.withUnsafeBufferPointer { renderer.set(1, utf8: $0, isProperty: true) }
    precondition(renderer.render() == .rendered)
    return renderer.withOutput { $0.count }
  }
  let compiled = try Measurement.run("Liquid, compiling the same", count: 100_000) {
    try LiquidTemplate(Array(source.utf8)).inputs.count
  }
  for measured in [rendered, compiled] {
    printLine(measured.what, sizes: [("template_bytes", source.utf8.count)], measured.spent) { _ in }
  }
}
