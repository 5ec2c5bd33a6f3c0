import SeifBytes
import SeifDocumentFormat

/// What the reader takes is written and read again as the same nodes with the same problems, its tree holds every node
/// once, and merged with itself it gains nothing.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = SecretValue([UInt8](UnsafeBufferPointer(start: start, count: count)))
  _ = try? KeyWraps(parsing: bytes)
  guard let manifest = try? Manifest(parsing: bytes) else { return 0 }
  let text = manifest.text()
  guard let again = try? Manifest(parsing: text) else { fatalError("what was written is refused") }
  guard again.text() == text else { fatalError("what was written isn't stable") }
  let tree = ManifestTree(manifest)
  guard ManifestTree(again).problems == tree.problems else { fatalError("other problems once written") }
  var (seen, open) = (Set<Int>(), tree.roots)
  while let index = open.popLast() {
    guard seen.insert(index).inserted else { fatalError("a node stands in two places") }
    open += tree.children(of: index)
  }
  guard seen.count == manifest.nodes.count else { fatalError("a node stands nowhere") }
  let merged = ManifestMerge(ours: manifest, server: again, base: nil) { fatalError("a content was doubled") }
  guard merged.manifest.nodes.count == manifest.nodes.count else { fatalError("a merge with itself changes nodes") }
  return 0
}
