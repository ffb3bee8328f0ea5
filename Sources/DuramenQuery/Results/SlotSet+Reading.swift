import DuramenModel

extension SlotSet {
    /// Creates the set of slots that expressions need of an object's own row, in the rows of all
    /// sub-entities.
    ///
    /// - Returns: Nil if an expression may need any slot.
    init?(readBy expressions: [FetchExpression], of entity: Entity, in model: ManagedObjectModel) {
        self.init()
        var waiting = expressions
        while let expression = waiting.popLast() {
            switch expression.form {
            case .keyPath(let names), .count(let names):
                if let name = names.first { insert(name, of: entity, in: model) }
            case .property, .subquery, .conditional, .anyKey, .variable, .assignment: return nil
            case .constant, .list, .selfObject, .aggregate, .function, .cast:
                waiting += expression.operands
            }
        }
    }

    private mutating func insert(_ name: String, of entity: Entity, in model: ManagedObjectModel) {
        switch entity.property(named: name) {
        case .attribute(let attribute)?: insert(attribute.slot)
        case .relationship(let relationship)?:
            // The slot of a to-one's destination entity differs between sub-entities.
            for member in entity.family {
                guard
                    case .toOne(let slot, let entitySlot)? =
                        model[member].relationship(relationship.id)?.storage
                else { continue }
                insert(slot)
                if let entitySlot { insert(entitySlot) }
            }
        case nil: break
        }
    }
}
