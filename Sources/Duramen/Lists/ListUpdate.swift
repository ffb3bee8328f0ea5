import DuramenModel
import DuramenQuery
import DuramenStore

/// The pending changes for a list: a value that can be processed in any isolation.
struct ListUpdate: Sendable {
    /// The dependencies by part.
    let dependencies: [ListDependencies]
    /// The changes by part.
    private(set) var changes: [ListChanges]
    /// The stores of the parts.
    let stores: [StoreHandle]
    /// By part, the state up to which all changes are in this update or in earlier ones.
    let generations: [StoreGeneration]
    /// Whether the whole list is loaded again, because changes are too many or unknown.
    var readsAll: Bool
    /// Whether row versions are compared, because other saves have unknown changes.
    var comparesVersions = false

    init(
        dependencies: [ListDependencies], changes: [ListChanges], stores: [StoreHandle],
        generations: [StoreGeneration], readsAll: Bool
    ) {
        self.dependencies = dependencies
        self.changes = changes
        self.stores = stores
        self.generations = generations
        self.readsAll = readsAll
    }

    /// The result of an update.
    enum Outcome: Sendable {
        case update(LiveList.PreparedUpdate)
        /// The list was loaded again.
        case list(LiveList, UpdateDifference)

        var difference: UpdateDifference {
            switch self {
            case .update(let update): .known(update.difference)
            case .list(_, let difference): difference
            }
        }

        /// The same outcome, with a known difference.
        var withKnownDifference: Outcome {
            switch self {
            case .update: self
            case .list(let list, let difference): .list(list, .known(difference.difference))
            }
        }
    }

    /// Computes the update of a list.
    ///
    /// - Parameters:
    ///   - list: The list.
    ///   - queries: Called if the stores must be queried.
    ///   - names: Returns the sections of rows, if a closure names them.
    /// - Throws: The stores' errors, and ``ContextError`` `.invalidRequest` for sections whose rows
    ///   are not consecutive.
    /// - Complexity: O(*k* log *n*) comparisons for *k* changes of listed objects. The stores are
    ///   queried only if related objects matter: one statement for the candidates, and one per step
    ///   for related objects that are not known.
    func run(
        on list: LiveList, asking queries: @escaping () throws -> ListQueries,
        names: ListSectionNames? = nil
    ) throws -> Outcome {
        let isOpaque = zip(dependencies, changes).contains { $0.isOpaque && !$1.isEmpty }
        let asked = AskedQueries(queries)
        // Stores may have been added or removed since.
        let isOfOthers = stores != list.content.parts.map(\.handle) || stores.isEmpty
        if readsAll || isOpaque || isOfOthers { return try readAll(list, asked, names) }
        if comparesVersions {
            guard let update = try knowingVersions(list, asked) else {
                return try readAll(list, asked, names)
            }
            return try update.run(on: list, asking: { try asked.queries }, names: names)
        }
        var edits: [LiveList.Edit] = []
        var related: [RelatedRows] = []
        for part in changes.indices {
            var own = list.content.related[part]
            let known = self.known(by: list)[part]
            guard
                let new = try self.edits(of: part, list.content.parts[part], known, &own, asked)
            else {
                return try readAll(list, asked, names)
            }
            edits += new
            related.append(own)
        }
        if let names {
            let rows = edits.compactMap { edit in edit.row.map { (edit.part, $0) } }
            var given = try names(rows)[...]
            for position in edits.indices where edits[position].row != nil {
                edits[position].sectionName = given.popFirst()
            }
        }
        do throws(ListSections.Torn) {
            if let update = try list.prepareUpdate(edits, related: related, of: known(by: list)) {
                return .update(update)
            }
        } catch {
            throw ContextError(error)
        }
        return try readAll(list, asked, names)
    }

    /// Returns, by part, the state of the list after this update.
    private func known(by list: LiveList) -> [StoreGeneration] {
        zip(list.generations, generations).map { max($0, $1) }
    }

    private func readAll(
        _ list: LiveList, _ asked: AskedQueries, _ names: ListSectionNames?
    ) throws -> Outcome {
        let next = try asked.queries.list(names: names)
        var touched: Set<ManagedObjectID> = []
        for changes in changes {
            for (id, change) in changes.objects where change.isTouched { touched.insert(id) }
        }
        return .list(next, .between(list.content, next.content, touched: touched))
    }

    /// Returns the update with changes of objects whose stored versions differ from the list.
    /// Returns nil if versions are not sufficient, or if loading all is cheaper.
    private func knowingVersions(
        _ list: LiveList, _ asked: AskedQueries
    ) throws -> ListUpdate? {
        guard dependencies.allSatisfy(\.isLocal) else { return nil }
        var update = self
        update.comparesVersions = false
        for part in changes.indices {
            guard let ids = try asked.queries.idsOfOtherVersions(than: list, in: part) else {
                return nil
            }
            for id in ids { update.changes[part].add(.init(state: .unread), of: id) }
        }
        return update
    }

    // MARK: - One store

    /// Returns the edits of one store's objects; nil if they are not known.
    private func edits(
        of number: Int, _ part: ListPart, _ known: StoreGeneration,
        _ related: inout RelatedRows, _ asked: AskedQueries
    ) throws -> [LiveList.Edit]? {
        let changes = changes[number]
        if changes.isEmpty { return [] }
        var candidates: [ManagedObjectID: ListChanges.State] = [:]
        var touched: Set<ManagedObjectID> = []
        for (id, change) in changes.objects {
            guard part.lists(id) else { continue }
            candidates[id] = change.state
            if change.isTouched { touched.insert(id) }
        }
        if !dependencies[number].isLocal {
            guard let dependents = try dependents(number, part, known, related, asked) else {
                return nil
            }
            for (id, row) in dependents {
                touched.insert(id)
                // An object's own change is more precise.
                if candidates[id] == nil { candidates[id] = row.map { .row($0) } ?? .unread }
            }
        }
        // Not earlier, since dependents are found with the rows that the list was made with.
        for (id, change) in changes.objects where related.isKnown(id) {
            switch change.state {
            case .row(let row): related.set(row, for: id)
            case .gone: related.set(nil, for: id)
            case .unread: related.forget(id)
            }
        }
        let rows = try matching(candidates, number, part, &related, asked)
        return candidates.keys.sorted().map { id in
            LiveList.Edit(
                part: number, key: id.key, row: rows[id], isTouched: touched.contains(id))
        }
    }

    /// Returns the candidates that meet the condition, with their rows.
    private func matching(
        _ candidates: [ManagedObjectID: ListChanges.State], _ number: Int, _ part: ListPart,
        _ related: inout RelatedRows, _ asked: AskedQueries
    ) throws -> [ManagedObjectID: Row] {
        let dependencies = dependencies[number]
        if dependencies.conditionNeedsStore {
            let ids = candidates.filter { if case .gone = $0.value { false } else { true } }.keys
            let rows = try asked.queries.candidates(Set(ids), from: number, matching: true)
            try asked.queries.readRelated(of: rows.values, from: number, into: &related)
            return rows
        }
        var rows: [ManagedObjectID: Row] = [:]
        var unread: Set<ManagedObjectID> = []
        for (id, state) in candidates {
            switch state {
            case .row(let row): rows[id] = row
            case .gone: break
            case .unread: unread.insert(id)
            }
        }
        if !unread.isEmpty {
            rows.merge(try asked.queries.candidates(unread, from: number, matching: false)) { $1 }
        }
        if dependencies.nodes.count > 1 {
            try asked.queries.readRelated(of: rows.values, from: number, into: &related)
        }
        guard let predicate = part.predicate else { return rows }
        let source = related
        return rows.filter { predicate.evaluate($0.value, id: $0.key, in: source) }
    }

    // MARK: - What depends on other objects

    /// Returns the objects, listed or not, that depend on changed related objects, with rows if
    /// these were loaded. Returns nil if the objects are not known.
    private func dependents(
        _ number: Int, _ part: ListPart, _ known: StoreGeneration, _ related: RelatedRows,
        _ asked: AskedQueries
    ) throws -> [ManagedObjectID: Row?]? {
        let changes = changes[number]
        let dependencies = dependencies[number]
        /// By node, the objects with relevant changes.
        var changed = [Set<ManagedObjectID>](repeating: [], count: dependencies.nodes.count)
        var found: [ManagedObjectID: Row?] = [:]
        var steps: [(Relationship, Set<ManagedObjectID>)] = []
        for position in dependencies.nodes.indices.dropFirst().reversed() {
            let node = dependencies.nodes[position]
            guard let parent = node.parent, let step = node.step else { continue }
            for (id, change) in changes.objects {
                let index = part.model.entityIndex(of: id)
                guard index >= 0, dependencies.concerns(position, EntityID(index: index)) else {
                    continue
                }
                if matters(change, of: node, part, known: related.row(for: id)) {
                    changed[position].insert(id)
                }
                // The previous and the present owner.
                if step.isToMany {
                    let inverse = part.model[step.inverse]
                    guard let owners = owners(of: change, over: inverse, part) else { return nil }
                    changed[parent].formUnion(owners)
                }
            }
            if step.isToMany {
                for id in changes.owners {
                    let index = part.model.entityIndex(of: id)
                    if index >= 0, dependencies.concerns(parent, EntityID(index: index)) {
                        changed[parent].insert(id)
                    }
                }
            }
            if changed[position].isEmpty { continue }
            // In a state newer than these changes, listed objects may refer to others and would not
            // be found.
            if try asked.queries.generations[number] > known { return nil }
            if parent == 0 {
                steps.append((step, changed[position]))
            } else {
                changed[parent].formUnion(
                    try asked.queries.sources(of: step, to: changed[position], from: number))
            }
        }
        for id in changed[0] { found[id] = .some(nil) }
        if steps.isEmpty { return found }
        let rows = try asked.queries.candidates(
            changed[0], over: steps, from: number, matching: false)
        for (id, row) in rows { found[id] = row }
        return found
    }

    /// Whether the changed slots of an object are used.
    ///
    /// - Parameter known: The row that the list was made with; it may be older than the rows of the
    ///   change, because the context may have loaded the object again since.
    private func matters(
        _ change: ListChanges.Change, of node: ListDependencies.Node, _ part: ListPart,
        known: Row?
    ) -> Bool {
        if change.affectsDependents { return true }
        guard case .row(let row) = change.state, !change.olds.isEmpty else {
            // A to-one can refer to a new object only if the to-one itself changed.
            return !(change.isNew && node.step?.isToMany == false)
        }
        let kinds = part.model[row.entityID].layout.kinds
        func differs(_ old: Row) -> Bool {
            old.entityID != row.entityID
                || node.slots.contains {
                    kinds.indices.contains($0) && !row.hasSameValue($0, kinds[$0], as: old)
                }
        }
        return change.olds.contains(where: differs) || known.map(differs) == true
    }

    /// Returns the destinations of a to-one before and after a change, if they differ or the object
    /// is new or gone. Returns nil if they are not known.
    private func owners(
        of change: ListChanges.Change, over inverse: Relationship, _ part: ListPart
    ) -> Set<ManagedObjectID>? {
        if inverse.isToMany { return [] }
        if change.affectsDependents || change.olds.isEmpty && !change.isNew { return nil }
        var rows = change.olds
        switch change.state {
        case .row(let row): rows.append(row)
        case .gone: break
        case .unread: return nil
        }
        let owners = rows.map { row in
            let own = part.model[row.entityID].relationship(inverse.id) ?? inverse
            return row.destination(of: own, in: part.model, store: part.handle)
        }
        var isGone = false
        if case .gone = change.state { isGone = true }
        let isSame = !isGone && !change.isNew && owners.allSatisfy { $0 == owners[0] }
        return isSame ? [] : Set(owners.compactMap { $0 })
    }
}

/// Returns the section names of rows, each with the index of its part.
typealias ListSectionNames = ([(part: Int, row: Row)]) throws -> [StoredText]

/// The queries to stores, created at first use.
private final class AskedQueries {
    private let make: () throws -> ListQueries
    private var made: ListQueries?

    init(_ make: @escaping () throws -> ListQueries) { self.make = make }

    var queries: ListQueries {
        get throws {
            if let made { return made }
            let queries = try make().ofOneState()
            made = queries
            return queries
        }
    }
}
