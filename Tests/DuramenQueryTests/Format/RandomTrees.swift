import DuramenModel
import DuramenQuery
import Foundation

/// Makes any predicate that format strings can say, sensible or not.
struct RandomTrees {
    var random: SeededGenerator

    private mutating func number(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[number(elements.count)]
    }

    mutating func predicate(_ depth: Int) -> FetchPredicate {
        switch depth <= 0 ? number(3) : number(9) {
        case 0: return .constant(number(2) == 0)
        case 1, 2, 3: return .comparison(comparison(depth))
        case 4: return .not(predicate(depth - 1))
        case 5: return .and((0..<(2 + number(2))).map { _ in predicate(depth - 1) })
        case 6: return .or((0..<(2 + number(2))).map { _ in predicate(depth - 1) })
        default:
            return .quantified(
                pick(PredicateQuantifier.allCases), keyPath: path(), predicate(depth - 1))
        }
    }

    private mutating func comparison(_ depth: Int) -> PredicateComparison {
        PredicateComparison(
            expression(depth - 1), pick(PredicateComparison.Operator.allCases),
            expression(depth - 1),
            options: .init(rawValue: number(3) == 0 ? UInt8(number(16)) : 0),
            quantifier: number(4) == 0 ? pick(PredicateQuantifier.allCases) : nil)
    }

    private mutating func path() -> [String] {
        let names = [
            "a", "items", "in", "SELF", "self", "first", "odd name", "größe", "count", "sum", "now",
            "x\"y",
            "7", "TRUE", "@count", "a'b", "uppercase", "entity", "CAST",
        ]
        return (0..<(1 + number(3))).map { _ in pick(names) }
    }

    mutating func expression(_ depth: Int) -> FetchExpression {
        switch depth <= 0 ? number(7) : number(16) {
        case 0, 1: return .constant(value())
        case 2: return .list((0..<number(4)).map { _ in value() })
        case 3: return .keyPath(path())
        case 4: return pick([.selfObject, .anyKey])
        case 5: return .count(keyPath: path())
        case 6: return .variable(pick(["x", "yes", "IN"]))
        case 7:
            return .aggregate((0..<(1 + number(3))).map { _ in expression(depth - 1) })
        case 8: return .property(expression(depth - 1), path())
        case 9:
            return .subquery(expression(depth - 1), variable: "v", predicate(depth - 1))
        case 10:
            return .conditional(predicate(depth - 1), expression(depth - 1), expression(depth - 1))
        case 11: return .cast(expression(depth - 1), pick(FetchCast.allCases))
        case 12: return .assignment("w", expression(depth - 1))
        default:
            let function = pick(FetchFunction.allCases)
            let arity = function.arity
            let count = arity.lowerBound + (arity.upperBound == .max ? number(3) : 0)
            return .function(function, (0..<count).map { _ in expression(depth - 1) })
        }
    }

    private mutating func value() -> StoredValue {
        pick([
            .null, .integer(0), .integer(-7), .integer(.max), .integer(.min), .double(0),
            .double(-2.5),
            .double(1e300), .double(.infinity), .double(-.infinity),
            .double(.leastNonzeroMagnitude), .double(3),
            .decimal(Decimal(string: "-12.50") ?? 0),
            .decimal(Decimal(string: "9223372036854775808") ?? 0), .boolean(true),
            .boolean(false), .text(""), .text("a'b\"c\\d\n\u{0}\u{7F}%@$x"),
            .text("e\u{301}\u{1F600}"),
            .date(Date(timeIntervalSinceReferenceDate: -1.5)), .binary(Data()),
            .binary(Data([0, 255])),
            .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))),
            .uri("http://a/'\"b"),
            .objectID(
                ManagedObjectID(
                    store: StoreHandle(
                        uuid: UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))),
                    entity: EntityHandle(name: "Quake"), key: 7)),
        ])
    }
}
