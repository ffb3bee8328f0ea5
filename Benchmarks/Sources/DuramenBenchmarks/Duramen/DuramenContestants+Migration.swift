import Duramen
import DuramenLMDB
import DuramenSQLite

extension DuramenContestants {
    /// Opens a store of the first version with the next one, or with its own.
    static func migrate(
        _ dataset: Dataset, _ kind: StoreKind, _ role: Role = .duramen, to hop: ModelHop?
    ) throws -> Contestant {
        try migrate(dataset, kind, role, to: ModelHop.model(after: hop.map { [$0] } ?? []), nil)
    }

    /// Splits a text of each row in two, by a stage.
    static func transform(_ dataset: Dataset, _ kind: StoreKind) throws -> Contestant {
        let model = try ModelHop.splitting.model()
        var stage = CustomMigrationStage(
            migratingFrom: ManagedObjectModelReference(model: try ModelHop.model(after: [])),
            to: ManagedObjectModelReference(model: model))
        stage.steps = [
            .transform("Quake", reading: ["place"], writing: ["direction", "town"]) { old, new in
                let place: String = old["place"] ?? ""
                let parts = place.utf8.split(separator: UInt8(ascii: ","), maxSplits: 1)
                new["direction"] = parts.first.map { String(Substring($0)) }
                new["town"] = parts.dropFirst().first.map { String(Substring($0)) }
            }
        ]
        return try migrate(
            dataset, kind, .duramen, to: model, try StagedMigrationManager([stage]))
    }

    private static func migrate(
        _ dataset: Dataset, _ kind: StoreKind, _ role: Role, to model: ManagedObjectModel,
        _ manager: StagedMigrationManager?
    ) throws -> Contestant {
        let original = try dataset.migrationBase(kind)
        var description = original
        var policy = MigrationPolicy()
        policy.backup = .never
        return Contestant(
            role,
            prepare: {
                let path = try dataset.emptyPath("migrate-\(role.rawValue)", for: kind)
                description = kind.described(path)
                try description.type.copy(original, to: description)
            },
            finish: { try description.type.destroy(description) },
            body: {
                var migrating = description.migrating(policy)
                migrating.stagedMigrationManager = manager
                try PersistentContainer.open(model: model, stores: [migrating]).close()
                return Outcome(0)
            })
    }

    /// Fetches all objects, whose rows are some versions behind.
    static func fetchUpgraded(
        _ dataset: Dataset, _ role: Role, versionsBehind: Int
    ) throws -> Contestant {
        let path = try dataset.emptyPath("behind-\(versionsBehind)", for: .lmdb)
        let description = StoreKind.lmdb.described(path)
        try description.type.copy(dataset.migrationBase(.lmdb), to: description)
        var hops: [ModelHop] = []
        for number in 0..<versionsBehind {
            hops.append(.adding("rating\(number)"))
            try PersistentContainer.open(
                model: ModelHop.model(after: hops), stores: [description]
            ).close()
        }
        let model = try ModelHop.model(after: hops)
        // Copies of one store are not open at once.
        var container: PersistentContainer?
        return Contestant(
            role,
            prepare: {
                container = try PersistentContainer.open(model: model, stores: [description])
            },
            finish: {
                try container?.close()
                container = nil
            },
            body: {
                guard let context = container?.makeContext() else { return Outcome(0) }
                let quakes = try context.fetch(FetchRequest<ManagedObject>(entityName: "Quake"))
                return Outcome(quakes.count)
            })
    }
}

extension ModelHop {
    /// Two values that a program computes of one.
    fileprivate static let splitting = ModelHop(
        word: "transform", title: "compute two values of one",
        edit: { quake, _ in
            for name in ["direction", "town"] {
                quake.attributes.append(AttributeDescription(name, .string, isOptional: true))
            }
        }, statements: [])

    /// Adds an attribute with a default.
    fileprivate static func adding(_ name: String) -> ModelHop {
        ModelHop(
            word: "add", title: "add an attribute",
            edit: { quake, _ in
                quake.attributes.append(
                    AttributeDescription(name, .integer64, default: .integer(3)))
            }, statements: [])
    }
}

extension StoreKind {
    /// A store of this kind that commits as late as the raw loop does.
    func described(_ path: String) -> PersistentStoreDescription {
        switch self {
        case .sqlite: .sqlite(path).durability(.relaxed)
        case .lmdb: .lmdb(path).durability(.relaxed)
        }
    }
}

extension Dataset {
    /// A closed store with every quake, to be copied.
    func migrationBase(_ kind: StoreKind) throws -> PersistentStoreDescription {
        if let made = migrationBases[kind] { return made }
        let store = try filledQuakeStore("migration-base", kind)
        try store.container.close()
        let description = kind.described(
            folder.appending(path: "migration-base.\(kind.rawValue)").path)
        migrationBases[kind] = description
        return description
    }
}
