import DuramenModel

/// The values that a fetch of some properties read of an object, which is a fault otherwise.
final class PartialValues {
    /// A row of which only ``slots`` are to be read.
    let row: Row
    let slots: SlotSet

    init(_ row: Row, _ slots: SlotSet) {
        self.row = row
        self.slots = slots
    }
}

extension ManagedObject {
    /// The row to read a slot from although the object is a fault; nil when its value was not
    /// fetched.
    final func partialRow(with slot: Int) -> Row? {
        guard let partial = extra?.partial, partial.slots.contains(slot) else { return nil }
        return partial.row
    }

    /// The row to read a property from although the object is a fault; nil when its value was not
    /// fetched.
    final func partialRow(of property: Property) -> Row? {
        switch property {
        case .attribute(let attribute): partialRow(with: attribute.slot)
        case .relationship(let relationship): relationship.slot.flatMap(partialRow)
        }
    }

    /// The row to read some slots from, which is read if need be; nil when that fails.
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
    /// The object of a row of which some slots were read: a fault that has these values, unless the
    /// object is in memory.
    ///
    /// - Parameter isRefreshing: Whether an unchanged object in memory that has another version
    ///   gives up its values.
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
