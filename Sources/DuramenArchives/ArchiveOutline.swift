/// The outermost parts of a keyed archive.
///
/// ```
/// {"$version": 100000, "$archiver": "NSKeyedArchiver", "$top": {"root": UID}, "$objects": […]}
/// ```
public struct ArchiveOutline: Sendable {
    /// The places, in the property list, of the elements of `$objects`.
    public let objects: [Int]
    /// The index of the outermost object in `objects`.
    public let root: Int

    /// Reads the parts of a keyed archive.
    ///
    /// - Throws: ``ArchiveError`` `.notAnArchive` for any other property list.
    public init(_ list: BinaryPropertyList) throws(ArchiveError) {
        let fields = try Self.fields(of: list.top, in: list)
        guard let place = fields["$objects"], case .array(let objects) = try list.object(place),
            let top = fields["$top"], let root = try Self.fields(of: top, in: list)["root"],
            case .uid(let index) = try list.object(root), objects.indices.contains(index)
        else { throw ArchiveError(.notAnArchive, "is a property list, but not a keyed archive") }
        self.objects = objects
        self.root = index
    }

    /// Returns the fields of a dictionary by name, as places in the list.
    public static func fields(
        of place: Int, in list: BinaryPropertyList
    ) throws(ArchiveError) -> [String: Int] {
        guard case .dictionary(let keys, let values) = try list.object(place) else { return [:] }
        var fields: [String: Int] = [:]
        for (key, value) in zip(keys, values) {
            if case .text(let name) = try list.object(key) { fields[name] = value }
        }
        return fields
    }
}
