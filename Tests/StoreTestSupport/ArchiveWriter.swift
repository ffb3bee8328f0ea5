/// A property list that a test writes, with the UIDs that Foundation's writer does not have.
package indirect enum TestList {
    case text(String)
    case integer(Int)
    case boolean(Bool)
    case real(Double)
    case data([UInt8])
    case uid(Int)
    case array([TestList])
    case dictionary([(String, TestList)])

    /// The binary form: four bytes for each reference and offset.
    package var bytes: [UInt8] {
        var objects: [[UInt8]] = []
        let top = add(to: &objects)
        var result = Array("bplist00".utf8)
        var offsets: [Int] = []
        for object in objects {
            offsets.append(result.count)
            result += object
        }
        let table = result.count
        for offset in offsets { result += Self.big(offset, 4) }
        result += [0, 0, 0, 0, 0, 0, 4, 4]
        return result + Self.big(objects.count, 8) + Self.big(top, 8) + Self.big(table, 8)
    }

    private static func big(_ number: Int, _ size: Int) -> [UInt8] {
        (0..<size).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }

    private static func marker(_ kind: UInt8, _ count: Int) -> [UInt8] {
        count < 15 ? [kind | UInt8(count)] : [kind | 15, 0x12] + big(count, 4)
    }

    private func add(to objects: inout [[UInt8]]) -> Int {
        let own: [UInt8]
        switch self {
        case .text(let text):
            if text.utf8.allSatisfy({ $0 < 128 }) {
                own = Self.marker(0x50, text.utf8.count) + Array(text.utf8)
            } else {
                own =
                    Self.marker(0x60, text.utf16.count)
                    + text.utf16.flatMap { Self.big(Int($0), 2) }
            }
        case .integer(let number): own = [0x13] + Self.big(number, 8)
        case .boolean(let flag): own = [flag ? 9 : 8]
        case .real(let number):
            own = [0x23] + Self.big(Int(bitPattern: UInt(number.bitPattern)), 8)
        case .data(let bytes): own = Self.marker(0x40, bytes.count) + bytes
        case .uid(let index): own = [0x83] + Self.big(index, 4)
        case .array(let items):
            let places = items.map { $0.add(to: &objects) }
            own = Self.marker(0xA0, items.count) + places.flatMap { Self.big($0, 4) }
        case .dictionary(let entries):
            let keys = entries.map { TestList.text($0.0).add(to: &objects) }
            let values = entries.map { $0.1.add(to: &objects) }
            own =
                Self.marker(0xD0, entries.count) + (keys + values).flatMap { Self.big($0, 4) }
        }
        objects.append(own)
        return objects.count - 1
    }
}

/// A keyed archive of a model, made object by object.
package final class ArchiveWriter {
    private var objects: [TestList] = [.text("$null")]

    /// Begins an archive without objects.
    package init() {}

    /// Adds an object, and gives what refers to it.
    package func add(_ object: TestList) -> TestList {
        objects.append(object)
        return .uid(objects.count - 1)
    }

    /// Adds an object of a class.
    package func add(_ className: String, _ fields: [(String, TestList)]) -> TestList {
        let type = add(.dictionary([("$classname", .text(className))]))
        return add(.dictionary(fields + [("$class", type)]))
    }

    /// Adds a text.
    package func text(_ text: String) -> TestList { add(.text(text)) }

    /// Adds an array.
    package func array(_ items: [TestList]) -> TestList {
        add("NSArray", [("NS.objects", .array(items))])
    }

    /// Adds a dictionary.
    package func dictionary(_ entries: [(String, TestList)]) -> TestList {
        add(
            "NSDictionary",
            [
                ("NS.keys", .array(entries.map { text($0.0) })),
                ("NS.objects", .array(entries.map(\.1))),
            ])
    }

    /// Adds an attribute.
    package func attribute(
        _ name: String, _ type: Int, _ fields: [(String, TestList)] = [],
        className: String = "NSAttributeDescription"
    ) -> (String, TestList) {
        let own: [(String, TestList)] = [
            ("NSPropertyName", text(name)), ("NSAttributeType", .integer(type)),
            ("NSIsOptional", .boolean(true)),
        ]
        return (name, add(className, own + fields))
    }

    /// Adds a relationship.
    package func relationship(
        _ name: String, _ destination: String, inverse: String?, isToMany: Bool = false,
        _ fields: [(String, TestList)] = []
    ) -> (String, TestList) {
        var own: [(String, TestList)] = [
            ("NSPropertyName", text(name)), ("_NSDestinationEntityName", text(destination)),
            ("NSMaxCount", .integer(isToMany ? 0 : 1)), ("NSDeleteRule", .integer(1)),
            ("NSIsOptional", .boolean(true)),
        ]
        if let inverse { own.append(("_NSInverseRelationshipName", text(inverse))) }
        return (name, add("NSRelationshipDescription", own + fields))
    }

    /// Adds an entity.
    package func entity(
        _ name: String, parent: TestList? = nil, _ properties: [(String, TestList)],
        _ fields: [(String, TestList)] = []
    ) -> (String, TestList) {
        var own = [("NSEntityName", text(name)), ("NSProperties", dictionary(properties))] + fields
        if let parent { own.append(("NSSuperentity", parent)) }
        return (name, add("NSEntityDescription", own))
    }

    /// The archive of a model.
    package func model(_ entities: [(String, TestList)]) -> [UInt8] {
        archive(
            root: add(
                "NSManagedObjectModel",
                [
                    ("NSEntities", dictionary(entities)),
                    ("NSVersionIdentifiers", array([text("v1")])),
                ]))
    }

    /// The archive with any root.
    package func archive(root: TestList) -> [UInt8] {
        TestList.dictionary([
            ("$archiver", .text("NSKeyedArchiver")), ("$version", .integer(100_000)),
            ("$top", .dictionary([("root", root)])), ("$objects", .array(objects)),
        ]).bytes
    }

    /// A raw DEFLATE stream, as model caches are, that packs nothing.
    package static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 0xFFFF) {
            let block = bytes[start..<min(start + 0xFFFF, bytes.count)]
            let size = UInt16(block.count)
            result.append(start + block.count == bytes.count ? 1 : 0)
            for word in [size, ~size] { result += [UInt8(word & 0xFF), UInt8(word >> 8)] }
            result += block
        }
        return result
    }
}
