import DuramenModel
import DuramenQuery
import Testing

@Suite struct RelationshipTests {
    private func named(_ name: String) -> FetchPredicate { .keyPath("name", .equal, name) }

    @Test func aPathThroughNullOrAMissingObjectIsNull() throws {
        var objects = Objects()
        let lonely = objects.add("Quake", 1)
        let dangling = objects.add("Quake", 2, ["region": .objectID(objects.id("Region", 99))])
        for id in [lonely, dangling] {
            #expect(try objects.holds(.keyPath("region.name", .equal, .null), id))
            #expect(try objects.holds(.keyPath("region.name", .notEqual, "Honshu"), id))
            #expect(try !objects.holds(.keyPath("region.name", .less, "z"), id))
            #expect(try objects.holds(!FetchPredicate.keyPath("region.name", .less, "z"), id))
            #expect(try objects.holds(.keyPath("region.capital", .equal, .null), id))
        }
    }

    @Test func aDanglingReferenceKeepsItsID() throws {
        var objects = Objects()
        let missing = objects.id("Region", 99)
        let quake = objects.add("Quake", 1, ["region": .objectID(missing)])
        #expect(try objects.holds(.keyPath("region", .equal, missing), quake))
        #expect(try objects.holds(.keyPath("region", .isIn, [missing]), quake))
        #expect(try objects.holds(.keyPath("region", .notEqual, .null), quake))
        #expect(try !objects.holds(.keyPath("region", .equal, objects.id("Region", 1)), quake))
        #expect(try !objects.holds(.keyPath("region", .equal, objects.id("Island", 99)), quake))
        #expect(try !objects.holds(.keyPath("region", .equal, objects.id("Region", -99)), quake))
    }

    @Test func temporaryObjectsCompareByTheirIDs() throws {
        var objects = Objects()
        let region = objects.add("Region", -3, ["name": .text("Honshu")])
        let quake = objects.add("Quake", -4, ["region": .objectID(region)])
        #expect(try objects.holds(.keyPath("region", .equal, region), quake))
        #expect(try objects.holds(.keyPath("region.name", .equal, "Honshu"), quake))
    }

    @Test func aSubentityRowIsReadWithItsOwnEntitySlots() throws {
        var objects = Objects()
        let city = objects.add("City", 7, ["name": .text("Tokyo")])
        let island = objects.add(
            "Island", 1,
            ["name": .text("Honshu"), "area": .double(227_960), "capital": .objectID(city)])
        let quake = objects.add("Quake", 1, ["region": .objectID(island)])
        #expect(try objects.holds(.keyPath("region.capital.name", .equal, "Tokyo"), quake))
        #expect(try objects.holds(.keyPath("region.capital", .equal, city), quake))
        #expect(
            try !objects.holds(.keyPath("region.capital", .equal, objects.id("Place", 7)), quake))
        let bound = try FetchPredicate.keyPath("capital", .equal, city)
            .bound(to: Earth.entity("Region"), in: Earth.model)
        #expect(bound.readsOneRow)
        #expect(bound.evaluate(try #require(objects.rows[island]), id: island, in: objects))
    }

    @Test func quantifiersAskTheDestinations() throws {
        var objects = Objects()
        let felt = objects.add("Tag", 1, ["name": .text("felt")])
        let other = objects.add("Tag", 2)
        let quake = objects.add("Quake", 1)
        let cases: [([ManagedObjectID], any: Bool, all: Bool, none: Bool)] = [
            ([], false, true, true),
            ([felt], true, true, false),
            ([other], false, false, true),
            ([felt, other], true, false, false),
            ([felt, objects.id("Tag", 99)], true, true, false),
        ]
        for (tags, any, all, none) in cases {
            objects.link(quake, "tags", tags)
            for (quantifier, expected) in [
                (PredicateQuantifier.any, any), (.all, all), (.none, none),
            ] {
                let predicate = FetchPredicate.quantified(
                    quantifier, keyPath: ["tags"], named("felt"))
                #expect(try objects.holds(predicate, quake) == expected, "\(predicate) \(tags)")
                #expect(try objects.holds(!predicate, quake) != expected)
            }
        }
    }

    @Test func behindANullPrefixThereIsNobody() throws {
        var objects = Objects()
        let quake = objects.add("Quake", 1)
        let big = FetchPredicate.keyPath("magnitude", .greater, 1)
        let path = ["region", "quakes"]
        #expect(try !objects.holds(.quantified(.any, keyPath: path, big), quake))
        #expect(try objects.holds(.quantified(.all, keyPath: path, big), quake))
        #expect(try objects.holds(.quantified(.none, keyPath: path, big), quake))
        let count = PredicateComparison(.count(keyPath: path), .equal, .constant(.integer(0)))
        #expect(try objects.holds(.comparison(count), quake))
    }

    @Test func quantifiersNestAndPrefixesAreFollowed() throws {
        var objects = Objects()
        let region = objects.add("Region", 1)
        let first = objects.add("Quake", 1, ["region": .objectID(region)])
        let second = objects.add("Quake", 2, ["region": .objectID(region)])
        let tag = objects.add("Tag", 1, ["name": .text("felt")])
        objects.link(region, "quakes", [first, second])
        objects.link(second, "tags", [tag])
        let inner = FetchPredicate.quantified(.any, keyPath: ["tags"], named("felt"))
        #expect(
            try objects.holds(.quantified(.any, keyPath: ["region", "quakes"], inner), first))
        #expect(
            try !objects.holds(.quantified(.all, keyPath: ["region", "quakes"], inner), first))
    }

    @Test func aToManyContainsAnObjectAndIsCounted() throws {
        var objects = Objects()
        let tag = objects.add("Tag", 1)
        let quake = objects.add("Quake", 1)
        objects.link(quake, "tags", [tag])
        #expect(try objects.holds(.keyPath("tags", .contains, tag), quake))
        #expect(try !objects.holds(.keyPath("tags", .contains, objects.id("Tag", 2)), quake))
        #expect(try !objects.holds(.keyPath("tags", .contains, .null), quake))
        let count = FetchExpression.count(keyPath: ["tags"])
        #expect(
            try objects.holds(
                .comparison(.init(count, .between, .list([.integer(1), .integer(2)]))), quake))
        #expect(
            try !objects.holds(.comparison(.init(count, .greater, .constant(.integer(1)))), quake))
    }

    @Test func theObjectItselfComparesByID() throws {
        var objects = Objects()
        let tag = objects.add("Tag", 1)
        let quake = objects.add("Quake", 1)
        objects.link(tag, "quakes", [quake])
        func selfIs(_ relation: PredicateComparison.Operator, _ right: FetchExpression)
            -> FetchPredicate
        { .comparison(.init(.selfObject, relation, right)) }
        #expect(try objects.holds(selfIs(.equal, .constant(.objectID(quake))), quake))
        #expect(try !objects.holds(selfIs(.equal, .constant(.objectID(tag))), quake))
        #expect(try objects.holds(selfIs(.isIn, .list([.null, .objectID(quake)])), quake))
        #expect(try !objects.holds(selfIs(.equal, .constant(.null)), quake))
        let within = FetchPredicate.quantified(
            .any, keyPath: ["quakes"], selfIs(.equal, .constant(.objectID(quake))))
        #expect(try objects.holds(within, tag))
    }
}
