import DuramenStore
import Foundation
import Logging
import Synchronization

/// Binary values that Core Data keeps behind a tag, and the large ones among them in files beside the
/// store.
///
/// A file that is missing makes its value null rather than its row unreadable; it is counted, and the
/// first one is logged.
final class ExternalValues: Sendable {
    /// What a column says about a value.
    enum Content {
        case inline(UnsafeRawBufferPointer)
        case file(UUID)
    }

    private static let inlineTag: UInt8 = 1
    private static let fileTag: UInt8 = 2
    /// The text of a UUID.
    private static let nameLength = 36
    /// What a row can hold of one value.
    private static let mostBytes: Int64 = 1 << 30

    private let storePath: String
    private let unreadableCount = Atomic<Int>(0)

    init(storePath: String) { self.storePath = storePath }

    /// What the bytes of a column mean; nil when they are damaged.
    static func content(of bytes: UnsafeRawBufferPointer) -> Content? {
        let rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
        switch bytes.first {
        case inlineTag: return .inline(rest)
        case fileTag:
            // The name ends with a NUL. Nothing but a UUID may become part of a path.
            guard rest.count == nameLength + 1, rest.last == 0 else { return nil }
            return UUID(uuidString: String(decoding: rest.dropLast(), as: UTF8.self))
                .map { .file($0) }
        default: return nil
        }
    }

    /// Hands over the bytes of a file; not called when it cannot be read.
    func withBytes(ofFile name: UUID, _ body: (UnsafeRawBufferPointer) -> Void) {
        guard let bytes = read(name) else { return noteUnreadable() }
        bytes.withUnsafeBytes { body($0) }
    }

    /// Whether the file of a value is there.
    func exists(_ name: UUID) -> Bool { path(of: name) != nil }

    /// Notes that a value reads as null which is not.
    func noteUnreadable() {
        guard unreadableCount.wrappingAdd(1, ordering: .relaxed).oldValue == 0 else { return }
        Diagnostics.logger.warning(
            "'\(storePath)' refers to files of values that are missing or cannot be read; those values read as null. 'duramen info --check' counts them."
        )
    }

    /// The folder of the files: links are not followed, so that nothing outside is read.
    private var folder: String? {
        let place = storePath as NSString
        let parent = place.deletingLastPathComponent
        let file = place.lastPathComponent
        // Core Data leaves the extension out of the folder's name.
        for name in [(file as NSString).deletingPathExtension, file] {
            let support = (parent.isEmpty ? "." : parent) + "/.\(name)_SUPPORT"
            let folder = support + "/_EXTERNAL_DATA"
            if Self.isFolder(support), Self.isFolder(folder) { return folder }
        }
        return nil
    }

    private static func isFolder(_ path: String) -> Bool {
        if case .folder = SystemCalls.kind(of: path) { true } else { false }
    }

    private func path(of name: UUID) -> (path: String, size: Int64)? {
        guard let folder else { return nil }
        let path = folder + "/" + name.uuidString
        guard case .file(_, let size) = SystemCalls.kind(of: path), size <= Self.mostBytes else {
            return nil
        }
        return (path, size)
    }

    private func read(_ name: UUID) -> [UInt8]? {
        guard let (path, size) = path(of: name) else { return nil }
        let file = SystemCalls.openForReading(path)
        guard file >= 0 else { return nil }
        defer { SystemCalls.closeFile(file) }
        var bytes = [UInt8](repeating: 0, count: Int(size))
        let count = bytes.withUnsafeMutableBytes { SystemCalls.read(file, at: 0, into: $0) }
        return count == bytes.count ? bytes : nil
    }
}
