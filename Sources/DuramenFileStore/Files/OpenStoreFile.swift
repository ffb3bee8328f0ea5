import DuramenModel
public import DuramenStore
public import Foundation

/// A claim on a store's file that this process has open or is about to open; it ends with its last
/// owner.
///
/// A plain open and close of a store's file drops all locks that the process holds on it (POSIX).
/// So one register knows, by file and not by path, which files any store has open, and files are
/// looked at only while none has. Every connection holds the claim.
public final class OpenStoreFile: Sendable {
    /// The file.
    public let identity: FileIdentity

    private let process = ProcessMark()

    private struct Register {
        /// The process that opened what is noted here.
        var process = ProcessMark()
        /// What was open when this process was made by fork.
        var inherited: Set<FileIdentity> = []
        var counts: [FileIdentity: Int] = [:]
        /// Files that are about to be taken away.
        var doomed: Set<FileIdentity> = []
        /// The file of each open store, by the identity that the store gives to its objects.
        var stores: [UUID: (file: FileIdentity, count: Int)] = [:]

        /// Begins anew in a child made by fork, which opened none of these itself.
        mutating func leaveParent() {
            if !process.isInherited { return }
            self = Register(inherited: inherited.union(counts.keys))
        }
    }

    // Held while a file is looked at or made, so that no store opens it meanwhile.
    private static let register = Locked(Register())

    private static func withRegister<R: Sendable>(
        _ body: (inout Register) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        try register.withLock { register throws(StoreError) in
            register.leaveParent()
            return try body(&register)
        }
    }

    // Keeps the system from giving the number of a file that is taken away to a new one; negative
    // for others.
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
    /// An engine that keeps the locks of a file in its own memory, as SQLite does, takes those of
    /// the parent for its own then.
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
    ///   - path: The file, which may be missing.
    ///   - prepare: Looks at the file, and makes it where it is missing and may be made. It is told
    ///     whether this process has a file open, which must then not be opened by other means.
    /// - Returns: The claim; nil when nothing is at the path.
    /// - Throws: What `prepare` throws; `.storeBusy` while the file is being taken away.
    public static func claim(
        _ path: String, prepare: ((FileIdentity) -> Bool) throws(StoreError) -> Void
    ) throws(StoreError) -> OpenStoreFile? {
        try withRegister { register throws(StoreError) in
            try prepare { register.counts[$0] != nil }
            return try add(path, &register)
        }
    }

    /// Claims a file that nobody in this process has open, and keeps everybody from opening it.
    ///
    /// - Parameter inspect: Looks at the file, so that only a store is taken away.
    /// - Returns: The claim; nil when nothing is at the path.
    /// - Throws: What `inspect` throws; `.storeBusy` while this process has the file open.
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
        // This process has no locks on it that the end of this would drop.
        return OpenStoreFile(
            identity, file: keepsOpen ? SystemCalls.openForReading(path) : -1)
    }

    private static func busy(_ path: String) -> StoreError {
        StoreError(.storeBusy, "'\(path)' is open; close it everywhere before it is taken away.")
    }

    // MARK: - Identities of stores

    /// Notes that a store is open. Two files of one identity would give different objects one ID.
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

    /// How often this process has a store open.
    public static func openCount(of uuid: UUID) -> Int {
        register.withLock { $0.stores[uuid]?.count ?? 0 }
    }

    /// Notes that a store was closed.
    public static func removeStore(_ uuid: UUID) {
        register.withLock { register in
            let rest = (register.stores[uuid]?.count ?? 1) - 1
            if rest > 0 { register.stores[uuid]?.count = rest } else { register.stores[uuid] = nil }
        }
    }
}
