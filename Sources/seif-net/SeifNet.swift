internal import SeifCommands
internal import SeifNetworkDocuments
internal import SeifNetworkTransports

@main
struct SeifNet {
  static func main() {
    Program.main(transports: NetworkTransports.kinds, servers: NetworkDocumentServers(userAgent: "seif"))
  }
}
