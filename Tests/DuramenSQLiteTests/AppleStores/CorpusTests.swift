import DuramenModel
import DuramenQuery
import DuramenSQLite
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

extension CorpusStoreTests {
    /// Stores that Core Data wrote. Some have one identity, so that only one is open at a time.
    @Suite(.enabled(if: Corpus.folder != nil, "\(Corpus.missing)"))
    struct CorpusTests {
        let folder = TemporaryFolder()
        /// For plain SQL, which would write a log back into the file.
        let rawFolder = TemporaryFolder()

        @Test func theCorpusIsWhole() { #expect(Corpus.stores.count == 29) }

        @Test(
            "Entities, rows and dangling keys are those that plain SQL counts",
            arguments: Corpus.stores
        )
        func storesReadAsSQLDoes(_ name: String) throws {
            let path = try Corpus.copy(name, to: folder)
            let raw = try RawStore(Corpus.copy(name, to: rawFolder))
            let description = PersistentStoreDescription.sqlite(path).readOnly()
            let given = try CorpusModels.model(for: URL(filePath: path).lastPathComponent)
            let model: ManagedObjectModel
            if let given {
                #expect(
                    storeErrorCode { try SQLiteStoreType().storedModel(of: description) }
                        == .modelMissing)
                model = given
            } else {
                model = try SQLiteStoreType().storedModel(of: description).model
            }
            let report = try SQLiteStoreType().report(on: description, checks: true)
            let store = try description.open(model: model)
            defer { try? store.close() }
            let snapshot = try store.snapshot()

            #expect(model.entities.map(\.name) == raw.entities.map(\.name).sorted())
            #expect(report.entities.map(\.name) == raw.entities.map(\.name))
            for (place, entity) in raw.entities.enumerated() {
                let own = try store.entity(entity.name)
                #expect(own.superentity.map { model[$0].name } == raw.name(of: entity.parent))
                let expected = try raw.count(entity, "1")
                #expect(
                    try snapshot.count(StoreQuery(entity: own.id, includesSubentities: false))
                        == expected, "\(entity.name)")
                #expect(report.entities[place].rows == expected)
                #expect(try rows(own, in: snapshot).count == expected)
                let dangling = try checkReferences(of: own, entity, store, raw)
                if given == nil { #expect(report.entities[place].danglingReferences == dangling) }
            }
            try checkPairs(store, raw)
        }

        /// Compares what is null in rows with what SQL finds null or dangling; gives the dangling
        /// ones.
        private func checkReferences(
            of own: Entity, _ entity: RawStore.Entity, _ store: some PersistentStore,
            _ raw: RawStore
        ) throws -> Int {
            var total = 0
            let rows = try rows(own, in: store.snapshot())
            for relationship in own.relationships {
                guard let slot = relationship.slot else { continue }
                let declaring = store.model[relationship.declaringEntity].name
                let column =
                    relationship.isHidden
                    ? raw.column(
                        of: store.model[relationship.inverse].name,
                        ownedBy: store.model[relationship.destination].name)
                    : raw.column(relationship.name, declaredBy: declaring, in: store.model)
                let isThere = try raw.existence(
                    of: column, store.model[relationship.destination].name)
                let present = try raw.count(entity, isThere)
                #expect(
                    rows.filter { !$0.isNull(slot) }.count == present,
                    "\(entity.name).\(relationship.name)")
                total += try raw.count(entity, "\(column) IS NOT NULL AND NOT \(isThere)")
                if relationship.isHidden { continue }
                // The pushed-down condition sees what the rows show.
                let isNull = FetchPredicate.comparison(
                    PredicateComparison(.keyPath([relationship.name]), .equal, .constant(.null)))
                let query = StoreQuery(
                    entity: own.id, includesSubentities: false, predicate: isNull)
                #expect(try store.snapshot().count(query) == rows.count - present)
            }
            return total
        }

        /// All pairs of all many-to-manys are all rows of all tables of pairs, seen from either
        /// side.
        private func checkPairs(_ store: some PersistentStore, _ raw: RawStore) throws {
            var pairs = 0
            for relationship in store.model.relationships {
                guard case .manyToMany = relationship.storage else { continue }
                let owner = store.model[relationship.declaringEntity]
                let ids = try store.snapshot().objectIDs(StoreQuery(entity: owner.id))
                pairs += try store.snapshot().destinations(of: relationship.id, from: ids)
                    .map(\.count).reduce(0, +)
            }
            #expect(pairs == 2 * (try raw.pairCount()))
        }

        private func rows(_ entity: Entity, in snapshot: any StoreSnapshot) throws -> [Row] {
            let query = StoreQuery(entity: entity.id, includesSubentities: false)
            let cursor = try snapshot.cursor(query)
            var rows: [Row] = []
            while let batch = try cursor.next(maximumRows: 100) { rows += Array(batch) }
            return rows
        }

        @Test("Texts, numbers, dates and identifiers arrive as they were stored")
        func valuesArrive() throws {
            let name = try #require(Corpus.stores.first { $0.hasSuffix("SampleModel3_V1.sqlite") })
            let path = try Corpus.copy(name, to: folder)
            let raw = try RawStore(Corpus.copy(name, to: rawFolder))
            let description = PersistentStoreDescription.sqlite(path).readOnly()
            let store = try description.open(
                model: SQLiteStoreType().storedModel(of: description).model)
            defer { try? store.close() }
            let entity = try store.entity("User")
            for attribute in entity.attributes where attribute.type == .string {
                let texts = try rows(entity, in: store.snapshot()).map {
                    $0.value(attribute.slot, attribute.kind)
                }
                let column = "Z" + attribute.name.uppercased()
                let expected = try RawDatabase.texts(
                    raw.path, "SELECT \(column) FROM ZUSER ORDER BY Z_PK")
                #expect(texts == expected.map { .text(StoredText($0)) })
            }
        }

        @Test("No damage of a real model cache traps")
        func damagedCachesAreRefused() throws {
            let name = try #require(Corpus.stores.first { $0.hasSuffix("SampleModel2_V1.sqlite") })
            let path = try Corpus.copy(name, to: folder)
            let packed = try RawStore(path).modelCache()
            try damageCache(of: path, packed: packed, times: 100)
        }
    }
}

/// A store's file by plain SQL, knowing only the layout.
private struct RawStore {
    struct Entity {
        var number: Int
        var name: String
        var parent: Int
    }

    let path: String
    let entities: [Entity]

    init(_ path: String) throws {
        self.path = path
        entities = try RawDatabase.texts(
            path,
            "SELECT Z_ENT || '|' || Z_SUPER || '|' || Z_NAME FROM Z_PRIMARYKEY "
                + "WHERE Z_ENT < 16000 ORDER BY Z_ENT"
        ).map { line in
            let parts = line.split(separator: "|")
            return Entity(
                number: Int(parts[0]) ?? 0, name: String(parts[2]), parent: Int(parts[1]) ?? 0)
        }
    }

    func name(of number: Int) -> String? { entities.first { $0.number == number }?.name }

    func table(_ entity: Entity) -> String {
        var root = entity
        while let parent = entities.first(where: { $0.number == root.parent }) { root = parent }
        return "Z" + root.name.uppercased()
    }

    func count(_ entity: Entity, _ condition: String) throws -> Int {
        let count = try RawDatabase.texts(
            path,
            "SELECT COUNT(*) FROM \(table(entity)) AS t "
                + "WHERE Z_ENT = \(entity.number) AND (\(condition))")
        return Int(count[0]) ?? -1
    }

    /// The column of a to-one: the second entity of a table with a property of the name has a
    /// digit.
    func column(
        _ property: String, declaredBy name: String, in model: ManagedObjectModel
    ) -> String {
        guard let own = entities.first(where: { $0.name == name }) else { return "" }
        let earlier = entities.filter { other in
            other.number < own.number && table(other) == table(own)
                && model.descriptions.contains { description in
                    description.name == other.name
                        && (description.attributes.contains { $0.name == property }
                            || description.relationships.contains { $0.name == property })
                }
        }
        return "t.Z" + property.uppercased() + (earlier.isEmpty ? "" : "\(earlier.count)")
    }

    /// The column, at the other end, of a to-many without an inverse.
    func column(of toMany: String, ownedBy owner: String) -> String {
        let number = entities.first { $0.name == owner }?.number ?? 0
        return "t.Z\(number)" + toMany.uppercased()
    }

    /// A condition that a key names a row of an entity or of one below it.
    func existence(of column: String, _ destination: String) throws -> String {
        guard let entity = entities.first(where: { $0.name == destination }) else { return "0" }
        var family = [entity.number]
        for other in entities where family.contains(other.parent) { family.append(other.number) }
        return "EXISTS (SELECT 1 FROM \(table(entity)) AS d WHERE d.Z_PK = \(column) "
            + "AND d.Z_ENT IN (\(family.map(String.init).joined(separator: ","))))"
    }

    func pairCount() throws -> Int {
        let tables = try RawDatabase.texts(
            path, "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z_[0-9]*'")
        return try tables.map {
            Int(try RawDatabase.texts(path, "SELECT COUNT(*) FROM \($0)")[0]) ?? -1
        }.reduce(0, +)
    }

    func modelCache() throws -> [UInt8] {
        let hex = try RawDatabase.texts(path, "SELECT hex(Z_CONTENT) FROM Z_MODELCACHE")[0]
        let digits = Array(hex)
        return stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(digits[$0...$0 + 1]), radix: 16)
        }
    }
}
