import ArgumentParser
import DuramenModel
import DuramenStore
import Foundation

/// `duramen backup`
struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copies a store, as it is at one moment, while others use it.",
        discussion: """
            The engine copies one state, with the large values in files. The backup is of the same kind \
            as the store, and has its identity. A process that is killed leaves no half of a backup.
            """)

    @Argument(help: "The store: a path, 'sqlite:PATH', 'lmdb:PATH' or 'postgres://HOST/DATABASE'.")
    var store: String

    @Argument(help: "A free path for the backup; for PostgreSQL, a free name of a schema.")
    var backup: String

    @Flag(help: "Verify the backup afterwards. One that contradicts itself is deleted.")
    var verify = false

    func run() throws {
        do throws(StoreError) {
            let store = NamedStore(store)
            let backup = try store.description.backUp(
                to: NamedStore(backup).description.location, verifying: verify)
            let metadata = try backup.type.metadata(of: backup.readOnly())
            Screen.print(
                "\(backup.location)  \(metadata.storeUUID.uuidString)\(verify ? "  verified" : "")")
        } catch {
            throw StoreFailure(error)
        }
    }
}

/// `duramen restore`
struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Replaces a store, which nobody has open, with a backup of its kind.",
        discussion: """
            The backup stays as it is. A crash leaves the old store or the new one. The store may also \
            be missing, or damaged.
            """)

    @Argument(help: "The backup: a path, 'sqlite:PATH', 'lmdb:PATH' or 'postgres://HOST/DATABASE'.")
    var backup: String

    @Argument(help: "The store to replace: a path of the same kind.")
    var store: String

    func run() throws {
        do throws(StoreError) {
            let backup = try NamedStore(backup).description
            // A store that is missing does not tell its kind.
            var store = backup
            let named = NamedStore(self.store)
            store.location = try named.description.location
            if NamedStore.namesKind(self.store) || named.exists {
                store = try named.description
            }
            try store.replaceStore(with: backup)
            let metadata = try store.type.metadata(of: store.readOnly())
            Screen.print("\(store.location)  \(metadata.storeUUID.uuidString)")
        } catch {
            throw StoreFailure(error)
        }
    }
}
