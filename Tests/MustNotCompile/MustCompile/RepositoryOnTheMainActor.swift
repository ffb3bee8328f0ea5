// Class repository on MainActor w/ protocol.

import Duramen

@MainActor private protocol Repo { func all() throws -> [Quake] }
@MainActor private final class Main: Repo {
    let c: PersistentContainer; init(_ c: PersistentContainer) { self.c = c };
    func all() throws -> [Quake] { try c.viewContext.fetch(FetchRequest<Quake>()) }
}
@MainActor private final class Fake: Repo { func all() -> [Quake] { [] } }
