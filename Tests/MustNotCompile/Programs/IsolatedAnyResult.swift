// A function of any isolation returns the view context.
// expected: non-Sendable 'ManagedObjectContext'-typed result can not be returned from @isolated\(any\) p

import Duramen

private func call(_ g: @isolated(any) @Sendable () -> ManagedObjectContext) async throws {
    #if TWIN
    _ = g
    #else
    try await g().save()
    #endif
}
private func f(_ c: PersistentContainer) async throws {
    try await call { @MainActor in c.viewContext }
}
