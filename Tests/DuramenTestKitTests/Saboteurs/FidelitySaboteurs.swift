import DuramenModel
import DuramenQuery
import DuramenStore
import DuramenTestKit
import Foundation

extension SaboteurEntry {
    static let fidelitySaboteurs: [SaboteurEntry] = [
        SaboteurEntry(.atomicity, EndsTextsAtNUL.self),
        SaboteurEntry(.atomicity, ComposesTexts.self),
        SaboteurEntry(.atomicity, KeepsNumbersAsFloats.self),
        SaboteurEntry(.atomicity, KeepsDatesToTheMillisecond.self),
        SaboteurEntry(.atomicity, TakesZeroForNull.self),
        SaboteurEntry(.atomicity, DropsFragmentsOfURIs.self),
        SaboteurEntry(.atomicity, HasNoInfinity.self),
        SaboteurEntry(.atomicity, ForgetsEntitiesOfReferences.self),
        SaboteurEntry(.atomicity, ReadsRelationshipsFromOneSide.self),
        SaboteurEntry(.atomicity, KeepsOneSideOfAOneToOne.self),
        SaboteurEntry(.atomicity, CountsWithoutSubentities.self),
        SaboteurEntry(.atomicity, TurnsPairsRound.self),
        SaboteurEntry(.atomicity, CutsLargeBytes.self),
        SaboteurEntry(.atomicity, LosesTheLargestInlineValue.self),
        SaboteurEntry(.atomicity, TakesBytesOfOneSizeForEqual.self),
        SaboteurEntry(.atomicity, ForgetsElementsWithinElements.self),
        SaboteurEntry(.atomicity, DecodesEncodedValues.self),
    ]
}

/// Changes values on their way in.
class ValueSaboteur: Saboteur, @unchecked Sendable {
    func kept(_ value: StoredValue, _ name: String) -> StoredValue { value }

    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        var changes = changes
        changes.inserts = RowList(changes.inserts.map(rewritten))
        for index in changes.updates.indices {
            changes.updates[index].row = rewritten(changes.updates[index].row)
        }
        return try base.save(changes)
    }

    private func rewritten(_ row: Row) -> Row {
        let values = RowCoding.values(of: row, in: model, store: handle)
        var kept: PropertyValues = [:]
        for (name, value) in values {
            let value = self.kept(value, name)
            if !value.isNull { kept[name] = value }
        }
        // Temporary keys in references would be lost by the detour.
        if row.key < 0 || values.values.contains(where: isTemporary) { return row }
        return RowCoding.row(
            kept, of: model[row.entityID], key: row.key, version: row.version, in: model)
    }

    private func isTemporary(_ value: StoredValue) -> Bool {
        if case .objectID(let id) = value { id.isTemporaryID } else { false }
    }
}

final class EndsTextsAtNUL: ValueSaboteur, @unchecked Sendable {
    override func kept(_ value: StoredValue, _ name: String) -> StoredValue {
        guard case .text(let text) = value else { return value }
        return .text(StoredText(String(text.string.prefix { $0 != "\u{0}" })))
    }
}

final class ComposesTexts: ValueSaboteur, @unchecked Sendable {
    override func kept(_ value: StoredValue, _ name: String) -> StoredValue {
        guard case .text(let text) = value else { return value }
        return .text(StoredText(text.string.precomposedStringWithCanonicalMapping))
    }
}

final class KeepsNumbersAsFloats: ValueSaboteur, @unchecked Sendable {
    override func kept(_ value: StoredValue, _ name: String) -> StoredValue {
        switch value {
        case .integer(let number):
            return .integer(Int64(exactly: Double(number)) ?? .max)
        case .double(let number) where name == "real": return .double(Double(Float(number)))
        case .decimal(let number): return .decimal(Decimal((number as NSDecimalNumber).doubleValue))
        default: return value
        }
    }
}

final class KeepsDatesToTheMillisecond: ValueSaboteur, @unchecked Sendable {
    override func kept(_ value: StoredValue, _ name: String) -> StoredValue {
        guard case .date(let date) = value else { return value }
        let seconds = (date.timeIntervalSinceReferenceDate * 1000).rounded() / 1000
        return .date(Date(timeIntervalSinceReferenceDate: seconds))
    }
}

final class TakesZeroForNull: ValueSaboteur, @unchecked Sendable {
    override func kept(_ value: StoredValue, _ name: String) -> StoredValue {
        switch value {
        case .integer(0), .boolean(false), .double(0), .text(""): return .null
        case .binary(let data) where data.isEmpty: return .null
        case .uuid(let uuid) where uuid.uuidString.allSatisfy({ $0 == "0" || $0 == "-" }):
            return .null
        default: return value
        }
    }
}

final class DropsFragmentsOfURIs: ValueSaboteur, @unchecked Sendable {
    override func kept(_ value: StoredValue, _ name: String) -> StoredValue {
        guard case .uri(let text) = value else { return value }
        return .uri(StoredText(String(text.string.prefix { $0 != "#" })))
    }
}

final class HasNoInfinity: ValueSaboteur, @unchecked Sendable {
    override func kept(_ value: StoredValue, _ name: String) -> StoredValue {
        guard case .double(let number) = value, number.isInfinite else { return value }
        return .null
    }
}

final class ForgetsEntitiesOfReferences: ValueSaboteur, @unchecked Sendable {
    override func kept(_ value: StoredValue, _ name: String) -> StoredValue {
        guard case .objectID(let id) = value, let entity = model.entity(of: id) else {
            return value
        }
        let root = model[entity.root].handle
        return .objectID(ManagedObjectID(store: id.store, entity: root, key: id.key))
    }
}

final class KeepsOneSideOfAOneToOne: ValueSaboteur, @unchecked Sendable {
    override func kept(_ value: StoredValue, _ name: String) -> StoredValue {
        name == "previous" ? .null : value
    }
}

final class ReadsRelationshipsFromOneSide: Saboteur, @unchecked Sendable {
    override var hooks: SnapshotHooks {
        let model = model
        return SnapshotHooks(destinations: { (base, relationship, ids) throws(StoreError) in
            // The side of the lower number only; to-manys over a to-one not at all.
            if case .manyToMany = model[relationship].storage,
                relationship < model[relationship].inverse
            {
                return try base.destinations(of: relationship, from: ids)
            }
            return ids.map { _ in [] }
        })
    }
}

final class CountsWithoutSubentities: Saboteur, @unchecked Sendable {
    override var hooks: SnapshotHooks {
        SnapshotHooks(count: { (base, query) throws(StoreError) in
            var query = query
            query.includesSubentities = false
            return try base.count(query)
        })
    }
}

final class TurnsPairsRound: Saboteur, @unchecked Sendable {
    override func save(_ changes: ChangeSet) throws(StoreError) -> SaveOutcome {
        var changes = changes
        for index in changes.edges.indices {
            let relationship = model[changes.edges[index].relationship]
            if relationship.declaringEntity == relationship.destination {
                changes.edges[index].relationship = relationship.inverse
            }
        }
        return try base.save(changes)
    }
}

final class CutsLargeBytes: ValueSaboteur, @unchecked Sendable {
    override func kept(_ value: StoredValue, _ name: String) -> StoredValue {
        guard case .binary(let data) = value else { return value }
        return .binary(data.prefix(131_072))
    }
}

final class LosesTheLargestInlineValue: ValueSaboteur, @unchecked Sendable {
    override func kept(_ value: StoredValue, _ name: String) -> StoredValue {
        if case .binary(let data) = value, data.count == 131_072 { .null } else { value }
    }
}

final class TakesBytesOfOneSizeForEqual: ValueSaboteur, @unchecked Sendable {
    private let known = Guarded<[Int: StoredValue]>([:])

    override func kept(_ value: StoredValue, _ name: String) -> StoredValue {
        guard case .binary(let data) = value, data.count > 131_072 else { return value }
        known.change { if $0[data.count] == nil { $0[data.count] = value } }
        return known.value[data.count] ?? value
    }
}

final class ForgetsElementsWithinElements: ValueSaboteur, @unchecked Sendable {
    override func kept(_ value: StoredValue, _ name: String) -> StoredValue {
        name.split(separator: ".").count > 2 ? .null : value
    }
}

/// Takes encoded values for texts.
final class DecodesEncodedValues: ValueSaboteur, @unchecked Sendable {
    override func kept(_ value: StoredValue, _ name: String) -> StoredValue {
        guard name == "labels", case .binary(let data) = value else { return value }
        return .binary(Data(String(decoding: data, as: UTF8.self).utf8))
    }
}
