import DuramenArchives
import Foundation

/// The graph of objects in a keyed archive, read field by field.
///
/// It creates no instances of archived classes, so an archive cannot run code.
struct KeyedArchive {
    /// An object of the archive.
    struct Node: Hashable {
        /// The index in the archive's list of objects.
        let index: Int
    }

    /// The value of a field.
    enum Value {
        case null
        case boolean(Bool)
        case integer(Int64)
        case real(Double)
        case date(Double)
        case data(Range<Int>)
        case text(String)
        case array
        /// An object of the archive with fields.
        case node(Node)
    }

    private let list: BinaryPropertyList
    /// The indexes in the list of the elements of `$objects`.
    private let objects: [Int]
    /// The outermost object.
    let root: Node

    /// The largest number of decoded bytes, including repeated decoding. The largest known archives
    /// have 2 MB and decode about ten times as much.
    private static let mostDecodedBytes = 400_000_000

    init(_ bytes: [UInt8]) throws(ModelCacheDamage) {
        do throws(ArchiveError) {
            list = try BinaryPropertyList(bytes, mostDecodedBytes: Self.mostDecodedBytes)
            let outline = try ArchiveOutline(list)
            objects = outline.objects
            root = Node(index: outline.root)
        } catch {
            throw ModelCacheDamage(error)
        }
    }

    private func object(_ place: Int) throws(ModelCacheDamage) -> BinaryPropertyList.Object {
        do throws(ArchiveError) {
            return try list.object(place)
        } catch {
            throw ModelCacheDamage(error)
        }
    }

    /// The bytes of a value.
    func data(_ range: Range<Int>) -> Data { Data(list.bytes[range]) }

    /// An object with its fields.
    struct Fields {
        let archive: KeyedArchive
        let node: Node
        fileprivate let places: [String: Int]

        /// Returns the value of a field; null if it does not exist.
        subscript(name: String) -> Value {
            get throws(ModelCacheDamage) {
                guard let place = places[name] else { return .null }
                return try archive.value(at: place)
            }
        }

        func text(_ name: String) throws(ModelCacheDamage) -> String? {
            try archive.text(self[name])
        }

        func integer(_ name: String) throws(ModelCacheDamage) -> Int? {
            switch try self[name] {
            case .integer(let number): Int(number)
            case .boolean(let flag): flag ? 1 : 0
            default: nil
            }
        }

        func flag(_ name: String) throws(ModelCacheDamage) -> Bool {
            (try integer(name) ?? 0) != 0
        }

        func node(_ name: String) throws(ModelCacheDamage) -> Node? {
            if case .node(let node) = try self[name] { node } else { nil }
        }

        /// The elements of this object, if it is an array or set.
        func elements() throws(ModelCacheDamage) -> [Value] { try list("NS.objects") }

        /// The elements of an array or set in a field; empty for other values.
        func elements(_ name: String) throws(ModelCacheDamage) -> [Value] {
            guard let node = try node(name) else { return [] }
            return try archive.fields(of: node).elements()
        }

        /// The elements of an array that is stored in the object itself.
        fileprivate func list(_ name: String) throws(ModelCacheDamage) -> [Value] {
            guard let place = places[name], case .array(let items) = try archive.object(place)
            else { return [] }
            var values: [Value] = []
            for item in items { values.append(try archive.value(at: item)) }
            return values
        }
    }

    /// The fields of an object.
    func fields(of node: Node) throws(ModelCacheDamage) -> Fields {
        guard objects.indices.contains(node.index) else { throw Self.wrongReference }
        do throws(ArchiveError) {
            return Fields(
                archive: self, node: node,
                places: try ArchiveOutline.fields(of: objects[node.index], in: list))
        } catch {
            throw ModelCacheDamage(error)
        }
    }

    private static var wrongReference: ModelCacheDamage {
        ModelCacheDamage("its archive refers to an object that is not there")
    }

    /// The value at an index of the list; it follows one reference, which cannot refer to another.
    private func value(at place: Int) throws(ModelCacheDamage) -> Value {
        let object = try object(place)
        guard case .uid(let index) = object else { return Self.value(of: object, nil) }
        guard objects.indices.contains(index) else { throw Self.wrongReference }
        // The first object represents nil.
        if index == 0 { return .null }
        return Self.value(of: try self.object(objects[index]), Node(index: index))
    }

    private static func value(of object: BinaryPropertyList.Object, _ node: Node?) -> Value {
        switch object {
        case .null, .uid: .null
        case .boolean(let flag): .boolean(flag)
        case .integer(let number): .integer(number)
        case .unsigned: .integer(.max)
        case .double(let number): .real(number)
        case .float(let number): .real(Double(number))
        case .date(let seconds): .date(seconds)
        case .data(let range): .data(range)
        case .text(let text): .text(text)
        case .array: .array
        case .dictionary: node.map { .node($0) } ?? .null
        }
    }

    /// The text of a value, which may be an object with a text.
    func text(_ value: Value) throws(ModelCacheDamage) -> String? {
        switch value {
        case .text(let text): return text
        case .node(let node):
            guard case .text(let text) = try fields(of: node)["NS.string"] else { return nil }
            return text
        default: return nil
        }
    }

    /// The name of an object's class.
    func className(of node: Node) throws(ModelCacheDamage) -> String {
        guard let description = try fields(of: node).node("$class") else { return "" }
        return try fields(of: description).text("$classname") ?? ""
    }

    /// The entries of a dictionary with text keys, in the order of the archive.
    func entries(of node: Node) throws(ModelCacheDamage) -> [(name: String, value: Value)] {
        let fields = try fields(of: node)
        let names: [Value]
        let values: [Value]
        var empty: String?
        // Dictionaries with few fixed keys share their keys with similar ones.
        if let mapping = try fields.node("searchMapping") {
            names = try self.fields(of: mapping).elements("keys")
            values = try fields.elements("values")
            empty = try fields.text("emptyToken")
        } else {
            names = try fields.list("NS.keys")
            values = try fields.list("NS.objects")
        }
        var entries: [(name: String, value: Value)] = []
        for (name, value) in zip(names, values) {
            guard let name = try text(name) else { continue }
            if let empty, case .text(let token) = value, token == empty { continue }
            entries.append((name, value))
        }
        return entries
    }
}
