public import Foundation

extension ArchivedValue {
    /// Returns whether bytes begin like an archive. JSON never does.
    public static func isArchive(_ bytes: Data) -> Bool { BinaryPropertyList.isPropertyList(bytes) }

    /// Reads an archive that `NSKeyedArchiver` wrote.
    ///
    /// Objects of Foundation's basic classes become values. A class is never looked up by its name,
    /// so an archive cannot run code. Any bytes result in a value or an error, in time and memory
    /// proportional to their number.
    /// - Parameters:
    ///   - archive: At most 16 MiB, with at most 64 levels of nested collections.
    ///   - classes: The names of other classes that the archive may have. Their objects become
    ///     ``ArchivedObject`` values.
    /// - Throws: ``ArchiveError`` if the archive is damaged, exceeds a limit or has a class that is
    ///   not allowed.
    public init(archive: Data, allowing classes: Set<String> = []) throws(ArchiveError) {
        self = try ArchiveReader.value(of: Array(archive), allowing: classes)
    }

    /// Returns the archive of the value, as `NSKeyedArchiver` of a 64-bit Apple system writes it.
    ///
    /// - Throws: ``ArchiveError`` `.limitExceeded` above 16 MiB or 64 levels, `.typeMismatch` if a
    ///   value is marked as mutable but its class has no mutable variant.
    /// - Complexity: O(*n*) in the size of the value.
    public func archive() throws(ArchiveError) -> Data {
        Data(try KeyedArchiveWriter.bytes(of: self))
    }
}
