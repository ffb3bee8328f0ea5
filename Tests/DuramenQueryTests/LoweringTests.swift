import DuramenModel
import DuramenQuery
import Testing

@Suite struct LoweringTests {
    private func lowered(_ predicate: FetchPredicate) throws -> FetchPredicate {
        try predicate.lowered(for: Earth.entity("Quake"), in: Earth.model)
    }

    @Test(arguments: [
        ("code ==[n] 'a'", "code == 'a'"), ("code ==[cds] 'a'", "code ==[cd] 'a'"),
        ("code ==[nls] 'a' AND note == 'b'", "code ==[ls] 'a' AND note == 'b'"),
        ("code CONTAINS[nl] 'a'", "code CONTAINS 'a'"), ("code LIKE[cls] 'a'", "code LIKE[c] 'a'"),
        ("NOT code IN[nc] {'a'}", "NOT code IN[c] {'a'}"),
        ("ANY tags.name ==[n] 'a'", "ANY tags (name == 'a')"),
        ("uppercase:(code) ==[n] 'A'", "uppercase:(code) == 'A'"),
        ("tags == nil", "tags.@count == 0"),
        ("nil != tags", "tags.@count != 0"), ("region.quakes == nil", "region.quakes.@count == 0"),
        ("region == nil", "region == nil"), ("code == nil", "code == nil"),
    ])
    func optionsThatChangeNothingAreLeftOut(_ format: String, _ low: String) throws {
        #expect(try lowered(FetchPredicate(format)) == FetchPredicate(low))
    }

    @Test func whatIsTooComplexIsRefusedBeforeAnythingWalksThroughIt() {
        var deep = FetchPredicate.keyPath("code", .equal, "a")
        for _ in 0..<20_000 { deep = .and([deep]) }
        #expect(throws: FetchPredicateError.self) { try lowered(deep) }
        let leaf = FetchPredicate.keyPath("code", .equal, "a")
        #expect(throws: Never.self) { try lowered(.and(Array(repeating: leaf, count: 9_999))) }
        #expect(throws: FetchPredicateError.self) {
            try lowered(.and(Array(repeating: leaf, count: 10_000)))
        }
    }

    @Test func textWithinTextIsReadFromTheObjectItself() throws {
        #expect(try !FetchPredicate("code CONTAINS[c] 'a'").followsRelationships)
        #expect(try FetchPredicate("tags CONTAINS $tag").followsRelationships)
        #expect(
            FetchPredicate.keyPath("tags", .contains, Objects().id("Tag", 1)).followsRelationships)
        #expect(try FetchPredicate("region.name CONTAINS 'a'").followsRelationships)
    }
}
