import DuramenModel
import DuramenQuery
import Foundation
import Testing

@Suite struct OptionalConversionTests {
    @Test func optionalChainsAreKeyPaths() throws {
        #expect(
            try converted(#Predicate { $0.region?.name == "x" })
                == FetchPredicate("region.name == 'x'"))
        #expect(
            try converted(#Predicate { $0.region?.capital?.name == "x" })
                == FetchPredicate("region.capital.name == 'x'"))
        #expect(
            try converted(#Predicate { $0.region?.name == nil })
                == FetchPredicate("region.name == nil"))
        #expect(
            try converted(#Predicate { $0.region!.name == "x" })
                == FetchPredicate("region.name == 'x'"))
        #expect(
            try converted(#Predicate { $0.origin.name == "x" })
                == FetchPredicate("origin.name == 'x'"))
    }

    @Test func aConditionOnWhatIsWrappedNeedsAValueThere() throws {
        #expect(
            try converted(#Predicate { $0.note.flatMap { $0 != "x" } == true })
                == FetchPredicate("note != nil AND note != 'x'"))
        #expect(
            try converted(#Predicate { $0.region?.quakes.allSatisfy { $0.isFelt } == true })
                == FetchPredicate("region != nil AND ALL region.quakes (isFelt == TRUE)"))
        #expect(
            try converted(#Predicate { $0.region?.quakes.count == 0 })
                == FetchPredicate("region != nil AND region.quakes.@count == 0"))
        #expect(
            try converted(#Predicate { $0.region?.quakes.count == nil })
                == FetchPredicate("NOT region != nil"))
        #expect(
            try converted(#Predicate { $0.region?.quakes.count != 2 })
                == FetchPredicate("NOT (region != nil AND region.quakes.@count == 2)"))
    }

    @Test func aConditionThatNullMakesFalseStandsAlone() throws {
        let contains = try FetchPredicate("note CONTAINS 'x'")
        #expect(try converted(#Predicate { $0.note?.contains("x") == true }) == contains)
        #expect(try converted(#Predicate { $0.note?.contains("x") ?? false }) == contains)
        #expect(
            try converted(#Predicate { if let note = $0.note { note == "x" } else { false } })
                == FetchPredicate("note == 'x'"))
        #expect(
            try converted(#Predicate { $0.region?.quakes.contains { $0.isFelt } == true })
                == FetchPredicate("ANY region.quakes (isFelt == TRUE)"))
        #expect(
            try converted(#Predicate { $0.note?.contains("x") ?? true })
                == FetchPredicate("NOT note != nil OR note CONTAINS 'x'"))
        #expect(
            try converted(#Predicate { $0.note?.contains("x") ?? $0.isFelt })
                == FetchPredicate("note CONTAINS 'x' OR NOT note != nil AND isFelt == TRUE"))
    }

    @Test func aDefaultIsATernary() throws {
        #expect(
            try converted(#Predicate { ($0.note ?? "none") == "x" })
                == FetchPredicate("TERNARY(note != nil, note, 'none') == 'x'"))
        #expect(
            try converted(#Predicate { ($0.region?.quakes.count ?? 7) > 3 })
                == FetchPredicate("TERNARY(region != nil, region.quakes.@count, 7) > 3"))
        #expect(
            try converted(#Predicate { $0.wasSeen ?? false }) == FetchPredicate("wasSeen == TRUE"))
        #expect(
            try converted(#Predicate { $0.wasSeen ?? true }) == FetchPredicate("wasSeen != FALSE"))
        #expect(
            try converted(#Predicate { $0.wasSeen ?? $0.isFelt })
                == FetchPredicate("wasSeen == TRUE OR NOT wasSeen != nil AND isFelt == TRUE"))
    }
}
