import DuramenStore

/// Says which values stand in files that are missing.
struct MissingFiles {
    /// What is wrong, for whoever cannot do without the values.
    let problems: [StoreError]

    /// Prints the files that a report misses, beside the output.
    init(_ report: StoreReport) {
        for file in report.missingFiles { Screen.printNote(file.description) }
        let count = report.missingFiles.count
        problems =
            count == 0
            ? []
            : [
                StoreError(
                    .damagedFile,
                    "The files of \(count) value\(count == 1 ? " is" : "s are") missing; put them back from a copy of "
                        + "the store's folder, or convert the store with --missing-as-null.")
            ]
    }
}
