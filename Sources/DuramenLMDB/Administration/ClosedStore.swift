import DuramenFileStore
import DuramenModel
import DuramenStore
import Foundation

/// Operations on a store that need no model.
struct ClosedStore {
    private let description: PersistentStoreDescription
    let folder: StoreFolder

    init(_ description: PersistentStoreDescription) throws(StoreError) {
        self.description = description
        folder = try StoreFolder(description.location)
    }

    func metadata() throws(StoreError) -> StoreMetadata {
        try reading { (transaction, path) throws(StoreError) in
            _ = try ModelCheck.identity(transaction, path: path)
            return try ModelCheck.meta(transaction, path: path).metadata()
        }
    }

    /// Returns the archive of the model that the store was last written with; nil for none.
    func modelArchive() throws(StoreError) -> Data? {
        try reading { (transaction, path) throws(StoreError) in
            let identity = try ModelCheck.identity(transaction, path: path)
            return try ModelCheck.meta(transaction, path: path)
                .modelArchive(of: identity.modelChecksum)
        }
    }

    /// Calls `body` with one unchanging state, and the path for messages.
    func reading<R: Sendable>(
        _ body: (Transaction, String) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        if description.opening.isToBeMigrated {
            // A process that is about to write must not block other writers here, and must leave no
            // files.
            let added = AddedFiles(folder)
            defer { added.takeAway() }
            return try read(description, body)
        }
        return try read(description.readOnly(), body)
    }

    private func read<R: Sendable>(
        _ description: PersistentStoreDescription,
        _ body: (Transaction, String) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        let use = try StoreOpening(description).openEnvironment()
        return try use.environment.openingTables { () throws(StoreError) in
            let reader = try Reader(use, timeoutSeconds: description.boundedTimeoutSeconds)
            defer { reader.end() }
            return try body(reader.transaction, folder.path)
        }
    }

    func setUserInfo(_ userInfo: [String: StoredValue]) throws(StoreError) {
        if description.isReadOnly {
            throw StoreError(.readOnly, "'\(folder.path)' is described as for reading only.")
        }
        let opening = try StoreOpening(description.durability(.full))
        let use = try opening.openEnvironment()
        try withLock { () throws(StoreError) in
            try use.environment.openingTables { () throws(StoreError) in
                _ = try opening.write(in: use.environment) { (transaction) throws(StoreError) in
                    _ = try ModelCheck.identity(transaction, path: folder.path)
                    try ModelCheck.meta(transaction, path: folder.path).replaceUserInfo(userInfo)
                }
            }
        }
    }

    func destroy() throws(StoreError) {
        try alone { () throws(StoreError) in try folder.remove() }
    }

    /// Replaces the file with that of another store. A crash leaves either the old or the new file.
    func replace(with other: ClosedStore) throws(StoreError) {
        if FileIdentity(path: folder.data) == FileIdentity(path: other.folder.data) {
            throw StoreError.isItself(folder.path)
        }
        let isThere = try alone { () throws(StoreError) in
            let use = try StoreOpening(other.description.readOnly()).openEnvironment()
            let workshop = try StoreFolder(folder.workshop)
            try folder.clearWorkshop()
            var error = SystemCalls.makeFolder(workshop.path)
            if error != 0 { throw folder.failed(error, "make") }
            do throws(StoreError) {
                // Housekeeping later removes unused values.
                try other.copy(use, data: workshop.data, values: folder.values)
                error = SystemCalls.synchronize(workshop.data)
                if error == 0 { error = SystemCalls.rename(workshop.data, to: folder.data) }
                if error == 0 { error = SystemCalls.synchronize(folder.path) }
                if error != 0 { throw folder.failed(error, "replace") }
            } catch {
                try? workshop.remove()
                throw error
            }
            try? workshop.remove()
        }
        if isThere { return }
        // A copy creates its folder, so that nobody finds half of one.
        if case .emptyFolder = try folder.inspect() { _ = SystemCalls.removeFolder(folder.path) }
        try other.copy(to: folder)
    }

    /// Calls `body` while nobody has the store open.
    ///
    /// - Returns: Whether the store exists.
    @discardableResult
    private func alone(_ body: () throws(StoreError) -> Void) throws(StoreError) -> Bool {
        switch try folder.inspect() {
        case .missing, .emptyFolder: return false
        case .store: break
        }
        var isThere = false
        try withLock { () throws(StoreError) in
            let claim = try OpenStoreFile.claimAlone(folder.data) { () throws(StoreError) in
                do throws(StoreError) {
                    try StructureCheck.checkHead(folder)
                } catch {
                    // A damaged store may be removed.
                    if error.code != .damagedFile { throw error }
                }
            }
            if claim == nil { return }
            let presence = try Presence(folder, isReadOnly: false)
            defer { presence.end() }
            guard presence.becomeOnly() else {
                throw StoreError(
                    .storeBusy,
                    "'\(folder.path)' is open; close it everywhere before it is taken away.")
            }
            try body()
            isThere = true
            withExtendedLifetime(claim) {}
        }
        return isThere
    }

    func copy(to destination: StoreFolder) throws(StoreError) {
        let use = try StoreOpening(description.readOnly()).openEnvironment()
        _ = try destination.inspect()
        let lock = try StoreFileLock(
            storePath: destination.path, timeoutSeconds: description.boundedTimeoutSeconds)
        try lock.withLock { () throws(StoreError) in
            guard try destination.inspect() == .missing else {
                throw StoreError(
                    .invalidRequest,
                    "Something is at '\(destination.path)' already; name a free path.")
            }
            let workshop = try StoreFolder(destination.workshop)
            try destination.clearWorkshop()
            var error = SystemCalls.makeFolder(workshop.path)
            if error != 0 { throw destination.failed(error, "make") }
            do throws(StoreError) {
                try copy(use, data: workshop.data, values: workshop.values)
                error = SystemCalls.synchronize(workshop.data)
                if error == 0 { error = SystemCalls.synchronize(workshop.path) }
                if error == 0 { error = SystemCalls.rename(workshop.path, to: destination.path) }
                if error == 0 { error = SystemCalls.synchronize(destination.parent) }
                if error != 0 { throw destination.failed(error, "make") }
            } catch {
                try? workshop.remove()
                throw error
            }
        }
    }

    private func copy(
        _ use: EnvironmentUse, data: String, values: ExternalValueFolder
    ) throws(StoreError) {
        // Keeps the map from changing.
        let reader = try Reader(use, timeoutSeconds: description.boundedTimeoutSeconds)
        defer { reader.end() }
        try use.environment.copy(to: data)
        // Files that the copied state refers to are not removed while this state is read, since it
        // is not newer.
        try use.environment.folder.values.copy(to: values)
    }

    /// Copies the records and large values of a damaged store that can be read.
    ///
    /// - Returns: The parts that could not be read.
    func copyReadableParts(to destination: StoreFolder) throws(StoreError) -> [String] {
        var losses: [String] = []
        let isThere = try alone { () throws(StoreError) in
            var copy = SalvageCopy(folder, to: destination)
            losses = try copy.run()
        }
        if !isThere {
            throw StoreError(.storeMissing, "There is no store at '\(folder.path)'.")
        }
        return losses
    }

    private func withLock(_ body: () throws(StoreError) -> Void) throws(StoreError) {
        let lock = try StoreFileLock(
            storePath: folder.path, timeoutSeconds: description.boundedTimeoutSeconds)
        try lock.withLock(body)
    }
}
