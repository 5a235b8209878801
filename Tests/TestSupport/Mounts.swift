/// File systems of a test's own.
public enum Mounts {
  /// Whether this process may mount a file system; tests that need one are skipped where it may not.
  public static let areAllowed: Bool = {
    guard let folder = try? TemporaryFolder(),
      let mounted = try? Subprocess.run("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", folder.path])
    else { return false }
    guard mounted.status == 0 else { return false }
    _ = try? Subprocess.run("umount", ["-l", folder.path])
    return true
  }()
}
