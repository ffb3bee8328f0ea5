// Non-final base class with generic func over subclass.

import Duramen

private func delete<T: ManagedObject>(_ t: T.Type, where p: FetchPredicate, in b: BackgroundContext)
    async throws -> Int
{
    try await b.perform { c in
        let all = try c.fetch(FetchRequest<T>().where(p)); for o in all { c.delete(o) };
        try c.save(); return all.count
    }
}
