internal import CLinux
import Glibc

/// Keeps what the process knows out of core files and away from other processes of the same user.
enum ProcessSecrecy {
  /// From now on the kernel writes no core file, and lets only a privileged process read the memory and the environment.
  static func begin() { _ = postrider_forbid_dumps() }

  /// The value of an environment variable, which is overwritten, so that `/proc` and child processes show it no more.
  static func take(_ name: String) -> String? {
    guard let text = unsafe getenv(name) else { return nil }
    let value = unsafe String(cString: text)
    unsafe memset(text, 0, strlen(text))
    unsafe unsetenv(name)
    return value
  }
}
