internal import SeifHTTPFields
package import SeifHTTPServer
internal import Synchronization

/// How many requests there were, of which kind, and how they ended: numbers and names of our own alone.
package final class RequestCounts: Sendable {
  private struct Key: Hashable {
    var method: String
    var pattern: String
    /// 2, 3, 4, 5; 0: none was answered.
    var statusClass: Int
  }
  private struct Totals {
    var count = 0
    var received = 0
    var sent = 0
    var microseconds = 0
  }

  private let totals = Mutex<[Key: Totals]>([:])

  package init() {}

  package func add(method: String, pattern: String, _ request: HTTPEndedRequest) {
    let key = Key(method: method, pattern: pattern, statusClass: (request.status ?? 0) / 100)
    totals.withLock { totals in
      var entry = totals[key] ?? Totals()
      entry.count &+= 1
      entry.received &+= request.received
      entry.sent &+= request.sent
      entry.microseconds &+= request.microseconds
      totals[key] = entry
    }
  }

  /// The counts as Prometheus reads them (text format 0.0.4).
  package func text(connections: Int) -> String {
    var lines: [String] = []
    func metric(_ name: String, _ help: String, _ type: String, _ values: [(labels: String, value: String)]) {
      lines.append("# HELP \(name) \(help)")
      lines.append("# TYPE \(name) \(type)")
      for (labels, value) in values { lines.append("\(name)\(labels) \(value)") }
    }
    let all = totals.withLock { $0 }.sorted {
      ($0.key.pattern, $0.key.method, $0.key.statusClass) < ($1.key.pattern, $1.key.method, $1.key.statusClass)
    }
    func values(_ read: (Totals) -> String) -> [(labels: String, value: String)] {
      all.map { key, totals in
        let status = key.statusClass == 0 ? "none" : "\(key.statusClass)xx"
        return ("{method=\"\(key.method)\",route=\"\(key.pattern)\",status=\"\(status)\"}", read(totals))
      }
    }
    metric("seif_connections", "Connections that are open.", "gauge", [("", "\(connections)")])
    metric("seif_requests_total", "Requests.", "counter", values { "\($0.count)" })
    metric("seif_received_bytes_total", "Bytes of requests' bodies.", "counter", values { "\($0.received)" })
    metric("seif_sent_bytes_total", "Bytes of answers' bodies.", "counter", values { "\($0.sent)" })
    metric(
      "seif_request_seconds_total", "Time from a request's first byte to its end.", "counter",
      values { totals in
        let fraction = "000000\(totals.microseconds % 1_000_000)".suffix(6)
        return "\(totals.microseconds / 1_000_000).\(fraction)"
      })
    return lines.joined(separator: "\n") + "\n"
  }
}

/// `/health` and `/metrics`, at an address of their own.
package struct MetricsService: HTTPService {
  private let counts: RequestCounts
  private let connections: @Sendable () -> Int
  private let isHealthy: @Sendable () -> Bool

  /// - Parameter isHealthy: asks the store; may wait.
  package init(
    _ counts: RequestCounts, connections: @escaping @Sendable () -> Int, isHealthy: @escaping @Sendable () -> Bool
  ) {
    (self.counts, self.connections, self.isHealthy) = (counts, connections, isHealthy)
  }

  package func plan(_ head: HTTPRequestHead) -> HTTPPlan {
    guard head.method == "GET" || head.method == "HEAD" else { return .answer(HTTPAnswer(405)) }
    let text = HTTPField("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
    switch head.path {
    case "/health":
      return .work { [isHealthy] in
        let isWell = isHealthy()
        let words = isWell ? "ok\n" : "not well\n"
        return HTTPAnswer(isWell ? 200 : 503, fields: [text], body: .bytes(Array(words.utf8)))
      }
    case "/metrics":
      return .work { [counts, connections] in
        HTTPAnswer(200, fields: [text], body: .bytes(Array(counts.text(connections: connections()).utf8)))
      }
    default: return .answer(HTTPAnswer(404))
    }
  }

  package func ended(_ request: HTTPEndedRequest) {}
}
