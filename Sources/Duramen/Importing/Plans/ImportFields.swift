import DuramenModel

/// The keys of an object in a feed, and the properties that they set.
final class ImportFields {
    /// The property that a key sets.
    enum Target {
        case attribute(Int)
        case relationship(Int)
        /// The keys of a nested object, or the indexes of a nested array, that set properties of
        /// the same object.
        case fields(ImportFields)
    }

    private var names: [[UInt8]] = []
    private(set) var targets: [Target] = []
    /// The key that may come next: elements of a feed mostly have their keys in one order.
    private var next = 0

    /// Adds a property.
    ///
    /// - Parameter source: A key, a path of keys such as `format.height`, or a JSON pointer that
    ///   begins with `/`.
    func add(_ source: String, as target: Target) throws(ImportError) {
        let path =
            source.hasPrefix("/")
            ? try JSONPointer(source).tokens : source.split(separator: ".").map(String.init)
        guard let first = path.first else {
            throw ImportError(
                .invalidMapping, "A mapping has an empty key. Name a key of the feed.")
        }
        try add(path[...], first: first, as: target)
    }

    private func add(
        _ path: ArraySlice<String>, first: String, as target: Target
    ) throws(ImportError) {
        let name = Array(first.utf8)
        let rest = path.dropFirst()
        guard let second = rest.first else {
            guard !names.contains(name) else {
                throw ImportError(
                    .invalidMapping,
                    "Two properties take their value from the key '\(first)' of the feed. Rename one."
                )
            }
            names.append(name)
            targets.append(target)
            return
        }
        if let known = names.firstIndex(of: name) {
            guard case .fields(let fields) = targets[known] else {
                throw ImportError(
                    .invalidMapping,
                    "The key '\(first)' sets a property, and holds others. Rename one of them.")
            }
            return try fields.add(rest, first: second, as: target)
        }
        let fields = ImportFields()
        try fields.add(rest, first: second, as: target)
        names.append(name)
        targets.append(.fields(fields))
    }

    /// The property of a key without escapes.
    func target(of key: ArraySlice<UInt8>) -> Target? {
        for offset in names.indices {
            var index = next + offset
            if index >= names.count { index -= names.count }
            if names[index].count == key.count, names[index].elementsEqual(key) {
                next = index + 1 == names.count ? 0 : index + 1
                return targets[index]
            }
        }
        return nil
    }
}
