import DuramenModel

extension Evaluator {
    /// Returns the candidates of a group for which a node is true. Each row is evaluated no further
    /// than it would be alone.
    func matches(
        _ node: BoundNode, _ group: RowGroup, _ candidates: UInt64, variableCount: Int
    ) throws(Source.Failure) -> UInt64 {
        var rest = candidates
        switch node {
        case .constant(let value): return value ? candidates : 0
        case .local(let test): return test.matches(group, candidates)
        case .not(let inner):
            return try candidates
                & ~matches(inner, group, candidates, variableCount: variableCount)
        case .and(let parts):
            for part in parts where rest != 0 {
                rest = try matches(part, group, rest, variableCount: variableCount)
            }
            return rest
        case .or(let parts):
            for part in parts where rest != 0 {
                rest &= try ~matches(part, group, rest, variableCount: variableCount)
            }
            return candidates & ~rest
        default:
            return try group.filter(candidates) { row throws(Source.Failure) in
                var frame = Frame(repeating: .null, count: variableCount)
                return try holds(node, row, group.id(of: row), &frame)
            }
        }
    }
}
