import Foundation

/// Archives a value byte for byte as Apple's archiver does on 64-bit systems.
///
/// `$objects` has `$null`, then each object with the objects that it refers to, followed by its
/// class if that is new. Equal short texts, integers, Booleans, dates and `NSNull` are one object,
/// since there is one pointer to them. Other values are written once for each reference.
struct KeyedArchiveWriter {
    private typealias Part = BinaryPropertyListWriter.Part

    private var objects: [Part] = [.text("$null")]
    private var shared: [ArchivedValue: Int] = [:]
    private var classes: [[String]: Int] = [:]

    /// Returns the archive of a value.
    static func bytes(of value: ArchivedValue) throws(ArchiveError) -> [UInt8] {
        var writer = KeyedArchiveWriter()
        let root = try writer.reference(to: value, depth: 0)
        let bytes = BinaryPropertyListWriter.bytes(
            of: .dictionary([
                ("$version", .integer(100_000)), ("$archiver", .text("NSKeyedArchiver")),
                ("$top", .dictionary([("root", root)])), ("$objects", .array(writer.objects)),
            ]))
        guard bytes.count <= ArchiveLimits.bytes else {
            throw ArchiveError(
                .limitExceeded, "takes more than \(ArchiveLimits.bytes >> 20) MiB")
        }
        return bytes
    }

    private mutating func reference(
        to value: ArchivedValue, depth: Int
    ) throws(ArchiveError) -> Part {
        guard depth <= ArchiveLimits.depth else {
            throw ArchiveError(
                .limitExceeded, "is nested more than \(ArchiveLimits.depth) levels deep")
        }
        if Self.isShared(value) {
            if let index = shared[value] { return .uid(index) }
            shared[value] = objects.count
        }
        let index = objects.count
        // The objects that this object refers to come after it.
        objects.append(.boolean(false))
        objects[index] = try part(of: value, depth: depth)
        return .uid(index)
    }

    private static func isShared(_ value: ArchivedValue) -> Bool {
        switch value {
        case .string(let text): TaggedText.isShared(text)
        case .integer, .boolean, .date, .null: true
        case .array(let elements): elements.isEmpty
        case .dictionary(let entries): entries.isEmpty
        default: false
        }
    }

    private mutating func part(
        of value: ArchivedValue, depth: Int
    ) throws(ArchiveError) -> Part {
        switch value {
        case .string(let text): return .text(text)
        case .integer(let number): return .integer(number)
        case .unsigned(let number): return Self.number(number)
        case .double(let number): return .double(number)
        case .float(let number): return .float(number)
        case .boolean(let flag): return .boolean(flag)
        case .data(let data): return .data(Array(data))
        case .null: return instance(of: .null, [])
        case .decimal(let number): return instance(of: .decimal, ArchivedDecimal(number).fields)
        case .date(let date):
            return instance(of: .date, [("NS.time", .double(date.timeIntervalSinceReferenceDate))])
        case .uuid(let uuid):
            return instance(
                of: .uuid, [("NS.uuidbytes", .data(withUnsafeBytes(of: uuid.uuid, Array.init)))])
        case .url(let url): return try instance(of: url, depth: depth)
        case .array(let elements): return try collection(.array, elements, depth)
        case .set(let elements): return try collection(.set, elements, depth)
        case .orderedSet(let elements): return try orderedSet(.orderedSet, elements, depth)
        case .dictionary(let entries): return try dictionary(.dictionary, entries, depth)
        case .mutable(let value): return try mutable(value, depth)
        case .object(let object): return try instance(of: object, depth: depth)
        }
    }

    private static func number(_ number: UInt64) -> Part {
        Int64(exactly: number).map { .integer($0) } ?? .unsigned(number)
    }

    private mutating func mutable(
        _ value: ArchivedValue, _ depth: Int
    ) throws(ArchiveError) -> Part {
        switch value {
        case .string(let text): return instance(of: .mutableString, [("NS.string", .text(text))])
        case .data(let data): return instance(of: .mutableData, [("NS.data", .data(Array(data)))])
        case .array(let elements): return try collection(.mutableArray, elements, depth)
        case .set(let elements): return try collection(.mutableSet, elements, depth)
        case .orderedSet(let elements): return try orderedSet(.mutableOrderedSet, elements, depth)
        case .dictionary(let entries): return try dictionary(.mutableDictionary, entries, depth)
        default:
            throw ArchiveError(
                .typeMismatch, "has a mutable value that is neither text, data nor a collection")
        }
    }

    // MARK: - Objects with fields

    private mutating func references(
        to elements: [ArchivedValue], _ depth: Int
    ) throws(ArchiveError) -> Part {
        var references: [Part] = []
        references.reserveCapacity(elements.count)
        for element in elements { references.append(try reference(to: element, depth: depth + 1)) }
        return .array(references)
    }

    private mutating func collection(
        _ type: ArchiveClass, _ elements: [ArchivedValue], _ depth: Int
    ) throws(ArchiveError) -> Part {
        let references = try references(to: elements, depth)
        return instance(of: type, [("NS.objects", references)])
    }

    private mutating func orderedSet(
        _ type: ArchiveClass, _ elements: [ArchivedValue], _ depth: Int
    ) throws(ArchiveError) -> Part {
        var fields: [(String, Part)] = []
        for (place, element) in elements.enumerated() {
            fields.append(("NS.object.\(place)", try reference(to: element, depth: depth + 1)))
        }
        return instance(of: type, fields)
    }

    private mutating func dictionary(
        _ type: ArchiveClass, _ entries: [ArchivedValue.Entry], _ depth: Int
    ) throws(ArchiveError) -> Part {
        let keys = try references(to: entries.map(\.key), depth)
        let values = try references(to: entries.map(\.value), depth)
        return instance(of: type, [("NS.keys", keys), ("NS.objects", values)])
    }

    private mutating func instance(of url: ArchivedURL, depth: Int) throws(ArchiveError) -> Part {
        var base = Part.uid(0)
        if let url = url.base { base = try reference(to: .url(url), depth: depth + 1) }
        let relative = try reference(to: .string(url.relative), depth: depth + 1)
        return instance(of: .url, [("NS.base", base), ("NS.relative", relative)])
    }

    private mutating func instance(
        of object: ArchivedObject, depth: Int
    ) throws(ArchiveError) -> Part {
        var fields: [(String, Part)] = []
        for (name, content) in object.fields {
            switch content {
            case .none: fields.append((name, .uid(0)))
            case .value(let value):
                fields.append((name, try reference(to: value, depth: depth + 1)))
            case .inline(let value): fields.append((name, try inline(value)))
            }
        }
        guard let layout = object.layout else {
            return instance(of: object.className, object.superclassNames, fields)
        }
        fields.append(("$class", .uid(index(ofClass: object.className, object.superclassNames))))
        let parts = Dictionary(fields, uniquingKeysWith: { first, _ in first })
        return .dictionary(layout.compactMap { name in parts[name].map { (key: name, value: $0) } })
    }

    private mutating func inline(_ value: ArchivedValue) throws(ArchiveError) -> Part {
        switch value {
        case .string, .integer, .unsigned, .double, .float, .boolean, .data:
            return try part(of: value, depth: 0)
        case .date(let date): return .date(date.timeIntervalSinceReferenceDate)
        default:
            throw ArchiveError(
                .typeMismatch, "has an inline value that is neither a number, text, date nor data")
        }
    }

    private mutating func instance(of type: ArchiveClass, _ fields: [(String, Part)]) -> Part {
        instance(of: type.rawValue, type.superclassNames, fields)
    }

    private mutating func instance(
        of name: String, _ superclassNames: [String], _ fields: [(String, Part)]
    ) -> Part {
        let fields = fields + [("$class", .uid(index(ofClass: name, superclassNames)))]
        let places = FieldOrder.places(of: fields.map(\.0))
        return .dictionary(places.map { (key: fields[$0].0, value: fields[$0].1) })
    }

    private mutating func index(ofClass name: String, _ superclassNames: [String]) -> Int {
        let names = [name] + superclassNames
        if let index = classes[names] { return index }
        objects.append(
            .dictionary([
                ("$classname", .text(name)), ("$classes", .array(names.map { .text($0) })),
            ]))
        classes[names] = objects.count - 1
        return objects.count - 1
    }
}
