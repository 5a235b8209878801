internal import Glibc
package import StoreModel
internal import Synchronization

/// A lock file that says one process has the database; the kernel drops the lock when the process dies.
package final class FileLock: Sendable {
  private let fd: Mutex<Int32>

  package init(path: String) throws(StoreError) {
    let opened = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard opened >= 0 else {
      let code: StoreError.Code = errno == EROFS || errno == EACCES ? .readOnly : .cannotOpen
      throw StoreError(
        code, unsafe "cannot create \(path): \(String(cString: strerror(errno)))",
        advice: "check that the data folder exists and is writable by this user")
    }
    guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
      Glibc.close(opened)
      throw StoreError(
        .locked, "another Postrider process has \(path.dropLast(".lock".count)) open",
        advice: "stop the other process, or use another data folder")
    }
    fd = Mutex(opened)
  }

  deinit { release() }

  package func release() {
    fd.withLock { fd in
      guard fd >= 0 else { return }
      // Closing alone is not enough: a child process that is being spawned may briefly hold a copy of the descriptor.
      flock(fd, LOCK_UN)
      Glibc.close(fd)
      fd = -1
    }
  }
}
