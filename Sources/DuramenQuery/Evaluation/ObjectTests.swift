import DuramenModel

/// Makes conditions on the identity of an object or of a to-one's destination.
enum ObjectTests {
    /// Returns a condition that compares a to-one with an object, without loading the object.
    static func reference(
        _ reference: BoundReference, isEqual: Bool, to constant: StoredValue,
        in model: ManagedObjectModel
    ) -> RowTest {
        let slot = reference.slot
        guard let id = constant.objectIDValue else {
            return { row, _, _ in row.isNull(slot) == isEqual }
        }
        guard let entity = model.entity(of: id)?.id.index else { return { _, _, _ in !isEqual } }
        return { row, _, store in
            let isSame =
                !row.isNull(slot) && row.integer(slot) == id.key
                && reference.destinationIndex(row) == entity
                && id.store == (id.key < 0 ? .none : store)
            return isSame == isEqual
        }
    }

    /// Returns a condition that a to-one's destination is in a list of objects.
    static func reference(
        _ reference: BoundReference, isIn list: [StoredValue], in model: ManagedObjectModel
    ) -> RowTest {
        let ids = Set(list.compactMap(\.objectIDValue))
        return { row, _, store in
            reference.destination(row, model, store).map { ids.contains($0) } ?? false
        }
    }

    /// Returns a condition that compares the object itself with another.
    static func selfObject(isEqual: Bool, to constant: StoredValue) -> RowTest {
        let other = constant.objectIDValue
        return { _, id, _ in (id == other) == isEqual }
    }

    /// Returns a condition that compares the order of the object and another; false without
    /// another.
    static func selfObject(_ law: ComparisonLaw, _ constant: StoredValue) -> RowTest {
        guard let other = constant.objectIDValue else { return { _, _, _ in false } }
        return { _, id, _ in law.accepts(id == other ? 0 : (id < other ? -1 : 1)) }
    }

    /// Returns a condition that the object itself is in a list.
    static func selfObject(isIn list: [StoredValue]) -> RowTest {
        let ids = Set(list.compactMap(\.objectIDValue))
        return { _, id, _ in ids.contains(id) }
    }
}
