// Objects leave an actor through a protocol.
// expected: non-Sendable '\[Quake\]'-typed result can not be returned from actor-isolated instance metho

import Duramen

#if TWIN
private protocol Repository: Actor { func all() throws -> [String] }
#else
private protocol Repository: Actor { func all() throws -> [Quake] }
#endif
@MainActor private func f(_ r: any Repository) async throws { print(try await r.all().count) }
