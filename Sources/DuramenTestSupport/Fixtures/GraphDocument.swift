import DuramenModel
import Foundation

/// A JSON object whose keys are names of entities.
struct GraphDocument {
    let data: Data
    /// The keys, in the order of the document.
    let names: [String]

    /// - Throws: ``TestSupportError`` `.malformedGraph`.
    init(_ data: Data) throws(TestSupportError) {
        self.data = data
        let value: Any
        do {
            value = try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
        } catch {
            throw Self.malformed("is not JSON: \(error)")
        }
        guard let members = value as? [String: Any] else {
            throw Self.malformed("is not a JSON object")
        }
        for (name, value) in members.sorted(by: { $0.key < $1.key }) where !(value is [Any]) {
            throw Self.malformed("has no array under '\(name)'")
        }
        var names: [String] = []
        for key in Self.keys(of: [UInt8](data)) {
            guard let name = try? JSONDecoder().decode(String.self, from: Data(key)) else {
                throw Self.malformed("has a key that is not text")
            }
            if names.contains(where: { StoredText($0) == StoredText(name) }) {
                throw Self.malformed("has the key '\(name)' twice")
            }
            names.append(name)
        }
        self.names = names
    }

    /// The keys of the outermost object with their quotes. The bytes must be valid JSON: then every
    /// string at the first level before a colon is a key.
    private static func keys(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var keys: [ArraySlice<UInt8>] = []
        var depth = 0
        var string: ArraySlice<UInt8>?
        var position = 0
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: "\""):
                let start = position
                position += 1
                while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
                    position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
                }
                string = bytes[start..<min(position + 1, bytes.count)]
            case UInt8(ascii: ":"):
                if depth == 1, let string { keys.append(string) }
            default: break
            }
            position += 1
        }
        return keys
    }

    private static func malformed(_ problem: String) -> TestSupportError {
        TestSupportError(
            .malformedGraph,
            "The graph \(problem). Write a JSON object whose keys are names of entities and whose values "
                + "are arrays, such as {\"Author\": [], \"Book\": []}.")
    }
}
