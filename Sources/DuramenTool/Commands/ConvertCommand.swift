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
    var destination: String?

    @Option(
        name: .customLong("into"),
        help: """
            Instead of making a store, fill this one, which has the same model and no objects. One that \
            Core Data made keeps its names, hashes and model, so that Core Data opens it.
            """)
    var template: String?

    @OptionGroup var model: ModelArguments

    @Flag(help: "Copy values whose files are missing as null, and name them.")
    var missingAsNull = false

    func validate() throws {
        if (destination == nil) == (template == nil) {
            throw ValidationError(
                "Name the store to make, or with --into one to fill, and not both.")
        }
        if let destination, !NamedStore.namesKind(destination) {
            throw ValidationError(
                "Say which kind of store '\(destination)' is to be: 'sqlite:PATH' or 'lmdb:PATH'.")
        }
    }

    func run() throws {
        do throws(StoreError) {
            let from = NamedStore(source)
            let old = try model.open(from, missingValuesAreNull: missingAsNull)
            let missing = MissingFiles(
                try from.report(model: model.isGiven ? old.model : nil, checks: true))
            if !missingAsNull, let problem = missing.problems.first { throw problem }
            if let template {
                try fill(NamedStore(template), from: old)
            } else if let destination {
                let new = NamedStore(destination)
                try new.checkAbsent()
                try convert(old, to: new) {}
            }
            try old.close()
        } catch {
            throw StoreFailure(error)
        }
    }

    /// Fills a copy of an empty store, which then takes its place.
    private func fill(
        _ template: NamedStore, from old: any PersistentStore
    ) throws(StoreError) {
        let copy = template.beside(".filling")
        try template.checkPresent()
        try copy.checkAbsent(or: "it is left of a conversion that was interrupted; delete it")
        try convert(old, to: copy) { () throws(StoreError) in
            try template.copy(to: copy)
        } then: { () throws(StoreError) in
            // Somebody else may have opened it meanwhile.
            if let entity = try template.firstEntityWithObjects(of: old.model) {
                throw StoreError(
                    .invalidRequest,
                    "The store to fill has got objects of '\(entity)' meanwhile; nothing of it was changed."
                )
            }
            try template.description.replaceStore(with: copy.description)
            try copy.destroy()
        }
    }

    /// - Parameters:
    ///   - prepare: What comes before.
    ///   - then: What comes last; when it fails, too, nothing is left of the new store.
    private func convert(
        _ old: any PersistentStore, to place: NamedStore,
        prepare: () throws(StoreError) -> Void, then: () throws(StoreError) -> Void = {}
    ) throws(StoreError) {
        var new: (any PersistentStore)?
        do throws(StoreError) {
            try prepare()
            let made = try place.make(old.model)
            new = made
            let checksums = try StoreConversion(from: old, to: made).run()
            try made.close()
            try then()
            print(ChecksumTable(checksums).text)
        } catch {
            try? new?.close()
            do throws(StoreError) {
                try place.destroy()
            } catch let left {
                throw StoreError(
                    error.code,
                    error.message + " What was copied is still there: " + left.message,
                    detail: error.detail)
            }
            throw error
        }
    }
}
