// A dictionary of objects leaves its context.
// expected: conformance of 'ManagedObject' to 'Sendable' is unavailable: managed objects belong to the

import Duramen

#if TWIN
private func f(_ b: BackgroundContext) async throws { let s = try await b.perform { c in Dictionary(grouping: try c.fetch(FetchRequest<Quake>()), by: \.code).count }; print(s) }
#else
private func f(_ b: BackgroundContext) async throws { let s = try await b.perform { c in Dictionary(grouping: try c.fetch(FetchRequest<Quake>()), by: \.code) }; print(s) }
#endif
