import DuramenModel
import DuramenQuery
import DuramenStore

/// The queries of a list to its stores, with the present unsaved changes: a sendable value.
struct ListQueries: Sendable {
    /// The list's query by part, without its window.
    var byPart: [QueryOffOwner]
    /// The dependencies by part.
    let dependencies: [ListDependencies]
    let sectionPath: [String]?
    let window: ListWindow

    /// Returns the queries bound to a snapshot of each store, so that the results of several
    /// statements are consistent.
    func ofOneState() throws(StoreError) -> ListQueries {
        var queries = self
        for position in byPart.indices where byPart[position].pinned == nil {
            queries.byPart[position].pinned = try byPart[position].store.snapshot()
        }
        return queries
    }

    /// Whether the results depend only on the newest states of the stores, not on a context.
    var dependOnStoresAlone: Bool {
        byPart.allSatisfy { $0.changes == nil && $0.pinned == nil }
    }

    /// The states of the snapshots by part, after ``ofOneState()``.
    var generations: [StoreGeneration] { byPart.compactMap { $0.pinned?.generation } }

    // MARK: - All rows

    /// Loads the list.
    ///
    /// - Parameter names: Returns the sections of rows, if a closure names them.
    func list(names: ListSectionNames?) throws -> LiveList {
        let found = try rows()
        let parts = try byPart.map {
            try ListPart($0.query, sectionedBy: sectionPath, of: $0.store.handle)
        }
        let given = try names?(found.rows)
        do throws(ListSections.Torn) {
            return try LiveList(
                found, parts: parts, of: generations, window: window, names: given)
        } catch {
            throw ContextError(error)
        }
    }

    private func rows() throws -> ListRows {
        // No open store contains the entity.
        if byPart.isEmpty { return ListRows(isComplete: true) }
        let limit = window.endWithReserve
        var asked = byPart
        for position in asked.indices { asked[position].query.setWindow(offset: 0, limit: limit) }
        let answer = try AnswerOffOwner(asked, offset: 0, limit: limit) { _ in }
        var found = ListRows()
        answer.forEachRow { part, row in found.rows.append((part, row)) }
        found.isComplete = limit.map { found.rows.count < $0 } ?? true
        for (part, query) in byPart.enumerated() {
            var related = RelatedRows(model: query.store.model, store: query.store.handle)
            if dependencies[part].nodes.count > 1 {
                let own = found.rows.lazy.filter { $0.part == part }.map(\.row)
                try readRelated(of: own, from: part, into: &related)
            }
            found.related.append(related)
        }
        return found
    }

    // MARK: - Versions

    /// Returns the objects of a part whose stored versions differ from the list, or that are only
    /// in the store or only in the list.
    ///
    /// - Returns: Nil if the list is incomplete, or if the store cannot compare without loading
    ///   whole rows. Also nil if so many objects differ that loading all is cheaper.
    func idsOfOtherVersions(than list: LiveList, in part: Int) throws -> [ManagedObjectID]? {
        if !list.isComplete { return nil }
        let asked = byPart[part]
        var query = asked.query
        query.dropOrder()
        query.setSlots(SlotSet())
        let execution = try QueryExecution(query, on: asked.store, in: try asked.snapshot())
        guard execution.isStreaming else { return nil }
        let content = list.content
        let limit = 16 + content.rows.count / 32
        var stored = KeyedVersions()
        var (comparedCount, otherCount) = (0, 0)
        try execution.forEachBatch { batch in
            for row in batch { stored.append(row.key, row.version, of: row.entityID) }
            // If most rows differ from the first on, the others need not be read.
            if otherCount * 2 < comparedCount { return true }
            comparedCount += batch.count
            otherCount += batch.count { list.row(of: $0.key, in: part)?.version != $0.version }
            return otherCount <= limit
        }
        if otherCount > limit { return nil }
        var others: [ManagedObjectID] = []
        content.rows.forEach { row in
            if others.count > limit || content.part(of: row) != part { return }
            if stored.takeOut(row.key, row.version) { return }
            others.append(content.parts[part].id(of: row))
        }
        if others.count + stored.leftCount > limit { return nil }
        stored.forEachLeft { key, entity in
            others.append(
                ManagedObjectID(
                    store: asked.store.handle, entity: asked.store.model[entity].handle, key: key))
        }
        return others
    }

    // MARK: - Related objects

    /// Loads related objects of rows that are not known, with at most one statement per step.
    func readRelated(
        of rows: some Sequence<Row>, from part: Int, into related: inout RelatedRows
    ) throws(StoreError) {
        let dependencies = dependencies[part]
        var byNode: [Int: [Row]] = [0: Array(rows)]
        var depth = [0]
        while !depth.isEmpty {
            var next: [(node: Int, ids: Set<ManagedObjectID>)] = []
            for (number, node) in dependencies.nodes.enumerated() {
                guard let parent = node.parent, depth.contains(parent), let step = node.step,
                    dependencies.isReachedOverToOnes(number)
                else { continue }
                let ids = (byNode[parent] ?? []).compactMap {
                    $0.destination(of: step, in: related)
                }
                next.append((number, Set(ids)))
            }
            let unknown = Set(next.flatMap(\.ids)).filter { !related.isKnown($0) }
            if !unknown.isEmpty {
                let found = try byPart[part].rows(for: unknown.sorted())
                for id in unknown { related.set(found[id], for: id) }
            }
            for (node, ids) in next { byNode[node] = ids.compactMap { related.row(for: $0) } }
            depth = next.map(\.node)
        }
    }

    /// Returns the objects that refer to other objects over a step.
    func sources(
        of step: Relationship, to ids: Set<ManagedObjectID>, from part: Int
    ) throws(StoreError) -> Set<ManagedObjectID> {
        let query = byPart[part]
        let inverse = query.store.model[step.inverse]
        return try query.sources(over: inverse, from: ids.sorted())
    }

    // MARK: - Candidates

    /// Returns the rows of the given objects and of dependent objects.
    ///
    /// - Parameters:
    ///   - ids: The objects.
    ///   - steps: Adds listed objects that refer to some objects over a relationship of their
    ///     entity.
    ///   - part: The part.
    ///   - matching: Whether only objects that meet the list's condition are returned.
    func candidates(
        _ ids: Set<ManagedObjectID>, over steps: [(Relationship, Set<ManagedObjectID>)] = [],
        from part: Int, matching: Bool
    ) throws(StoreError) -> [ManagedObjectID: Row] {
        if ids.isEmpty, steps.isEmpty { return [:] }
        func among(_ ids: Set<ManagedObjectID>, _ left: FetchExpression) -> FetchPredicate {
            left.isIn(ids.sorted().map { .objectID($0) })
        }
        var choices: [FetchPredicate] = ids.isEmpty ? [] : [among(ids, .selfObject)]
        for (step, ids) in steps {
            if step.isToMany {
                choices.append(
                    .quantified(.any, keyPath: [step.name], among(ids, .selfObject)))
            } else {
                choices.append(among(ids, .keyPath([step.name])))
            }
        }
        var asked = byPart[part]
        let condition = choices.count == 1 ? choices[0] : .or(choices)
        if !matching { asked.query.dropCondition() }
        asked.query.dropOrder()
        do throws(FetchPredicateError) {
            try asked.query.restrict(to: condition)
        } catch {
            throw StoreError(error)
        }
        var rows: [ManagedObjectID: Row] = [:]
        try asked.answer { _ in }.forEachRow { _, row in
            rows[row.objectID(in: asked.store.model, store: asked.store.handle)] = row
        }
        return rows
    }
}

extension ContextError {
    init(_ section: ListSections.Torn) {
        self.init(
            .invalidRequest,
            "The objects of one section are not next to each other. Sort first by what the names of the "
                + "sections are made of.")
    }

    /// Creates an error for sections whose objects the order does not keep together.
    init(sectionsBy path: [String], of entity: Entity, sortedBy first: FetchSortDescriptor) {
        let name = path.joined(separator: ".")
        let problem =
            if first.keyPath != path {
                "but the first sort descriptor sorts by '\(first.keyPath.joined(separator: "."))'"
            } else if first.comparison != .standard {
                "but the first sort descriptor compares it with .\(first.comparison.rawValue), which "
                    + "mixes the objects of different sections"
            } else {
                "which is not an attribute that can name sections"
            }
        self.init(
            .invalidRequest,
            "The results of \(entity.name) have sections by '\(name)', \(problem). Sort first by the attribute "
                + "that names the sections, with the comparison .standard; further sort descriptors can "
                + "have another one.")
    }
}

extension QueryOffOwner {
    /// Returns the members of a to-many, or the owners at a to-one, of some objects, unsaved
    /// changes included.
    fileprivate func sources(
        over inverse: Relationship, from ids: [ManagedObjectID]
    ) throws(StoreError) -> Set<ManagedObjectID> {
        if !inverse.isToMany {
            var sources: Set<ManagedObjectID> = []
            for row in try rows(for: ids).values {
                let own = store.model[row.entityID].relationship(inverse.id) ?? inverse
                if let id = row.destination(of: own, in: store.model, store: store.handle) {
                    sources.insert(id)
                }
            }
            return sources
        }
        return try destinations(of: inverse, from: ids)
    }
}
