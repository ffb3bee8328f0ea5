public import DebianPackages
import ExampleSupport

extension PackageImporter {
    /// Imports all that the reader gives, with a progress bar and a line per malformed stanza on
    /// standard error.
    ///
    /// - Parameter didSave: Is called after each chunk with what was done so far.
    public nonisolated(nonsending) func runWithProgressBar(
        _ reader: PackageReader, didSave: (ImportSummary) -> Void = { _ in }
    ) async throws -> ImportSummary {
        var bar = ProgressBar(title: "Importing")
        let summary = try await run(reader) { event in
            switch event {
            case .skipped(let stanza): bar.print("Skipped \(stanza)")
            case .saved(let progress, let summary):
                didSave(summary)
                bar.update(
                    completed: progress.bytesRead, total: progress.totalBytes,
                    note: "\(summary.packages) packages")
            }
        }
        bar.finish(note: "\(summary.packages) packages")
        return summary
    }
}
