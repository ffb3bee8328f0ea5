import DuramenModel
import DuramenQuery
import Foundation
import Testing

/// What typed predicates ask of to-manys are the trees of format strings.
@Suite struct TypedCollectionTests {
    @Test func aggregatesAreThoseOfFormatStrings() throws {
        try expectSame("region.quakes.@sum.magnitude > 100.0") {
            $0.region.quakes.sum(\.magnitude) > 100
        }
        try expectSame("region.quakes.@avg.reports > 2.5") {
            $0.region.quakes.average(\.reports) > 2.5
        }
        try expectSame("region.quakes.@min.time < time") { $0.region.quakes.min(\.time) < $0.time }
        try expectSame("region.quakes.@max.code == code") {
            $0.region.quakes.max(\.code) == $0.code
        }
        try expectSame("median(region.quakes.reports) > 1.5") {
            $0.region.quakes.median(\.reports) > 1.5
        }
        try expectSame("stddev(region.quakes.depth) > 1.5") {
            $0.region.quakes.standardDeviation(\.depth) > 1.5
        }
        try expectSame("tags.quakes.@sum.damage > %@", Decimal(3)) {
            $0.tags.values(\.quakes).sum(\.damage) > 3
        }
        try expectSame("region.quakes.region.name.@max == 'a'") {
            $0.region.quakes.max(\.region.name) == "a"
        }
        try expectSame("region.quakes.@sum.magnitude > 100.0") {
            $0.region.quakes.sum { $0.magnitude } > 100
        }
        try expectSame("magnitude > region.quakes.@avg.magnitude") {
            $0.magnitude > $0.region.quakes.average(\.magnitude)
        }
    }

    @Test func countsCompareWithEverything() throws {
        try expectSame("tags.@count > 3") { $0.tags.count > 3 }
        try expectSame("tags.@count == reports") { $0.tags.count == $0.reports }
        try expectSame("reports < tags.@count") { $0.reports < $0.tags.count }
        try expectSame("tags.@count <= region.quakes.@count") {
            $0.tags.count <= $0.region.quakes.count
        }
        try expectSame("tags.@count IN {1, 3}") { $0.tags.count.isIn([1, 3]) }
        try expectSame("tags.@count BETWEEN {1, 3}") { $0.tags.count.isIn(1...3) }
        try expectSame("tags.@count == 0") { $0.tags.isEmpty }
        try expectSame("tags == nil") { $0.tags == nil }
        try expectSame("region.quakes != nil") { $0.region.quakes != nil }
        try expectSame("tags.quakes.@count > 3") { $0.tags.values(\.quakes).count > 3 }
        try expectSame("tags.name.@count > 3") { $0.tags.values(\.name).count > 3 }
    }

    @Test func functionsOfCollectionsAreCalled() throws {
        try expectSame("tags.name.@distinctUnionOfObjects.@count > 1") {
            $0.tags.values(\.name).distinct.count > 1
        }
        try expectSame("mode(tags.name)[FIRST] == 'a'") { $0.tags.values(\.name).mode.first == "a" }
        try expectSame("mode(tags.name)[LAST] == mode(tags.name)[1]") {
            $0.tags.values(\.name).mode.last == $0.tags.values(\.name).mode[1]
        }
        try expectSame("mode(tags.name)[reports] == 'a'") {
            $0.tags.values(\.name).mode[$0.reports] == "a"
        }
        try expectSame("(tags.name UNION {'a'}).@count > 1") {
            $0.tags.values(\.name).union(QueryCollection(["a"])).count > 1
        }
        try expectSame("(tags.name INTERSECT region.quakes.code).@count == 0") {
            $0.tags.values(\.name).intersection($0.region.quakes.values(\.code)).isEmpty
        }
        try expectSame("'a' IN tags.name MINUS {'b'}") {
            QueryExpression("a").isIn($0.tags.values(\.name).subtracting(QueryCollection(["b"])))
        }
    }

    @Test func quantifiersHaveBothForms() throws {
        try expectSame("ANY tags (name == 'felt')") { $0.tags.any { $0.name == "felt" } }
        try expectSame("ALL tags (name ==[c] 'felt' OR name == nil)") {
            $0.tags.all { $0.name.isEqual(to: "felt", .caseInsensitive) || $0.name == nil }
        }
        try expectSame("NONE region.quakes (ANY tags (name == 'felt'))") {
            $0.region.quakes.none { $0.tags.any { $0.name == "felt" } }
        }
        try expectSame("ANY tags.name BEGINSWITH 'f'") {
            $0.tags.values(\.name).any { $0.beginsWith("f") }
        }
        try expectSame("ALL region.quakes.magnitude > 5.0") {
            $0.region.quakes.values(\.magnitude).all { $0 > 5 }
        }
        try expectSame("NONE tags.name IN {'a'}") { $0.tags.values(\.name).none { $0.isIn(["a"]) } }
        try expectSame("ANY tags.quakes (magnitude > 5.0)") {
            $0.tags.values(\.quakes).any { $0.magnitude > 5 }
        }
        try expectSame("ANY region.quakes (magnitude + depth > 5.0 AND tags.@count == 1)") {
            $0.region.quakes.any { $0.magnitude + $0.depth > 5 && $0.tags.count == 1 }
        }
        try expectSame("SUBQUERY(tags.name, $x, $x > 'a' AND $x < 'c').@count > 0") {
            $0.tags.values(\.name).any { $0 > "a" && $0 < "c" }
        }
        try expectSame("SUBQUERY(region.quakes.region, $x, $x.name == 'a').@count > 0") {
            $0.region.quakes.values(\.region).any { $0.name == "a" }
        }
    }

    @Test func subqueriesAreCountedAndAggregated() throws {
        try expectSame("SUBQUERY(region.quakes, $x, $x.magnitude > 6.0).@count >= 2") {
            $0.region.quakes.count { $0.magnitude > 6 } >= 2
        }
        try expectSame("SUBQUERY(region.quakes, $x, $x.magnitude > 6.0).@max.depth > 2.0") {
            $0.region.quakes.where { $0.magnitude > 6 }.max(\.depth) > 2
        }
        try expectSame("SUBQUERY(region.quakes, $x, $x == SELF).@count == 1") { quake in
            quake.region.quakes.count { $0 == quake } == 1
        }
        try expectSame(
            "SUBQUERY(region.quakes, $x, SUBQUERY($x.tags, $x2, $x2.name == 'a').@count > 0).@count > 1"
        ) {
            $0.region.quakes.count { $0.tags.any { $0.name == "a" } } > 1
        }
        try expectSame("SUBQUERY(tags.name, $x, length:($x) > 3).@count > 1") {
            $0.tags.values(\.name).count { $0.length > 3 } > 1
        }
        try expectSame("SUBQUERY(region.quakes, $x, $x.tags.@count > $N).@count == 0") {
            $0.region.quakes.where { $0.tags.count > .variable("N") }.isEmpty
        }
        try expectSame("SUBQUERY(region.quakes, $x2, $x2.magnitude > $x).@count == 0") {
            $0.region.quakes.where { $0.magnitude > .variable("x") }.isEmpty
        }
        try expectSame("SUBQUERY(region.quakes, $x, $x.tags.name CONTAINS 'a').tags.@count > 1") {
            $0.region.quakes.where { $0.tags.values(\.name).contains("a") }
                .values(\.tags).count > 1
        }
    }
}
