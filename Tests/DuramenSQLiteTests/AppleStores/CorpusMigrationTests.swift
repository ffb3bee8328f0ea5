import DuramenLMDB
import DuramenMemory
import DuramenModel
import DuramenModelFile
import DuramenSQLite
import DuramenStore
import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

extension CorpusStoreTests {
    /// Stores of applications are migrated to the newest versions of their models: at once, and
    /// through every version between.
    @Suite(.enabled(if: Corpus.folder != nil, "\(Corpus.missing)"))
    struct CorpusMigrationTests {
        let folder = TemporaryFolder()

        @Test(
            "A store holds the same, whichever versions it went through",
            arguments: PairedStoreTests.pairs)
        func both(_ pair: StorePair) throws {
            let history = try History(pair, in: folder)
            if history.models.count == 1 { return }
            let kinds: [(String) -> PersistentStoreDescription] = [
                { .sqlite(folder.file($0 + ".sqlite")).durability(.unsafeNoSync) },
                { .lmdb(folder.file($0 + ".lmdb")).durability(.unsafeNoSync) },
                { .memory(folder.file($0)) },
            ]
            for kind in kinds {
                let source = kind("source")
                let original = try history.convert(to: source)
                let (direct, stepwise) = (kind("direct"), kind("stepwise"))
                for copy in [direct, stepwise] { try source.type.copy(source, to: copy) }
                let once = try history.migrate(direct, through: [history.models.count - 1])
                let often = try history.migrate(
                    stepwise, through: Array(history.models.indices.dropFirst()))
                if let once { try history.compare(once, with: original) }
                if let once, let often {
                    let differences = once.differences(from: often)
                    #expect(differences.subtracting(history.returningNames).sorted() == [])
                }
                for store in [source, direct, stepwise] { try store.destroyStore() }
            }
        }

        @Test(
            "A store of Core Data's is migrated where it is, and a copy is kept",
            arguments: PairedStoreTests.pairs)
        func inPlace(_ pair: StorePair) throws {
            let history = try History(pair, in: folder)
            let last = history.models.count - 1
            if last == 0 || !history.isSettled(from: 0, to: last) { return }
            let converted = PersistentStoreDescription.sqlite(folder.file("converted.sqlite"))
                .durability(.unsafeNoSync)
            let original = try history.convert(to: converted)
            let expected = try #require(try history.migrate(converted, through: [last]))

            let apple = try history.store()
            let identity = try apple.type.metadata(of: apple).storeUUID
            let found = try #require(try history.migrate(apple, through: [last]))
            #expect(found.differences(from: expected).sorted() == [])
            #expect(try apple.type.metadata(of: apple).storeUUID == identity)
            #expect(try apple.type.metadata(of: apple).migrations.count == 1)
            let backup = try #require(apple.migrationBackups.first)
            let kept = try apple.type.storedModel(of: backup).model
            #expect(try Contents(reading: backup, kept).objects.keys == original.objects.keys)
            #expect(
                !FileManager.default.fileExists(atPath: history.path + ".migrating"))
            // It is one of this library's now.
            let again = try #require(try history.migrate(apple, through: [last]))
            #expect(again == found)
            try history.expectHistory(apple, last)
        }

        @Test(
            "A store of Core Data's that is migrated by a stage holds what it would without one",
            arguments: PairedStoreTests.pairs)
        func byAStage(_ pair: StorePair) throws {
            let history = try History(pair, in: folder)
            let last = history.models.count - 1
            if last == 0 || !history.isSettled(from: 0, to: last) { return }
            let converted = PersistentStoreDescription.sqlite(folder.file("converted.sqlite"))
                .durability(.unsafeNoSync)
            _ = try history.convert(to: converted)
            let inferred = converted.described(at: folder.file("inferred.sqlite"))
            try converted.type.copy(converted, to: inferred)
            guard let expected = try history.migrate(inferred, through: [last]) else { return }
            let apple = try history.store()
            let stage = CustomMigrationStage(
                migratingFrom: ManagedObjectModelReference(model: history.models[0]),
                to: ManagedObjectModelReference(model: history.models[last]))
            let manager = try StagedMigrationManager([stage])
            for store in [converted, apple] {
                let kept = try store.type.storedModel(of: store).model
                // What this library cannot say of a model makes it another version.
                if kept.versionChecksum != history.models[0].versionChecksum { continue }
                let found = try #require(
                    try history.migrate(store.migrating(with: manager), through: [last]))
                #expect(found.differences(from: expected).sorted() == [])
                #expect(!FileManager.default.fileExists(atPath: store.location + ".migrating"))
            }
            #expect(apple.migrationBackups.count <= 1)
        }

        /// Those with changes that a person has to decide.
        @Test func mostChainsNeedNobody() throws {
            let refused = try PairedStoreTests.pairs.compactMap { pair -> String? in
                let history = try History(pair, in: folder)
                let places = Array(history.models.indices)
                let isRefused = zip(places, places.dropFirst()).contains {
                    !history.isSettled(from: $0, to: $1)
                }
                return isRefused ? URL(filePath: pair.store).lastPathComponent : nil
            }
            #expect(
                refused.sorted() == [
                    "ArtsyPartner_1.4.sqlite", "ArtsyPartner_2.0.sqlite", "SampleStore2.0.sqlite",
                ])
        }
    }
}

extension PersistentStoreDescription {
    fileprivate func described(at location: String) -> PersistentStoreDescription {
        var copy = self
        copy.location = location
        return copy
    }
}

/// A store, and the versions of its model from its own on.
private struct History {
    let models: [ManagedObjectModel]
    let path: String

    init(_ pair: StorePair, in folder: TemporaryFolder) throws {
        path = try Corpus.copy(pair.store, to: folder)
        let (bundle, version) = try pair.bundle(forCopy: path)
        let place = try #require(bundle.versions.firstIndex { $0.name == version })
        models = try bundle.versions[place...].map { try $0.document.model() }
    }

    /// Names of entities and properties that a version between lacks, and the last one has again.
    var returningNames: Set<String> {
        func names(_ model: ManagedObjectModel) -> Set<String> {
            Set(
                model.entities.flatMap { entity in
                    [entity.name] + entity.attributes.map { "\(entity.name).\($0.name)" }
                        + entity.relationships.map { "\(entity.name).\($0.name)" }
                })
        }
        guard let first = models.first, let last = models.last else { return [] }
        let kept = names(first).intersection(names(last))
        return models.dropFirst().dropLast().reduce(into: []) {
            $0.formUnion(kept.subtracting(names($1)))
        }
    }

    func isSettled(from old: Int, to new: Int) -> Bool {
        let fills = Self.fills(from: models[old], to: models[new])
        return SchemaChange(from: models[old], to: models[new], fills: fills).unsettled.isEmpty
    }

    /// Values for what is mandatory and has none.
    private static func fills(
        from old: ManagedObjectModel, to new: ManagedObjectModel
    ) -> [String: StoredValue] {
        var fills: [String: StoredValue] = [:]
        for change in SchemaChange(from: old, to: new).unsettled {
            let names = change.name.split(separator: ".", maxSplits: 1).map(String.init)
            guard names.count == 2,
                case .attribute(let attribute)? = new.entity(named: names[0])?.property(
                    named: names[1])
            else { continue }
            fills[change.name] = value(attribute.type)
        }
        return fills
    }

    private static func value(_ type: AttributeType) -> StoredValue? {
        switch type {
        case .integer16, .integer32, .integer64: .integer(1)
        case .decimal: .decimal(1)
        case .double, .float: .double(1)
        case .string: .text("filled")
        case .boolean: .boolean(true)
        case .date: .date(Date(timeIntervalSinceReferenceDate: 1))
        case .uuid: .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)))
        case .binaryData, .transformable: .binary(Data([1]))
        case .uri: .uri("filled:")
        default: nil
        }
    }

    /// Copies what Core Data wrote into a store of the library's.
    func convert(to description: PersistentStoreDescription) throws -> Contents {
        let apple = try PersistentStoreDescription.sqlite(path).readOnly().open(model: models[0])
        defer { try? apple.close() }
        let store = try description.open(model: models[0])
        defer { try? store.close() }
        try StoreConversion(from: apple, to: store).run()
        return try Contents(store)
    }

    /// The store that Core Data wrote, with its model.
    func store() throws -> PersistentStoreDescription {
        let apple = PersistentStoreDescription.sqlite(path)
        if (try? apple.type.storedModel(of: apple)) == nil {
            // Of before 2015: somebody has to say what it was written with.
            let error = #expect(throws: StoreError.self) {
                try migrate(apple, through: [models.count - 1])
            }
            #expect(error?.code == .sourceModelMissing)
            try apple.open(model: models[0]).close()
        }
        return apple
    }

    /// - Returns: What the store holds in the end; nil when some change has to be decided.
    func migrate(
        _ description: PersistentStoreDescription, through places: [Int]
    ) throws -> Contents? {
        var last = 0
        for place in places {
            if !isSettled(from: last, to: place) { return nil }
            var policy = MigrationPolicy()
            policy.loss = .all
            policy.backup = .never
            policy.fills = Self.fills(from: models[last], to: models[place])
            do throws(StoreError) {
                try description.migrating(policy).open(model: models[place]).close()
            } catch {
                // Its artists' artworks have got another inverse meanwhile.
                guard error.code == .valuesDoNotFit, path.hasSuffix("oss_stubbed_data.sqlite")
                else {
                    throw error
                }
                return nil
            }
            last = place
        }
        let store = try description.withoutMigration().open(model: models[last])
        defer { try? store.close() }
        let findings = try StoreVerification(of: store).run()
        #expect(findings.map(\.description) == [])
        return try Contents(store)
    }

    /// Begins a history in a migrated store, and reads it.
    func expectHistory(_ description: PersistentStoreDescription, _ place: Int) throws {
        let store = try description.keepingHistory().open(model: models[place])
        defer { try? store.close() }
        let tracking = try store.historyTracking()
        let start = try #require(try tracking.historyExtent()?.last)
        #expect(start == (try store.snapshot().generation.rawValue))
        _ = try store.save(ChangeSet(metadata: ["note": .integer(1)], author: "after"))
        let told = try tracking.history(HistoryRequest(after: start))
        #expect(told.map(\.author) == ["after"])
    }

    /// Compares what both versions have.
    func compare(_ new: Contents, with old: Contents) throws {
        let change = SchemaChange(from: models[0], to: models[models.count - 1])
        var seen = 0
        for (key, values) in old.objects {
            guard let entity = change.source.entity(named: key.entity),
                let target = change.targetEntity(entity.id)
            else {
                continue
            }
            let name = change.target[target].name
            let found = try #require(
                new.objects[.init(entity: name, number: key.number)], "\(key) is gone")
            for attribute in entity.attributes {
                guard
                    case .attribute(let same)? = change.target[target].property(
                        named: attribute.name),
                    same.type == attribute.type, let value = values[attribute.name]
                else { continue }
                #expect(
                    found[attribute.name] == value, "\(key.entity) \(key.number) \(attribute.name)")
                seen += 1
            }
        }
        let stays = change.source.entities.contains { change.targetEntity($0.id) != nil }
        #expect(!stays || seen > 0 || old.objects.isEmpty)
    }
}

/// What a store holds, without its identity.
private struct Contents: Equatable {
    struct Key: Hashable {
        var entity: String
        var number: Int64
    }

    var objects: [Key: PropertyValues] = [:]
    var members: [String: [Key: [Int64]]] = [:]

    init(reading description: PersistentStoreDescription, _ model: ManagedObjectModel) throws {
        let store = try description.readOnly().open(model: model)
        defer { try? store.close() }
        try self.init(store)
    }

    init(_ store: any PersistentStore) throws {
        let contents = try StoreContents(reading: store.snapshot(), of: store)
        func key(_ id: ManagedObjectID) -> Key { Key(entity: id.entityName, number: id.key) }
        for (id, record) in contents.records {
            objects[key(id)] = record.values.mapValues { value in
                // Another store's objects are never equal to one's own.
                guard case .objectID(let id) = value else { return value }
                return .text(StoredText("\(id.entityName) \(id.key)"))
            }
        }
        for (relationship, lists) in contents.destinations {
            let owner = store.model[store.model[relationship].declaringEntity]
            members["\(owner.name).\(store.model[relationship].name)"] = Dictionary(
                uniqueKeysWithValues: lists.map { (key($0.key), $0.value.map(\.key)) })
        }
    }

    /// The properties, or entities, in which two differ.
    func differences(from other: Contents) -> Set<String> {
        var names: Set<String> = []
        for key in Set(objects.keys).union(other.objects.keys) {
            guard let own = objects[key], let others = other.objects[key] else {
                names.insert(key.entity)
                continue
            }
            for name in Set(own.keys).union(others.keys) where own[name] != others[name] {
                names.insert("\(key.entity).\(name)")
            }
        }
        for name in Set(members.keys).union(other.members.keys)
        where members[name] != other.members[name] {
            names.insert(name)
        }
        return names
    }
}
