import PushCore
import Testing

/// The functions of the C interface.
@Suite struct ExportTests {
  private typealias Export =
    @Sendable (
      UnsafePointer<UInt8>?, Int, UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<Int>?
    ) -> UnsafeMutablePointer<UInt8>?

  private static let exports: [(Core.Operation, Export)] = [
    (.parse, postriderParse), (.render, postriderRender), (.check, postriderCheck), (.explain, postriderExplain),
    (.preview, postriderPreview), (.contracts, postriderContracts),
  ]

  @Test func answersAreThoseOfTheCore() throws {
    let input = Array(#"{"aps":{"alert":"Hi"}}"#.utf8)
    for (operation, export) in Self.exports {
      var count = 0
      let answer = try #require(export(input, input.count, nil, 0, &count))
      defer { postriderFree(answer) }
      #expect(Array(UnsafeBufferPointer(start: answer, count: count)) == Core.answer(operation, input))
      #expect(answer[count] == 0)
    }
    #expect(Self.exports.count == Core.Operation.allCases.count)
  }

  @Test func nothingIsAnInputToo() throws {
    for (operation, export) in Self.exports {
      let answer = try #require(export(nil, 0, nil, 0, nil))
      #expect(String(cString: answer) == String(decoding: Core.answer(operation, []), as: UTF8.self))
      postriderFree(answer)
      let negative = try #require(export(nil, -1, nil, .min, nil))
      postriderFree(negative)
    }
  }

  @Test func memory() throws {
    for count in [0, 1, 4096, Core.bytesMax] {
      let memory = try #require(postriderAlloc(count))
      #expect(UInt(bitPattern: memory) % 16 == 0)
      postriderFree(memory)
    }
    #expect(postriderAlloc(-1) == nil)
    #expect(postriderAlloc(.max) == nil)
    postriderFree(nil)
  }

  @Test func version() { #expect(postriderInterfaceVersion() == Core.interfaceVersion) }
}
