import DuramenModel

/// A predicate whose names have become slots.
indirect enum BoundNode: Sendable {
    case constant(Bool)
    /// Reads the object's own row.
    case local(LocalTest)
    /// Reads the row at the end of some to-ones; `whenNull` where there is none.
    case through([BoundReference], RowTest, whenNull: Bool)
    /// Compares what two operands give; for all that has no faster form.
    case operands(BoundOperand, ComparisonLaw, BoundOperand)
    /// Looks what an operand gives up in a list.
    case member(BoundOperand, MemberList)
    /// Compares what two expressions of any form give.
    case comparison(BoundComparison)
    /// Whether the to-many at the end of some to-ones leads to the operand.
    case containsObject([BoundReference], Relationship, BoundOperand)
    case not(BoundNode)
    case and([BoundNode])
    case or([BoundNode])
    case quantified(PredicateQuantifier, [BoundReference], Relationship, BoundNode)

    /// The node as a condition on one row; nil when it reads others.
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

/// One side of a comparison, whose names have become slots.
enum BoundOperand: Sendable {
    case constant(StoredValue)
    case list([StoredValue])
    case attribute([BoundReference], slot: Int, SlotKind)
    case reference([BoundReference], BoundReference)
    case selfObject
    case count([BoundReference], Relationship)
}
