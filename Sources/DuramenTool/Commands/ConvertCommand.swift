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

    func run() throws {
        do throws(StoreError) {
            let (from, to) = (NamedStore(source), NamedStore(destination))
            let model = modelOf.map { NamedStore($0) }
            let old = try from.open(modelOf: model)
            let new = try to.make(modelOf: model ?? from)
            do throws(StoreError) {
                let checksums = try StoreConversion(from: old, to: new).run()
                try new.close()
                print(ChecksumTable(checksums).text)
            } catch {
                try? new.close()
                try? to.destroy()
                throw error
            }
            try old.close()
        } catch {
            throw StoreFailure(error)
        }
    }
}
