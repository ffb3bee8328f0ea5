// Object async method under NonisolatedNonsending.
// flags: -enable-upcoming-feature NonisolatedNonsendingByDefault

import Duramen

extension Quake { func refreshNote() async throws { note = try await download(code) } }
private func download(_ s: String) async throws -> String { s }
@MainActor private func f(_ q: Quake) async throws { try await q.refreshNote() }
