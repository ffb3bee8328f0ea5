public import Duramen
import DuramenLMDB
import DuramenMemory
import DuramenSQLite
import Foundation
import PackageModel

#if canImport(DuramenPostgres)
import DuramenPostgres
#endif

/// The store that an example works on, chosen by one string such as `sqlite:packages.sqlite`.
public struct ExampleStore: Sendable {
    /// The kinds of stores that the examples offer; another engine is one more element.
    public static let types: StoreTypes = {
        #if canImport(DuramenPostgres)
        StoreTypes([.sqlite, .lmdb, .memory, .postgres])
        #else
        StoreTypes([.sqlite, .lmdb, .memory])
        #endif
    }()
    /// The variable of the environment that chooses when no option does.
    public static let variable = "DURAMEN_STORE"
    /// What an option for the store may say, for its help.
    public static var choices: String {
        types.types.map { "\($0.name):…" }.joined(separator: ", ")
    }

    /// The string that names the store, as `--store` takes it.
    public let text: String
    private let description: PersistentStoreDescription

    /// Takes a kind and a place, such as `sqlite:PATH`, `lmdb:PATH`, `memory:` or
    /// `postgres://HOST/DATABASE?schema=NAME`.
    ///
    /// - Throws: `StoreError` `.unsupported` for another kind of store.
    public init(_ text: String) throws {
        description = try Self.types.description(for: text)
            // What can be imported again need not survive a loss of power.
            .durability(.relaxed)
        // The text of a server may have a password, its schema has none.
        let isOnServer = description.type.name == "postgres"
        self.text = isOnServer ? "postgres:\(description.location)" : text
    }

    /// The store that an option names, or else `DURAMEN_STORE`; nil when neither does.
    ///
    /// - Throws: `StoreError` `.unsupported` for another kind of store.
    public static func chosen(
        by option: String?,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> ExampleStore? {
        if let option { return try ExampleStore(option) }
        guard let text = environment[variable], !text.isEmpty else { return nil }
        return try ExampleStore(text)
    }

    /// An SQLite file in a new folder for temporary files.
    public static func temporary() throws -> ExampleStore {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("duramen-\(UUID().uuidString.prefix(8))", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        return try ExampleStore("sqlite:\(folder.appendingPathComponent("packages.sqlite").path)")
    }

    /// Opens the store with the model of the examples; a new one is made when there is none.
    ///
    /// - Parameter keepsHistory: Whether the store is to keep a history from now on.
    public func open(keepsHistory: Bool = false) async throws -> PersistentContainer {
        try await PersistentContainer(
            name: "packages", model: PackageGraph.model(),
            stores: [keepsHistory ? description.keepingHistory() : description])
    }
}
