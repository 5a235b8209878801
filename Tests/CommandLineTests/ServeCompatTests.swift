import TestSupport
import Testing

/// The option that gives another vendor's interface a host name.
@Suite(.timeLimit(.minutes(1))) struct ServeCompatTests {
  @Test(
    "A host name without a vendor, or with one that is not there, ends the start",
    arguments: [
      ("push.example.com", 2, "expected NAME=VENDOR"), ("=onesignal", 2, "expected NAME=VENDOR"),
      ("a=b=c", 2, "expected NAME=VENDOR"),
      ("push.example.com=pager", 3, "there are: onesignal, powerauth, imkit, amba"),
    ] as [(String, Int32, String)]) func wrong(_ value: String, _ status: Int32, _ message: String) throws
  {
    let folder = try TemporaryFolder()
    let result = try Postrider.run("serve", "--port", "0", "--data", "\(folder.path)/data", "--compat-host", value)
    #expect(result.status == status, "\(result.errorText)")
    #expect(result.errorText.contains(message), "\(result.errorText)")
  }
}
