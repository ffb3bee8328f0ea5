import DuramenModel
public import DuramenStore

/// Migrates a store through random versions of a random model, and compares its data with the
/// expected data.
public struct EvolutionRun {
    private let description: PersistentStoreDescription
    private var evolution: ModelEvolution
    private var random: SplitMix64
    /// The number of migrations by kind of edit, and of refusals by reason.
    public private(set) var counts: [String: Int] = [:]
    private var trail: [String] = []
    /// The versions that the store has had: none of them recurs.
    private var versions: Set<String> = []

    /// All kinds of edits that are migrated, and all reasons for refusals.
    public static let kinds =
        ModelEdit.allCases.filter { $0 != .joinHierarchies }.map(\.rawValue)
        + [StoreError.Code.valuesDoNotFit, .uniquenessViolated, .notInferable].map(\.rawValue)

    /// Creates a run at a location without a store.
    public init(seed: UInt64, case number: Int, on description: PersistentStoreDescription) {
        random = SplitMix64(seed: seed, case: number)
        var policy = MigrationPolicy()
        // The edits are random, so losses and similar names are intended.
        policy.loss = .all
        policy.backup = .never
        self.description = description.migrating(policy)
        evolution = ModelEvolution(seed: random.next())
    }

    /// Runs the migrations.
    ///
    /// - Throws: The first difference, with the edits that led to it.
    public mutating func run() throws {
        do {
            try begin()
            for _ in 0..<Int.random(in: 1...4, using: &random) { try hop() }
        } catch {
            throw Difference("\(trail.joined(separator: ", ")): \(error)")
        }
    }

    private mutating func begin() throws {
        for name in ["E", "F"] {
            evolution.world.entities.append(
                EntityDescription(
                    name: name,
                    attributes: [
                        AttributeDescription("label\(name)", .string, isOptional: true),
                        AttributeDescription("number\(name)", .integer32, isOptional: true),
                    ]))
        }
        let growing: [ModelEdit] = [
            .addAttribute, .addMandatoryAttribute, .addRelationship, .addEntity, .addComposite,
            .addRelationship, .addIndex, .addParent, .addAttribute, .addTwinLinks,
        ]
        for _ in 0..<Int.random(in: 4...14, using: &random) {
            evolution.beginHop()
            _ = evolution.apply(random.pick(growing))
        }
        let store = try description.open(model: evolution.world.model())
        versions.insert(store.model.versionChecksum)
        try populate(store)
        try evolution.world.read(contents(of: store), store.model)
        try store.close()
    }

    private func contents(of store: any PersistentStore) throws -> StoreContents {
        try StoreContents(reading: store.snapshot(), of: store)
    }

    private mutating func hop() throws {
        let before = evolution
        evolution.beginHop()
        var edits: [ModelEdit] = []
        let wanted = Int.random(in: 1...6, using: &random)
        for _ in 0..<200 where edits.count < wanted {
            let edit = random.pick(ModelEdit.allCases)
            // An entity must not be removed after other edits, whose expectations its objects may
            // affect.
            if edit == .removeEntity, !edits.isEmpty { continue }
            if evolution.apply(edit) { edits.append(edit) }
        }
        trail.append("[" + edits.map(\.rawValue).joined(separator: " ") + "]")
        var model = try evolution.world.model()
        while versions.contains(model.versionChecksum) {
            _ = evolution.apply(.touch)
            model = try evolution.world.model()
        }
        if let refusal = evolution.refusal {
            try expectRefusal(refusal, model, before)
            return
        }
        let store = try description(to: model, from: before).open(model: model)
        defer { try? store.close() }
        versions.insert(model.versionChecksum)
        if random.oneIn(3), let store = store as? any SchemaMigratingStore {
            try store.finishMigration(cancellation: nil)
        }
        try compare(store, with: evolution.world)
        for edit in edits { counts[edit.rawValue, default: 0] += 1 }
        try populate(store)
        try evolution.world.read(contents(of: store), model)
    }

    /// The description for the next migration: inferred, or sometimes with a stage without steps,
    /// which must have an equal result.
    private mutating func description(
        to model: ManagedObjectModel, from before: ModelEvolution
    ) throws -> PersistentStoreDescription {
        if !random.oneIn(4) { return description }
        trail.append("by a stage")
        counts["stage", default: 0] += 1
        let stage = CustomMigrationStage(
            migratingFrom: ManagedObjectModelReference(model: try before.world.model()),
            to: ManagedObjectModelReference(model: model))
        return description.migrating(with: try StagedMigrationManager([stage]))
    }

    private mutating func expectRefusal(
        _ code: StoreError.Code, _ model: ManagedObjectModel, _ before: ModelEvolution
    ) throws {
        do throws(StoreError) {
            try description.open(model: model).close()
        } catch {
            if ![.valuesDoNotFit, .uniquenessViolated, .notInferable].contains(error.code) {
                throw error
            }
            counts[code.rawValue, default: 0] += 1
            // Undo the refused edits, but not the random numbers, so that the next edits differ.
            let random = evolution.random
            evolution = before
            evolution.random = random
            let store = try description.withoutMigration().open(model: before.world.model())
            defer { try? store.close() }
            return try compare(store, with: before.world)
        }
        throw Difference("a change was migrated that is to be refused with \(code.rawValue)")
    }

    private func compare(_ store: any PersistentStore, with world: EvolvingWorld) throws {
        var found = EvolvingWorld()
        try found.read(contents(of: store), store.model)
        let (lines, expected) = (found.lines, world.lines)
        if lines != expected {
            let extra = lines.subtracting(expected).sorted().prefix(5)
            let missing = expected.subtracting(lines).sorted().prefix(5)
            throw Difference("found \(Array(extra)), expected \(Array(missing))")
        }
        if let finding = try StoreVerification(of: store).run().first {
            throw Difference("verification found: \(finding)")
        }
    }

    // MARK: - Objects

    private mutating func populate(_ store: any PersistentStore) throws {
        let description = description
        let driver = StoreDriver(store, StoreFixture { _ in description })
        let model = store.model
        for entity in model.entities where !entity.isAbstract {
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                var values: PropertyValues = [:]
                for attribute in entity.attributes
                where !attribute.isOptional || !random.oneIn(4) {
                    values[attribute.name] = EvolutionValues.value(attribute.type, &random)
                }
                var draft = driver.draft()
                try draft.insert(entity.name, values)
                // A save is not written if other objects have its unique values.
                _ = try store.save(draft.changes)
            }
        }
        for relationship in model.relationships { try link(relationship, driver) }
    }

    private mutating func link(_ relationship: Relationship, _ driver: StoreDriver) throws {
        let model = driver.model
        let inverse = model[relationship.inverse]
        let contents = try driver.contents()
        func objects(_ entity: EntityID) -> [ManagedObjectID] {
            contents.records.keys.filter { id in
                model.entity(of: id)?.isKind(of: model[entity]) ?? false
            }.sorted()
        }
        let owners = objects(relationship.declaringEntity)
        let destinations = objects(relationship.destination)
        if owners.isEmpty || destinations.isEmpty { return }
        let path = "\(model[relationship.declaringEntity].name).\(relationship.name)"
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            let (owner, destination) = (random.pick(owners), random.pick(destinations))
            let number = random.oneIn(2) ? Int64.random(in: 1...9, using: &random) : nil
            var draft = driver.draft()
            switch (relationship.storage, inverse.storage) {
            case (.toOne, .inverseOfToOne):
                var values: PropertyValues = [relationship.name: .objectID(destination)]
                if relationship.orderSlot != nil, let number {
                    values[relationship.name + ".order"] = .integer(number)
                }
                try draft.update(owner, values)
            case (.toOne, .toOne):
                // Both sides must be free, and must agree.
                if owner == destination || relationship.id > inverse.id { continue }
                let (a, b) = (try driver.values(owner), try driver.values(destination))
                if a?[relationship.name] != nil || b?[inverse.name] != nil { continue }
                try draft.update(owner, [relationship.name: .objectID(destination)])
                try draft.update(destination, [inverse.name: .objectID(owner)])
            case (.manyToMany, .manyToMany):
                if relationship.id > inverse.id { continue }
                draft.relate(
                    path, owner, destination, order: relationship.isOrdered ? number : nil,
                    inverseOrder: inverse.isOrdered ? number.map { $0 + 1 } : nil)
            default: continue
            }
            _ = try driver.store.save(draft.changes)
        }
    }
}
