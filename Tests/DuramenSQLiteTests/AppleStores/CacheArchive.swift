import CZlib
import DuramenArchives
import DuramenModel
import Testing

/// The archive in a model cache, for tests that look at its objects.
struct CacheArchive {
    /// One object.
    struct Object {
        let className: String
        /// The class and its superclasses.
        let hierarchy: [String]
        let fields: [String: BinaryPropertyList.Object]
    }

    private let list: BinaryPropertyList
    private let places: [Int]
    /// The objects that have a class, by their places in the archive.
    private(set) var objects: [Int: Object] = [:]
    /// The model.
    private(set) var root: Object

    init(packed: [UInt8]) throws {
        list = try BinaryPropertyList(Self.unpacked(packed), mostDecodedBytes: 1 << 30)
        let outline = try ArchiveOutline(list)
        places = outline.objects
        root = Object(className: "", hierarchy: [], fields: [:])
        for place in places.indices {
            guard case .dictionary = try list.object(places[place]),
                let object = try object(at: place)
            else { continue }
            objects[place] = object
        }
        root = try #require(objects[outline.root])
    }

    private func object(at place: Int) throws -> Object? {
        var fields: [String: BinaryPropertyList.Object] = [:]
        for (name, value) in try ArchiveOutline.fields(of: places[place], in: list) {
            fields[name] = try list.object(value)
        }
        guard case .uid(let type)? = fields.removeValue(forKey: "$class") else { return nil }
        let description = try ArchiveOutline.fields(of: places[type], in: list)
        var hierarchy: [String] = []
        if let names = description["$classes"], case .array(let items) = try list.object(names) {
            for item in items {
                if case .text(let name) = try list.object(item) { hierarchy.append(name) }
            }
        }
        return Object(className: hierarchy.first ?? "", hierarchy: hierarchy, fields: fields)
    }

    /// The object that a value refers to; nil when it is nil or has no class.
    func object(_ value: BinaryPropertyList.Object?) -> Object? {
        if case .uid(let place)? = value { objects[place] } else { nil }
    }

    /// What a value refers to, or the value itself; nil for nil.
    func plain(_ value: BinaryPropertyList.Object?) throws -> BinaryPropertyList.Object? {
        guard case .uid(let place)? = value else { return value }
        return place == 0 ? nil : try list.object(places[place])
    }

    /// The text that a value refers to.
    func text(_ value: BinaryPropertyList.Object?) throws -> String? {
        if case .text(let text)? = try plain(value) { return text }
        guard case .text(let text)? = object(value)?.fields["NS.string"] else { return nil }
        return text
    }

    /// The elements of an array or set that a value refers to.
    func elements(_ value: BinaryPropertyList.Object?) throws -> [BinaryPropertyList.Object] {
        try elements(object(value), "NS.objects")
    }

    private func elements(
        _ object: Object?, _ field: String
    ) throws -> [BinaryPropertyList.Object] {
        guard case .array(let items)? = object?.fields[field] else { return [] }
        return try items.map { try list.object($0) }
    }

    /// The objects in a dictionary that a value refers to, by their keys.
    func entries(_ value: BinaryPropertyList.Object?) throws -> [(name: String, object: Object)] {
        let dictionary = object(value)
        var keys = try elements(dictionary, "NS.keys")
        var values = try elements(dictionary, "NS.objects")
        if let mapping = object(dictionary?.fields["searchMapping"]) {
            keys = try elements(mapping.fields["keys"])
            values = try elements(dictionary?.fields["values"])
        }
        return try zip(keys, values).map { key, value in
            (try #require(try text(key)), try #require(object(value)))
        }
    }

    private static func unpacked(_ packed: [UInt8]) throws -> [UInt8] {
        var stream = z_stream()
        #expect(
            inflateInit2_(&stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK)
        defer { inflateEnd(&stream) }
        var input = packed
        var result: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 20)
        var status = Z_OK
        input.withUnsafeMutableBufferPointer { input in
            stream.next_in = input.baseAddress
            stream.avail_in = UInt32(input.count)
            while status == Z_OK {
                let count = chunk.withUnsafeMutableBufferPointer { output in
                    stream.next_out = output.baseAddress
                    stream.avail_out = UInt32(output.count)
                    status = inflate(&stream, Z_NO_FLUSH)
                    return output.count - Int(stream.avail_out)
                }
                result += chunk[..<count]
            }
        }
        try #require(status == Z_STREAM_END)
        return result
    }
}
