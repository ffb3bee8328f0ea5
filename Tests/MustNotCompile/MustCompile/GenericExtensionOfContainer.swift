// Extension on PersistentContainer generic.

import Duramen

extension PersistentContainer {
    func write<R: Sendable>(_ body: sending @escaping (ManagedObjectContext) throws -> R)
        async throws -> R
    {
        try await performBackgroundTask { c in
            let r = try body(c); try c.save(); return r
        }
    }
}
