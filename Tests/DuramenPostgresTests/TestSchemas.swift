import DuramenModel
import DuramenPostgres
import DuramenStore
import Foundation

/// Descriptions of stores in schemas of their own, which are removed together.
final class TestSchemas: Sendable {
    private let location: String
    private let names = Locked<[String]>([])

    init() throws { location = try TestServer.location() }

    /// A store that does not exist yet.
    func next() -> PersistentStoreDescription {
        let name = "t_" + UUID().uuidString.lowercased().replacingOccurrences(of: "-", with: "_")
        names.withLock { $0.append(name) }
        return .postgres(location, schema: name).allowingUnsafeServer()
    }

    /// Removes the stores.
    func destroyAll() {
        let names = names.withLock { names in
            defer { names = [] }
            return names
        }
        for name in names {
            try? PersistentStoreDescription.postgres(location, schema: name).destroyStore()
        }
    }
}
