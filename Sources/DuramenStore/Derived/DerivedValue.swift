import DuramenModel
import DuramenQuery
import Foundation

/// The value of one derived attribute of one object after a change set.
struct DerivedValue {
    private let derivation: Derivation
    private let row: Row
    private let id: ManagedObjectID
    private let state: ChangedState
    private let countsAnew: Bool

    /// Creates the computation. `countsAnew` means that a stored count is ignored.
    init(
        _ derivation: Derivation, of row: Row, _ id: ManagedObjectID, in state: ChangedState,
        countsAnew: Bool
    ) {
        self.countsAnew = countsAnew
        self.derivation = derivation
        self.row = row
        self.id = id
        self.state = state
    }

    func value() throws(StoreError) -> StoredValue {
        switch derivation.function {
        case .now: return .date(Date())
        case .copy: return try source()
        case .uppercase: return FetchFunction.uppercase.call(try source())
        case .lowercase: return FetchFunction.lowercase.call(try source())
        case .canonical: return FetchFunction.canonical.call(try source())
        case .localized: return FetchFunction.localized.call(try source())
        case .count: return try fitting(.integer(Int64(try count())))
        case .sum: return try fitting(try sum())
        }
    }

    /// The value at the end of the path; null if a relationship of the path is null.
    private func source() throws(StoreError) -> StoredValue {
        guard let source = derivation.source else { return .null }
        var place = row
        for toOne in derivation.toOnes {
            guard let next = place.destination(of: toOne, in: state.model, store: state.store),
                let row = try state.row(for: next)
            else { return .null }
            place = row
        }
        return place.value(source.slot, source.kind)
    }

    private func count() throws(StoreError) -> Int {
        guard let members = derivation.members else { return 0 }
        let slot = derivation.attribute.slot
        // A stored count changes by the number of joined and left members. Pairs are counted again,
        // since an added pair may exist already.
        if !countsAnew, case .inverseOfToOne = members.storage,
            let known = try state.storedRow(for: id),
            !known.isNull(slot)
        {
            let membership = try state.membership(of: members)
            let difference =
                (membership.joined[id]?.count ?? 0) - (membership.left[id]?.count ?? 0)
            let count = known.integer(slot) + Int64(difference)
            if count >= 0 { return Int(count) }
        }
        return try state.destinations(of: members, from: id).count
    }

    private func sum() throws(StoreError) -> StoredValue {
        guard let members = derivation.members, let source = derivation.source else { return .null }
        let ids = try state.destinations(of: members, from: id)
        try state.remember(ids)
        var values: [QueryValue] = []
        for id in ids {
            guard let row = try state.row(for: id), !row.isNull(source.slot) else { continue }
            values.append(.value(row.value(source.slot, source.kind)))
        }
        if values.isEmpty {
            switch derivation.attribute.kind {
            case .decimal: return .decimal(0)
            case .integer: return .integer(0)
            default: return .double(0)
            }
        }
        return FetchFunction.sum.call([.collection(values)]).scalar
    }

    /// Returns the value as the attribute stores it; throws if the attribute cannot hold it.
    private func fitting(_ value: StoredValue) throws(StoreError) -> StoredValue {
        let attribute = derivation.attribute
        guard let problem = attribute.type.problem(with: value) else {
            return attribute.type.stored(value)
        }
        throw StoreError(
            .invalidRequest,
            "The value of '\(id.entityName).\(attribute.name)', which is derived, \(problem); give the attribute a larger "
                + "type.", objectID: id)
    }
}

extension FetchFunction {
    fileprivate func call(_ value: StoredValue) -> StoredValue { call([.value(value)]).scalar }
}
