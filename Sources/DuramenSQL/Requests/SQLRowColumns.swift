package import DuramenModel

/// The columns that a statement selects from the table `t0` for the rows of entities, and the slots
/// that they fill.
///
/// Sub-entities share columns. So each entity has its own steps, and a column is selected once.
package struct SQLRowColumns: Sendable {
    /// A column of the statement and its slot.
    package struct Step: Sendable, Hashable {
        /// The slot.
        package let slot: Int
        /// The index of the column in the statement.
        package let column: Int
        /// The kind of the slot.
        package let kind: SlotKind
    }

    /// The steps of one entity.
    package struct EntitySteps: Sendable {
        /// The entity.
        package let entity: EntityID
        /// The steps, in the order of slots.
        package let steps: [Step]
    }

    /// The selected columns, first those given to the initialiser.
    package private(set) var columns: [String]
    /// The steps of each entity.
    package private(set) var entities: [EntitySteps] = []

    /// The columns with commas.
    package var text: String { columns.joined(separator: ", ") }

    /// Creates the list.
    ///
    /// - Parameters:
    ///   - entities: The entities to read, all of one table.
    ///   - mapping: The tables.
    ///   - slots: The slots to read; nil for all. Each column that an entity reads is read for all.
    ///   - first: The first columns, such as the key, the entity number and the version.
    package init(
        _ entities: [EntityID], in mapping: some SQLMapping, slots: SlotSet? = nil,
        first: [String]
    ) {
        columns = first
        let model = mapping.model
        // Names that only look alike are columns of their own.
        var wanted: Set<StoredText> = []
        if let slots {
            for id in entities {
                for slot in model[id].layout.kinds.indices where slots.contains(slot) {
                    wanted.insert(StoredText(mapping.column(slot: slot, of: id)))
                }
            }
        }
        var used: [StoredText: Int] = [:]
        for id in entities {
            var steps: [Step] = []
            for (slot, kind) in model[id].layout.kinds.enumerated()
            where mapping.hasColumn(slot: slot, of: id) {
                let column = mapping.column(slot: slot, of: id)
                let key = StoredText(column)
                if slots != nil, !wanted.contains(key) { continue }
                if used[key] == nil {
                    used[key] = columns.count
                    columns.append("t0.\(column)")
                }
                steps.append(Step(slot: slot, column: used[key] ?? 0, kind: kind))
            }
            self.entities.append(EntitySteps(entity: id, steps: steps))
        }
    }
}
