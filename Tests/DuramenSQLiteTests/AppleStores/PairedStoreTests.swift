import DuramenModel
import DuramenModelFile
import DuramenQuery
import DuramenSQLite
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

extension CorpusStoreTests {
    /// Stores that Core Data wrote, beside those that this library makes of the same model files.
    @Suite(.enabled(if: Corpus.folder != nil, "\(Corpus.missing)"))
    struct PairedStoreTests {
        let folder = TemporaryFolder()

        @Test func thePairsAreWhole() throws { #expect(Self.pairs.count == 22) }

        @Test("A new store has the tables that Core Data makes of the same model")
        func tablesAreThoseOfCoreData() throws {
            var identical = 0
            // Transformables, which stand before binary data, are binary data to the model file's
            // reader here, since nobody gave it their types.
            let known = ["SampleStore2.0.sqlite: ZOCKCDOUTCOMEVALUE"]
            var others: Set<String> = []
            for pair in Self.pairs {
                let apple = try Corpus.copy(pair.store, to: folder)
                let model = try pair.document(forCopy: apple).model()
                let path = folder.file(UUID().uuidString + ".sqlite")
                try PersistentStoreDescription.sqlite(path).open(model: model).close()
                let (own, found) = (try Layout(path).tables, try Layout(apple).tables)
                #expect(own.count > model.entities.count { $0.superentity == nil } / 2)
                let file = URL(filePath: pair.store).lastPathComponent
                for name in Set(own.keys).union(found.keys) {
                    if own[name] == found[name] {
                        identical += 1
                    } else {
                        others.insert("\(file): \(name)")
                    }
                }
            }
            print(identical, "tables have the same names, columns, types and order")
            #expect(identical == 137)
            #expect(others.sorted() == known)
        }

        @Test("A store opens with the model of its file", arguments: pairs)
        func storesOpenWithTheirModels(_ pair: StorePair) throws {
            let path = try Corpus.copy(pair.store, to: folder)
            let model = try pair.document(forCopy: path).model()
            let store = try PersistentStoreDescription.sqlite(path).readOnly().open(model: model)
            defer { try? store.close() }
            let snapshot = try store.snapshot()
            for entity in model.entities {
                _ = try snapshot.count(StoreQuery(entity: entity.id))
            }
        }

        static let pairs: [StorePair] = {
            guard let folder = Corpus.folder,
                let text = try? String(contentsOfFile: "\(folder)/pairs.tsv", encoding: .utf8)
            else { return [] }
            return text.split(separator: "\n").dropFirst().map { line in
                let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
                return StorePair(
                    store: String(fields[0].dropFirst("stores/".count)),
                    version: fields[1].split(separator: ",").first.map(String.init) ?? "")
            }
        }()
    }
}

/// The tables of a file with their columns.
private struct Layout {
    /// The columns of each table of the model, with their declared types, in their order.
    private(set) var tables: [String: [String]] = [:]

    init(_ path: String) throws {
        let names = try RawDatabase.texts(
            path,
            """
            SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'Z%'
            AND name NOT IN ('Z_PRIMARYKEY', 'Z_METADATA', 'Z_MODELCACHE')
            """)
        for name in names {
            tables[name] = try RawDatabase.texts(
                path, "SELECT name || ' ' || type FROM pragma_table_info('\(name)')")
        }
    }
}

/// A store and the folder of its model's version.
struct StorePair: Sendable, CustomTestStringConvertible {
    let store: String
    let version: String

    var testDescription: String { store }

    /// The version of the model, in whichever bundle of the same repository has it.
    ///
    /// - Parameter copy: A copy of the store: opening one by plain SQL writes its log back.
    func document(forCopy copy: String) throws -> ModelDocument {
        let (bundle, version) = try bundle(forCopy: copy)
        return try #require(bundle.versions.first { $0.name == version }).document
    }

    /// The bundle whose version it is, and the name of that.
    func bundle(forCopy copy: String) throws -> (ModelBundle, String) {
        let repository = store.prefix { $0 != "/" }
        let folder = "\(Corpus.folder ?? "")/models/\(repository)"
        let all = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        let entities = Set(
            try RawDatabase.texts(copy, "SELECT Z_NAME FROM Z_PRIMARYKEY WHERE Z_ENT < 16001"))
        for path in all.sorted() where path.hasSuffix("/\(version)") {
            let only = try ModelBundle(path: "\(folder)/\(path)").requiredCurrentVersion()
            guard Set(only.document.entities.map(\.name)) == entities else { continue }
            let parent = URL(filePath: "\(folder)/\(path)").deletingLastPathComponent().path
            let isBundle = parent.hasSuffix(".xcdatamodeld")
            return (try ModelBundle(path: isBundle ? parent : "\(folder)/\(path)"), only.name)
        }
        throw CocoaError(.fileNoSuchFile)
    }
}
