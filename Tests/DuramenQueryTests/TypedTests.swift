import DuramenModel
import DuramenQuery
import Foundation
import Testing

@Suite struct TypedTests {
    private let regionID = Objects().id("Region", 7)
    private let tagID = Objects().id("Tag", 8)

    private func quakes(_ condition: (EntityPath<Quake>) -> FetchPredicate) -> FetchPredicate {
        FetchPredicate(Quake.self, condition)
    }

    @Test func tenClausesEqualTheHandBuiltTree() {
        let typed = quakes {
            $0.magnitude >= 6 && $0.region.name == "Honshu" && $0.tags.any { $0.name == "felt" }
                && $0.note == nil && $0.code.contains("x", [.caseInsensitive])
                && !($0.depth.between(1, 5)) && $0.code.isIn(["a"]) && $0.region == regionID
                && $0.region.quakes.count > 3 && $0.tags.contains(tagID) && $0.isFelt == true
        }
        let count = FetchExpression.count(keyPath: ["region", "quakes"])
        let tree = FetchPredicate.and([
            .keyPath("magnitude", .greaterOrEqual, 6.0), .keyPath("region.name", .equal, "Honshu"),
            .quantified(.any, keyPath: ["tags"], .keyPath("name", .equal, "felt")),
            .keyPath("note", .equal, .null),
            .keyPath("code", .contains, "x", .caseInsensitive),
            .not(.keyPath("depth", .between, [1.0, 5.0])), .keyPath("code", .isIn, ["a"]),
            .keyPath("region", .equal, regionID),
            .comparison(.init(count, .greater, .constant(.integer(3)))),
            .keyPath("tags", .contains, tagID), .keyPath("isFelt", .equal, true),
        ])
        #expect(typed == tree)
        #expect(bindingError(typed) == nil)
    }

    @Test func everyOperatorBuildsItsComparison() {
        let none: String? = nil
        let region: Region? = Region(regionID)
        #expect(quakes { $0.code != "a" } == .keyPath("code", .notEqual, "a"))
        #expect(quakes { $0.code == none } == .keyPath("code", .equal, .null))
        #expect(quakes { $0.code != nil } == .keyPath("code", .notEqual, .null))
        #expect(quakes { $0.reports < 3 } == .keyPath("reports", .less, 3))
        #expect(quakes { $0.reports <= 3 } == .keyPath("reports", .lessOrEqual, 3))
        #expect(quakes { $0.reports > 3 } == .keyPath("reports", .greater, 3))
        #expect(quakes { $0.code.like("a*") } == .keyPath("code", .like, "a*"))
        #expect(quakes { $0.code.beginsWith("a") } == .keyPath("code", .beginsWith, "a"))
        #expect(quakes { $0.code.endsWith("a") } == .keyPath("code", .endsWith, "a"))
        #expect(
            quakes { $0.code.isEqual(to: "a", .caseInsensitive) }
                == .keyPath("code", .equal, "a", .caseInsensitive))
        #expect(quakes { $0.region == region } == .keyPath("region", .equal, regionID))
        #expect(quakes { $0.region == nil } == .keyPath("region", .equal, .null))
        #expect(quakes { $0.region != nil } == .keyPath("region", .notEqual, .null))
        #expect(quakes { $0.region.isIn([regionID]) } == .keyPath("region", .isIn, [regionID]))
        #expect(
            quakes { $0 == regionID }
                == .comparison(.init(.selfObject, .equal, .constant(.objectID(regionID)))))
        #expect(
            quakes { $0.code == $0.note }
                == .comparison(.init(.keyPath(["code"]), .equal, .keyPath(["note"]))))
        #expect(
            quakes {
                $0.tags.isEmpty || $0.tags.all { $0.name == "a" } || $0.tags.none { $0.name == "b" }
            }
                == .or([
                    .comparison(
                        .init(.count(keyPath: ["tags"]), .equal, .constant(.integer(0)))),
                    .quantified(.all, keyPath: ["tags"], .keyPath("name", .equal, "a")),
                    .quantified(.none, keyPath: ["tags"], .keyPath("name", .equal, "b")),
                ]))
    }

    @Test func anUnmanagedKeyPathIsRefusedByItsSwiftName() {
        let error = bindingError(quakes { $0.unmanaged == 1 })
        #expect(error?.code == .unknownProperty)
        #expect(error?.message.contains("\\Quake.unmanaged") == true)
    }

    @Test func sortDescriptorsTakeKeyPaths() {
        #expect(
            FetchSortDescriptor(\Quake.time, ascending: false)
                == FetchSortDescriptor("time", ascending: false))
        #expect(FetchSortDescriptor(\Quake.code) == FetchSortDescriptor("code"))
        #expect(
            FetchSortDescriptor(Quake.self) { $0.region.name } == FetchSortDescriptor("region.name")
        )
    }

    @Test func valuesBecomeStoredValues() {
        enum Level: Int, PredicateValue { case high = 3 }
        #expect(Level.high.storedValue == .integer(3))
        #expect(Float(0.5).storedValue == .double(0.5))
        #expect(Int16(-2).storedValue == .integer(-2))
        #expect(URL(string: "https://a.b/")?.storedValue == .uri("https://a.b/"))
    }
}
