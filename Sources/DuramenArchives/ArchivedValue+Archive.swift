public import Foundation

extension ArchivedValue {
    /// Whether bytes begin like an archive. JSON never does.
    public static func isArchive(_ bytes: Data) -> Bool { BinaryPropertyList.isPropertyList(bytes) }

    /// Reads an archive that `NSKeyedArchiver` wrote.
    ///
    /// Objects of Foundation's basic classes become values. No class is looked up by its name, so
    /// that an archive cannot have code run. Any bytes give a value or an error. Time and memory
    /// grow in proportion to their number.
    /// - Parameters:
    ///   - archive: At most 16 MiB, with at most 64 collections within each other.
    ///   - classes: Names of other classes whose objects are read, too, as ``ArchivedObject``.
    /// - Throws: ``ArchiveError``.
    public init(archive: Data, allowing classes: Set<String> = []) throws(ArchiveError) {
        self = try ArchiveReader.value(of: Array(archive), allowing: classes)
    }

    /// The archive of the value, as `NSKeyedArchiver` of a 64-bit Apple system writes it.
    ///
    /// - Throws: ``ArchiveError`` `.limitExceeded` above 16 MiB or 64 levels, `.typeMismatch` when
    ///   a value is marked as mutable whose class has no such variant.
    /// - Complexity: O(*n*) in the size of the value.
    public func archive() throws(ArchiveError) -> Data {
        Data(try KeyedArchiveWriter.bytes(of: self))
    }
}
