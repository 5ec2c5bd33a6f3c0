public import SeifBytes

/// How a client connects.
public struct CurlSettings: Sendable {
  /// By which proxy.
  public enum Proxy: Sendable, Hashable {
    /// As `https_proxy`, `http_proxy`, `all_proxy` and `no_proxy` say.
    case environment
    /// None, whatever they say.
    case none
    /// This one: `http://proxy.example:3128`, `socks5h://localhost:1080`.
    case address(String)
  }

  /// What the client calls itself: `seif/1.2.3`.
  public var userAgent: String
  /// A file with the only certificates that are trusted to sign others (PEM); nil: those of the system.
  public var authorityFile: String?
  /// The proxy; never for this machine itself.
  public var proxy = Proxy.environment
  /// Who asks the proxy, and with which password; nil: nobody by name. Goes to the proxy alone.
  public var proxyLogin: (user: String, password: SecretValue)?
  /// Whether addresses with http are used beyond this machine.
  public var allowsPlainHTTP = false
  /// Longest time until a connection stands, in seconds.
  public var connectSeconds = 15
  /// How long a transfer may stay below 100 bytes a second, in seconds; also the longest wait for an answer.
  public var stallSeconds = 30
  /// Longest time of a whole exchange, in seconds.
  public var overallSeconds = 3600

  /// Settings.
  public init(userAgent: String) { self.userAgent = userAgent }
}
