import DevicePreview
import PushPayload
import Testing
import WireJSON

@Suite struct PreviewTests {
  @Test func aTitleAndABodyAreShownOnEverySurface() throws {
    let payload = try JSON.parse(#"{"aps":{"alert":{"title":"Hello","body":"World"},"badge":2}}"#)
    let preview = Preview(PreviewPush(platform: .ios, payload: payload))
    #expect(preview.surfaces.map(\.surface) == Surface.of(.ios))
    #expect(preview.surfaces.allSatisfy { $0.title.lines == ["Hello"] && $0.body.lines == ["World"] })
    #expect(preview.notification.badge == .set(2))
  }
}
