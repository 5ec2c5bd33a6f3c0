/// What a document vault may hold (seed *Formatul seifului*, version 1: "What may be put in it").
public enum DocumentLimits {
  /// Most bytes of a document: 50 × 1024 × 1024.
  public static let documentByteCount = 50 * 1024 * 1024
  /// What sealing adds to a document, a manifest or a key: a nonce of 12 bytes and a tag of 16.
  public static let sealedOverhead = 28
  /// Most bytes of a sealed document.
  public static let objectByteCount = documentByteCount + sealedOverhead
  /// Most bytes of a sealed manifest.
  public static let manifestByteCount = 16 * 1024 * 1024
  /// Most rows of ways in.
  public static let keyWrapCount = 32
}
