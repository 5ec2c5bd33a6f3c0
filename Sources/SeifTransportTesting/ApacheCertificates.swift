internal import SeifTestSupport

/// An authority of the tests' own, and servers that it vouches for.
public struct ApacheCertificates: Sendable {
  /// A server's certificate and its key (PEM).
  public struct Server: Sendable {
    var chain: String
    var key: String
  }

  /// The authority's certificate (PEM).
  public let authority: String
  /// For 127.0.0.1, valid now.
  public let good: Server
  /// For `other.example`, valid now.
  public let otherName: Server
  /// For 127.0.0.1, valid until yesterday.
  public let expired: Server

  /// Makes them, with new keys.
  public init() throws {
    let text = String(decoding: try Python.run(Self.script), as: UTF8.self)
    let parts = text.split(separator: "====\n").map(String.init)
    guard parts.count == 7 else { throw ServerProcess.Failure("no certificates") }
    authority = parts[0]
    good = Server(chain: parts[1], key: parts[2])
    otherName = Server(chain: parts[3], key: parts[4])
    expired = Server(chain: parts[5], key: parts[6])
  }

  private static let script = """
    from datetime import datetime, timedelta, timezone
    from ipaddress import ip_address
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    now = datetime.now(timezone.utc)
    day = timedelta(days=1)
    name = lambda text: x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, text)])
    root_key = ec.generate_private_key(ec.SECP256R1())

    def certificate(subject, key, ends, extensions):
        made = (x509.CertificateBuilder().subject_name(name(subject)).issuer_name(name("Seif tests"))
                .public_key(key.public_key()).serial_number(x509.random_serial_number())
                .not_valid_before(now - 10 * day).not_valid_after(ends))
        for extension, critical in extensions:
            made = made.add_extension(extension, critical)
        return made.sign(root_key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM).decode()

    usage = x509.KeyUsage(digital_signature=False, content_commitment=False, key_encipherment=False,
                          data_encipherment=False, key_agreement=False, key_cert_sign=True, crl_sign=True,
                          encipher_only=False, decipher_only=False)
    root = certificate("Seif tests", root_key, now + 10 * day,
                       [(x509.BasicConstraints(ca=True, path_length=0), True), (usage, True)])
    parts = [root]
    loopback = x509.IPAddress(ip_address("127.0.0.1"))
    for names, ends in [([loopback], now + day), ([x509.DNSName("other.example")], now + day), ([loopback], now - day)]:
        key = ec.generate_private_key(ec.SECP256R1())
        parts.append(certificate("server", key, ends, [(x509.SubjectAlternativeName(names), False)]))
        parts.append(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
                                       serialization.NoEncryption()).decode())
    print("====\\n".join(parts), end="")
    """
}
