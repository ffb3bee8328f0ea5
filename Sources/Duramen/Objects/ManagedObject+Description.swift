import DuramenModel

extension ManagedObject: CustomStringConvertible {
    /// The class, the ID, the store and the state, with the number of changed properties; never a
    /// value. Reads no store.
    public var description: String {
        var parts = ["\(type(of: self)) \(objectID) \(state)"]
        if isFault { parts.append("fault") }
        if isInserted { parts.append("inserted") }
        if isDeleted { parts.append("deleted") }
        if isUpdated {
            let count = editedPropertyCount
            parts.append("updated: \(count) \(count == 1 ? "property" : "properties")")
        }
        return "<\(parts.joined(separator: ", "))>"
    }

    /// The store of the object, also after its context is gone.
    private var state: String {
        guard let part = plan.handle.livePart else { return "of a context that is gone" }
        return isInserted ? "not saved yet" : "in '\(part.connection.name)'"
    }

    private var editedPropertyCount: Int {
        let slots = editedSlots
        let toManys = extra?.toManys.isEmpty == false ? Array(plan.toManys.indices) : []
        return plan.entity.attributes.count { slots.contains($0.slot) }
            + plan.entity.relationships.count { relationship in
                guard case .toOne(let slot, let entitySlot) = relationship.storage else {
                    return false
                }
                return slots.contains(slot) || entitySlot.map(slots.contains) == true
            } + toManys.count { extra?.toManys[$0]?.hasEdits == true }
    }
}
