import Duramen
import Foundation
import GRDB

/// The workload at one size: its values, a filled file, and a connection of each kind to it.
///
/// Contestants that only read share the file; each one that writes takes one of its own.
@MainActor
final class Dataset {
    let rowCount: Int
    let quakes: [QuakeValues]
    let regions = Workload.regions()
    /// A folder for files of this size only.
    let folder: URL
    /// A connection to the shared file.
    let connection: RawConnection
    /// GRDB's connections to the shared file.
    let pool: DatabasePool
    /// Duramen's stores with the same values, once a contestant asked for them.
    var quakeStores: [StoreKind: QuakeStore] = [:]
    /// Closed stores with the same values, once a contestant asked for them.
    var migrationBases: [StoreKind: PersistentStoreDescription] = [:]
    /// The same values behind the C interface of LMDB, once a contestant asked for them.
    var rawEnvironment: RawEnvironment?
    /// What ``indexedContainer()``, ``memoryContainer()`` and ``indexedConnection()`` made.
    var madeIndexedContainer: PersistentContainer?
    var madeMemoryContainer: PersistentContainer?
    var madeIndexedConnection: RawConnection?

    init(rowCount: Int, in folder: URL) throws {
        self.rowCount = rowCount
        self.folder = folder.appending(path: "rows-\(rowCount)")
        try FileManager.default.createDirectory(
            at: self.folder, withIntermediateDirectories: true)
        quakes = Workload.quakes(rowCount)
        let file = self.folder.appending(path: "shared.sqlite").path
        connection = try RawConnection(file)
        try RawSchema.plain.create(in: connection, regions: regions)
        try RawSchema.plain.insert(quakes, in: connection)
        try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        pool = try openPool(at: file)
    }

    /// The path of a store of this dataset, a file or a folder, which is removed first when it
    /// exists.
    func emptyPath(_ name: String, for kind: StoreKind = .sqlite) throws -> String {
        let path = folder.appending(path: "\(name).\(kind.rawValue)").path
        for suffix in ["", "-wal", "-shm"]
        where FileManager.default.fileExists(atPath: path + suffix) {
            try FileManager.default.removeItem(atPath: path + suffix)
        }
        return path
    }

    /// The path of a new copy of the shared file.
    func copiedFile(_ name: String) throws -> String {
        let path = try emptyPath(name)
        // Nobody writes the shared file and its log was truncated, so the file alone is whole.
        try FileManager.default.copyItem(
            atPath: folder.appending(path: "shared.sqlite").path, toPath: path)
        return path
    }
}

/// The datasets of a run, each made when it is first asked for.
@MainActor
final class Datasets {
    private let folder: URL
    private var made: [Int: Dataset] = [:]

    init() throws {
        folder = FileManager.default.temporaryDirectory
            .appending(path: "duramen-benchmarks-\(ProcessInfo.processInfo.processIdentifier)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    func dataset(rowCount: Int) throws -> Dataset {
        if let dataset = made[rowCount] { return dataset }
        let dataset = try Dataset(rowCount: rowCount, in: folder)
        made[rowCount] = dataset
        return dataset
    }

    /// Removes every file.
    func remove() {
        made = [:]
        // What cannot be removed lies in the temporary folder and is none of the measurement's.
        try? FileManager.default.removeItem(at: folder)
    }
}
