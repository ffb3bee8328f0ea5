import Foundation

/// Builds the value of a keyed archive.
///
/// Each object is decoded once, regardless of the number of references to it. Recursion ends at 64
/// levels. An object that is reached again while it is being built contains itself.
struct ArchiveReader {
    private let list: BinaryPropertyList
    /// The places, in the property list, of the elements of `$objects`.
    private let objects: [Int]
    private let allowedClasses: Set<String>
    private let mostValueBytes: Int

    /// The state of each object.
    private var states: [State]
    /// The texts of the list that are names of fields.
    private var names: [Int: String] = [:]
    /// The classes by their indices in `objects`.
    private var classes: [Int: [String]] = [:]

    private enum State {
        case unread
        case reading
        case read(Built)
    }

    private struct Built {
        var value: ArchivedValue
        /// The depth of nested collections and objects.
        var height: Int
        /// The number of bytes of the value when it is written out.
        var byteCount: Int

        init(_ value: ArchivedValue, height: Int = 0, byteCount: Int = 0) {
            self.value = value
            self.height = height
            self.byteCount = byteCount + 16
        }
    }

    /// The fields of an object, as places in the list.
    private struct Fields {
        /// The names, in the order of the list.
        var names: [String] = []
        var places: [String: Int] = [:]

        subscript(name: String) -> Int? { places[name] }
    }

    static func value(
        of bytes: [UInt8], allowing classes: Set<String>
    ) throws(ArchiveError) -> ArchivedValue {
        guard bytes.count <= ArchiveLimits.bytes else {
            throw ArchiveError(
                .limitExceeded, "takes more than \(ArchiveLimits.bytes >> 20) MiB")
        }
        let list = try BinaryPropertyList(
            bytes, mostDecodedBytes: ArchiveLimits.decodedBytes(of: bytes.count))
        let outline = try ArchiveOutline(list)
        var reader = ArchiveReader(list, outline, allowing: classes)
        return try reader.build(outline.root, depth: 0).value
    }

    private init(
        _ list: BinaryPropertyList, _ outline: ArchiveOutline, allowing classes: Set<String>
    ) {
        self.list = list
        objects = outline.objects
        allowedClasses = classes
        mostValueBytes = ArchiveLimits.valueBytes(of: list.bytes.count)
        states = Array(repeating: .unread, count: objects.count)
    }

    // MARK: - Objects

    private mutating func build(_ index: Int, depth: Int) throws(ArchiveError) -> Built {
        // A reference to the first object means nil, and collections cannot have nil.
        guard index > 0, index < objects.count else {
            throw .damaged("refers to an object that is not there")
        }
        switch states[index] {
        case .reading: throw .damaged("has an object that contains itself")
        case .read(let built):
            try check(depth: depth + built.height)
            return built
        case .unread: break
        }
        try check(depth: depth)
        states[index] = .reading
        let built = try read(index, depth: depth)
        states[index] = .read(built)
        return built
    }

    private func check(depth: Int) throws(ArchiveError) {
        if depth > ArchiveLimits.depth {
            throw ArchiveError(
                .limitExceeded, "is nested more than \(ArchiveLimits.depth) levels deep")
        }
    }

    private mutating func read(_ index: Int, depth: Int) throws(ArchiveError) -> Built {
        let object = try list.object(objects[index])
        if case .dictionary(let keys, let values) = object {
            return try instance(try fields(keys, values), depth: depth)
        }
        return try plain(object)
    }

    /// Returns a string, number or data, which archives store without a class.
    private func plain(_ object: BinaryPropertyList.Object) throws(ArchiveError) -> Built {
        switch object {
        case .boolean(let flag): return Built(.boolean(flag))
        case .integer(let number): return Built(.integer(number))
        case .unsigned(let number): return Built(.unsigned(number))
        case .double(let number): return Built(.double(number))
        case .float(let number): return Built(.float(number))
        case .date(let seconds):
            return Built(.date(Date(timeIntervalSinceReferenceDate: seconds)))
        case .data(let range):
            return Built(.data(Data(list.bytes[range])), byteCount: range.count)
        case .text(let text): return Built(.string(text), byteCount: text.utf8.count)
        case .null, .uid, .array, .dictionary: throw .damaged("has an object of no class")
        }
    }

    private mutating func instance(_ fields: Fields, depth: Int) throws(ArchiveError) -> Built {
        let names = try classNames(fields)
        if let known = ArchiveClass(rawValue: names[0]) {
            return try instance(of: known, fields, depth: depth)
        }
        guard allowedClasses.contains(names[0]) else {
            throw ArchiveError(
                .classNotAllowed, "has an object of the class '\(names[0])', which is not allowed")
        }
        return try custom(names, fields, depth: depth)
    }

    private mutating func instance(
        of known: ArchiveClass, _ fields: Fields, depth: Int
    ) throws(ArchiveError) -> Built {
        switch known {
        case .null: return Built(.null)
        case .string: return try text(fields)
        case .mutableString: return Self.mutable(try text(fields))
        case .data: return try data(fields)
        case .mutableData: return Self.mutable(try data(fields))
        case .decimal: return Built(.decimal(try decimal(fields)))
        case .date: return Built(.date(try date(fields)))
        case .uuid: return Built(.uuid(try uuid(fields)))
        case .url: return try url(fields, depth: depth)
        case .array: return try collection("NS.objects", fields, depth, ArchivedValue.array)
        case .mutableArray:
            return Self.mutable(
                try collection("NS.objects", fields, depth, ArchivedValue.array))
        case .set: return try collection("NS.objects", fields, depth, ArchivedValue.set)
        case .mutableSet:
            return Self.mutable(try collection("NS.objects", fields, depth, ArchivedValue.set))
        case .orderedSet: return try orderedSet(fields, depth: depth)
        case .mutableOrderedSet: return Self.mutable(try orderedSet(fields, depth: depth))
        case .dictionary: return try dictionary(fields, depth: depth)
        case .mutableDictionary: return Self.mutable(try dictionary(fields, depth: depth))
        }
    }

    private static func mutable(_ built: Built) -> Built {
        var built = built
        built.value = .mutable(built.value)
        return built
    }

    // MARK: - Collections

    private mutating func collection(
        _ name: String, _ fields: Fields, _ depth: Int,
        _ make: ([ArchivedValue]) -> ArchivedValue
    ) throws(ArchiveError) -> Built {
        try collection(of: try references(name, fields), depth, make)
    }

    private mutating func collection(
        of references: [Int], _ depth: Int, _ make: ([ArchivedValue]) -> ArchivedValue
    ) throws(ArchiveError) -> Built {
        var elements: [ArchivedValue] = []
        elements.reserveCapacity(references.count)
        var result = Built(.null, height: 1)
        for reference in references {
            let element = try build(reference, depth: depth + 1)
            try add(element, to: &result)
            elements.append(element.value)
        }
        result.value = make(elements)
        return result
    }

    private func add(_ part: Built, to whole: inout Built) throws(ArchiveError) {
        whole.height = max(whole.height, part.height + 1)
        whole.byteCount += part.byteCount
        if whole.byteCount > mostValueBytes {
            throw ArchiveError(.limitExceeded, "expands to far more than it holds")
        }
    }

    private mutating func orderedSet(
        _ fields: Fields, depth: Int
    ) throws(ArchiveError) -> Built {
        var references: [Int] = []
        while let place = fields["NS.object.\(references.count)"] {
            references.append(try reference(place))
        }
        return try collection(of: references, depth, ArchivedValue.orderedSet)
    }

    private mutating func dictionary(
        _ fields: Fields, depth: Int
    ) throws(ArchiveError) -> Built {
        let keys = try references("NS.keys", fields)
        let values = try references("NS.objects", fields)
        guard keys.count == values.count else {
            throw .damaged("has a dictionary with more keys than values, or fewer")
        }
        return try collection(of: keys + values, depth) { all in
            .dictionary(
                zip(all[..<keys.count], all[keys.count...]).map { ArchivedValue.Entry($0, $1) })
        }
    }

    // MARK: - Values with fields

    private func text(_ fields: Fields) throws(ArchiveError) -> Built {
        guard let place = fields["NS.string"], case .text(let text) = try list.object(place) else {
            throw Self.incomplete(.string)
        }
        return Built(.string(text), byteCount: text.utf8.count)
    }

    private func data(_ fields: Fields) throws(ArchiveError) -> Built {
        guard let place = fields["NS.data"] else { throw Self.incomplete(.data) }
        var object = try list.object(place)
        if case .uid = object { object = try list.object(try objectPlace(place)) }
        guard case .data(let range) = object else { throw Self.incomplete(.data) }
        return Built(.data(Data(list.bytes[range])), byteCount: range.count)
    }

    private func date(_ fields: Fields) throws(ArchiveError) -> Date {
        guard let place = fields["NS.time"] else { throw Self.incomplete(.date) }
        switch try list.object(place) {
        case .double(let seconds): return Date(timeIntervalSinceReferenceDate: seconds)
        case .float(let seconds): return Date(timeIntervalSinceReferenceDate: Double(seconds))
        case .integer(let seconds): return Date(timeIntervalSinceReferenceDate: Double(seconds))
        default: throw Self.incomplete(.date)
        }
    }

    private func uuid(_ fields: Fields) throws(ArchiveError) -> UUID {
        guard let place = fields["NS.uuidbytes"],
            case .data(let range) = try list.object(place), range.count == 16
        else { throw Self.incomplete(.uuid) }
        return list.bytes[range].withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    private mutating func url(_ fields: Fields, depth: Int) throws(ArchiveError) -> Built {
        guard let relative = fields["NS.relative"] else { throw Self.incomplete(.url) }
        let text = try build(try reference(relative), depth: depth + 1)
        guard case .string(let relative) = text.value.immutable else {
            throw Self.incomplete(.url)
        }
        var result = Built(.null, height: 1)
        try add(text, to: &result)
        var texts = [relative]
        if let place = fields["NS.base"], try reference(place) != 0 {
            let base = try build(try reference(place), depth: depth + 1)
            guard case .url(let url) = base.value else { throw Self.incomplete(.url) }
            try add(base, to: &result)
            texts += url.texts
        }
        result.value = .url(ArchivedURL(texts: texts))
        return result
    }

    /// Returns a decimal number. The layout is that of the archiver in Apple's published Foundation
    /// for other systems; none of our sample archives has such a number.
    private func decimal(_ fields: Fields) throws(ArchiveError) -> Decimal {
        guard let exponent = try integer("NS.exponent", fields),
            let length = try integer("NS.length", fields), (0...8).contains(length),
            (-128...127).contains(exponent), let place = fields["NS.mantissa"],
            case .data(let range) = try list.object(place), range.count == 16
        else { throw Self.incomplete(.decimal) }
        let isNegative = try integer("NS.negative", fields) ?? 0 != 0
        // 1 means that the lowest byte comes first.
        let isLittle = try integer("NS.mantissa.bo", fields) ?? 1 != 2
        let units = (0..<Int(length)).map { place in
            let first = UInt16(list.bytes[range.lowerBound + place * 2])
            let second = UInt16(list.bytes[range.lowerBound + place * 2 + 1])
            return isLittle ? second << 8 | first : first << 8 | second
        }
        return ArchivedDecimal(
            exponent: Int(exponent), isNegative: isNegative, units: units
        ).decimal
    }

    private func integer(_ name: String, _ fields: Fields) throws(ArchiveError) -> Int64? {
        guard let place = fields[name] else { return nil }
        switch try list.object(place) {
        case .integer(let number): return number
        case .boolean(let flag): return flag ? 1 : 0
        default: return nil
        }
    }

    private static func incomplete(_ type: ArchiveClass) -> ArchiveError {
        .damaged("has an object of the class '\(type.rawValue)' with wrong fields")
    }

    // MARK: - Objects of other classes

    private mutating func custom(
        _ names: [String], _ fields: Fields, depth: Int
    ) throws(ArchiveError) -> Built {
        var object = ArchivedObject(
            className: names[0], superclassNames: Array(names.dropFirst()), fields: [])
        var result = Built(.null, height: 1)
        var order: [(index: Int, place: Int)] = []
        for name in fields.names where name != "$class" {
            guard let place = fields[name] else { continue }
            let content: ArchivedObject.Content
            var encoded = 0
            if case .uid(let index) = try list.object(place) {
                if index == 0 {
                    content = .none
                } else {
                    let part = try build(index, depth: depth + 1)
                    try add(part, to: &result)
                    content = .value(part.value)
                    encoded = index
                }
            } else {
                let part = try plain(try list.object(place))
                try add(part, to: &result)
                content = .inline(part.value)
            }
            order.append((encoded, order.count))
            object.fields.append((name, content))
        }
        // Objects are numbered in the order in which they are encoded.
        object.fields = order.sorted { $0 < $1 }.map { object.fields[$0.place] }
        object.layout = fields.names
        result.value = .object(object)
        return result
    }

    // MARK: - Fields

    private mutating func fields(_ keys: [Int], _ values: [Int]) throws(ArchiveError) -> Fields {
        var fields = Fields()
        for (key, value) in zip(keys, values) {
            let name = try name(key)
            guard fields.places.updateValue(value, forKey: name) == nil else {
                throw .damaged("has an object with two fields of one name")
            }
            fields.names.append(name)
        }
        return fields
    }

    /// Returns the text at a place. Many objects share it as the name of a field.
    private mutating func name(_ place: Int) throws(ArchiveError) -> String {
        if let name = names[place] { return name }
        guard case .text(let text) = try list.object(place) else {
            throw .damaged("has a field without a name")
        }
        names[place] = text
        return text
    }

    /// Returns the name of an object's class, followed by the names of its superclasses.
    private mutating func classNames(_ fields: Fields) throws(ArchiveError) -> [String] {
        guard let place = fields["$class"] else { throw .damaged("has an object of no class") }
        let index = try reference(place)
        if let names = classes[index] { return names }
        guard objects.indices.contains(index),
            case .dictionary(let keys, let values) = try list.object(objects[index])
        else { throw .damaged("has an object of no class") }
        let description = try self.fields(keys, values)
        guard let place = description["$classname"] else {
            throw .damaged("has an object of no class")
        }
        var names = [try name(place)]
        if let place = description["$classes"], case .array(let all) = try list.object(place) {
            for place in all.dropFirst() { names.append(try name(place)) }
        }
        classes[index] = names
        return names
    }

    private func references(_ name: String, _ fields: Fields) throws(ArchiveError) -> [Int] {
        guard let place = fields[name], case .array(let places) = try list.object(place) else {
            throw .damaged("has a collection without elements")
        }
        var references: [Int] = []
        references.reserveCapacity(places.count)
        for place in places { references.append(try reference(place)) }
        return references
    }

    /// Returns the index of the object that a UID refers to.
    private func reference(_ place: Int) throws(ArchiveError) -> Int {
        guard case .uid(let index) = try list.object(place) else {
            throw .damaged("has a value where it must refer to an object")
        }
        return index
    }

    private func objectPlace(_ place: Int) throws(ArchiveError) -> Int {
        let index = try reference(place)
        guard index > 0, index < objects.count else {
            throw .damaged("refers to an object that is not there")
        }
        return objects[index]
    }
}
