public import FoundationEssentials
internal import Glibc
internal import SeifTestSupport

/// Apache with mod_dav: conditions, locks, Basic and Digest, TLS. Folders: `/dav/` for files, `/moved` leads there.
public final class ApacheDAV {
  /// How it asks who is there.
  public enum Authentication: String, Sendable, CaseIterable {
    case none, basic, digest
  }

  /// The user and the password that it takes: characters that would part an address or a field.
  public static let user = "seif@home"
  public static let password = "pass:w\"örd%40"

  private let process: ServerProcess
  private let isSecure: Bool

  /// Starts it.
  ///
  /// - Parameters:
  ///   - certificate: with TLS, by this certificate; nil: http.
  ///   - extra: lines for its configuration.
  public init(
    _ authentication: Authentication = .basic, certificate: ApacheCertificates.Server? = nil, extra: String = ""
  ) throws {
    isSecure = certificate != nil
    process = try ServerProcess("apache2") { folder, port in
      try Self.prepare(folder, port, authentication, certificate, extra)
      return ["-d", folder, "-f", folder + "/apache.conf", "-DFOREGROUND"]
    }
  }

  /// The address of its folder for files.
  public var url: String { "\(origin)/dav/" }
  /// Its address without a path.
  public var origin: String { "\(isSecure ? "https" : "http")://127.0.0.1:\(process.port)" }
  /// Its port of 127.0.0.1.
  public var port: UInt16 { process.port }
  /// Where its files lie.
  public var files: URL { URL(filePath: process.folder + "/files/dav") }
  /// Makes a folder in its folder for files and gives its address.
  public func makeFolder(_ name: String) -> String {
    let path = files.appending(path: name).path
    mkdir(path, 0o700)
    Self.give(path)
    return "\(url)\(name)/"
  }
  /// What it has written about requests and errors.
  public var log: String { process.log }
  /// Ends it.
  public func end() { process.end() }

  private static func prepare(
    _ folder: String, _ port: UInt16, _ authentication: Authentication, _ certificate: ApacheCertificates.Server?,
    _ extra: String
  ) throws {
    for name in ["files", "files/dav", "locks", "run"] { mkdir("\(folder)/\(name)", 0o700) }
    var identity = ""
    if geteuid() == 0 {
      // It doesn't serve as root: the files are of the user that Debian made for it.
      guard getpwnam("www-data") != nil else { throw ServerProcess.Failure("no user for apache2") }
      for name in ["", "/files", "/files/dav", "/locks", "/run"] { give(folder + name) }
      identity = "User www-data\nGroup www-data\n"
    }
    let secrets = try Python.lines(
      """
      from base64 import b64encode
      from hashlib import md5, sha1
      from sys import stdin, stdout
      user, password = stdin.buffer.read().split(b"\\0")
      stdout.buffer.write(user + b":{SHA}" + b64encode(sha1(password).digest()) + b"\\n")
      stdout.buffer.write(user + b":seif:" + md5(user + b":seif:" + password).hexdigest().encode())
      """, input: Array("\(user)\0\(password)".utf8))
    guard secrets.count == 2 else { throw ServerProcess.Failure("no passwords for apache2") }
    try write(String(secrets[0]) + "\n", "\(folder)/basic")
    try write(String(secrets[1]) + "\n", "\(folder)/digest")
    var tls = ""
    if let certificate {
      try write(certificate.chain, "\(folder)/server.pem")
      try write(certificate.key, "\(folder)/server.key")
      tls = "SSLEngine on\nSSLCertificateFile \(folder)/server.pem\nSSLCertificateKeyFile \(folder)/server.key\n"
    }
    let modules = [
      "mpm_event", "authn_core", "authn_file", "authz_core", "authz_user", "auth_basic", "auth_digest", "alias", "dav",
      "dav_fs", "headers", "mime", "reqtimeout", "rewrite", "setenvif", "socache_shmcb", "ssl",
    ].map { "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so\n" }.joined()
    let gate =
      switch authentication {
      case .none: "Require all granted"
      case .basic: "AuthType Basic\nAuthName seif\nAuthUserFile \(folder)/basic\nRequire valid-user"
      case .digest:
        "AuthType Digest\nAuthName seif\nAuthDigestProvider file\nAuthUserFile \(folder)/digest\nRequire valid-user"
      }
    try write(
      """
      \(modules)\(identity)ServerName 127.0.0.1
      Listen 127.0.0.1:\(port)
      PidFile \(folder)/run/pid
      DefaultRuntimeDir \(folder)/run
      ErrorLog /dev/stdout
      TransferLog /dev/stdout
      TypesConfig /dev/null
      DocumentRoot \(folder)/files
      DavLockDB \(folder)/locks/db
      StartServers 1
      ServerLimit 2
      ThreadsPerChild 16
      MaxRequestWorkers 32
      KeepAlive on
      MaxKeepAliveRequests 0
      \(tls)<Directory \(folder)/files>
      Dav on
      \(gate)
      </Directory>
      RedirectMatch 307 ^/moved$ /dav/
      \(extra)
      """, "\(folder)/apache.conf")
  }

  private static func write(_ text: String, _ path: String) throws {
    try Data(text.utf8).write(to: URL(filePath: path))
    give(path)
  }

  // Where the tests run as root, the server runs as somebody else.
  private static func give(_ path: String) {
    if geteuid() == 0, let user = getpwnam("www-data") { chown(path, user.pointee.pw_uid, user.pointee.pw_gid) }
  }
}
