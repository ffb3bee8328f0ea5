import Duramen
import DuramenLMDB
import DuramenSQLite

extension DuramenContestants {
    /// Opens a store of the first version with the next one, or with its own.
    static func migrate(
        _ dataset: Dataset, _ kind: StoreKind, _ role: Role = .duramen, to hop: ModelHop?
    ) throws -> Contestant {
        let original = try dataset.migrationBase(kind)
        var description = original
        let model = try ModelHop.model(after: hop.map { [$0] } ?? [])
        return Contestant(
            role,
            prepare: {
                let path = try dataset.emptyPath("migrate-\(role.rawValue)", for: kind)
                description = kind.described(path)
                try description.type.copy(original, to: description)
            },
            finish: { try description.type.destroy(description) },
            body: {
                try PersistentContainer.open(model: model, stores: [description]).close()
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
