import SeifDocuments

/// What every store of documents must do.
package struct StoreConformance {
  package init() {}
}
