import DuramenLMDB
import DuramenModel
import DuramenQuery
import DuramenSQLite
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

/// A kind of store that keeps large values in files.
enum FileStore: String, CaseIterable, CustomTestStringConvertible {
    case sqlite, lmdb

    var testDescription: String { rawValue }

    /// Describes a store in a folder, in which 100 bytes are many.
    func description(_ folder: TemporaryFolder, _ name: String = "photos")
        -> PersistentStoreDescription
    {
        at(folder.file("\(name).\(rawValue)")).largestInlineValue(bytes: 100)
    }

    /// Describes a store at a path.
    func at(_ path: String) -> PersistentStoreDescription {
        switch self {
        case .sqlite: .sqlite(path)
        case .lmdb: .lmdb(path)
        }
    }

    /// Where the store's files are.
    func values(_ folder: TemporaryFolder, _ name: String = "photos") -> String {
        switch self {
        case .sqlite: folder.file(".\(name).sqlite_SUPPORT/_DURAMEN_DATA")
        case .lmdb: folder.file("\(name).lmdb/values")
        }
    }
}

@Suite struct ExternalValueTests {
    static let model = testModel([
        EntityDescription(
            name: "Photo",
            attributes: [
                AttributeDescription("title", .string, isOptional: true),
                AttributeDescription(
                    "image", .binaryData, isOptional: true, allowsExternalBinaryDataStorage: true),
            ], indexes: [IndexDescription("title")])
    ])

    let folder = TemporaryFolder()

    private func open(
        _ kind: FileStore, _ name: String = "photos"
    ) throws -> any PersistentStore {
        try kind.description(folder, name).open(model: Self.model)
    }

    private func image(_ count: Int, _ byte: UInt8 = 1) -> [String: StoredValue] {
        ["image": .binary(Data(repeating: byte, count: count))]
    }

    private func files(_ kind: FileStore, _ name: String = "photos") -> [String] {
        let names = try? FileManager.default.contentsOfDirectory(
            atPath: kind.values(folder, name))
        return (names ?? []).sorted()
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test(
        "A large value gets a file that is named by its content, once, for its owner alone",
        arguments: FileStore.allCases)
    func largeValuesGetFiles(kind: FileStore) throws {
        let store = try open(kind)
        defer { try? store.close() }
        try store.insert("Photo", image(100))
        #expect(files(kind) == [])
        try store.insert("Photo", all: [image(101), image(101), image(101, 2)])
        try store.insert("Photo", image(101))
        let names = files(kind)
        #expect(names.count == 2)
        for name in names {
            let path = kind.values(folder) + "/" + name
            #expect(UUID(uuidString: name).map { $0.uuid.6 >> 4 } == 8)
            let bytes = FileManager.default.contents(atPath: path)
            #expect(bytes?.count == 101 && Set(bytes ?? Data()).count == 1)
            #expect(try mode(path) == 0o600)
        }
        #expect(try mode(kind.values(folder)) == 0o700)
    }

    @Test(
        "Housekeeping removes the files that no row refers to, and nothing else",
        arguments: FileStore.allCases)
    func unreferencedFilesAreRemoved(kind: FileStore) throws {
        let store = try open(kind)
        defer { try? store.close() }
        let ids = try store.insert(
            "Photo", all: [image(200), image(201), image(202), image(203), image(203)])
        let strangers = ["notes.txt", UUID().uuidString]
        for name in strangers { try writeFile(kind.values(folder) + "/" + name, "mine") }
        try store.saved(
            ChangeSet(
                updates: [
                    try store.update(ids[0], image(300)),
                    try store.update(ids[1], ["image": .null]),
                ], deletes: [try store.deletion(ids[2]), try store.deletion(ids[3])]))
        // What a process left that was killed.
        try writeFile(kind.values(folder) + "/unfinished", "half")
        #expect(files(kind).count == 5 + strangers.count + 1)
        let report = try store.maintainIfCapable()
        #expect(report.removedFiles == 3)
        #expect(report.isComplete)
        #expect(report.bytesFreed >= 200 + 201 + 202)
        #expect(files(kind).count == 2 + strangers.count)
        #expect(try store.value(ids[0], "image") == image(300)["image"])
        #expect(try store.value(ids[4], "image") == image(203)["image"])
        #expect(try store.maintainIfCapable().removedFiles == 0)
    }

    @Test("A report counts the values whose files are missing, when it is asked to look")
    func missingFilesAreReported() throws {
        let store = try open(.lmdb)
        try store.insert("Photo", all: [image(200), image(200), image(201), image(50)])
        try store.close()
        let description = FileStore.lmdb.description(folder)
        func missing(checks: Bool = true) throws -> Int? {
            let report = try LMDBStoreType().report(on: description, checks: checks)
            let photos = try #require(report.entities.first { $0.name == "Photo" })
            #expect(photos.rows == 4)
            return photos.missingFiles
        }
        #expect(try missing(checks: false) == nil)
        #expect(try missing() == 0)
        let values = FileStore.lmdb.values(folder)
        let shared = try #require(
            files(.lmdb).first {
                FileManager.default.contents(atPath: "\(values)/\($0)")?.count == 200
            })
        try FileManager.default.removeItem(atPath: "\(values)/\(shared)")
        #expect(try missing() == 2)
        try FileManager.default.removeItem(atPath: values)
        #expect(try missing() == 3)
    }

    @Test("Files of a state that somebody reads stay", arguments: FileStore.allCases)
    func filesOfOpenSnapshotsStay(kind: FileStore) throws {
        let store = try open(kind)
        let other = try open(kind)
        defer {
            try? store.close()
            try? other.close()
        }
        let id = try store.insert("Photo", image(500))
        let snapshot = try other.snapshot()
        try store.delete(id)
        let first = try store.maintainIfCapable()
        #expect(first.removedFiles == 0)
        #expect(!first.isComplete)
        try withExtendedLifetime(snapshot) {
            let row = try #require(try snapshot.row(for: id))
            #expect(row.value(0, .binary) == image(500)["image"])
        }
    }

    @Test("Files stay no longer than the state that somebody reads", arguments: FileStore.allCases)
    func filesGoWithTheLastSnapshot(kind: FileStore) throws {
        let store = try open(kind)
        defer { try? store.close() }
        let id = try store.insert("Photo", image(500))
        var snapshot: (any StoreSnapshot)? = try store.snapshot()
        try store.delete(id)
        #expect(try store.maintainIfCapable().removedFiles == 0)
        #expect(snapshot != nil)
        snapshot = nil
        #expect(try store.maintainIfCapable().removedFiles == 1)
        #expect(files(kind) == [])
    }

    // MARK: - Damage

    enum Damage: CaseIterable {
        case missing, cut, longer, altered, linked, folder, empty

        func strike(_ path: String, aside: String) throws {
            let manager = FileManager.default
            try manager.copyItem(atPath: path, toPath: aside)
            var bytes = manager.contents(atPath: path) ?? Data()
            try manager.removeItem(atPath: path)
            switch self {
            case .missing: return
            case .cut: bytes.removeLast()
            case .longer: bytes.append(1)
            case .altered: bytes[70] ^= 1
            case .empty: bytes = Data()
            case .linked:
                return try manager.createSymbolicLink(atPath: path, withDestinationPath: aside)
            case .folder:
                return try manager.createDirectory(
                    atPath: path, withIntermediateDirectories: false)
            }
            try bytes.write(to: URL(filePath: path))
        }
    }

    @Test(
        "A missing or altered file is an error that names the object, and no other row suffers",
        arguments: FileStore.allCases, Damage.allCases)
    func damagedFilesAreNamed(kind: FileStore, damage: Damage) throws {
        let store = try open(kind)
        defer { try? store.close() }
        let bad = try store.insert("Photo", image(150))
        let path = kind.values(folder) + "/" + files(kind)[0]
        let ids = [bad] + (try store.insert("Photo", all: [image(151, 7), image(10), [:]]))
        try damage.strike(path, aside: folder.file("aside"))
        for read in [
            { _ = try store.snapshot().row(for: bad) },
            { _ = try store.snapshot().rows(for: ids) },
            { _ = try store.keys(store.query("Photo")) },
        ] {
            do {
                try read()
                Issue.record("nothing was thrown")
            } catch let error as StoreError {
                #expect(error.code == .damagedValue)
                #expect(error.objectID == bad)
                #expect(error.message.contains("'Photo.image'"))
                #expect(error.message.contains(path))
            }
        }
        #expect(try store.snapshot().rows(for: Array(ids.dropFirst())).count == 3)
        #expect(try store.snapshot().count(store.query("Photo")) == 4)
        #expect(try store.snapshot().objectIDs(store.query("Photo")).count == 4)
        // Whoever has the value can save it again, which makes the file again.
        if damage == .folder { try FileManager.default.removeItem(atPath: path) }
        try store.insert("Photo", image(150))
        #expect(try store.value(bad, "image") == image(150)["image"])
        #expect(try mode(path) == 0o600)
    }

    @Test(
        "An object can be changed and deleted without its value's file",
        arguments: FileStore.allCases)
    func otherChangesNeedNoFile(kind: FileStore) throws {
        let store = try open(kind)
        defer { try? store.close() }
        let id = try store.insert(
            "Photo", image(400).merging(["title": .letters(3)]) { $1 })
        let path = kind.values(folder) + "/" + files(kind)[0]
        let update = try store.update(id, ["title": .letters(4)])
        let aside = folder.file("aside")
        try FileManager.default.moveItem(atPath: path, toPath: aside)
        let receipt = try store.saved(ChangeSet(updates: [update]))
        #expect(storeErrorCode { try store.value(id, "title") } == .damagedValue)
        #expect(files(kind) == [])
        try FileManager.default.moveItem(atPath: aside, toPath: path)
        #expect(try store.value(id, "title") == .letters(4))
        #expect(try store.value(id, "image") == image(400)["image"])
        try FileManager.default.removeItem(atPath: path)
        try store.saved(
            ChangeSet(
                deletes: [RowDeletion(id: id, baseVersion: receipt.updatedVersions[0])]))
        #expect(try store.keys(store.query("Photo")) == [])
    }

    @Test("SQLite tells what has a value without a look at files")
    func presenceNeedsNoFile() throws {
        let store = try open(.sqlite)
        defer { try? store.close() }
        try store.insert("Photo", all: [image(150), image(1), [:]])
        try FileManager.default.removeItem(
            atPath: FileStore.sqlite.values(folder) + "/" + files(.sqlite)[0])
        for (relation, count) in [
            (PredicateComparison.Operator.equal, 1), (.notEqual, 2),
        ] {
            let query = try store.query("Photo", compare("image", relation, .null))
            let execution = try QueryExecution(query, on: store, in: store.snapshot())
            #expect(execution.isStreaming)
            #expect(try execution.count() == count)
        }
    }

    // MARK: - Writing

    @Test(
        "A file that cannot be written is a typed error, and nothing is saved",
        arguments: FileStore.allCases)
    func unwritableFilesRefuseTheSave(kind: FileStore) throws {
        let store = try open(kind)
        defer { try? store.close() }
        let place = kind.values(folder)
        try FileManager.default.createDirectory(
            atPath: (place as NSString).deletingLastPathComponent, withIntermediateDirectories: true
        )
        try writeFile(place, "in the way")
        #expect(storeErrorCode { try store.insert("Photo", image(500)) } == .io)
        try store.insert("Photo", image(5))
        try FileManager.default.removeItem(atPath: place)
        try store.insert("Photo", image(500))
        #expect(try store.keys(store.query("Photo")).count == 2)
    }

    #if os(Linux)
    @Test(
        "Without room for a value's file nothing is saved, and saving goes on when there is",
        .enabled(if: SmallDisk.isPermitted), arguments: FileStore.allCases)
    func fullDisksRefuseTheSave(kind: FileStore) throws {
        guard let disk = SmallDisk(in: folder, kibibytes: 1_500) else { return }
        defer { disk.unmount() }
        let store = try kind.at(disk.path + "/photos").open(model: Self.model)
        defer { try? store.close() }
        let kept = try store.insert("Photo", image(200_000))
        #expect(storeErrorCode { try store.insert("Photo", image(1_600_000)) } == .diskFull)
        #expect(try store.value(kept, "image") == image(200_000)["image"])
        try store.insert("Photo", image(200_000, 2))
        #expect(try store.keys(store.query("Photo")).count == 2)
    }
    #endif

    @Test(
        "Values stay where they are when another size is said to be large",
        arguments: FileStore.allCases)
    func sizesMayChange(kind: FileStore) throws {
        var store = try open(kind)
        let ids = try store.insert("Photo", all: [image(50), image(500)])
        try store.close()
        store = try kind.description(folder).largestInlineValue(bytes: 1_000).open(
            model: Self.model)
        #expect(try store.value(ids[1], "image") == image(500)["image"])
        try store.insert("Photo", image(999, 3))
        try store.close()
        store = try kind.description(folder).largestInlineValue(bytes: 10).open(model: Self.model)
        defer { try? store.close() }
        #expect(files(kind).count == 1)
        #expect(try store.value(ids[0], "image") == image(50)["image"])
        try store.insert("Photo", image(50))
        #expect(files(kind).count == 2)
    }

    // MARK: - Administration

    @Test(
        "A copy has the files too, and destroying a store takes its own away",
        arguments: FileStore.allCases)
    func copiesHaveFiles(kind: FileStore) throws {
        let source = kind.description(folder)
        let copy = kind.description(folder, "copy")
        let store = try open(kind)
        let id = try store.insert("Photo", image(700))
        try store.insert("Photo", image(701))
        // As it is at this moment, while somebody has the store open.
        try source.type.copy(source, to: copy)
        try store.close()
        try source.type.destroy(source)
        #expect(!FileManager.default.fileExists(atPath: kind.values(folder)))
        #expect(files(kind, "copy").count == 2)
        let other = try open(kind, "copy")
        let same = ManagedObjectID(
            store: other.handle, entity: id.entityHandle, key: id.key)
        #expect(try other.value(same, "image") == image(700)["image"])
        try other.close()
        try copy.type.destroy(copy)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(left.filter { !$0.hasSuffix(".lock") } == [])
    }

    @Test("A link in the place of the folder is not followed", arguments: FileStore.allCases)
    func linkedFoldersAreNotFollowed(kind: FileStore) throws {
        let store = try open(kind)
        defer { try? store.close() }
        let id = try store.insert("Photo", image(300))
        let place = kind.values(folder)
        try FileManager.default.moveItem(atPath: place, toPath: folder.file("elsewhere"))
        try FileManager.default.createSymbolicLink(
            atPath: place, withDestinationPath: folder.file("elsewhere"))
        #expect(storeErrorCode { try store.value(id, "image") } == .damagedValue)
        #expect(storeErrorCode { try store.insert("Photo", image(301)) } == .io)
        #expect(try store.maintainIfCapable().removedFiles == 0)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.file("elsewhere")).count == 1
        )
    }

    @Test(
        "A model that keeps values in files reads no store that does not",
        arguments: FileStore.allCases)
    func theModelSaysWhetherThereAreFiles(kind: FileStore) throws {
        try open(kind).close()
        var descriptions = Self.model.descriptions
        for place in descriptions[0].attributes.indices {
            descriptions[0].attributes[place].allowsExternalBinaryDataStorage = false
        }
        let other = testModel(descriptions)
        #expect(
            storeErrorCode {
                try kind.description(folder).withoutMigration().open(model: other)
            } == .migrationRequired)
    }
}
