import DuramenModel

/// The columns that have the values of one property before and after a change.
struct KeptColumns {
    private struct Place: Hashable {
        let table: Int
        let column: Int
    }

    /// A value that the rows of some entities have in a column.
    struct Constant {
        let value: StoredValue
        /// The entities of the new model.
        let entities: [EntityID]
        /// Whether no other entity of the table has rows.
        let isForAllRows: Bool
    }

    /// The name of each column that stays, by its property.
    private(set) var names: [KnownNames.Place: String] = [:]
    private var sources: [Place: Place] = [:]
    private var constants: [Place: Constant] = [:]

    init?(_ change: SchemaChange, _ old: PostgresSchema, _ new: PostgresSchema) {
        var users: [Place: Set<EntityID>] = [:]
        for entity in change.source.entities {
            let map = old.entities[entity.id.index]
            for column in map.columns {
                users[Place(table: map.table, column: column), default: []].insert(entity.id)
            }
        }
        var mapped: [Place: Set<EntityID>] = [:]
        var values: [Place: [(entity: EntityID, value: StoredValue)]] = [:]
        for entity in change.source.entities {
            guard let rows = change.rows[entity.id.index] else { continue }
            let (before, after) = (old.entities[entity.id.index], new.entities[rows.entity.index])
            for (slot, source) in rows.sources.enumerated() {
                let place = Place(table: after.table, column: after.columns[slot])
                let from: Int
                switch source {
                case .value(let value):
                    values[place, default: []].append((entity.id, value))
                    continue
                case .slot(let slot, nil, .null), .order(let slot): from = slot
                // The entity of the destination must not go.
                case .reference(let slot, _, let destination)
                where change.targetEntity(destination) != nil:
                    from = slot
                case .referenceEntity(_, let slot?, let destination)
                where change.targetEntity(destination) != nil:
                    from = slot
                case .slot, .reference, .referenceEntity, .derived: return nil
                }
                let source = Place(table: before.table, column: before.columns[from])
                guard sources.updateValue(source, forKey: place) ?? source == source,
                    old.tables[source.table].columns[source.column].kind
                        == new.tables[place.table].columns[place.column].kind
                else { return nil }
                mapped[source, default: []].insert(entity.id)
            }
        }
        // A column has the values of one new property, for all entities that had the old one.
        guard Set(sources.values).count == sources.count,
            mapped.allSatisfy({ users[$0.key] == $0.value })
        else { return nil }
        for (place, values) in values {
            if let source = sources[place] {
                // The others have null there, as they have nothing else.
                let isNull = values.allSatisfy {
                    $0.value.isNull && users[source]?.contains($0.entity) != true
                }
                if !isNull { return nil }
                continue
            }
            let value = values[0].value
            guard values.allSatisfy({ $0.value == value }) else { return nil }
            if value.isNull { continue }
            let rows = change.source.entities.count {
                change.targetEntity($0.id).map { new.entities[$0.index].table } == place.table
            }
            constants[place] = Constant(
                value: value, entities: values.compactMap { change.targetEntity($0.entity) },
                isForAllRows: values.count == rows)
        }
        for (place, source) in sources {
            let column = new.tables[place.table].columns[place.column]
            let name = KnownNames.Place(
                new.model[column.entity].name, column.property, column.part.rawValue)
            names[name] = old.tables[source.table].columns[source.column].name
        }
    }

    /// Whether a column of an old table stays.
    func isKept(_ table: Int, _ column: Int) -> Bool {
        sources.values.contains(Place(table: table, column: column))
    }

    /// Whether a column of a new table is one that stays.
    func isOld(_ table: Int, _ column: Int) -> Bool {
        sources[Place(table: table, column: column)] != nil
    }

    /// The value of an added column; nil for null.
    func constant(_ table: Int, _ column: Int) -> Constant? {
        constants[Place(table: table, column: column)]
    }
}
