import ArgumentParser
import DuramenStore

/// `duramen convert`
struct ConvertCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Copies what a store holds into a new store of another kind.",
        discussion: """
            Reads one state of the source, which others may use, and changes nothing in it. Objects \
            keep their keys; the new store has an identity of its own. In the end both are compared, \
            and the checksums printed. When it fails, nothing is left of the new store.
            """)

    @Argument(help: "The store to read: a path, 'sqlite:PATH' or 'lmdb:PATH'.")
    var source: String

    @Argument(help: "The store to make: 'sqlite:PATH' or 'lmdb:PATH'.")
    var destination: String

    @Option(help: ArgumentHelp("Takes the model of this store.", valueName: "store"))
    var modelOf: String?

    func validate() throws {
        guard NamedStore.namesKind(destination) else {
            throw ValidationError(
                "Say which kind of store '\(destination)' is to be: 'sqlite:PATH' or 'lmdb:PATH'.")
        }
    }

    func run() throws {
        do throws(StoreError) {
            let (from, to) = (NamedStore(source), NamedStore(destination))
            let old = try from.open(modelOf: modelOf.map { NamedStore($0) })
            // What is missing would be copied as null.
            try MissingFiles.check(from.report(checks: true))
            try to.checkAbsent()
            var new: (any PersistentStore)?
            do throws(StoreError) {
                let made = try to.make(old.model)
                new = made
                let checksums = try StoreConversion(from: old, to: made).run()
                try made.close()
                print(ChecksumTable(checksums).text)
            } catch {
                try? new?.close()
                do throws(StoreError) {
                    try to.destroy()
                } catch let left {
                    throw StoreError(
                        error.code,
                        error.message + " What was copied is still there: " + left.message,
                        detail: error.detail)
                }
                throw error
            }
            try old.close()
        } catch {
            throw StoreFailure(error)
        }
    }
}

/// Values that stand in files of their own, which are not there.
enum MissingFiles {
    /// - Throws: `.damagedFile` when a report tells of some.
    static func check(_ report: StoreReport) throws(StoreError) {
        for entity in report.entities {
            guard let count = entity.missingFiles, count > 0 else { continue }
            throw StoreError(
                .damagedFile, "Files of \(count) values of '\(entity.name)' are missing.")
        }
    }
}
