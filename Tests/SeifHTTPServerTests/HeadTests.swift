import SeifHTTPFields
import SeifHTTPServer
import Testing

@Suite struct HeadTests {
  @Test func aFieldIsFoundInAnyCaseAndOnlyWhereItStandsOnce() {
    let head = HTTPRequestHead(
      method: "GET", path: "/",
      fields: [HTTPField("If-Match", "a"), HTTPField("X", "1"), HTTPField("x", "2")])
    #expect(head["if-match"] == "a")
    #expect(head["X"] == nil)
    #expect(head.values("X") == ["1", "2"])
    #expect(head["Y"] == nil)
  }
}
