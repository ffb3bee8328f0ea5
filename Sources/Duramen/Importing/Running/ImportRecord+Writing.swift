import DuramenModel
import Foundation

extension ImportRecord {
    /// Gives the object the values that it does not have yet.
    ///
    /// - Returns: Whether it got any.
    func writeValues() throws -> Bool {
        guard let object else { return false }
        var isChanged = false
        if object.row == nil { try object.load() }
        let own = plan.properties(of: object.plan)
        for (index, value) in values.enumerated() {
            guard let value, let box = own.attributes[index] else { continue }
            let slot = box.property.slot
            if object.holds(value, at: slot) { continue }
            if case .binary(let data) = value, let type = box.property.codableType {
                // The same value may be stored in another form.
                let decoded = try type.value(of: data)
                if let row = object.row, !row.isNull(slot),
                    type.isSame(decoded, as: Data(row.unsafeBytes(slot)))
                {
                    continue
                }
            }
            try object.set(value, of: box.property)
            isChanged = true
        }
        return isChanged
    }

    /// Gives the object the destinations that it does not have yet.
    ///
    /// - Returns: Whether its destinations have changed.
    func writeRelationships() throws -> Bool {
        guard let object else { return false }
        var isChanged = false
        let own = plan.properties(of: object.plan)
        for (index, destination) in toOnes {
            guard let slot = own.relationships[index]?.property.slot,
                let reference = object.plan.references[slot], let row = object.row
            else { continue }
            let target = destination?.object
            if object.destinationID(of: reference, in: row) == target?.objectID { continue }
            object.setToOne(target, at: slot)
            isChanged = true
        }
        for (index, members) in toManys {
            guard let relationship = own.relationships[index]?.property,
                let number = relationship.storage.toManyIndex
            else { continue }
            if write(members.compactMap(\.object).unique, of: relationship, at: number) {
                isChanged = true
            }
        }
        return isChanged
    }

    private func write(
        _ wanted: [ManagedObject], of relationship: Relationship, at number: Int
    ) -> Bool {
        guard let object else { return false }
        let old = object.members(at: number)
        let ids = wanted.map(\.objectID)
        var objects = wanted
        if plan.toMany == .union {
            let known = Set(old)
            let added = wanted.filter { !known.contains($0.objectID) }
            if added.isEmpty { return false }
            if !relationship.isOrdered {
                ToMany<ManagedObject>(owner: object, index: number).append(contentsOf: added)
                return true
            }
            objects = Array(OrderedToMany<ManagedObject>(owner: object, index: number)) + added
        } else if relationship.isOrdered ? ids == old : Set(ids) == Set(old) {
            return false
        }
        if relationship.isOrdered {
            OrderedToMany<ManagedObject>(owner: object, index: number).replace(with: objects)
        } else {
            ToMany<ManagedObject>(owner: object, index: number).replace(with: objects)
        }
        return true
    }
}

extension [ManagedObject] {
    /// Each object once, at its first place.
    fileprivate var unique: [ManagedObject] {
        var seen: Set<ManagedObject> = []
        return filter { seen.insert($0).inserted }
    }
}
