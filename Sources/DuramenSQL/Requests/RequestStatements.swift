package import DuramenModel

/// The statements for rows by keys, and for the destinations of to-manys.
///
/// The keys are a list as ``SQLDialect/member(_:_:)`` takes it: one array, or placeholders with
/// commas.
package struct RequestStatements<Mapping: SQLMapping, Dialect: SQLDialect> {
    private let mapping: Mapping
    private let dialect: Dialect

    /// Creates the statements of a store's tables.
    package init(mapping: Mapping, dialect: Dialect) {
        self.mapping = mapping
        self.dialect = dialect
    }

    /// The keys as one array, the first parameter; only in dialects with arrays.
    package var keys: String { dialect.placeholder(1, .list(.bigint)) }

    /// Returns the statement that selects the rows with keys, in the order of the keys.
    ///
    /// - Parameters:
    ///   - columns: The columns of the table `t0`.
    ///   - entity: An entity of the table.
    ///   - keys: The keys.
    package func rows(_ columns: String, of entity: EntityID, keys: String) -> String {
        let key = "t0.\(mapping.keyColumn)"
        return "SELECT \(columns) FROM \(mapping.table(of: entity)) AS t0 "
            + "WHERE \(dialect.member(key, keys)) ORDER BY \(key)"
    }

    /// Returns the statement that selects the destinations of the owners with keys.
    ///
    /// Its columns are the key and the entity number of the owner, those of the destination, and
    /// for an ordered to-many the order number. It is ordered by owner, then by destination.
    /// - Parameters:
    ///   - relationship: A to-many.
    ///   - keys: The keys of the owners.
    /// - Returns: Empty for a to-many without a column or pairs, which a model does not have.
    package func destinations(of relationship: RelationshipID, keys: String) -> String {
        let own = mapping.model[relationship]
        let (key, kind) = (mapping.keyColumn, mapping.entityColumn)
        let numbers = mapping.model[own.destination].family.map {
            String(mapping.number(of: $0))
        }
        let (joins, order) = joins(own)
        return "SELECT o.\(key), o.\(kind), d.\(key), d.\(kind)\(order) "
            + "FROM \(mapping.table(of: own.declaringEntity)) AS o \(joins) "
            + "WHERE \(dialect.member("o.\(key)", keys)) "
            + "AND d.\(kind) IN (\(numbers.joined(separator: ", "))) ORDER BY o.\(key), d.\(key)"
    }

    /// The joins after the owner's table, and the column of the order number.
    private func joins(_ own: Relationship) -> (joins: String, order: String) {
        let inverse = mapping.model[own.inverse]
        let destination = mapping.table(of: own.destination)
        let (key, join) = (mapping.keyColumn, dialect.nestedJoin)
        if let pairs = mapping.pairs(of: own.id) {
            return (
                "\(join) \(pairs.source) AS p ON p.\(pairs.ownerColumn) = o.\(key) "
                    + "\(join) \(destination) AS d ON d.\(key) = p.\(pairs.destinationColumn)",
                pairs.orderColumn.map { ", p.\($0)" } ?? ""
            )
        }
        guard case .toOne(let slot, let entitySlot) = inverse.storage else { return ("", "") }
        let entity = inverse.declaringEntity
        func column(_ slot: Int) -> String { "d." + mapping.column(slot: slot, of: entity) }
        var joins = "\(join) \(destination) AS d ON \(column(slot)) = o.\(key)"
        if let entitySlot, mapping.hasColumn(slot: entitySlot, of: entity) {
            let number = String(mapping.number(of: own.declaringEntity))
            joins +=
                " AND \(dialect.ifNull(column(entitySlot), number)) = o.\(mapping.entityColumn)"
        }
        return (joins, inverse.orderSlot.map { ", " + column($0) } ?? "")
    }
}
