import DuramenModel

/// The versions of all stages in order, and the changes between them.
struct MigrationRoute: Sendable {
    /// A change from one version to the next.
    enum Edge: Sendable {
        /// Inferred, within a stage.
        case lightweight
        /// Inferred, between two stages.
        case between
        case custom(CustomMigrationStage)
    }

    private(set) var versions: [ManagedObjectModelReference] = []
    /// The change from each version to the next. The last version has none.
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
        // A version with two names, or the end of a stage and the start of the next one.
        if versions.last == version {
            if !(versions.last?.bringsModel ?? false), version.bringsModel {
                versions[versions.count - 1] = version
            }
            return
        }
        // A version may recur if only details outside of checksums were changed.
        if !mayRepeat, let earlier = versions.firstIndex(of: version) {
            throw Self.invalid(
                place,
                "comes back to the version '\(version.shortName)', which is number \(earlier + 1) of the versions "
                    + "before; put the stages into the order of the versions")
        }
        if !versions.isEmpty { edges.append(edge) }
        versions.append(version)
    }

    /// The custom stages.
    var customStages: [CustomMigrationStage] {
        edges.compactMap { if case .custom(let stage) = $0 { stage } else { nil } }
    }

    /// A reference with the model of a version; nil for none.
    private func reference(
        to version: ManagedObjectModelReference
    ) -> ManagedObjectModelReference? {
        versions.first { $0 == version && $0.bringsModel }
    }

    /// Returns the model of a version; nil if no reference has it.
    ///
    /// - Parameters:
    ///   - version: The version.
    ///   - other: The model whose types archives get.
    ///   - known: Models that need no reference.
    func model(
        of version: ManagedObjectModelReference, like other: ManagedObjectModel,
        known: [ManagedObjectModel]
    ) throws(StoreError) -> ManagedObjectModel? {
        if let model = known.first(where: { $0.versionChecksum == version.versionChecksum }) {
            return model
        }
        return try reference(to: version)?.model(
            codableTypes: other.codableTypes, transformers: other.transformers)
    }

    /// Checks the steps of all stages whose models are known.
    ///
    /// - Throws: `.invalidStages`.
    func checkSteps() throws(StoreError) {
        for stage in customStages where !stage.steps.isEmpty {
            guard let current = try reference(to: stage.currentModel)?.model(),
                let next = try reference(to: stage.nextModel)?.model()
            else { continue }
            _ = try stage.bridge(from: current, to: next)
        }
    }
}

extension CustomMigrationStage {
    /// Returns the bridging model, after a check of all steps.
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
