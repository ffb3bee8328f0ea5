// WithContext calling network between.

import Duramen

private func download(_ s: String) async throws -> String { s }
private func f(_ b: BackgroundContext) async throws {
    try await b.withContext { c in
        for q in try c.fetch(FetchRequest<Quake>()) { q.note = try await download(q.code) };
        try c.save()
    }
}
