public import DebianPackages
public import Duramen

/// Imports Debian package stanzas into the store of a container, a chunk at a time.
///
/// A package that the store knows already is updated, so that an import can be repeated, and can be
/// taken up again after one that failed: each chunk is saved whole or not at all. Packages that a
/// newer file no longer has stay.
public struct PackageImporter: Sendable {
    /// What is worth telling while an import goes on.
    public enum Event: Sendable {
        /// A stanza was skipped.
        case skipped(MalformedStanza)
        /// A chunk was saved.
        case saved(PackageReader.Progress, ImportSummary)
    }

    private let container: PersistentContainer
    private let stanzasPerChunk: Int

    /// Creates an importer.
    ///
    /// - Parameter stanzasPerChunk: How many stanzas are saved together. Larger chunks save less
    ///   often and need more memory.
    public init(container: PersistentContainer, stanzasPerChunk: Int = 500) {
        self.container = container
        self.stanzasPerChunk = max(1, stanzasPerChunk)
    }

    /// Imports all that the reader gives.
    ///
    /// - Parameter report: Is called between two chunks, where the caller runs.
    /// - Throws: `PackageReaderError` when the file cannot be read to its end, or why a chunk could
    ///   not be saved. The chunks before are saved then.
    public nonisolated(nonsending) func run(
        _ reader: PackageReader, report: (Event) -> Void = { _ in }
    ) async throws -> ImportSummary {
        // One context for all chunks. Nobody else saves what it looks at, so it need not merge.
        let background = container.newBackgroundContext(
            ContextOptions(
                name: "import", author: "PackageImporter",
                automaticallyMergesChangesFromParent: false))
        var summary = ImportSummary()
        var isAtEnd = false
        while !isAtEnd {
            var stanzas: [PackageStanza] = []
            isAtEnd = true
            for entry in reader.prefix(stanzasPerChunk) {
                isAtEnd = false
                switch entry {
                case .package(let stanza): stanzas.append(stanza)
                case .malformed(let stanza):
                    summary.malformed += 1
                    report(.skipped(stanza))
                case .unreadable(let error): throw error
                }
            }
            if stanzas.isEmpty { continue }
            summary += try await save(stanzas, in: background)
            report(.saved(reader.progress, summary))
        }
        return summary
    }

    /// Saves a chunk. Stanzas go in and counts come out: objects cannot leave the context.
    private nonisolated(nonsending) func save(
        _ stanzas: [PackageStanza], in background: BackgroundContext
    ) async throws -> ImportSummary {
        try await background.perform { context in
            // Forgetting the objects of a chunk keeps memory at the size of one chunk.
            defer { context.reset() }
            var chunk = try ChunkImport(stanzas, context: context)
            let summary = chunk.run()
            try context.save()
            return summary
        }
    }
}
