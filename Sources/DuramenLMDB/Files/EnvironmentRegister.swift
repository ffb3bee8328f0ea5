import DuramenFileStore
import DuramenModel
import DuramenStore

/// A share in an environment; the last share of a process closes it.
final class EnvironmentUse: Sendable {
    let environment: Environment
    private let file: FileIdentity

    /// - Parameters:
    ///   - environment: The environment.
    ///   - file: The requested data file.
    fileprivate init(_ environment: Environment, of file: FileIdentity) {
        self.environment = environment
        self.file = file
    }

    deinit { EnvironmentRegister.release(environment, of: file) }
}

/// The open environments of this process: the engine forbids two on one file, since closing either
/// would drop the locks of both.
enum EnvironmentRegister {
    private struct Entry {
        var environment: Environment
        var count: Int
    }

    // By the requested data files, which are copied if this user may not write. Locked while an
    // environment is opened or closed, so that no other one uses its file meanwhile.
    private static let register = Locked<[FileIdentity: Entry]>([:])

    /// Returns the environment of an existing store, and opens it if necessary.
    ///
    /// - Parameters:
    ///   - folder: The folder of the store.
    ///   - isReadOnly: Whether the environment is opened for reading only.
    ///   - tables: The number of tables that may be created.
    ///   - mapBytes: The address space to reserve.
    ///   - check: When all of the file is checked.
    ///   - isLocked: Whether the caller holds the lock of all writers, so that the file does not
    ///     change. False if a lock is impossible, or if this process has the file open already.
    static func use(
        _ folder: StoreFolder, isReadOnly: Bool, tables: Int = 0, mapBytes: Int,
        check: OpeningCheck, isLocked: Bool
    ) throws(StoreError) -> EnvironmentUse {
        try register.withLock { register throws(StoreError) in
            if let identity = FileIdentity(path: folder.data), let entry = register[identity] {
                try checkUse(of: entry.environment, folder, isReadOnly)
                register[identity]?.count += 1
                return EnvironmentUse(entry.environment, of: identity)
            }
            let (environment, identity) = try open(
                folder, isReadOnly: isReadOnly, tables: tables, mapBytes: mapBytes, check,
                isLocked: isLocked)
            register[identity] = Entry(environment: environment, count: 1)
            return EnvironmentUse(environment, of: identity)
        }
    }

    /// Whether this process has the environment of a store open.
    static func isOpen(_ folder: StoreFolder) -> Bool {
        register.withLock { register in
            FileIdentity(path: folder.data).map { register[$0] != nil } ?? false
        }
    }

    private static func checkUse(
        of environment: Environment, _ folder: StoreFolder, _ isReadOnly: Bool
    ) throws(StoreError) {
        if environment.process.isInherited { throw ProcessMark.openAtFork(folder.path) }
        if environment.isReadOnly, !isReadOnly {
            throw StoreError(
                .storeBusy,
                "This process has '\(folder.path)' open for reading only; close that store first.")
        }
        try environment.checkWritable()
    }

    private static func open(
        _ folder: StoreFolder, isReadOnly: Bool, tables: Int, mapBytes: Int,
        _ check: OpeningCheck, isLocked: Bool
    ) throws(StoreError) -> (Environment, FileIdentity) {
        if isReadOnly, folder.isClosedToReaders {
            let copy = try PrivateCopy.make(of: folder)
            return (
                try open(copy, of: folder, mapBytes: mapBytes, check), copy.original.identity
            )
        }
        let environment = try open(
            folder, namedAs: folder.path, isReadOnly: isReadOnly, tables: tables,
            mapBytes: mapBytes, check, isLocked: isLocked)
        return (environment, environment.identity)
    }

    /// Opens a copy, which is removed with its environment.
    private static func open(
        _ copy: PrivateCopy, of folder: StoreFolder, mapBytes: Int, _ check: OpeningCheck
    ) throws(StoreError) -> Environment {
        do throws(StoreError) {
            return try open(
                copy.folder, namedAs: folder.path, isReadOnly: true, tables: 0,
                mapBytes: mapBytes, check, isLocked: true, afterEnd: { copy.remove() })
        } catch {
            copy.remove()
            // Messages name the original, not the copy.
            throw StoreError(
                error.code, error.message.replacing(copy.folder.path, with: folder.path),
                detail: error.detail)
        }
    }

    private static func open(
        _ folder: StoreFolder, namedAs path: String, isReadOnly: Bool, tables: Int, mapBytes: Int,
        _ check: OpeningCheck, isLocked: Bool, afterEnd: @escaping @Sendable () -> Void = {}
    ) throws(StoreError) -> Environment {
        guard
            let claim = try OpenStoreFile.claim(
                folder.data,
                prepare: { (_) throws(StoreError) in
                    try StructureCheck.checkHead(folder)
                })
        else {
            throw StoreError(.storeMissing, "'\(folder.path)' went away while it was being opened.")
        }
        let presence = try Presence(folder, isReadOnly: isReadOnly)
        do throws(StoreError) {
            let checkTime: Double?
            if presence.isFirst {
                checkTime = try check.run(folder)
                if !isReadOnly { try folder.reserveReaders() }
            } else {
                checkTime = isLocked ? try check.runBesideOthers(folder) : nil
            }
            return try Environment(
                folder, namedAs: path, isReadOnly: isReadOnly, claim: claim, tables: tables,
                mapBytes: mapBytes, isOnlyUser: { presence.isOnly },
                onEnd: { environment in
                    finish(environment, folder, presence, checkTime)
                    afterEnd()
                })
        } catch {
            presence.end()
            throw error
        }
    }

    fileprivate static func release(_ environment: Environment, of identity: FileIdentity) {
        // A child has its parent's files; closing them here would drop the parent's locks.
        if environment.process.isInherited { return }
        register.withLock { register in
            register[identity]?.count -= 1
            if register[identity]?.count == 0 {
                register[identity] = nil
                environment.close()
            }
        }
    }

    /// Compacts and marks the file, if nobody else has it open.
    private static func finish(
        _ environment: Environment, _ folder: StoreFolder, _ presence: Presence,
        _ checkTime: Double?
    ) {
        defer { presence.end() }
        guard !environment.isReadOnly, !environment.hasFailed,
            environment.isStill(in: folder),
            let lock = try? StoreFileLock(storePath: folder.path, timeoutSeconds: 0),
            (try? lock.acquire()) != nil
        else { return environment.end() }
        defer { lock.release() }
        guard presence.becomeOnly() else { return environment.end() }
        let compact = environment.wantsCompaction ? Compaction(folder).copy(environment) : nil
        environment.end()
        compact?.takePlace()
        // Data that never reached the disk is checked at the next opening.
        if !environment.isUnsafe { CheckMark.leave(folder, checkTime: checkTime) }
    }
}
