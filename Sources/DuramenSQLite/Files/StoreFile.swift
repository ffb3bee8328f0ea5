import DuramenFileStore
import DuramenStore
import Foundation

/// Inspects a store's path before the engine does, so that a wrong file is not touched.
struct StoreFile {
    let path: String

    enum Content {
        case missing
        case empty
        case database
    }

    /// Returns the kind of content at the path.
    ///
    /// - Parameter isOpen: Returns whether this process has a file open. The header of such a file
    ///   is not read.
    func inspect(isOpen: (FileIdentity) -> Bool) throws(StoreError) -> Content {
        let place = try StorePath(path, example: "a file, such as 'sqlite:library.sqlite'")
        switch SystemCalls.kind(of: path) {
        case .missing:
            try place.checkParent()
            return .missing
        case .folder:
            throw StoreError(.foreignFile, "'\(path)' is a folder; give the path of a file in it.")
        case .link: throw place.isLink
        case .other:
            throw StoreError(.foreignFile, "'\(path)' is not a file; name another one.")
        case .failed(let error):
            throw StoreError(
                SystemCalls.isPermission(error) ? .permissionDenied : .folderMissing,
                "'\(path)' cannot be reached; check its folder.", detail: SystemCalls.message(error)
            )
        case .file(let identity, let size):
            if isOpen(identity) { return size == 0 ? .empty : .database }
            return try inspectHeader(size)
        }
    }

    private func inspectHeader(_ size: Int64) throws(StoreError) -> Content {
        var size = size
        var last: [UInt8] = []
        while true {
            // Until then even the header may be incomplete, as after a loss of power during
            // creation.
            if Self.hasJournal(path) { return .database }
            let header = try header()
            if header.isEmpty { return .empty }
            guard header.starts(with: Array("SQLite format 3\0".utf8)) else {
                throw StoreError(
                    .foreignFile, "'\(path)' is not an SQLite database; name another file.")
            }
            if !isCutShort(header, size) { return .database }
            // A checkpoint changes both meanwhile, one after the other.
            guard case .file(_, let found) = SystemCalls.kind(of: path) else { return .missing }
            if header == last, found == size {
                throw StoreError(.damagedFile, "'\(path)' is cut short; restore a copy.")
            }
            (last, size) = (header, found)
        }
    }

    private func header() throws(StoreError) -> [UInt8] {
        switch SystemCalls.header(of: path, count: 100) {
        case .success(let bytes): return bytes
        case .failure(let error):
            throw StoreError(
                SystemCalls.isPermission(error.number) ? .permissionDenied : .io,
                "'\(path)' cannot be read; check its mode.",
                detail: SystemCalls.message(error.number))
        }
    }

    /// Whether a file without a log is shorter than its header says.
    private func isCutShort(_ header: [UInt8], _ size: Int64) -> Bool {
        guard header.count == 100 else { return true }
        // SQLite: the page size is at 16, with 1 for 65 536. The page count at 28 is valid if the
        // change counters at 24 and 92 agree (fileformat2.html).
        let field = Int(header[16]) << 8 | Int(header[17])
        let pageBytes = field == 1 ? 65_536 : field
        if size < pageBytes { return true }
        let pages = Self.word(header, 28)
        return Self.word(header, 24) == Self.word(header, 92) && !Self.hasContent(path + "-wal")
            && size < Int64(pages) * Int64(pageBytes)
    }

    /// Whether a file has a journal, with which the engine rolls back an incomplete transaction.
    static func hasJournal(_ path: String) -> Bool { hasContent(path + "-journal") }

    private static func hasContent(_ path: String) -> Bool {
        if case .file(_, let size) = SystemCalls.kind(of: path) { size > 0 } else { false }
    }

    private static func word(_ bytes: [UInt8], _ place: Int) -> Int {
        bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
    }

    /// Claims the file, and creates it if it is missing and may be created.
    ///
    /// - Throws: Among others `.foreignLog` for a file with the log of another file, and
    ///   `.usedAfterFork` in a child whose parent had it open at the fork.
    /// - Returns: The claim, and the content; no claim if the file is missing.
    static func claim(
        _ path: String, makes: Bool
    ) throws(StoreError) -> (file: OpenStoreFile?, content: Content) {
        var content = Content.missing
        let claim = try OpenStoreFile.claim(path) { isOpen throws(StoreError) in
            let file = StoreFile(path: path)
            content = try file.inspect(isOpen: isOpen)
            if content == .missing, makes { try file.create() }
            if content == .database, let identity = FileIdentity(path: path), !isOpen(identity) {
                try LeftoverLog(path: path).check(setsAside: makes)
            }
        }
        if claim == nil, makes || content != .missing {
            throw StoreError(.storeMissing, "'\(path)' went away while it was being opened.")
        }
        // The engine would treat locks of the parent as its own, and could truncate a log in use.
        if let claim, claim.wasOpenAtFork { throw ProcessMark.openAtFork(path) }
        return (claim, content)
    }

    /// Claims the file of a store that will be removed, and prevents it from being opened.
    static func claimAlone(_ path: String) throws(StoreError) -> OpenStoreFile? {
        try OpenStoreFile.claimAlone(path) { () throws(StoreError) in
            do throws(StoreError) {
                _ = try StoreFile(path: path).inspect { _ in false }
            } catch {
                // A damaged store may be removed.
                if error.code != .damagedFile { throw error }
            }
        }
    }

    /// Creates the empty file of a new store.
    private func create() throws(StoreError) {
        let error = SystemCalls.createFile(path)
        if error == 0 || error == SystemCalls.exists { return }
        throw StoreError(
            SystemCalls.isDiskFull(error)
                ? .diskFull : SystemCalls.isPermission(error) ? .permissionDenied : .io,
            "'\(path)' cannot be created; check the folder's mode and space.",
            detail: SystemCalls.message(error))
    }
}
