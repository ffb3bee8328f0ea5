import DuramenQuery
public import Foundation
import Testing

// A predicate holds what can be encoded, and not every platform's expressions can.
extension Foundation.Expression: @retroactive Encodable {
    public func encode(to encoder: any Encoder) throws { throw CancellationError() }
}

extension Foundation.Expression: @retroactive Decodable {
    public init(from decoder: any Decoder) throws { throw CancellationError() }
}

@Suite struct ExpressionConversionTests {
    @Test func aCapturedExpressionIsAskedOfItsArguments() throws {
        let half = #Expression<Sighting.Quake, Int> { $0.reports / 2 }
        let predicate = SightingPredicate { quake in
            PredicateExpressions.build_Comparison(
                lhs: PredicateExpressions.build_evaluate(
                    PredicateExpressions.build_Arg(half), quake),
                rhs: PredicateExpressions.build_Arg(3), op: .greaterThan)
        }
        #expect(try converted(predicate) == FetchPredicate("reports / 2 > 3"))
    }
}
