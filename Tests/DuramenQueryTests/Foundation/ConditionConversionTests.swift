import DuramenModel
import DuramenQuery
import Foundation
import Testing

@Suite struct ConditionConversionTests {
    @Test func comparisonsKeepTheirOperatorsAndSides() throws {
        #expect(try converted(#Predicate { $0.reports == 3 }) == FetchPredicate("reports == 3"))
        #expect(try converted(#Predicate { $0.reports != 3 }) == FetchPredicate("reports != 3"))
        #expect(try converted(#Predicate { $0.reports < 3 }) == FetchPredicate("reports < 3"))
        #expect(try converted(#Predicate { $0.reports <= 3 }) == FetchPredicate("reports <= 3"))
        #expect(try converted(#Predicate { $0.reports > 3 }) == FetchPredicate("reports > 3"))
        #expect(try converted(#Predicate { $0.reports >= 3 }) == FetchPredicate("reports >= 3"))
        #expect(try converted(#Predicate { 3 < $0.reports }) == FetchPredicate("3 < reports"))
        #expect(
            try converted(#Predicate { $0.note == $0.region?.name })
                == FetchPredicate("note == region.name"))
    }

    @Test func connectivesAreFlatAndNegationStays() throws {
        #expect(
            try converted(#Predicate { $0.reports > 1 && $0.code == "a" && $0.isFelt })
                == FetchPredicate("reports > 1 AND code == 'a' AND isFelt == TRUE"))
        #expect(
            try converted(#Predicate { $0.reports > 1 || $0.code == "a" && $0.isFelt })
                == FetchPredicate("reports > 1 OR code == 'a' AND isFelt == TRUE"))
        #expect(try converted(#Predicate { !$0.isFelt }) == FetchPredicate("NOT isFelt == TRUE"))
    }

    @Test func aBareBooleanIsComparedWithTrue() throws {
        #expect(try converted(#Predicate { $0.isFelt }) == FetchPredicate("isFelt == TRUE"))
        #expect(
            try converted(#Predicate { $0.region?.isLarge == true })
                == FetchPredicate("region.isLarge == TRUE"))
    }

    @Test func comparingAConditionWithABooleanIsTheConditionOrItsOpposite() throws {
        #expect(
            try converted(#Predicate { ($0.reports > 1) == true }) == FetchPredicate("reports > 1"))
        #expect(
            try converted(#Predicate { ($0.reports > 1) == false })
                == FetchPredicate("NOT reports > 1"))
        #expect(
            try converted(#Predicate { ($0.reports > 1) != true })
                == FetchPredicate("NOT reports > 1"))
        #expect(
            try converted(#Predicate { ($0.reports > 1) == $0.isFelt })
                == FetchPredicate("TERNARY(reports > 1, TRUE, FALSE) == isFelt"))
    }

    @Test func arithmeticIsCalledByItsFunctions() throws {
        #expect(
            try converted(#Predicate { $0.reports + 1 > 5 }) == FetchPredicate("reports + 1 > 5"))
        #expect(
            try converted(#Predicate { $0.reports - 1 > 5 }) == FetchPredicate("reports - 1 > 5"))
        #expect(
            try converted(#Predicate { $0.reports * 2 > 5 }) == FetchPredicate("reports * 2 > 5"))
        #expect(
            try converted(#Predicate { $0.reports / 2 > 5 }) == FetchPredicate("reports / 2 > 5"))
        #expect(
            try converted(#Predicate { $0.reports % 2 == 1 })
                == FetchPredicate("modulus:by:(reports, 2) == 1"))
        #expect(
            try converted(#Predicate { $0.magnitude / 2 > 1 })
                == FetchPredicate("magnitude / 2.0 > 1.0"))
        #expect(try converted(#Predicate { -$0.reports < 0 }) == FetchPredicate("-reports < 0"))
        #expect(try converted(#Predicate { $0.reports > -5 }) == FetchPredicate("reports > -5"))
    }

    @Test func rangesBecomeBetweenOrTwoComparisons() throws {
        let (closed, open, from, through, upTo) = (1...5, 1..<5, 1..., ...5, ..<5)
        let between = try FetchPredicate("reports BETWEEN {1, 5}")
        let half = try FetchPredicate("reports >= 1 AND reports < 5")
        #expect(try converted(#Predicate { (1...5).contains($0.reports) }) == between)
        #expect(try converted(#Predicate { closed.contains($0.reports) }) == between)
        #expect(try converted(#Predicate { (1..<5).contains($0.reports) }) == half)
        #expect(try converted(#Predicate { open.contains($0.reports) }) == half)
        #expect(
            try converted(#Predicate { from.contains($0.reports) })
                == FetchPredicate("reports >= 1"))
        #expect(
            try converted(#Predicate { through.contains($0.reports) })
                == FetchPredicate("reports <= 5"))
        #expect(
            try converted(#Predicate { upTo.contains($0.reports) }) == FetchPredicate("reports < 5")
        )
        #expect(
            try converted(#Predicate { (0...$0.reports).contains(5) })
                == FetchPredicate("5 BETWEEN {0, reports}"))
    }

    @Test func branchesBecomeTernariesAndOfConditionsBoth() throws {
        #expect(
            try converted(#Predicate { ($0.reports > 3 ? $0.code : "none") == "x" })
                == FetchPredicate("TERNARY(reports > 3, code, 'none') == 'x'"))
        #expect(
            try converted(#Predicate { $0.isFelt ? $0.reports > 3 : $0.code == "x" })
                == FetchPredicate(
                    "isFelt == TRUE AND reports > 3 OR NOT isFelt == TRUE AND code == 'x'"))
        #expect(
            try converted(#Predicate { if $0.isFelt { $0.reports > 3 } else { false } })
                == FetchPredicate(
                    "isFelt == TRUE AND reports > 3 OR NOT isFelt == TRUE AND FALSEPREDICATE"))
    }
}
