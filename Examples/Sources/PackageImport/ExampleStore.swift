public import Duramen
import DuramenLMDB
import DuramenMemory
import DuramenSQLite
import Foundation
import PackageModel

/// The store that an example works on, chosen by one string such as `sqlite:packages.sqlite`.
public struct ExampleStore: Sendable {
    /// The string that names the store, as `--store` takes it.
    public let text: String
    private let description: PersistentStoreDescription

    /// Takes `sqlite:PATH`, `lmdb:PATH` or `memory:`.
    ///
    /// - Throws: `StoreError` `.unsupported` for another kind of store.
    public init(_ text: String) throws {
        self.text = text
        // The kinds that this program offers; another engine is one more element.
        description = try StoreTypes([.sqlite, .lmdb, .memory]).description(for: text)
            // What can be imported again need not survive a loss of power.
            .durability(.relaxed)
    }

    /// An SQLite file in a new folder for temporary files.
    public static func temporary() throws -> ExampleStore {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("duramen-\(UUID().uuidString.prefix(8))", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        return try ExampleStore("sqlite:\(folder.appendingPathComponent("packages.sqlite").path)")
    }

    /// Opens the store with the model of the examples; a new one is made when there is none.
    public func open() async throws -> PersistentContainer {
        try await PersistentContainer(
            name: "packages", model: PackageGraph.model(), stores: [description])
    }
}
