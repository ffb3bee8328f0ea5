import DuramenArchives
import DuramenModel

/// Builds a keyed archive of objects that may refer to each other in cycles.
///
/// An object can be reserved first and filled later. So nothing recurses, however long a chain of
/// references is. (`KeyedArchiveWriter` of DuramenArchives writes values, which are trees.)
struct KeyedArchiveBuilder {
    typealias Part = BinaryPropertyListWriter.Part
    typealias Fields = [(key: String, value: Part)]

    /// A reference to nil.
    static let null = Part.uid(0)

    private var objects: [Part] = [.text("$null")]
    // By their bytes, because Swift considers texts equal that differ in Unicode normalization.
    private var texts: [StoredText: Int] = [:]
    private var classes: [ModelCacheClass: Int] = [:]

    /// Adds an object to be filled later, and returns its index.
    mutating func reserve() -> Int {
        objects.append(.boolean(false))
        return objects.count - 1
    }

    /// Sets the class and fields of a reserved object.
    mutating func fill(_ place: Int, _ type: ModelCacheClass, _ fields: Fields) {
        objects[place] = .dictionary(fields + [("$class", reference(to: type))])
    }

    /// Adds an object, and returns a reference to it.
    mutating func add(_ type: ModelCacheClass, _ fields: Fields) -> Part {
        let place = reserve()
        fill(place, type, fields)
        return .uid(place)
    }

    /// Adds a number or bytes, and returns a reference to them.
    mutating func add(_ part: Part) -> Part {
        objects.append(part)
        return .uid(objects.count - 1)
    }

    /// Returns a reference to a text. Equal texts are one object.
    mutating func text(_ text: String) -> Part {
        let key = StoredText(text)
        if let place = texts[key] { return .uid(place) }
        texts[key] = objects.count
        return add(.text(text))
    }

    /// Returns a reference to a text; nil stays nil.
    mutating func text(_ text: String?) -> Part { text.map { self.text($0) } ?? Self.null }

    /// Adds an array or set.
    mutating func list(_ type: ModelCacheClass, _ elements: [Part]) -> Part {
        add(type, [("NS.objects", .array(elements))])
    }

    /// Adds a dictionary.
    mutating func dictionary(
        _ type: ModelCacheClass, _ entries: [(key: Part, value: Part)]
    ) -> Part {
        add(
            type,
            [
                ("NS.keys", .array(entries.map(\.key))),
                ("NS.objects", .array(entries.map(\.value))),
            ])
    }

    private mutating func reference(to type: ModelCacheClass) -> Part {
        if let place = classes[type] { return .uid(place) }
        classes[type] = objects.count
        return add(
            .dictionary([
                ("$classname", .text(type.rawValue)),
                ("$classes", .array(type.hierarchy.map { .text($0) })),
            ]))
    }

    /// Returns the bytes of the archive.
    ///
    /// - Complexity: O(*n*) in their number.
    func bytes(root: Int) -> [UInt8] {
        BinaryPropertyListWriter.bytes(
            of: .dictionary([
                ("$version", .integer(100_000)), ("$archiver", .text("NSKeyedArchiver")),
                ("$top", .dictionary([("root", .uid(root))])), ("$objects", .array(objects)),
            ]), sharesValues: true)
    }
}
