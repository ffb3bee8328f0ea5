import DuramenModel
import DuramenStore
import Foundation

/// A claim on a file that this process has open or is about to open; it ends with its last owner.
///
/// A plain open and close of a store's file drops all locks that the process holds on it (POSIX). So
/// one register knows, by file and not by path, which files any connection has open, and headers are
/// looked at only while none has. Every connection and every statement holds the claim.
final class OpenFile: Sendable {
    let identity: FileIdentity

    private struct Register {
        var counts: [FileIdentity: Int] = [:]
        /// Files that are about to be taken away.
        var doomed: Set<FileIdentity> = []
        /// The file of each open store, by the identity that the store gives to its objects.
        var stores: [UUID: (file: FileIdentity, count: Int)] = [:]
    }

    // Held while a header is read or a file made, so that no connection opens the file meanwhile.
    private static let register = Locked(Register())

    private init(_ identity: FileIdentity) { self.identity = identity }

    deinit {
        let identity = identity
        Self.register.withLock { register in
            let rest = (register.counts[identity] ?? 1) - 1
            register.counts[identity] = rest > 0 ? rest : nil
            if rest <= 0 { register.doomed.remove(identity) }
        }
    }

    /// Looks at the file at a path, makes it if it is missing and may be made, and claims it.
    ///
    /// - Returns: The claim, and what was there; no claim when nothing is there.
    static func claim(
        _ path: String, makes: Bool
    ) throws(StoreError) -> (file: OpenFile?, content: StoreFile.Content) {
        try register.withLock { register throws(StoreError) in
            let file = StoreFile(path: path)
            let content = try file.inspect { register.counts[$0] != nil }
            if content == .missing {
                if !makes { return (nil, content) }
                try file.create()
            }
            return (try add(path, &register), content)
        }
    }

    /// Claims a file that nobody in this process has open, and keeps everybody from opening it.
    static func claimAlone(_ path: String) throws(StoreError) -> OpenFile? {
        try register.withLock { register throws(StoreError) in
            var isOpen = false
            let content = try StoreFile(path: path).inspect {
                isOpen = register.counts[$0] != nil
                return true
            }
            if content == .missing { return nil }
            if isOpen { throw busy(path) }
            do throws(StoreError) {
                _ = try StoreFile(path: path).inspect { _ in false }
            } catch {
                // A damaged store may be taken away.
                if error.code != .damagedFile { throw error }
            }
            let file = try add(path, &register)
            register.doomed.insert(file.identity)
            return file
        }
    }

    private static func add(
        _ path: String, _ register: inout Register
    ) throws(StoreError) -> OpenFile {
        guard case .file(let identity, _) = SystemCalls.kind(of: path) else {
            throw StoreError(.storeMissing, "'\(path)' went away while it was being opened.")
        }
        if register.doomed.contains(identity) { throw busy(path) }
        register.counts[identity, default: 0] += 1
        return OpenFile(identity)
    }

    private static func busy(_ path: String) -> StoreError {
        StoreError(.storeBusy, "'\(path)' is open; close it everywhere before it is taken away.")
    }

    // MARK: - Identities of stores

    /// Notes that a store is open. Two files of one identity would give different objects one ID.
    func addStore(_ uuid: UUID, path: String) throws(StoreError) {
        let identity = identity
        let isOther = Self.register.withLock { register in
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

    /// Notes that a store was closed.
    static func removeStore(_ uuid: UUID) {
        register.withLock { register in
            let rest = (register.stores[uuid]?.count ?? 1) - 1
            if rest > 0 { register.stores[uuid]?.count = rest } else { register.stores[uuid] = nil }
        }
    }
}
