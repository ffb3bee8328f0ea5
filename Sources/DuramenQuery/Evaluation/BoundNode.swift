import DuramenModel

/// A predicate whose names are resolved to slots.
indirect enum BoundNode: Sendable {
    case constant(Bool)
    /// A condition on the object's own row.
    case local(LocalTest)
    /// A condition on the row at the end of to-ones; `whenNull` if the row does not exist.
    case through([BoundReference], RowTest, whenNull: Bool)
    /// A comparison of two operands, for all conditions without a faster form.
    case operands(BoundOperand, ComparisonLaw, BoundOperand)
    /// A lookup of an operand's value in a list.
    case member(BoundOperand, MemberList)
    /// A comparison of two expressions of any form.
    case comparison(BoundComparison)
    /// Whether the to-many at the end of to-ones contains the operand.
    case containsObject([BoundReference], Relationship, BoundOperand)
    case not(BoundNode)
    case and([BoundNode])
    case or([BoundNode])
    case quantified(PredicateQuantifier, [BoundReference], Relationship, BoundNode)

    /// The node as a condition on one row; nil if it needs other rows.
    var rowTest: RowTest? {
        switch self {
        case .local(let test): return test.rowTest
        case .constant(let value): return { _, _, _ in value }
        case .not(let node):
            guard let test = node.rowTest else { return nil }
            return { !test($0, $1, $2) }
        case .and(let nodes): return Self.joined(nodes, by: Self.conjunction)
        case .or(let nodes): return Self.joined(nodes, by: Self.disjunction)
        default: return nil
        }
    }

    private static func joined(_ nodes: [BoundNode], by join: ([RowTest]) -> RowTest) -> RowTest? {
        var tests: [RowTest] = []
        for node in nodes {
            guard let test = node.rowTest else { return nil }
            tests.append(test)
        }
        return tests.count == 1 ? tests[0] : join(tests)
    }

    private static func conjunction(_ tests: [RowTest]) -> RowTest {
        if tests.count == 2 {
            let (first, second) = (tests[0], tests[1])
            return { first($0, $1, $2) && second($0, $1, $2) }
        }
        return { row, id, store in
            for test in tests where !test(row, id, store) { return false }
            return true
        }
    }

    private static func disjunction(_ tests: [RowTest]) -> RowTest {
        if tests.count == 2 {
            let (first, second) = (tests[0], tests[1])
            return { first($0, $1, $2) || second($0, $1, $2) }
        }
        return { row, id, store in
            for test in tests where test(row, id, store) { return true }
            return false
        }
    }
}

/// One side of a comparison, with its names resolved to slots.
enum BoundOperand: Sendable {
    case constant(StoredValue)
    case list([StoredValue])
    case attribute([BoundReference], slot: Int, SlotKind)
    case reference([BoundReference], BoundReference)
    case selfObject
    case count([BoundReference], Relationship)
}
