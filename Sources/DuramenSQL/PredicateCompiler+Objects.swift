import DuramenModel
import DuramenQuery

extension PredicateCompiler {
    /// A comparison of a to-one with an object or null.
    mutating func reference(
        _ reference: SQLReference, _ relation: PredicateComparison.Operator,
        _ value: StoredValue, _ strict: Bool
    ) -> String? {
        guard relation == .equal || relation == .notEqual else { return nil }
        let negated = relation == .notEqual
        switch value {
        case .null:
            if let presence = reference.presence { return negated ? presence : "(NOT \(presence))" }
            return negated ? "(\(reference.key) IS NOT NULL)" : "(\(reference.key) IS NULL)"
        case .objectID(let id):
            guard id.store == mapping.store, let wanted = entityCondition(reference, id)
            else { return dialect.truth(negated) }
            let text = reference.present("\(reference.key) = \(placeholder(keyOf: id))\(wanted)")
            if negated { return "(NOT \(dialect.isTrue(text)))" }
            return nullIsFalse(text, strict)
        default: return nil
        }
    }

    /// ` AND …` for a to-one to refer to an object's entity; nil if the to-one does not accept it.
    func entityCondition(_ reference: SQLReference, _ id: ManagedObjectID) -> String? {
        let destination = reference.destination
        guard let entity = mapping.model.entity(of: id),
            mapping.model[destination].family.contains(entity.id)
        else { return nil }
        guard let column = reference.entity else { return entity.id == destination ? "" : nil }
        let base = mapping.number(of: destination)
        return " AND \(dialect.ifNull(column, String(base))) = \(mapping.number(of: entity.id))"
    }

    /// The objects of this store, grouped by entity; other values match nothing.
    func group(_ values: [StoredValue]) -> [(ManagedObjectID, [Int64])] {
        var groups: [(ManagedObjectID, [Int64])] = []
        for case .objectID(let id) in values where id.store == mapping.store {
            if let place = groups.firstIndex(where: { $0.0.entityHandle == id.entityHandle }) {
                groups[place].1.append(id.key)
            } else {
                groups.append((id, [id.key]))
            }
        }
        return groups
    }

    /// A comparison of the object itself with objects: never null.
    mutating func itself(
        _ values: [StoredValue], _ scope: SQLScope, _ relation: PredicateComparison.Operator
    ) -> String? {
        guard relation == .equal || relation == .notEqual else { return nil }
        for value in values {
            switch value {
            case .objectID, .null: continue
            default: return nil
            }
        }
        var parts: [String] = []
        for (id, keys) in group(values) {
            guard let entity = mapping.model.entity(of: id) else { continue }
            guard let found = found(id, keys, isOnly: values.count == 1, scope) else { return nil }
            let kind = dialect.hint("\(scope.alias).\(mapping.entityColumn)")
            parts.append("(\(found) AND \(kind) = \(mapping.number(of: entity.id)))")
        }
        let text =
            parts.isEmpty ? dialect.truth(false) : "(" + parts.joined(separator: " OR ") + ")"
        return relation == .equal ? text : "(NOT \(text))"
    }

    /// A condition that the object has one of some keys; nil for too many.
    private mutating func found(
        _ id: ManagedObjectID, _ keys: [Int64], isOnly: Bool, _ scope: SQLScope
    ) -> String? {
        let column = "\(scope.alias).\(mapping.keyColumn)"
        if isOnly { return "\(column) = \(placeholder(keyOf: id))" }
        guard let last = keys.last else { return nil }
        // Filled up with the last key instead of null, which would make the condition null.
        return member(column, keys.map { .integer($0) }, .bigint, filler: .integer(last))
    }

    /// A comparison of the object itself with an object, by key, then by entity and store: never
    /// null.
    mutating func itself(
        _ relation: PredicateComparison.Operator, _ id: ManagedObjectID, _ scope: SQLScope
    ) -> String? {
        guard let symbol = Self.symbol(relation) else { return nil }
        let key = "\(scope.alias).\(mapping.keyColumn)"
        let numbers = entities(at: id, relation, scope).map { String(mapping.number(of: $0)) }
        if numbers.isEmpty { return "(\(key) \(symbol.prefix(1)) \(placeholder(keyOf: id)))" }
        let (low, same) = (placeholder(keyOf: id), placeholder(keyOf: id))
        // The bound of the key is a separate condition, so that the table is searched by it.
        let kind = dialect.hint("\(scope.alias).\(mapping.entityColumn)")
        return "(\(key) \(symbol.prefix(1))= \(low) AND (\(key) <> \(same) OR "
            + "\(kind) IN (\(numbers.joined(separator: ", ")))))"
    }

    /// The entities whose objects with an equal key satisfy the comparison. A key is unique in a
    /// table, but the compared ID may have another entity or store.
    func entities(
        at id: ManagedObjectID, _ relation: PredicateComparison.Operator, _ scope: SQLScope
    ) -> [EntityID] {
        mapping.model[scope.entity].family.filter { entity in
            let other = ManagedObjectID(
                store: mapping.store, entity: mapping.model[entity].handle, key: id.key)
            switch relation {
            case .less: return other < id
            case .lessOrEqual: return other < id || other == id
            case .greater: return id < other
            default: return id < other || other == id
            }
        }
    }

    /// Whether a to-many relationship contains an object.
    mutating func membership(
        _ relationship: Relationship, _ owner: String, _ relation: PredicateComparison.Operator,
        _ value: StoredValue, _ strict: Bool
    ) -> String? {
        guard relation == .contains else { return nil }
        switch value {
        case .null: return dialect.truth(false)
        case .objectID:
            guard let (scope, from, link) = destinations(of: relationship, owner: owner),
                let condition = itself([value], scope, .equal)
            else { return nil }
            return "EXISTS (SELECT 1 FROM \(from) WHERE \(link) AND \(condition))"
        default: return nil
        }
    }

    mutating func quantified(
        _ quantifier: PredicateQuantifier, _ path: [String], _ inner: FetchPredicate,
        _ scope: inout SQLScope
    ) -> String? {
        guard case .toMany(let owner, let relationship)? = target(of: path, &scope),
            let (found, from, link) = destinations(of: relationship, owner: owner)
        else { return nil }
        var nested = found
        guard let condition = condition(inner, &nested, strict: quantifier == .all) else {
            return nil
        }
        let wanted = quantifier == .all ? "(NOT \(condition))" : condition
        let exists = "EXISTS (SELECT 1 FROM \(from)\(nested.joins) WHERE \(link) AND \(wanted))"
        return quantifier == .any ? exists : "(NOT \(exists))"
    }
}
