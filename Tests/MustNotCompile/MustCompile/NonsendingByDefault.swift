// Upcoming NonisolatedNonsendingByDefault.
// flags: -enable-upcoming-feature NonisolatedNonsendingByDefault

import Duramen

private func newest(in c: ManagedObjectContext) async throws -> [Quake] {
    try await c.fetchOffOwner(FetchRequest<Quake>().limit(3))
}
@MainActor private func f(_ p: PersistentContainer) async throws {
    let qs = try await newest(in: p.viewContext); qs.first?.note = "x";
    try await p.viewContext.saveOffOwner()
}
