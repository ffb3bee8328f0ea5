import ArgumentParser

/// Several processes on one store, kept together by its history.
@main
struct HistorySync: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "HistorySync",
        abstract: "An importer, a viewer and a mirror: three processes that share a store.",
        discussion: """
            The importer fills an SQLite store with packages and purges some. The viewer has a live list of them \
            that follows. The mirror copies what the history tells into an LMDB store, and compares both at the \
            end. Without a subcommand all three are started.
            """,
        subcommands: [RunAll.self, ImportPackages.self, ViewPackages.self, MirrorPackages.self],
        defaultSubcommand: RunAll.self)
}
