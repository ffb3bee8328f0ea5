import Duramen
import DuramenLMDB
import DuramenModel
import DuramenQuery
import DuramenSQLite
import DuramenStore

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

    /// Reads all rows and a field of each, in rows that are some versions behind.
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
        guard let quake = model.entity(named: "Quake"),
            let magnitude = quake.attributes.first(where: { $0.name == "magnitude" })
        else { return Contestant(role) { Outcome(0) } }
        // Copies of one store are not open at once.
        var opened: (any PersistentStore)?
        return Contestant(
            role, prepare: { opened = try description.open(model: model) },
            finish: { try opened?.close() },
            body: {
                guard let opened else { return Outcome(0) }
                return Outcome(try magnitudes(opened, quake.id, magnitude.slot))
            })
    }

    private static func magnitudes(
        _ store: some PersistentStore, _ entity: EntityID, _ slot: Int
    ) throws -> Int {
        var checksum = Checksum()
        let query = store.pushdown(for: StoreQuery(entity: entity)).pushed
        let cursor = try store.snapshot().cursor(query)
        while let rows = try cursor.next(maximumRows: 512) {
            for row in rows { checksum.add(magnitude: row.double(slot)) }
        }
        return checksum.value
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
