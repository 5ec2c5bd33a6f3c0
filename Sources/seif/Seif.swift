@main
struct Seif {
  static func main() {}
}
