internal import COpenSSL
/// The hash functions in use, all for HMAC; SHA-256 and MD5 (mOTP only) also bare.
public enum HashFunction: Sendable, Equatable {
  case sha1, sha256, sha512, md5

  /// Length of a digest, in bytes.
  public var digestByteCount: Int {
    switch self {
    case .md5: 16
    case .sha1: 20
    case .sha256: 32
    case .sha512: 64
    }
  }

  // As OpenSSL's providers call it.
  var name: String {
    switch self {
    case .md5: "MD5"
    case .sha1: "SHA1"
    case .sha256: "SHA2-256"
    case .sha512: "SHA2-512"
    }
  }

  var evp: OpaquePointer? {
    switch self {
    case .md5: unsafe libcrypto.pointee.EVP_md5()
    case .sha1: unsafe libcrypto.pointee.EVP_sha1()
    case .sha256: unsafe libcrypto.pointee.EVP_sha256()
    case .sha512: unsafe libcrypto.pointee.EVP_sha512()
    }
  }
}

/// Digests of whole values.
public enum Digest {
  /// SHA-256 (FIPS 180-4): 32 bytes.
  public static func sha256(_ bytes: RawSpan) -> [UInt8] {
    hash(.sha256, bytes)
  }

  /// The digest by any of the functions.
  public static func hash(_ function: HashFunction, _ bytes: RawSpan) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: function.digestByteCount)
    let status = unsafe bytes.withUnsafeBytes {
      unsafe libcrypto.pointee.EVP_Digest($0.baseAddress, $0.count, &digest, nil, function.evp, nil)
    }
    precondition(status == 1, "internal error: EVP_Digest failed")
    return digest
  }
}
