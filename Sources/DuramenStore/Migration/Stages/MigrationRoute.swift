import DuramenModel

/// The versions of all stages in their order, with what leads from each to the next one.
struct MigrationRoute: Sendable {
    /// What leads from a version to the next one.
    enum Edge: Sendable {
        /// It is inferred, since a stage says so.
        case lightweight
        /// It is inferred, since two stages follow each other.
        case between
        case custom(CustomMigrationStage)
    }

    private(set) var versions: [ManagedObjectModelReference] = []
    /// By version: what leads to the next one. The last version has none.
    private(set) var edges: [Edge] = []

    /// - Throws: `.invalidStages`.
    init(_ stages: [any MigrationStage]) throws(StoreError) {
        for (place, stage) in stages.enumerated() {
            switch stage {
            case let stage as LightweightMigrationStage: try add(stage, place)
            case let stage as CustomMigrationStage: try add(stage, place)
            default:
                throw Self.invalid(
                    place,
                    "is of no known kind; use LightweightMigrationStage or CustomMigrationStage")
            }
        }
    }

    private static func invalid(_ place: Int, _ problem: String) -> StoreError {
        StoreError(.invalidStages, "Stage \(place + 1) \(problem).")
    }

    private mutating func add(_ stage: LightweightMigrationStage, _ place: Int) throws(StoreError) {
        guard let first = stage.versions.first else {
            throw Self.invalid(place, "has no version; name one, or leave the stage out")
        }
        try append(first, .between, place, mayRepeat: true)
        for version in stage.versions.dropFirst() {
            try append(version, .lightweight, place, mayRepeat: true)
        }
    }

    private mutating func add(_ stage: CustomMigrationStage, _ place: Int) throws(StoreError) {
        if stage.currentModel == stage.nextModel {
            throw Self.invalid(
                place,
                "('\(stage.name)') leads from a version to itself; give the new model another "
                    + "versionHashModifier, or do the work in a program")
        }
        try append(stage.currentModel, .between, place)
        try append(stage.nextModel, .custom(stage), place)
    }

    private mutating func append(
        _ version: ManagedObjectModelReference, _ edge: Edge, _ place: Int, mayRepeat: Bool = false
    ) throws(StoreError) {
        if let own = version.ownChecksum, own != version.versionChecksum {
            throw Self.invalid(
                place,
                "names the version '\(version.shortName)' by the checksum \(version.versionChecksum), and its model has "
                    + "\(own); correct the checksum, or take the model of that version")
        }
        // One version under two names, or the end of a stage where the next one begins.
        if versions.last == version {
            if !(versions.last?.bringsModel ?? false), version.bringsModel {
                versions[versions.count - 1] = version
            }
            return
        }
        // A version may come back in which nothing was changed but what takes no part in checksums.
        if !mayRepeat, let earlier = versions.firstIndex(of: version) {
            throw Self.invalid(
                place,
                "comes back to the version '\(version.shortName)', which is number \(earlier + 1) of the versions "
                    + "before; put the stages into the order of the versions")
        }
        if !versions.isEmpty { edges.append(edge) }
        versions.append(version)
    }

    /// The custom stages with the number of the version with which each begins.
    var customStages: [(place: Int, stage: CustomMigrationStage)] {
        edges.enumerated().compactMap { place, edge in
            if case .custom(let stage) = edge { (place, stage) } else { nil }
        }
    }

    /// The model of a version, wherever one of the references brings it.
    func model(
        of version: ManagedObjectModelReference, like other: ManagedObjectModel,
        known: [ManagedObjectModel]
    ) throws(StoreError) -> ManagedObjectModel? {
        if let model = known.first(where: { $0.versionChecksum == version.versionChecksum }) {
            return model
        }
        for reference in versions
            + customStages.flatMap({ [$0.stage.currentModel, $0.stage.nextModel] })
        where reference == version {
            if let model = try reference.model(like: other) { return model }
        }
        return nil
    }

    /// Checks the steps of all stages whose models are at hand.
    ///
    /// - Throws: `.invalidStages`.
    func checkSteps() throws(StoreError) {
        for (_, stage) in customStages where !stage.steps.isEmpty {
            guard let next = try stage.nextModel.anyModel,
                let current = try stage.currentModel.anyModel
            else { continue }
            _ = try stage.bridge(from: current, to: next)
        }
    }
}

extension ManagedObjectModelReference {
    /// The model without the application's types; nil for a checksum alone.
    fileprivate var anyModel: ManagedObjectModel? {
        get throws(StoreError) {
            guard let empty = try? ManagedObjectModel([]) else { return nil }
            return try model(like: empty)
        }
    }
}

extension CustomMigrationStage {
    /// The model in between, once all steps are found to fit it.
    ///
    /// - Throws: `.invalidStages`.
    func bridge(
        from current: ManagedObjectModel, to next: ManagedObjectModel
    ) throws(StoreError) -> BridgingModel {
        let bridge: BridgingModel
        do throws(ModelError) {
            bridge = try BridgingModel(
                from: current, to: next,
                converting: Set(steps.compactMap(\.convertedAttribute)))
        } catch {
            throw StoreError(
                .invalidStages,
                "The two versions of the stage '\(name)' cannot stand beside each other: "
                    + error.mistakes.map(\.description).joined(separator: "; "))
        }
        let problems = steps.flatMap { step in
            step.problems(bridge).map { "\(step.explanation): \($0)" }
        }
        if !problems.isEmpty {
            throw StoreError(
                .invalidStages,
                "Steps of the stage '\(name)' do not fit its versions: "
                    + problems.joined(separator: "; ") + ".")
        }
        return bridge
    }
}
