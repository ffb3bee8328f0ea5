// Box used across two performs of same context (ids).

import Duramen

private func f(_ b: BackgroundContext) async throws {
    let id = try await b.perform { c in
        let q = Quake(context: c); try c.save(); return q.objectID
    };
    try await b.perform { c in
        try c.existingObject(with: id, as: Quake.self).note = "x"; try c.save()
    }
}
