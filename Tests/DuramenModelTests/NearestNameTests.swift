import DuramenModel
import Testing

struct NearestNameTests {
    @Test(arguments: [
        ("titel", "title"), ("magnitud", "magnitude"), ("Name", "name"), ("nme", "name"),
        ("publishd", "published"), ("inf", "info"),
    ])
    func aSlipOfTheKeyboardIsFound(written: String, meant: String) {
        let known = ["title", "magnitude", "name", "published", "info", "pages"]
        #expect(NearestName.of(written, among: known) == meant)
        #expect(NearestName.question(written, among: known) == "Did you mean '\(meant)'? ")
    }

    @Test(arguments: ["", "colour", "x", String(repeating: "title", count: 100)])
    func whatIsFarFromAllIsNotGuessed(written: String) {
        #expect(NearestName.of(written, among: ["title", "pages", ""]) == nil)
        #expect(NearestName.question(written, among: ["title", "pages", ""]).isEmpty)
    }

    @Test func theNearestOfSeveralIsTaken() {
        #expect(NearestName.of("author", among: ["authors", "author1x", "auhtor"]) == "authors")
        #expect(NearestName.of("names", among: ["game", "name"]) == "name")
    }
}
