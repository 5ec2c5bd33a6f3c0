internal import Glibc

/// Programs that tests write.
package enum ExecutableFile {
  /// Puts a copy in the place of `path`, written by another process, that may be executed.
  ///
  /// What this process writes can be open for writing in a child that another test forks at that moment, and the kernel
  /// refuses to execute such a file (ETXTBSY).
  package static func settle(_ path: String) {
    let script = "cp -- \"$0\" \"$0.new\" && chmod 700 \"$0.new\" && mv -f -- \"$0.new\" \"$0\""
    let words: [String] = ["/bin/sh", "-c", script, path]
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var child: pid_t = 0
    var environment: [UnsafeMutablePointer<CChar>?] = [strdup("PATH=/usr/bin:/bin"), nil]
    defer { free(environment[0]) }
    guard posix_spawn(&child, "/bin/sh", nil, nil, &arguments, &environment) == 0 else { return }
    var status: Int32 = 0
    while waitpid(child, &status, 0) == -1, errno == EINTR {}
  }
}
