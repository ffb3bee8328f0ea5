import DuramenModel

/// Plans the changes that migrate a store from its version to the current one.
///
/// The plan includes every custom stage after the store's version. The planner joins the stages by
/// as few inferred changes as the policy allows. If a skipped version lacks a property, the store
/// keeps the property.
struct HopPlanner {
    let source: StoredModel
    let target: ManagedObjectModel
    let policy: MigrationPolicy
    let store: PersistentStoreDescription

    /// A version on the path.
    private struct Stop {
        var version: ManagedObjectModelReference
        /// The change from the previous stop; nil for the first stop.
        var edge: MigrationRoute.Edge?

        var isCustom: Bool { if case .custom? = edge { true } else { false } }
    }

    private var isKnown: [ManagedObjectModel] { [source.model, target] }

    func hops() throws(StoreError) -> [MigrationHop] {
        if source.model.versionChecksum == target.versionChecksum { return [] }
        guard let manager = store.stagedMigrationManager else {
            try checkInference(.between, "the store's version")
            return [MigrationHop(MigrationJudgement(change(to: target), policy, of: source))]
        }
        // The versions of stages contain all entities.
        if let configuration = store.configuration, !manager.route.customStages.isEmpty {
            throw StoreError(
                .unsupported,
                "'\(store.location)' keeps the entities of the configuration '\(configuration)' only, and stages are for "
                    + "stores that keep all. Open it without stages, or let it keep all entities.")
        }
        let stops = try stops(manager)
        var hops: [MigrationHop] = []
        var begin = 0
        while begin < stops.count - 1 {
            if case .custom(let stage)? = stops[begin + 1].edge {
                let next = try required(stops[begin + 1].version, manager.route)
                hops.append(
                    try MigrationHop(
                        stage, from: required(stops[begin].version, manager.route), to: next,
                        policy, of: begin == 0 ? source : nil))
                begin += 1
                continue
            }
            var end = begin + 1
            while end + 1 < stops.count, !stops[end + 1].isCustom { end += 1 }
            hops += try inferred(Array(stops[begin...end]), manager.route, isFirst: begin == 0)
            begin = end
        }
        return hops
    }

    private func change(to target: ManagedObjectModel) -> SchemaChange {
        SchemaChange(from: source.model, to: target, fills: policy.fills)
    }

    // MARK: - Versions

    /// The versions from the store's to the current one.
    private func stops(_ manager: StagedMigrationManager) throws(StoreError) -> [Stop] {
        let route = manager.route
        func place(_ checksum: String) -> Int? {
            route.versions.lastIndex { $0.versionChecksum == checksum }
        }
        let last = ManagedObjectModelReference(model: target)
        let end = place(target.versionChecksum)
        var stops: [Stop] = []
        var begin = place(source.model.versionChecksum)
        if begin == nil {
            stops.append(Stop(version: ManagedObjectModelReference(model: source.model)))
            guard let entry = manager.entry.flatMap({ place($0.versionChecksum) }) else {
                // Without custom stages, none can be skipped.
                if route.customStages.isEmpty {
                    try checkInference(.between, "the store's version")
                    return stops + [Stop(version: last, edge: .between)]
                }
                throw try unknownVersion(route)
            }
            stops.append(Stop(version: route.versions[entry], edge: .between))
            begin = entry
        } else if let begin {
            stops.append(Stop(version: route.versions[begin]))
        }
        guard let begin else { return stops }
        if let end, end < begin {
            throw StoreError(
                .storeIsNewer,
                "'\(store.location)' has the version '\(route.versions[begin].shortName)', which comes behind "
                    + "'\(route.versions[end].shortName)' in the stages; use a program that has it."
            )
        }
        let stop = end ?? route.versions.count - 1
        for place in begin..<stop {
            stops.append(Stop(version: route.versions[place + 1], edge: route.edges[place]))
        }
        if end == nil { stops.append(Stop(version: last, edge: .between)) }
        for stop in stops {
            if let edge = stop.edge { try checkInference(edge, stop.version.shortName) }
        }
        return stops
    }

    private func checkInference(
        _ edge: MigrationRoute.Edge, _ name: String
    ) throws(StoreError) {
        guard case .between = edge, !store.shouldInferMappingModelAutomatically else { return }
        throw StoreError(
            .unknownVersion,
            "No stage leads between the versions of '\(store.location)' and '\(name)', and nothing else is to be "
                + "inferred; add a LightweightMigrationStage with the two versions.")
    }

    /// Returns the error for a store whose version is in no stage. It names the nearest listed
    /// version.
    private func unknownVersion(_ route: MigrationRoute) throws(StoreError) -> StoreError {
        var nearest: (name: String, entities: [String])?
        for version in route.versions {
            guard let model = try route.model(of: version, like: target, known: isKnown) else {
                continue
            }
            let own = source.model.entityVersionHashes
            let theirs = model.entityVersionHashes
            let different = Set(own.keys).union(theirs.keys).filter { own[$0] != theirs[$0] }
            if different.count < nearest?.entities.count ?? .max {
                nearest = (version.shortName, different.sorted())
            }
        }
        let hint =
            nearest.map { nearest in
                " The nearest is '\(nearest.name)'; different are \(nearest.entities.joined(separator: ", "))."
            } ?? ""
        return StoreError(
            .unknownVersion,
            "'\(store.location)' has the version '\(source.model.versionChecksum)', which is in none of the stages."
                + hint
                + " Add it to the stages, or say with entering(before:) where such stores go on.")
    }

    private func required(
        _ version: ManagedObjectModelReference, _ route: MigrationRoute
    ) throws(StoreError) -> ManagedObjectModel {
        if let model = try route.model(of: version, like: target, known: isKnown) { return model }
        throw StoreError(
            .modelReferenceNotFound,
            "The model of the version '\(version.shortName)' (\(version.versionChecksum)) is needed to migrate "
                + "'\(store.location)', and is missing. Give the stage a reference with the model or its archive."
        )
    }

    // MARK: - Inferred changes

    /// The fewest inferred changes from the first to the last of some versions.
    private func inferred(
        _ stops: [Stop], _ route: MigrationRoute, isFirst: Bool
    ) throws(StoreError) -> [MigrationHop] {
        let last = stops.count - 1
        var models: [ManagedObjectModel?] = []
        for stop in stops {
            models.append(try route.model(of: stop.version, like: target, known: isKnown))
        }
        // Other versions may be skipped.
        for end in [0, last] { _ = try required(stops[end].version, route) }
        func hop(from begin: Int, to end: Int) -> MigrationHop? {
            guard let old = models[begin], let new = models[end] else { return nil }
            return MigrationHop(
                MigrationJudgement(
                    SchemaChange(from: old, to: new, fills: policy.fills), policy,
                    of: isFirst && begin == 0 ? source : nil))
        }
        /// Tries the largest step first, then smaller ones.
        func way(from begin: Int, _ failed: inout Set<Int>) -> [MigrationHop]? {
            if begin == last { return [] }
            if failed.contains(begin) { return nil }
            for end in stride(from: last, to: begin, by: -1) {
                guard let next = hop(from: begin, to: end), next.refusals.isEmpty,
                    let rest = way(from: end, &failed)
                else { continue }
                return next.change.isEmpty ? rest : [next] + rest
            }
            failed.insert(begin)
            return nil
        }
        var failed: Set<Int> = []
        if let way = way(from: 0, &failed) { return way }
        // The refusals of the direct change explain the failure.
        return hop(from: 0, to: last).map { [$0] } ?? []
    }
}
