package import DuramenModel

/// A to-one relationship in the tables of one engine.
struct SQLReference {
    /// The column of the key.
    var key: String
    /// The column of the entity number.
    var entity: String?
    /// The relationship's destination, used when the number is missing.
    var destination: EntityID
    /// A condition that the object exists; nil if all references are valid.
    var presence: String?

    /// A condition on key and entity that must not hold for a missing object.
    func present(_ condition: String) -> String {
        presence.map { "(\(condition) AND \($0))" } ?? condition
    }
}

/// The property at the end of a key path.
enum SQLTarget {
    case attribute(column: String, kind: SlotKind)
    /// An attribute whose column only shows whether it has a value.
    case presence(column: String)
    case toOne(SQLReference)
    /// A to-many of the object in the table named `owner`.
    case toMany(owner: String, Relationship)
}

extension PredicateCompiler {
    /// Resolves a path, joining the tables of its to-ones; nil if it does not fit the model.
    mutating func target(of path: [String], _ scope: inout SQLScope) -> SQLTarget? {
        guard let last = path.last,
            let (alias, entity) = table(at: Array(path.dropLast()), &scope)
        else { return nil }
        switch mapping.model[entity].property(named: last) {
        case .attribute(let attribute)?:
            let column = column(attribute.slot, entity, alias)
            if mapping.isComparable(slot: attribute.slot, of: entity) {
                return .attribute(column: column, kind: attribute.kind)
            }
            return mapping.showsPresence ? .presence(column: column) : nil
        case .relationship(let relationship)?:
            guard case .toOne(let slot, let entitySlot) = relationship.storage else {
                return .toMany(owner: alias, relationship)
            }
            comparedToOnes.append(SQLToOne(entity: entity, slot: slot))
            let key = column(slot, entity, alias)
            return .toOne(
                SQLReference(
                    key: key, entity: entitySlot.map { column($0, entity, alias) },
                    destination: relationship.destination,
                    presence: mapping.hasDanglingReferences
                        ? presence(of: key, relationship.destination) : nil))
        case nil: return nil
        }
    }

    private func presence(of key: String, _ destination: EntityID) -> String {
        let family = mapping.model[destination].family.map { String(mapping.number(of: $0)) }
        return "EXISTS (SELECT 1 FROM \(mapping.table(of: destination)) AS r "
            + "WHERE r.\(mapping.keyColumn) = \(key) "
            + "AND r.\(mapping.entityColumn) IN (\(family.joined(separator: ", "))))"
    }

    func column(_ slot: Int, _ entity: EntityID, _ alias: String) -> String {
        alias + "." + mapping.column(slot: slot, of: entity)
    }

    /// The table at the end of a path of to-ones.
    mutating func table(
        at path: [String], _ scope: inout SQLScope
    ) -> (alias: String, entity: EntityID)? {
        if path.isEmpty { return (scope.alias, scope.entity) }
        let names = path.map { StoredText($0) }
        if let known = scope.joined[names] { return known }
        if path.count > Self.mostJoins || scope.joined.count >= Self.mostJoins { return nil }
        guard let step = path.last, let (alias, entity) = table(at: path.dropLast(), &scope),
            case .relationship(let relationship)? = mapping.model[entity].property(named: step),
            case .toOne(let slot, let entitySlot) = relationship.storage
        else { return nil }
        let next = nextAlias()
        let number = String(mapping.number(of: relationship.destination))
        let wanted =
            entitySlot.map { dialect.ifNull(column($0, entity, alias), number) } ?? number
        // A reference to a missing row, or to one of another entity, counts as null, as in the
        // evaluator.
        scope.joins +=
            " LEFT JOIN \(mapping.table(of: relationship.destination)) AS \(next)"
            + " ON \(next).\(mapping.keyColumn) = \(column(slot, entity, alias))"
            + " AND \(next).\(mapping.entityColumn) = \(wanted)"
        let found = (alias: next, entity: relationship.destination)
        scope.joined[names] = found
        return found
    }

    /// The largest number of to-ones that a statement, or a subselect of it, follows. SQLite joins
    /// up to 64 tables (limits.html); some are left for the rows themselves and for pairs.
    package static var mostJoins: Int { 60 }

    /// The paths of to-ones that the top-level conditions and the order follow.
    package var joinedPaths: some Collection<[StoredText]> { root.joined.keys }

    // MARK: - To-manys

    /// `FROM …` with the condition that joins an owner's row with its destinations.
    mutating func destinations(
        of relationship: Relationship, owner: String
    ) -> (scope: SQLScope, from: String, link: String)? {
        let alias = nextAlias()
        let destination = mapping.table(of: relationship.destination)
        let family = mapping.model[relationship.destination].family
        let scope = SQLScope(alias: alias, entity: relationship.destination)
        // A condition that all rows meet would keep the engine from using only an index.
        let kind =
            mapping.coversTable(family)
            ? ""
            : " AND \(dialect.hint("\(alias).\(mapping.entityColumn)")) IN (\(numbers(of: family)))"
        if let pairs = mapping.pairs(of: relationship.id) {
            let pair = nextAlias()
            return (
                scope,
                "\(pairs.source) AS \(pair) JOIN \(destination) AS \(alias)"
                    + " ON \(alias).\(mapping.keyColumn) = \(pair).\(pairs.destinationColumn)",
                "\(pair).\(pairs.ownerColumn) = \(owner).\(mapping.keyColumn)\(kind)"
            )
        }
        let inverse = mapping.model[relationship.inverse]
        guard case .toOne(let slot, let entitySlot) = inverse.storage else { return nil }
        comparedToOnes.append(SQLToOne(entity: inverse.declaringEntity, slot: slot))
        var link = "\(column(slot, inverse.declaringEntity, alias)) = \(owner).\(mapping.keyColumn)"
        if let entitySlot, mapping.hasColumn(slot: entitySlot, of: inverse.declaringEntity) {
            let number = mapping.number(of: relationship.declaringEntity)
            let kind = dialect.ifNull(
                column(entitySlot, inverse.declaringEntity, alias), String(number))
            link += " AND \(kind) = \(owner).\(mapping.entityColumn)"
        }
        return (scope, "\(destination) AS \(alias)", link + kind)
    }

    private func numbers(of entities: [EntityID]) -> String {
        entities.map { String(mapping.number(of: $0)) }.joined(separator: ", ")
    }
}
