import DuramenStore

/// Reports the values whose files are missing.
struct MissingFiles {
    /// The errors for commands that need the values.
    let problems: [StoreError]

    /// Prints the missing files of a report on standard error.
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
