import DuramenModel

/// The values of a fault that a fetch of some properties loaded.
final class PartialValues {
    /// A row in which only ``slots`` are valid.
    let row: Row
    let slots: SlotSet

    init(_ row: Row, _ slots: SlotSet) {
        self.row = row
        self.slots = slots
    }
}

extension ManagedObject {
    /// Returns the row of fetched values of a fault that has a slot; nil if the slot was not
    /// fetched.
    final func partialRow(with slot: Int) -> Row? {
        guard let partial = extra?.partial, partial.slots.contains(slot) else { return nil }
        return partial.row
    }

    /// Returns the row of fetched values of a fault that has a property; nil if the property was
    /// not fetched.
    final func partialRow(of property: Property) -> Row? {
        switch property {
        case .attribute(let attribute): partialRow(with: attribute.slot)
        case .relationship(let relationship): relationship.slot.flatMap(partialRow)
        }
    }

    /// Returns a row that has some slots, and loads it if needed; nil if that fails.
    final func rowToRead(_ slots: Range<Int>) -> Row? {
        if let row { return row }
        if let partial = extra?.partial, slots.allSatisfy(partial.slots.contains) {
            return partial.row
        }
        fireFault(reading: slots.lowerBound)
        return row
    }
}

extension ContextPart {
    /// Returns the object of a row of which some slots were loaded: a fault with these values,
    /// unless the object is in memory.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - slots: The slots that were loaded.
    ///   - isRefreshing: Whether an unchanged object in memory with another version becomes a
    ///     fault.
    func registerPartial(
        _ row: Row, _ slots: SlotSet, isRefreshing: Bool
    ) -> ManagedObject {
        let plan = plans[row.entityID.index]
        guard let known = plan.table.find(row.key) else {
            let made = plan.objectClass.init(
                ManagedObjectRegistration(plan: plan, key: row.key, flags: plan.objectFlags))
            plan.table.insert(made, key: row.key)
            made.takeOver(row, slots)
            return made
        }
        if known.flags.contains(.gone) { return known }
        if known.words != nil {
            guard isRefreshing, !known.hasChanges, known.row?.version != row.version else {
                return known
            }
            events?.recordRefresh(of: known)
            known.turnIntoFault()
        }
        known.takeOver(row, slots)
        return known
    }
}

extension ManagedObject {
    fileprivate final func takeOver(_ row: Row, _ slots: SlotSet) {
        storage = row.storage
        origin = .group
        ensureExtra().partial = PartialValues(row, slots)
    }
}
