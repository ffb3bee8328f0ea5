import DuramenModel
import DuramenQuery
import Foundation
import Testing

@Suite struct RefusedConversionTests {
    @Test func whatStoresCannotBeAskedIsRefusedByItsName() {
        let (counts, words) = (["a": 1], ["a"])
        let cases: [(String, SightingPredicate)] = [
            ("CollectionIndexSubscript", #Predicate { $0.tags[0].name == "a" }),
            ("CollectionIndexSubscript", #Predicate { $0.labels[0] == "a" }),
            ("CollectionRangeSubscript", #Predicate { $0.labels[0..<1].contains("a") }),
            ("DictionaryKeySubscript", #Predicate { counts[$0.code] == 1 }),
            ("DictionaryKeyDefaultValueSubscript", #Predicate { counts[$0.code, default: 0] == 1 }),
            ("SequenceMaximum", #Predicate { $0.labels.max() == "a" }),
            ("SequenceMinimum", #Predicate { $0.labels.min() == "a" }),
            ("CollectionContainsCollection", #Predicate { $0.labels.contains(["a"]) }),
            ("SequenceStartsWith", #Predicate { $0.labels.starts(with: ["a"]) }),
            ("SequenceContainsWhere", #Predicate { $0.labels.contains { $0 == "a" } }),
            ("SequenceAllSatisfy", #Predicate { $0.labels.allSatisfy { $0 == "a" } }),
            ("Filter", #Predicate { quake in words.filter { $0 == quake.code }.count == 1 }),
            ("Filter", #Predicate { $0.labels.filter { $0 == "a" }.count == 1 }),
            ("TypeCheck", #Predicate { $0.origin is Sighting.Island }),
            ("ConditionalCast", #Predicate { ($0.origin as? Sighting.Island)?.name == "a" }),
            ("ForceCast", #Predicate { ($0.origin as! Sighting.Island).name == "a" }),
            ("Range", #Predicate { (0..<$0.reports) == 0..<3 }),
        ]
        for (node, predicate) in cases {
            let error = conversionError(predicate)
            #expect(
                error?.code == .unsupportedExpression, "\(node): \(error?.description ?? "none")")
            #expect(error?.node == node, "\(node): \(error?.description ?? "none")")
        }
    }

    @Test func castsThatSayNothingAreLeftOut() throws {
        #expect(
            try converted(#Predicate { ($0.reports as Int) == 3 }) == FetchPredicate("reports == 3")
        )
        #expect(
            try converted(#Predicate { ($0.code as String?) == $0.note })
                == FetchPredicate("code == note"))
    }

    @Test func keyPathsThatAreNoPropertiesAreRefused() {
        let cases: [SightingPredicate] = [
            #Predicate { $0.unmanaged == 1 },
            #Predicate { $0.time.timeIntervalSinceReferenceDate > 1 },
            #Predicate { $0.code.utf8.count == 1 },
            #Predicate { $0.code.first == $0.note?.first },
            #Predicate { $0.labels.first == "a" },
            #Predicate { $0.tags.last?.name == "a" },
            #Predicate { $0.tags.filter { $0.name == "a" }.first?.name == "a" },
            #Predicate { $0.level.rawValue == 3 },
        ]
        for predicate in cases {
            let error = conversionError(predicate)
            #expect(error?.code == .unsupportedKeyPath, "\(error?.description ?? "none")")
            #expect(error?.node == "KeyPath", "\(error?.description ?? "none")")
        }
    }

    @Test func aVariableOfAnotherPredicateIsRefused() {
        let foreign = PredicateExpressions.Variable<Bool>()
        let error = conversionError(Predicate { _ in foreign })
        #expect(error?.code == .unsupportedExpression)
        #expect(error?.node == "Variable")
    }

    /// A kind of expression that a program made itself.
    private struct Coin: StandardPredicateExpression {
        typealias Output = Bool
        func evaluate(_ bindings: PredicateBindings) throws -> Bool { true }
    }

    @Test func anUnknownKindOfExpressionIsRefusedByItsName() {
        let error = conversionError(Predicate { _ in Coin() })
        #expect(error?.code == .unsupportedExpression)
        #expect(error?.node == "Coin")
    }

    private typealias Condition = any StandardPredicateExpression<Bool>

    /// `a && (b && (… ))` or `(a && b) && …`, as deep as it is told.
    private func chain(_ depth: Int, isNegated: Bool) -> SightingPredicate {
        func both<
            First: StandardPredicateExpression<Bool>, Second: StandardPredicateExpression<Bool>
        >(
            _ first: First, _ second: Second
        ) -> Condition { PredicateExpressions.build_Conjunction(lhs: first, rhs: second) }
        func negated<Part: StandardPredicateExpression<Bool>>(_ part: Part) -> Condition {
            PredicateExpressions.build_Negation(part)
        }
        return SightingPredicate { quake in
            let last = PredicateExpressions.build_KeyPath(root: quake, keyPath: \.isFelt)
            var condition: Condition = last
            for _ in 0..<depth {
                condition = isNegated ? negated(condition) : both(condition, last)
            }
            return condition
        }
    }

    @Test func longChainsAreFlatAndDeepNestingIsRefused() throws {
        guard case .and(let parts) = try converted(chain(500, isNegated: false)).form else {
            Issue.record("no conjunction")
            return
        }
        #expect(parts.count == 501)
        #expect(try converted(chain(100, isNegated: true)) != .constant(true))
        let error = conversionError(chain(300, isNegated: true))
        #expect(error?.code == .tooComplex)
        #expect(error?.node == "Predicate")
    }

    @Test func aConditionOnTooManyElementsIsRefused() {
        let numbers = 1...1_000_000
        let error = conversionError(
            #Predicate { quake in numbers.allSatisfy { $0 < quake.reports } })
        #expect(error?.code == .tooComplex)
    }
}
