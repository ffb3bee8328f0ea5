// A dictionary of objects leaves its context.
// expected: conformance of 'ManagedObject' to 'Sendable' is unavailable: managed objects belong to the

import Duramen

private func f(_ b: BackgroundContext) async throws {
    let s = try await b.perform { c in
        #if TWIN
        Dictionary(grouping: try c.fetch(FetchRequest<Quake>()), by: \.code).count
        #else
        Dictionary(grouping: try c.fetch(FetchRequest<Quake>()), by: \.code)
        #endif
    }
    print(s)
}
