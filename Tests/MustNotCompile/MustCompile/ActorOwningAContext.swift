// Actor owning a context with methods.

import Duramen

private actor Repo {
    private let c: ManagedObjectContext
    init(_ p: PersistentContainer) { c = p.makeContext(); c.attach(to: self) }
    func add(_ code: String) throws -> ManagedObjectID {
        let q = Quake(context: c); q.code = code; try c.save(); return q.objectID
    }
    func codes() throws -> [String] { try c.fetch(FetchRequest<Quake>()).map(\.code) }
    func strong(over m: Double) async throws -> [Quake.Values] {
        try await c.fetchOffOwner(FetchRequest<Quake>().where { $0.magnitude > m }).map(\.values)
    }
}
