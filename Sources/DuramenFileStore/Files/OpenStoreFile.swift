import DuramenModel
public import DuramenStore
public import Foundation

/// A claim on a store's file that this process has open or is about to open; it ends with its last
/// owner.
///
/// Opening and closing a store's file drops all locks that the process has on it (POSIX). So a
/// register records which files are open, by identity and not by path. Files are inspected only
/// while no store has them open. Every connection holds the claim.
public final class OpenStoreFile: Sendable {
    /// The identity of the file.
    public let identity: FileIdentity

    private let process = ProcessMark()

    private struct Register {
        /// The process that opened the recorded files.
        var process = ProcessMark()
        /// The files that were open when this process was made by fork.
        var inherited: Set<FileIdentity> = []
        var counts: [FileIdentity: Int] = [:]
        /// Files that are about to be removed.
        var doomed: Set<FileIdentity> = []
        /// The file of each open store, by the store's identity in object IDs.
        var stores: [UUID: (file: FileIdentity, count: Int)] = [:]

        /// Starts an empty register in a child made by fork, which has opened none of the files
        /// itself.
        mutating func leaveParent() {
            if !process.isInherited { return }
            self = Register(inherited: inherited.union(counts.keys))
        }
    }

    // Locked while a file is inspected or created, so that no store opens it meanwhile.
    private static let register = Locked(Register())

    private static func withRegister<R: Sendable>(
        _ body: (inout Register) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        try register.withLock { register throws(StoreError) in
            register.leaveParent()
            return try body(&register)
        }
    }

    // Keeps the system from reusing the number of a removed file; negative if not needed.
    private let file: Int32

    private init(_ identity: FileIdentity, file: Int32) {
        self.identity = identity
        self.file = file
    }

    /// Whether this process is a child made by `fork` after the claim. It must not close, unlock or
    /// use anything that its parent opened.
    public var isInherited: Bool { process.isInherited }

    /// Whether this process was made by fork while its parent had the file open.
    ///
    /// An engine that keeps its locks in memory, as SQLite does, would then treat the parent's
    /// locks as its own.
    public var wasOpenAtFork: Bool {
        let identity = identity
        return Self.register.withLock { register in
            register.leaveParent()
            return register.inherited.contains(identity)
        }
    }

    deinit {
        if isInherited { return }
        let identity = identity
        defer { if file >= 0 { SystemCalls.closeFile(file) } }
        Self.register.withLock { register in
            let rest = (register.counts[identity] ?? 1) - 1
            register.counts[identity] = rest > 0 ? rest : nil
            if rest <= 0 { register.doomed.remove(identity) }
        }
    }

    /// Claims the file at a path.
    ///
    /// - Parameters:
    ///   - path: The path of the file, which may be missing.
    ///   - prepare: Inspects the file, and creates it if it is missing and may be created. Its
    ///     argument returns whether this process has a file open, which must not be opened again.
    /// - Returns: The claim; nil if the file is missing.
    /// - Throws: The errors of `prepare`; `.storeBusy` while the file is being removed.
    public static func claim(
        _ path: String, prepare: ((FileIdentity) -> Bool) throws(StoreError) -> Void
    ) throws(StoreError) -> OpenStoreFile? {
        try withRegister { register throws(StoreError) in
            try prepare { register.counts[$0] != nil }
            return try add(path, &register)
        }
    }

    /// Claims a file that this process does not have open, and prevents it from being opened.
    ///
    /// - Parameters:
    ///   - path: The path of the file, which may be missing.
    ///   - inspect: Inspects the file, so that only a store is removed.
    /// - Returns: The claim; nil if the file is missing.
    /// - Throws: The errors of `inspect`; `.storeBusy` while this process has the file open.
    public static func claimAlone(
        _ path: String, inspect: () throws(StoreError) -> Void
    ) throws(StoreError) -> OpenStoreFile? {
        try withRegister { register throws(StoreError) in
            if let identity = FileIdentity(path: path), register.counts[identity] != nil {
                throw busy(path)
            }
            try inspect()
            let file = try add(path, &register, keepsOpen: true)
            if let file { register.doomed.insert(file.identity) }
            return file
        }
    }

    private static func add(
        _ path: String, _ register: inout Register, keepsOpen: Bool = false
    ) throws(StoreError) -> OpenStoreFile? {
        guard let identity = FileIdentity(path: path) else { return nil }
        if register.doomed.contains(identity) { throw busy(path) }
        register.counts[identity, default: 0] += 1
        // This process has no locks on the file that closing it would drop.
        return OpenStoreFile(
            identity, file: keepsOpen ? SystemCalls.openForReading(path) : -1)
    }

    private static func busy(_ path: String) -> StoreError {
        StoreError(.storeBusy, "'\(path)' is open; close it everywhere before it is taken away.")
    }

    // MARK: - Identities of stores

    /// Registers an open store. Two files with one identity would give different objects equal IDs.
    ///
    /// - Throws: `.invalidRequest` when a copy of the store is open.
    public static func addStore(
        _ uuid: UUID, in identity: FileIdentity, path: String
    ) throws(StoreError) {
        let isOther = try withRegister { register in
            if let known = register.stores[uuid], known.file != identity { return true }
            register.stores[uuid, default: (identity, 0)].count += 1
            return false
        }
        if isOther {
            throw StoreError(
                .invalidRequest,
                "'\(path)' is a copy of a store that is open: their objects have the same identities. "
                    + "Close that store first.")
        }
    }

    /// Returns how often this process has a store open.
    public static func openCount(of uuid: UUID) -> Int {
        register.withLock { $0.stores[uuid]?.count ?? 0 }
    }

    /// Unregisters a closed store.
    public static func removeStore(_ uuid: UUID) {
        register.withLock { register in
            let rest = (register.stores[uuid]?.count ?? 1) - 1
            if rest > 0 { register.stores[uuid]?.count = rest } else { register.stores[uuid] = nil }
        }
    }
}
