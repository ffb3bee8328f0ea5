import DuramenModel
import DuramenQuery
import Testing

/// A closure within another may speak of both objects.
@Suite struct ClosureTests {
    @Test func anInnerConditionMayNameTheOuterObject() throws {
        try expectSame("SUBQUERY(tags, $x, $x.name == code).@count > 0") { quake in
            quake.tags.any { tag in tag.name == quake.code }
        }
        try expectSame("SUBQUERY(tags, $x, NOT $x.name == code).@count == 0") { quake in
            quake.tags.all { tag in tag.name == quake.code }
        }
        try expectSame("SUBQUERY(tags, $x, $x.name == code).@count == 0") { quake in
            quake.tags.none { tag in tag.name == quake.code }
        }
        try expectSame("SUBQUERY(tags.name, $x, $x BEGINSWITH code AND $x != note).@count > 0") {
            quake in
            quake.tags.values(\.name).any { $0.beginsWith(quake.code) && $0 != quake.note }
        }
        try expectSame("ANY tags.name == code") { quake in
            quake.tags.values(\.name).any { $0 == quake.code }
        }
    }

    @Test func aConditionInTheMiddleIsTheInnermostThatHasTo() throws {
        try expectSame(
            "ANY region.quakes (SUBQUERY(tags, $x, $x.name == code).@count > 0)"
        ) {
            $0.region.quakes.any { other in other.tags.any { $0.name == other.code } }
        }
        try expectSame(
            """
            SUBQUERY(region.quakes, $x2, SUBQUERY($x2.tags, $x, \
            $x.name == code AND $x.name == $x2.note).@count > 0).@count > 0
            """
        ) { quake in
            quake.region.quakes.any { other in
                other.tags.any { $0.name == quake.code && $0.name == other.note }
            }
        }
        try expectSame(
            """
            SUBQUERY(region.quakes, $x, $x.code == code AND SUBQUERY($x.tags, $x2, \
            NOT $x2.name == 'a').@count == 0).@count > 0
            """
        ) { quake in
            quake.region.quakes.any { $0.code == quake.code && $0.tags.all { $0.name == "a" } }
        }
    }

    @Test func aPredicateMadeElsewhereIsOnTheInnermostObject() throws {
        let felt = FetchPredicate(Tag.self) { $0.name == "felt" }
        try expectSame("ANY tags (name == 'felt')") { $0.tags.any { _ in felt } }
        try expectSame("ANY tags (name == 'a')") {
            $0.tags.any { _ in .keyPath("name", .equal, "a") }
        }
        try expectSame("SUBQUERY(tags, $x, $x.name == 'felt' AND code == 'a').@count > 0") {
            quake in
            quake.tags.any { _ in felt && quake.code == "a" }
        }
        let path = EntityPath<Quake>()
        #expect((path.code == "a") == .keyPath("code", .equal, "a"))
    }

    @Test func whatTheInnerConditionSaysOfTheOuterObjectHolds() throws {
        var objects = Objects()
        let quake = objects.add("Quake", 1, ["code": .text("a"), "note": .text("b")])
        let tag = objects.add("Tag", 2, ["name": .text("a")])
        objects.link(quake, "tags", [tag])
        func holds(_ condition: (EntityPath<Quake>) -> FetchPredicate) throws -> Bool {
            try objects.holds(FetchPredicate(Quake.self, condition), quake)
        }
        #expect(try holds { quake in quake.tags.any { $0.name == quake.code } })
        #expect(try holds { quake in quake.tags.all { $0.name == quake.code } })
        #expect(try !holds { quake in quake.tags.any { $0.name == quake.note } })
        #expect(try holds { quake in quake.tags.none { $0.name == quake.note } })
        #expect(try holds { quake in quake.tags.count { $0.name != quake.note } == 1 })
    }

    @Test func aPathThatLeavesItsClosureIsRefused() {
        var escaped = EntityPath<Quake>()
        _ = FetchPredicate(Quake.self) {
            escaped = $0
            return .constant(true)
        }
        let error = bindingError(escaped.code == "a")
        #expect(error?.code == .unknownProperty)
        #expect(error?.message.contains("closure") == true)
        let mixed = FetchPredicate(Quake.self) { quake in
            quake.tags.values { _ in quake.code }.isEmpty
        }
        #expect(bindingError(mixed)?.message.contains("closure") == true)
    }

    @Test func aConditionThatIsTooDeepIsLeftForBindingToRefuse() {
        var deep = FetchPredicate.keyPath("name", .equal, "a")
        var sum = QueryExpression(1)
        for _ in 0..<300 {
            deep = .not(deep)
            sum = sum + 1
        }
        let predicates = [
            FetchPredicate(Quake.self) { _ in deep },
            FetchPredicate(Quake.self) { $0.tags.any { _ in deep } },
            FetchPredicate(Quake.self) { $0.tags.where { _ in deep }.isEmpty },
            FetchPredicate(Quake.self) { $0.region.quakes.values(\.reports).any { $0 == sum } },
            FetchPredicate(Quake.self) { quake in quake.tags.all { $0.name == quake.code && deep }
            },
        ]
        #expect(predicates.map { bindingError($0)?.code } == predicates.map { _ in .tooComplex })
    }
}
