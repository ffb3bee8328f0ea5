import ArgumentParser
import DuramenModel
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

    @Argument(
        help: """
            The store to read: a path, 'sqlite:PATH', 'lmdb:PATH' or 'postgres://HOST/DATABASE'.
            """)
    var source: String

    @Argument(help: "The store to make: 'sqlite:PATH', 'lmdb:PATH' or 'postgres://HOST/DATABASE'.")
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
                "Say which kind of store '\(destination)' is to be: 'sqlite:PATH', 'lmdb:PATH' or "
                    + "'postgres://HOST/DATABASE'.")
        }
    }

    func run() throws {
        do throws(StoreError) {
            let from = NamedStore(source)
            let old = try model.open(from, missingValuesAreNull: missingAsNull)
            let missing = MissingFiles(
                try from.report(model: model.isGiven ? old.model : nil, checks: true))
            if !missingAsNull, let problem = missing.problems.first { throw problem }
            try convert(old)
            try old.close()
        } catch {
            throw StoreFailure(error)
        }
    }

    /// Copies all data into a new store, or into a copy of an empty store, which then replaces that
    /// store.
    private func convert(_ old: any PersistentStore) throws(StoreError) {
        let template = template.map(NamedStore.init)
        let place = try template?.beside(".filling") ?? NamedStore(destination ?? "")
        try template?.checkPresent()
        try place.checkAbsent(
            template == nil
                ? "name a place where nothing is"
                : "it is left of a conversion that was interrupted; delete it")
        var new: (any PersistentStore)?
        do throws(StoreError) {
            try template?.copy(to: place)
            let made = try place.make(old.model)
            new = made
            let checksums = try StoreConversion(from: old, to: made).run()
            try made.close()
            if let template { try replace(template, with: place, old.model) }
            Screen.print(ChecksumTable(checksums).lines)
        } catch {
            try? new?.close()
            do throws(StoreError) {
                try place.destroy()
            } catch let left {
                throw StoreError(
                    error.code,
                    error.message + " The copied part is still there: " + left.message,
                    detail: error.detail)
            }
            throw error
        }
    }

    private func replace(
        _ template: NamedStore, with copy: NamedStore, _ model: ManagedObjectModel
    ) throws(StoreError) {
        // Another process may have opened it meanwhile.
        if let entity = try template.firstEntityWithObjects(of: model) {
            throw StoreError(
                .invalidRequest,
                "The store to fill has got objects of '\(entity)' meanwhile; nothing of it was changed."
            )
        }
        try template.description.replaceStore(with: copy.description)
        try copy.destroy()
    }
}
