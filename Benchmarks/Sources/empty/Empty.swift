/// Does nothing: the least that a Swift program costs to start.
@main
struct Empty {
  static func main() {}
}
