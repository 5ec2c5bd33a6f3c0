/// Which Seif this is.
package enum Version {
  package static let number = "0.1.0"
  package static let line = "seif \(number)"
}
