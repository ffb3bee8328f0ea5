import DuramenModel
import DuramenQuery
import Foundation
import Testing

/// Typed comparisons are the trees of format strings.
@Suite struct TypedComparisonTests {
    private enum Level: Int, PredicateValue { case low = 1, high }

    @Test func equalityAndOrderTakeValuesAndOperands() throws {
        let none: String? = nil
        let text: String? = "a"
        try expectSame("magnitude == 6.0") { $0.magnitude == 6 }
        try expectSame("magnitude != 6.5") { $0.magnitude != 6.5 }
        try expectSame("code == 'a'") { $0.code == text }
        try expectSame("code == nil") { $0.code == none }
        try expectSame("code == nil") { $0.code == nil }
        try expectSame("code != nil") { $0.code != nil }
        try expectSame("code != note") { $0.code != $0.note }
        try expectSame("depth < 3.5") { $0.depth < 3.5 }
        try expectSame("depth <= magnitude") { $0.depth <= $0.magnitude }
        try expectSame("reports > magnitude") { $0.reports > $0.magnitude }
        try expectSame("damage >= reports") { $0.damage >= $0.reports }
        try expectSame("damage == %@", Decimal(3)) { $0.damage == 3 }
        try expectSame("isFelt == YES") { $0.isFelt == true }
        try expectSame("reports == 2") { $0.reports.typed(as: Level.self) == .high }
        try expectSame("5 < reports") { QueryExpression(5) < $0.reports }
        try expectSame("link == code") { $0.link == $0.code }
    }

    @Test func rangesAreBetweenOrTwoComparisons() throws {
        try expectSame("magnitude BETWEEN {5.0, 6.0}") { $0.magnitude.isIn(5...6) }
        try expectSame("magnitude BETWEEN {5.0, 6.0}") { $0.magnitude.between(5, 6) }
        try expectSame("magnitude >= 5.0 AND magnitude < 6.0") { $0.magnitude.isIn(5..<6) }
        try expectSame("magnitude >= 5.0") { $0.magnitude.isIn(5...) }
        try expectSame("magnitude <= 5.0") { $0.magnitude.isIn(...5) }
        try expectSame("magnitude < 5.0") { $0.magnitude.isIn(..<5) }
        try expectSame("reports BETWEEN {1, 3}") { $0.reports.isIn(1...3) }
        try expectSame("reports >= 1") { $0.reports.isIn(1...) }
        try expectSame("code BETWEEN {'a', 'b'}") { $0.code.isIn("a"..."b") }
        try expectSame("reports + 1 >= 1 AND reports + 1 < 3") { ($0.reports + 1).isIn(1..<3) }
        try expectSame("magnitude BETWEEN {depth, reports}") {
            $0.magnitude.between($0.depth, $0.reports)
        }
        try expectSame("magnitude BETWEEN {(1.0), depth}") {
            $0.magnitude.between(QueryExpression(1.0), $0.depth)
        }
    }

    @Test func membershipIsAskedFromBothSides() throws {
        try expectSame("code IN {'a', 'b'}") { $0.code.isIn(["a", "b"]) }
        try expectSame("reports IN {}") { $0.reports.isIn([]) }
        try expectSame("code IN[c] {'a'}") { $0.code.isIn(["a"], .caseInsensitive) }
        try expectSame("code IN tags.name") { $0.code.isIn($0.tags.values(\.name)) }
        try expectSame("code IN[cd] tags.name") {
            $0.code.comparing([.caseInsensitive, .diacriticInsensitive])
                .isIn($0.tags.values(\.name))
        }
        try expectSame("'felt' IN tags.name") {
            QueryExpression("felt").isIn($0.tags.values(\.name))
        }
        try expectSame("tags.name CONTAINS 'felt'") { $0.tags.values(\.name).contains("felt") }
        try expectSame("tags.name CONTAINS[c] 'felt'") {
            $0.tags.values(\.name).contains("felt", .caseInsensitive)
        }
        try expectSame("tags.name CONTAINS code") { $0.tags.values(\.name).contains($0.code) }
        try expectSame("code IN {note, region.name}") {
            $0.code.isIn(QueryCollection(of: $0.note, $0.region.name))
        }
        try expectSame("NOT code IN {'a'}") { !$0.code.isIn(["a"]) }
    }

    @Test func everyTextOperatorTakesOptionsAndOperands() throws {
        let both: PredicateComparison.Options = [.caseInsensitive, .diacriticInsensitive]
        try expectSame("code CONTAINS[cd] 'a'") { $0.code.contains("a", both) }
        try expectSame("code CONTAINS[c] note") { $0.code.contains($0.note, .caseInsensitive) }
        try expectSame("code BEGINSWITH[n] 'a'") { $0.code.beginsWith("a", .normalized) }
        try expectSame("code BEGINSWITH note") { $0.code.beginsWith($0.note) }
        try expectSame("code ENDSWITH[d] 'a'") { $0.code.endsWith("a", .diacriticInsensitive) }
        try expectSame("code ENDSWITH note") { $0.code.endsWith($0.note) }
        try expectSame("code LIKE[cd] 'a*'") { $0.code.like("a*", both) }
        try expectSame("code LIKE note") { $0.code.like($0.note) }
        try expectSame("code MATCHES 'a.*'") { $0.code.matches("a.*") }
        try expectSame("code MATCHES[c] 'a.*'") { $0.code.matches("a.*", .caseInsensitive) }
        try expectSame("code MATCHES note") { $0.code.matches($0.note) }
        try expectSame("code ==[c] 'a'") { $0.code.isEqual(to: "a", .caseInsensitive) }
        try expectSame("code ==[c] note") { $0.code.comparing(.caseInsensitive) == $0.note }
        try expectSame("code !=[c] 'a'") { $0.code.comparing(.caseInsensitive) != "a" }
        try expectSame("code ==[c] nil") { $0.code.comparing(.caseInsensitive) == nil }
        try expectSame("code <[l] 'm'") { $0.code.comparing(.localeSensitive) < "m" }
        try expectSame("code <[ls] 'a 10'") {
            $0.code.comparing([.localeSensitive, .numeric]) < "a 10"
        }
        try expectSame("code >=[cd] note") { $0.code.comparing(both) >= $0.note }
        try expectSame("code <=[c] note") { $0.code <= $0.note.comparing(.caseInsensitive) }
        try expectSame("code BETWEEN[c] {'a', 'b'}") {
            $0.code.comparing(.caseInsensitive).between("a", "b")
        }
        try expectSame("code IN[c] tags.name") {
            $0.code.comparing(.caseInsensitive).isIn($0.tags.values(\.name))
        }
        try expectSame("link BEGINSWITH 'https:'") { $0.link.beginsWith("https:") }
        try expectSame("code CONTAINS[cd] 'a'") {
            $0.code.comparing(.caseInsensitive).contains("a", .diacriticInsensitive)
        }
    }

    @Test func objectsCompareWithObjects() throws {
        let id = Objects().id("Region", 7)
        let quake = Objects().id("Quake", 1)
        let region = Region(id)
        try expectSame("region == %@", id) { $0.region == id }
        try expectSame("region != %@", id) { $0.region != region }
        try expectSame("region == nil") { $0.region == nil }
        try expectSame("region IN %@", [id]) { $0.region.isIn([region]) }
        try expectSame("SELF == %@", quake) { $0 == quake }
        try expectSame("SELF IN %@", [quake]) { $0.isIn([quake]) }
        try expectSame("SELF IN region.quakes") { $0.isIn($0.region.quakes) }
        try expectSame("region.quakes CONTAINS SELF") { $0.region.quakes.contains($0) }
        try expectSame("region.quakes CONTAINS %@", quake) { $0.region.quakes.contains(quake) }
        try expectSame("tags.quakes CONTAINS %@", quake) {
            $0.tags.values(\.quakes).contains(quake)
        }
        try expectSame("entity == 'Quake'") { $0.entityName == "Quake" }
        try expectSame("region.entity IN {'Region', 'Island'}") {
            $0.region.entityName.isIn(["Region", "Island"])
        }
        try expectSame("SELF == region") { $0.objectID == $0.region.objectID }
        let path = FetchPredicate(Quake.self) { $0.region == $0 }
        #expect(path == .comparison(.init(.keyPath(["region"]), .equal, .selfObject)))
    }

    @Test func variablesStandForValuesOfAnyType() throws {
        let typed = FetchPredicate(Quake.self) {
            $0.magnitude >= .variable("LEAST") && $0.code == .variable("CODE")
                && $0.region == .variable("REGION")
                && $0.code.beginsWith(QueryExpression<String>.variable("START"))
                && $0.time < QueryExpression.fetchTime - QueryExpression<Double>.variable("AGE")
                && $0.code.isIn(QueryCollection<String>.variable("CODES"))
        }
        #expect(
            try typed
                == FetchPredicate(
                    """
                    magnitude >= $LEAST AND code == $CODE AND region == $REGION \
                    AND code BEGINSWITH $START AND time < now() - $AGE AND code IN $CODES
                    """))
        #expect(
            typed.substitutionVariables == ["LEAST", "CODE", "REGION", "START", "AGE", "CODES"])
    }
}
