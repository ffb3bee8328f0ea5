import DuramenModel
import DuramenQuery
import Foundation

/// Migrates a working copy from one version to the next.
struct StageRun {
    let hop: MigrationHop
    /// The index of the change.
    let number: Int
    /// The part of the whole migration.
    let part: ClosedRange<Double>
    let copy: PersistentStoreDescription
    let manager: StagedMigrationManager?
    let report: MigrationReport

    func run() throws(StoreError) {
        guard let bridge = hop.bridge, let stage = hop.stage else {
            begin(hop.label, 0...1)
            return try change(hop.change)
        }
        begin(stage.name, Share.expansion)
        try change(bridge.expansion.change)
        begin(stage.name, Share.firstHandler)
        try handle(stage, stage.willMigrateHandler, "willMigrateHandler", bridge.model.model)
        try runSteps(stage, bridge)
        try checkValues(bridge)
        begin(stage.name, Share.contraction)
        for contraction in bridge.contractions { try change(contraction.change) }
        begin(stage.name, Share.lastHandler)
        try handle(stage, stage.didMigrateHandler, "didMigrateHandler", hop.change.target)
    }

    /// The estimated parts of a custom change.
    private enum Share {
        static let expansion = 0.0...0.1
        static let firstHandler = 0.1...0.3
        static let steps = 0.3...0.7
        static let contraction = 0.7...0.9
        static let lastHandler = 0.9...1.0
    }

    /// Starts a part of this change.
    private func begin(_ label: String, _ own: ClosedRange<Double>) {
        let length = part.upperBound - part.lowerBound
        report.begin(
            hop: number, label,
            part: (part.lowerBound + length * own.lowerBound)...(part.lowerBound + length
                * own.upperBound))
    }

    // MARK: - Changes of the model

    private func change(_ change: SchemaChange) throws(StoreError) {
        if change.isEmpty { return }
        var description = copy
        description.opening.isToBeMigrated = true
        let opened = try description.type.open(description, model: change.source)
        do throws(StoreError) {
            guard let store = opened as? any SchemaMigratingStore else {
                throw StoreError(
                    .unsupported, "Stores of the type of '\(copy.location)' cannot be migrated.")
            }
            try store.migrate(MigrationWork(change, report, copy: nil))
            try store.close()
        } catch {
            try? opened.close()
            throw error
        }
    }

    // MARK: - The application's code

    private func handle(
        _ stage: CustomMigrationStage,
        _ handler: (@Sendable (StagedMigrationManager, CustomMigrationStage) throws -> Void)?,
        _ name: String, _ model: ManagedObjectModel
    ) throws(StoreError) {
        try report.note(.steps)
        guard let handler, let manager else { return }
        let access = StageAccess(copy, model)
        try failing(in: name) { try access.run { try handler(manager.with(access), stage) } }
        try report.note(.steps, 1)
    }

    private func runSteps(
        _ stage: CustomMigrationStage, _ bridge: MigrationHop.Bridge
    ) throws(StoreError) {
        if stage.steps.isEmpty { return }
        let model: ManagedObjectModel
        do throws(ModelError) {
            model = try bridge.model.withoutRules()
        } catch {
            throw StoreError(.unsupported, "\(error)")
        }
        let share = (Share.steps.upperBound - Share.steps.lowerBound) / Double(stage.steps.count)
        for (place, step) in stage.steps.enumerated() {
            let start = Share.steps.lowerBound + share * Double(place)
            begin(step.explanation, start...(start + share))
            try report.note(.steps)
            let store = try copy.type.open(copy, model: model)
            let work = StepWork(
                store: store, bridge: bridge.model, access: StageAccess(copy, model),
                report: report)
            let result = Result { () throws(StoreError) in
                try failing(in: step.explanation) { try work.access.run { try step.run(work) } }
            }
            let closing = Result { () throws(StoreError) in try store.close() }
            try result.get()
            try closing.get()
        }
    }

    /// Runs code of the application; its errors name the place.
    private func failing(in place: String, _ body: () throws -> Void) throws(StoreError) {
        do {
            try body()
        } catch {
            let known = error as? StoreError
            if let known, known.code == .cancelled || report.cancellation.isCancelled {
                throw known
            }
            throw StoreError(
                .stepFailed,
                "'\(place)' of the stage '\(hop.label)', change \(number + 1) of the migration, failed: "
                    + "\(known?.message ?? "\(error)") Nothing was changed.",
                objectID: known?.objectID, detail: "\(error)")
        }
    }

    // MARK: - Values

    /// The number of objects that an error names.
    private static let named = 5

    /// Checks that mandatory attributes of the next version have values.
    private func checkValues(_ bridge: MigrationHop.Bridge) throws(StoreError) {
        if bridge.mandatory.isEmpty { return }
        let store = try copy.type.open(copy, model: bridge.model.model)
        defer { try? store.close() }
        let snapshot = try store.snapshot()
        for (name, attribute) in bridge.mandatory.map({ ($0.name, $0.between) }) {
            var query = StoreQuery(
                entity: attribute.declaringEntity,
                predicate: .keyPath(attribute.name, .equal, StoredValue.null))
            let count = try QueryExecution(query, on: store, in: snapshot).count()
            if count == 0 { continue }
            query.limit = Self.named
            let ids = try QueryExecution(query, on: store, in: snapshot).objectIDs()
            let uris = ids.map { $0.uriRepresentation.absoluteString }.joined(separator: ", ")
            throw StoreError(
                .missingValue,
                "\(count) object\(count == 1 ? " has" : "s have") no value of '\(name)', which is mandatory after the stage "
                    + "'\(hop.label)': \(uris)\(count > ids.count ? ", …" : ""). Set the values in the stage, for example by a "
                    + "step fill. Nothing was changed.",
                objectID: ids.first)
        }
    }
}
