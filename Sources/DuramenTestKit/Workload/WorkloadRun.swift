import DuramenModel
import DuramenQuery
import DuramenStore

/// The outcome of a step in one store, in symbols, so that it can be compared.
enum WorkloadOutcome: Equatable, Sendable {
    case saved
    case conflicted(versions: [Symbol: SymbolicValues?], unique: Set<UniqueGroup>)
    case found([Symbol], count: Int)
    case failed(String)
    case nothing
}

/// Objects that share unique values, of a change set or stored.
struct UniqueGroup: Hashable, Sendable {
    var attributes: [String]
    var members: Set<Symbol>
}

/// A script's objects in one store.
struct WorkloadRun {
    let driver: StoreDriver
    private var ids: [Symbol: ManagedObjectID] = [:]
    private var symbols: [ManagedObjectID: Symbol] = [:]
    private var remembered: [Symbol: Row] = [:]

    init(_ driver: StoreDriver) { self.driver = driver }

    /// Runs a step.
    mutating func perform(_ plan: WorkloadPlan) throws -> WorkloadOutcome {
        do {
            switch plan {
            case .remember(let chosen):
                for symbol in chosen {
                    remembered[symbol] = try ids[symbol].flatMap { try driver.row($0) }
                }
                return .nothing
            case .query(let query): return try answer(query)
            case .save(let edits, let isStale): return try save(edits, isStale)
            }
        } catch let error as StoreError {
            return .failed(error.code.rawValue)
        }
    }

    /// Returns all values and pairs, in symbols.
    func contents() throws -> [Symbol: SymbolicValues] {
        let contents = try driver.contents()
        var result: [Symbol: SymbolicValues] = [:]
        for (id, record) in contents.records {
            var values = symbolic(record.values)
            values["entity"] = .value(.text(StoredText(id.entityName)))
            for (relationship, sources) in contents.destinations {
                for (index, destination) in (sources[id] ?? []).enumerated() {
                    values["\(relationship.index).\(index)"] = .object(symbols[destination] ?? 0)
                }
            }
            for (relationship, sources) in contents.orders {
                for (index, member) in (sources[id] ?? []).enumerated() {
                    let name = "\(relationship.index) in order.\(index)"
                    values[name] = .object(symbols[member.id] ?? 0)
                    values[name + ".number"] = .value(member.order.map { .integer($0) } ?? .null)
                }
            }
            result[symbols[id] ?? 0] = values
        }
        return result
    }

    // MARK: - Saving

    private mutating func save(_ edits: [SymbolicEdit], _ isStale: Bool) throws -> WorkloadOutcome {
        try allocateKeys(edits)
        var draft = driver.draft()
        for edit in edits { try add(edit, to: &draft, isStale) }
        switch try driver.store.save(draft.changes) {
        case .saved(let receipt):
            try check(
                receipt.insertedVersions.count == draft.changes.inserts.count
                    && receipt.updatedVersions.count == draft.changes.updates.count,
                "a receipt has too few versions")
            return .saved
        case .conflicted(let conflicts): return outcome(conflicts)
        }
    }

    /// Allocates keys first, in the order of the symbols, so that new objects can refer to each
    /// other.
    private mutating func allocateKeys(_ edits: [SymbolicEdit]) throws {
        for case .insert(let symbol, let name, _) in edits where ids[symbol] == nil {
            let entity = driver.entity(name)
            let key = try driver.store.allocateKeys(1, for: entity.id).lowerBound
            let id = ManagedObjectID(store: driver.store.handle, entity: entity.handle, key: key)
            ids[symbol] = id
            symbols[id] = symbol
        }
    }

    private func add(_ edit: SymbolicEdit, to draft: inout ChangeDraft, _ isStale: Bool) throws {
        switch edit {
        case .insert(let symbol, let entity, let values):
            try draft.insert(entity, concrete(values), key: ids[symbol]?.key)
        case .update(let symbol, let values):
            guard let row = try base(symbol, isStale) else { return }
            draft.update(row, concrete(values))
        case .delete(let symbol):
            guard let row = try base(symbol, isStale) else { return }
            draft.delete(row)
        case .relate(let pair):
            guard let source = ids[pair.source], let destination = ids[pair.destination] else {
                return
            }
            draft.relate(
                pair.relationship, source, destination, order: pair.order,
                inverseOrder: pair.inverseOrder)
        case .unrelate(let pair):
            guard let source = ids[pair.source], let destination = ids[pair.destination] else {
                return
            }
            draft.unrelate(pair.relationship, source, destination)
        }
    }

    private func base(_ symbol: Symbol, _ isStale: Bool) throws -> Row? {
        if isStale { return remembered[symbol] }
        return try ids[symbol].flatMap { try driver.row($0) }
    }

    private func outcome(_ conflicts: [StoreConflict]) -> WorkloadOutcome {
        var versions: [Symbol: SymbolicValues?] = [:]
        var groups: [UniqueGroup] = []
        for conflict in conflicts {
            switch conflict {
            case .version(let conflict):
                let row = conflict.storedRow.map {
                    symbolic(RowCoding.values(of: $0, in: driver.model, store: driver.store.handle))
                }
                versions.updateValue(row, forKey: symbols[conflict.id] ?? 0)
            case .uniqueness(let conflict):
                let members: Set = [symbols[conflict.id] ?? 0, symbols[conflict.otherID] ?? 0]
                Self.join(
                    UniqueGroup(attributes: conflict.constraint.properties, members: members),
                    &groups)
            }
        }
        // Stale rows take part in uniqueness with values that may never be saved. So with version
        // conflicts, stores need not agree about uniqueness.
        return .conflicted(versions: versions, unique: versions.isEmpty ? Set(groups) : [])
    }

    /// Three objects with one value may be reported as any two or three pairs.
    private static func join(_ group: UniqueGroup, _ groups: inout [UniqueGroup]) {
        var group = group
        groups.removeAll { other in
            guard other.attributes == group.attributes,
                !other.members.isDisjoint(with: group.members)
            else { return false }
            group.members.formUnion(other.members)
            return true
        }
        groups.append(group)
    }

    // MARK: - Queries

    private func answer(_ query: SymbolicQuery) throws -> WorkloadOutcome {
        let storeQuery = StoreQuery(
            entity: driver.entity(query.entity).id, includesSubentities: query.includesSubentities,
            predicate: query.predicate.map(concrete), sortDescriptors: query.sortDescriptors,
            offset: query.offset, limit: query.limit)
        let execution = try QueryExecution(
            storeQuery, on: driver.store, in: driver.store.snapshot())
        let found = try execution.rows().map { symbols[driver.id(of: $0)] ?? 0 }
        let named = try execution.objectIDs().map { symbols[$0] ?? 0 }
        try check(found == named, "rows and IDs of one query differ")
        return .found(found, count: try execution.count())
    }

    private func concrete(_ predicate: FetchPredicate) -> FetchPredicate {
        switch predicate.form {
        case .constant: return predicate
        case .not(let part): return .not(concrete(part))
        case .and(let parts): return .and(parts.map(concrete))
        case .or(let parts): return .or(parts.map(concrete))
        case .quantified(let quantifier, let path, let part):
            return .quantified(quantifier, keyPath: path, concrete(part))
        case .comparison(var comparison):
            if case .constant(.objectID(let standIn)) = comparison.right.form {
                let id = ids[Int(standIn.key)]
                comparison.right = .constant(id.map { .objectID($0) } ?? .null)
            }
            return .comparison(comparison)
        }
    }

    // MARK: - Values

    private func concrete(_ values: SymbolicValues) -> PropertyValues {
        values.mapValues { value in
            switch value {
            case .value(let value): value
            case .object(let symbol): ids[symbol].map { .objectID($0) } ?? .null
            }
        }
    }

    private func symbolic(_ values: PropertyValues) -> SymbolicValues {
        values.mapValues { value in
            if case .objectID(let id) = value { .object(symbols[id] ?? 0) } else { .value(value) }
        }
    }
}
