import DuramenModel

/// Evaluates a bound predicate over the rows of a source.
struct Evaluator<Source: EvaluationSource> {
    /// The values of the variables, by their indices.
    typealias Frame = [QueryValue]

    let source: Source
    let model: ManagedObjectModel
    let store: StoreHandle

    init(_ source: Source) {
        self.source = source
        model = source.model
        store = source.store
    }

    func holds(
        _ node: BoundNode, _ row: Row, _ id: ManagedObjectID, _ frame: inout Frame
    ) throws(Source.Failure) -> Bool {
        switch node {
        case .constant(let value): return value
        case .comparison(let comparison): return try holds(comparison, row, id, &frame)
        case .local(let test): return test.holds(row, id, store)
        case .through(let steps, let test, let whenNull):
            guard let (end, endID) = try walk(steps, row, id) else { return whenNull }
            return test(end, endID, store)
        case .member(let left, let list): return list.contains(try value(left, row, id))
        case .operands(let left, let law, .list(let list)):
            return law.holds(try value(left, row, id), list: list)
        case .operands(let left, let law, let right):
            return law.holds(try value(left, row, id), try value(right, row, id))
        case .containsObject(let steps, let relationship, let object):
            guard case .objectID(let sought) = try value(object, row, id),
                let (_, owner) = try walk(steps, row, id)
            else { return false }
            return try source.destinations(of: relationship, from: owner).contains(sought)
        case .not(let inner): return try !holds(inner, row, id, &frame)
        case .and(let parts):
            for part in parts where try !holds(part, row, id, &frame) { return false }
            return true
        case .or(let parts):
            for part in parts where try holds(part, row, id, &frame) { return true }
            return false
        case .quantified(let quantifier, let steps, let relationship, let inner):
            // One object decides: a match for any and none, a mismatch for all.
            let deciding = quantifier != .all
            guard let (_, owner) = try walk(steps, row, id) else { return quantifier != .any }
            for destination in try source.destinations(of: relationship, from: owner) {
                guard let other = try source.row(for: destination) else { continue }
                if try holds(inner, other, destination, &frame) == deciding {
                    return quantifier == .any
                }
            }
            return quantifier != .any
        }
    }

    /// Follows to-ones; returns nil if one is null or its destination is missing.
    func walk(
        _ steps: [BoundReference], _ row: Row, _ id: ManagedObjectID
    ) throws(Source.Failure) -> (Row, ManagedObjectID)? {
        var (row, id) = (row, id)
        for step in steps {
            guard let next = step.destination(row, model, store),
                let nextRow = try source.row(for: next)
            else { return nil }
            (row, id) = (nextRow, next)
        }
        return (row, id)
    }

    private func value(
        _ operand: BoundOperand, _ row: Row, _ id: ManagedObjectID
    ) throws(Source.Failure) -> StoredValue {
        switch operand {
        case .constant(let value): return value
        case .list: return .null
        case .attribute(let steps, let slot, let kind):
            guard let (end, _) = try walk(steps, row, id) else { return .null }
            return end.value(slot, kind)
        case .reference(let steps, let reference):
            guard let (end, _) = try walk(steps, row, id),
                let destination = reference.destination(end, model, store)
            else { return .null }
            return .objectID(destination)
        case .selfObject: return .objectID(id)
        case .count(let steps, let relationship):
            return .integer(Int64(try count(relationship, behind: steps, row, id)))
        }
    }

    /// Returns the number of destinations of a to-many at the end of a path of to-ones.
    func count(
        _ relationship: Relationship, behind steps: [BoundReference], _ row: Row,
        _ id: ManagedObjectID
    ) throws(Source.Failure) -> Int {
        // As under a quantifier, a null to-one has no destinations: the count is 0, not null.
        guard let (_, owner) = try walk(steps, row, id) else { return 0 }
        return try source.destinations(of: relationship, from: owner).count
    }
}
