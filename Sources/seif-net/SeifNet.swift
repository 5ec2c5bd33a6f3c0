internal import SeifCommands
internal import SeifNetworkTransports

@main
struct SeifNet {
  static func main() { Program.main(transports: NetworkTransports.kinds) }
}
