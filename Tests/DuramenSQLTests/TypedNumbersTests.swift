import DuramenModel
import DuramenQuery
import DuramenSQL
import Foundation
import Testing

/// Numbers in the types of columns compare as the evaluator compares them.
@Suite struct TypedNumbersTests {
    private static let wholes: [Int64] = [
        .min, .min + 1, -32_768, -1, 0, 1, 2, 3, 32_767, 32_768, 1 << 53 - 1, 1 << 53,
        1 << 53 + 1, 1 << 53 + 2, .max - 512, .max - 1, .max,
    ]
    private static let doubles: [Double] = [
        -.infinity, -1e300, -0x1p63, -0x1p53, -2.5, -1, -0.0, 0, 0.5, 1, 2, 2.5, 3, 32_767.5,
        0x1p53, 0x1p53 + 2, 0x1p63.nextDown, 0x1p63, 1e300, .infinity,
    ]
    private static let constants: [StoredValue] =
        wholes.map { .integer($0) } + doubles.map { .double($0) }
        + [.boolean(false), .boolean(true), .decimal(3), .decimal(2.5), .decimal(-1)]
        + [.decimal(Decimal(Int64.max)), .decimal(Decimal(1 << 53 + 1)), .double(.nan)]
    private static let columns: [(SlotKind, [StoredValue])] = [
        (.integer, wholes.map { .integer($0) }),
        (.boolean, [.boolean(false), .boolean(true)]),
        (.double, doubles.map { .double($0) }),
        (.float, doubles.map { .double(Double(Float($0))) }),
        (.decimal, [.decimal(0), .decimal(2.5), .decimal(3), .decimal(Decimal(1 << 53 + 1))]),
    ]
    private static let relations: [PredicateComparison.Operator] = [
        .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
    ]

    @Test func comparisonsHaveTheEvaluatorsAnswers() {
        var decided = 0
        for (kind, values) in Self.columns {
            for relation in Self.relations {
                let evaluator = PreparedComparison(relation, [])
                for constant in Self.constants {
                    guard let test = TypedNumbers.test(kind, relation, constant) else { continue }
                    decided += 1
                    for value in values + [.null] {
                        #expect(
                            answer(value, kind, test, constant)
                                == evaluator.holds(.value(value), .value(constant)),
                            "\(kind) \(value) \(relation) \(constant): \(test)")
                    }
                }
            }
        }
        #expect(decided > 1_000)
    }

    @Test func commonComparisonsAreDecided() {
        for (kind, _) in Self.columns {
            for constant in Self.wholes.map({ StoredValue.integer($0) }) + [.boolean(true)] {
                #expect(TypedNumbers.test(kind, .less, constant) != nil, "\(kind) \(constant)")
            }
        }
        for double in Self.doubles {
            for kind in [SlotKind.integer, .boolean, .double, .float] {
                #expect(TypedNumbers.test(kind, .less, .double(double)) != nil)
            }
        }
        #expect(TypedNumbers.test(.decimal, .less, .double(0.5)) == nil)
        #expect(TypedNumbers.test(.integer, .less, .double(.nan)) == nil)
        #expect(TypedNumbers.test(.integer, .less, .text("1")) == nil)
    }

    /// The answer of an engine that compares values of one type.
    private func answer(
        _ value: StoredValue, _ kind: SlotKind, _ test: TypedNumbers.Test, _ constant: StoredValue
    ) -> Bool {
        switch test {
        case .nothing: return false
        case .everyRow: return true
        case .everyNumber: return !value.isNull
        case .direct(let relation):
            return compare(value, kind, relation, TypedNumbers.parameter(of: constant, kind))
        case .bound(let relation, let bound): return compare(value, kind, relation, bound)
        }
    }

    private func compare(
        _ value: StoredValue, _ kind: SlotKind, _ relation: PredicateComparison.Operator,
        _ bound: SQLParameter?
    ) -> Bool {
        if value.isNull { return relation == .notEqual }
        switch (TypedNumbers.parameter(of: value, kind), bound) {
        case (.integer(let a)?, .integer(let b)?): return holds(a, relation, b)
        case (.double(let a)?, .double(let b)?): return holds(a, relation, b)
        case (.decimal(let a)?, .decimal(let b)?): return holds(a, relation, b)
        default:
            Issue.record("The types of a comparison differ: \(value) \(String(describing: bound))")
            return false
        }
    }

    private func holds<T: Comparable>(
        _ a: T, _ relation: PredicateComparison.Operator, _ b: T
    ) -> Bool {
        switch relation {
        case .equal: a == b
        case .notEqual: a != b
        case .less: a < b
        case .lessOrEqual: a <= b
        case .greater: a > b
        default: a >= b
        }
    }
}
