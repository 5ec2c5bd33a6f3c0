internal import CSeif
internal import Glibc

/// Whole reads and writes on descriptors, and words for what the kernel answers.
package enum Descriptor {
  /// Writes all bytes, going on after short writes and interruptions.
  /// - Returns: 0, or the `errno` of the write that failed.
  package static func writeAll(_ bytes: RawSpan, to descriptor: Int32) -> Int32 {
    bytes.withUnsafeBytes { buffer in
      var rest = buffer[...]
      while !rest.isEmpty {
        let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count > 0 {
          rest = rest.dropFirst(count)
        } else if count < 0, errno == EAGAIN {
          var poller = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          _ = poll(&poller, 1, -1)
        } else if count == 0 || errno != EINTR {
          return count == 0 ? EIO : errno
        }
      }
      return 0
    }
  }

  /// Reads once into a buffer, going on after interruptions and waiting where the descriptor doesn't block.
  /// - Returns: the count (0 at the end), or the negative `errno`.
  package static func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    while true {
      let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      if count >= 0 { return count }
      if errno == EAGAIN {
        var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&poller, 1, -1)
      } else if errno != EINTR {
        return -Int(errno)
      }
    }
  }

  /// Plain words for an `errno`.
  package static func words(for code: Int32) -> String {
    switch code {
    case ENOENT: "it isn't there"
    case EACCES, EPERM: "permission is denied"
    case EISDIR: "it is a folder"
    case ENOTDIR: "a part of its path isn't a folder"
    case ENOSPC, EDQUOT: "the disk is full"
    case EROFS: "the disk is read-only"
    case ELOOP: "its links lead round in a circle"
    case ENAMETOOLONG: "its name is too long"
    case EMFILE, ENFILE: "too many files are open"
    case EBADF: "that descriptor isn't open"
    case EIO: "the device reports an error"
    default: "error \(code) of the system"
    }
  }
}
