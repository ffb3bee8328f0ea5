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

    @OptionGroup var model: ModelArguments

    @Flag(help: "Copy values whose files are missing as null, and name them.")
    var missingAsNull = false

    func validate() throws {
        guard NamedStore.namesKind(destination) else {
            throw ValidationError(
                "Say which kind of store '\(destination)' is to be: 'sqlite:PATH' or 'lmdb:PATH'.")
        }
    }

    func run() throws {
        do throws(StoreError) {
            let (from, to) = (NamedStore(source), NamedStore(destination))
            let old = try model.open(from, missingValuesAreNull: missingAsNull)
            try to.checkAbsent()
            let missing = MissingFiles(
                try from.report(model: model.isGiven ? old.model : nil, checks: true))
            if !missingAsNull, let problem = missing.problems.first { throw problem }
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
