// An opaque sequence of objects leaves its context.
// expected: type 'some Sequence<Quake>' does not conform to the 'Sendable' protocol
// differs: in one statement of several lines

import Duramen

private func objs(_ c: ManagedObjectContext) throws -> some Sequence<Quake> {
    try c.fetch(FetchRequest<Quake>())
}
private func f(_ b: BackgroundContext) async throws {
    #if TWIN
    let s = try await b.perform { try objs($0).map(\.code) }
    for q in s { print(q) }
    #else
    let s = try await b.perform { try objs($0) }
    for q in s { print(q.code) }
    #endif
}
