import DuramenModel
public import DuramenStore
public import Foundation

/// The folder with the files of a store's large values.
///
/// Each file is named by its content, so it never changes, and equal values share a file. A file is
/// written and synchronised before a row refers to it, and only ``removeFiles(except:)`` removes
/// files. So a crash can leave a file without a row, but never a row without its file.
public struct ExternalValueFolder: Sendable {
    /// The largest value that may have a file.
    public static let mostBytes = 1 << 30
    private static let unfinishedName = "unfinished"

    /// The path of the folder.
    public let path: String
    /// Whether a value whose file is missing reads as null.
    public var missingIsNull = false
    /// The folder, after the parent folders that are created with it.
    private let folders: [String]

    /// Creates a reference to the folder, which need not exist.
    ///
    /// - Parameters:
    ///   - parent: The path of an existing folder.
    ///   - names: The names of the folders below it, the last of which has the files.
    public init(in parent: String, _ names: String...) {
        var path = parent
        var folders: [String] = []
        for name in names {
            path += "/" + name
            folders.append(path)
        }
        self.path = path
        self.folders = folders
    }

    /// Returns the path of a file, which is always in the folder, since a UUID has no slashes.
    public func path(of name: UUID) -> String { path + "/" + name.uuidString }

    /// Whether the folder exists. A link is not followed, so that nothing outside is read.
    public var exists: Bool {
        folders.allSatisfy { if case .folder = SystemCalls.kind(of: $0) { true } else { false } }
    }

    /// Returns the size of a file; nil when it is missing or not a regular file.
    public func byteCount(of name: UUID) -> Int? {
        guard exists, case .file(_, let size) = SystemCalls.kind(of: path(of: name)),
            size <= Self.mostBytes
        else { return nil }
        return Int(size)
    }

    // MARK: - Reading

    /// The reasons why the value of a file cannot be read.
    public enum Damage: Error {
        /// The file is missing.
        case missing
        /// The file's content does not match its name or size.
        case altered
        /// Reading failed with a number of an operating-system error.
        case unreadable(Int32)
    }

    /// Returns the bytes of a file. If its name is a hash, it must match the bytes.
    public func value(_ name: UUID) throws(Damage) -> [UInt8] {
        let bytes = try contents(name)
        if ExternalValue.isNameOfContent(name),
            bytes.withUnsafeBytes({ ExternalValue.name(of: $0) }) != name
        {
            throw .altered
        }
        return bytes
    }

    private func contents(_ name: UUID) throws(Damage) -> [UInt8] {
        guard let count = byteCount(of: name) else { throw .missing }
        let file = SystemCalls.openForReading(path(of: name))
        if file < 0 { throw .unreadable(-file) }
        defer { SystemCalls.closeFile(file) }
        var bytes = [UInt8](repeating: 0, count: count)
        let read = bytes.withUnsafeMutableBytes { SystemCalls.read(file, at: 0, into: $0) }
        guard let read else { throw .unreadable(SystemCalls.ioError) }
        if read != count { throw .altered }
        return bytes
    }

    // MARK: - Writing

    /// Creates the folder if it is missing. The caller holds the lock of all writers.
    func make(synchronizes: Bool) throws(StoreError) {
        for folder in folders {
            if case .folder = SystemCalls.kind(of: folder) { continue }
            var error = SystemCalls.makeFolder(folder)
            if error == 0, synchronizes {
                error = SystemCalls.synchronize(
                    (folder as NSString).deletingLastPathComponent)
            }
            if error != 0 { throw failed(error, "make") }
        }
    }

    /// Writes a file unless it has these bytes; its name is safe only after ``synchronize()``.
    func write(
        _ bytes: UnsafeRawBufferPointer, as name: UUID, synchronizes: Bool
    ) throws(StoreError) {
        let path = path(of: name)
        if let known = try? contents(name),
            known.withUnsafeBytes({ StoredText.compare($0, bytes) }) == 0
        {
            // The earlier writer may not have synchronised it.
            let error = synchronizes ? SystemCalls.synchronize(path) : 0
            if error != 0 { throw failed(error, "write to") }
            return
        }
        // Another process may have crashed here; now nobody else writes.
        let unfinished = self.path + "/" + Self.unfinishedName
        _ = SystemCalls.removeFile(unfinished)
        let file = SystemCalls.openNewFile(unfinished)
        if file < 0 { throw failed(-file, "write to") }
        var error = SystemCalls.write(bytes, to: file)
        if error == 0, synchronizes { error = SystemCalls.synchronize(file) }
        SystemCalls.closeFile(file)
        if error == 0 { error = SystemCalls.rename(unfinished, to: path) }
        if error == 0 { return }
        _ = SystemCalls.removeFile(unfinished)
        throw failed(error, "write to")
    }

    /// Synchronises the names of the files with the disk.
    func synchronize() throws(StoreError) {
        let error = SystemCalls.synchronize(path)
        if error != 0 { throw failed(error, "write to") }
    }

    private func failed(_ error: Int32, _ action: String) -> StoreError {
        StoreError(
            SystemCalls.isDiskFull(error)
                ? .diskFull : SystemCalls.isPermission(error) ? .permissionDenied : .io,
            "Cannot \(action) '\(path)', where large values are kept; check its mode and the space on the "
                + "disk.", detail: SystemCalls.message(error))
    }

    // MARK: - Administration

    /// Returns the names of all value files.
    ///
    /// - Throws: `.io` when the folder cannot be read.
    public func names() throws(StoreError) -> [UUID] {
        guard exists else { return [] }
        guard let all = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            throw failed(SystemCalls.ioError, "read")
        }
        return all.compactMap { text in
            UUID(uuidString: text).flatMap { $0.uuidString == text ? $0 : nil }
        }
    }

    /// Removes the files that are named by their content and that no row refers to.
    ///
    /// The caller holds the lock of all writers. No older state may be in use, and the newest state
    /// must be on the disk.
    ///
    /// - Parameter known: The files that rows refer to.
    /// - Returns: The number and the bytes of the removed files.
    /// - Throws: `.permissionDenied` or `.io`.
    public func removeFiles(except known: Set<UUID>) throws(StoreError) -> (
        count: Int, bytes: Int64
    ) {
        var removed: (count: Int, bytes: Int64) = (0, 0)
        for name in try names() where ExternalValue.isNameOfContent(name) && !known.contains(name) {
            let bytes = byteCount(of: name) ?? 0
            let error = SystemCalls.removeFile(path(of: name))
            if error == SystemCalls.noEntry { continue }
            if error != 0 { throw failed(error, "remove files from") }
            removed.count += 1
            removed.bytes += Int64(bytes)
        }
        if exists { _ = SystemCalls.removeFile(path + "/" + Self.unfinishedName) }
        return removed
    }

    /// Removes all files that are named by their content, and the folders if they are empty then.
    public func remove() throws(StoreError) {
        _ = try removeFiles(except: [])
        for folder in folders.reversed() { _ = SystemCalls.removeFolder(folder) }
    }

    /// Removes all files of values, also those that Core Data named, and the folders.
    ///
    /// No other store may share the folder.
    ///
    /// - Throws: `.permissionDenied` or `.io`.
    public func removeAll() throws(StoreError) {
        for name in try names() {
            let error = SystemCalls.removeFile(path(of: name))
            if error != 0, error != SystemCalls.noEntry { throw failed(error, "remove files from") }
        }
        try remove()
    }

    /// Removes the files that do not have the content of their names, so that their values read as
    /// missing.
    ///
    /// - Returns: The removed files, as sentences.
    /// - Throws: `.permissionDenied` or `.io`.
    public func removeAltered() throws(StoreError) -> [String] {
        var removed: [String] = []
        for name in try names() {
            do throws(Damage) {
                _ = try value(name)
            } catch {
                let error = SystemCalls.removeFile(path(of: name))
                if error != 0 { throw failed(error, "remove files from") }
                removed.append(
                    "The large value in the file '\(name.uuidString)', which is altered.")
            }
        }
        return removed
    }

    /// Copies all files into the folder of another store. Files that the copied rows refer to must
    /// not be removed meanwhile.
    ///
    /// - Parameters:
    ///   - other: The folder of the other store.
    ///   - synchronizes: Whether the copies must be on the disk.
    /// - Throws: `.diskFull`, `.permissionDenied` or `.io`; an altered file is copied as it is.
    public func copy(
        to other: ExternalValueFolder, synchronizes: Bool = true
    ) throws(StoreError) {
        let names = try names()
        if names.isEmpty { return }
        try other.make(synchronizes: synchronizes)
        for name in names {
            let bytes: [UInt8]
            do throws(Damage) {
                bytes = try contents(name)
            } catch {
                guard case .unreadable(let number) = error else { continue }
                throw failed(number, "read")
            }
            try bytes.withBytes { (bytes) throws(StoreError) in
                try other.write(bytes, as: name, synchronizes: synchronizes)
            }
        }
        if synchronizes { try other.synchronize() }
    }
}
