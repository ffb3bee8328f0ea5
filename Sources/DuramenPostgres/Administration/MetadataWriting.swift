import DuramenModel
import DuramenStore

/// Writes and reads the application's metadata entries.
struct MetadataWriting {
    private let texts: MetadataTexts

    init(_ core: StoreCore) { texts = core.statements.metadata }

    /// Adds statements that set entries; null removes an entry.
    func add(
        _ entries: [String: StoredValue], to pipeline: inout ChangePipeline
    ) throws(StoreError) {
        if entries.isEmpty { return }
        var names = ArrayBuilder(.text)
        var values = ArrayBuilder(.bytea)
        var removed = ArrayBuilder(.text)
        var (setCount, removedCount) = (0, 0)
        for (name, value) in entries.sorted(by: { StoredText($0.key) < StoredText($1.key) }) {
            let text = StoredText(name).withUTF8 { TextEscaping.escape($0) }
            if value.isNull {
                text.withUnsafeBytes { removed.append(bytes: $0) }
                removedCount += 1
            } else {
                text.withUnsafeBytes { names.append(bytes: $0) }
                try StoredJSON.bytes(of: value).withUnsafeBytes { values.append(bytes: $0) }
                setCount += 1
            }
        }
        if removedCount > 0 { pipeline.add(texts.remove, [removed.finish()], as: .other) }
        if setCount > 0 {
            pipeline.add(texts.set, [names.finish(), values.finish()], as: .other)
        }
    }

    /// Decodes entries.
    static func entries(_ result: ResultSet, _ place: String) throws(StoreError)
        -> [String: StoredValue]
    {
        var entries: [String: StoredValue] = [:]
        for row in 0..<result.rowCount {
            guard let name = result.storedText(row, 0) else { continue }
            entries[name] = try StoredJSON.value(result.bytes(row, 1), "metadata", place)
        }
        return entries
    }
}

extension StoredJSON {
    /// Reads a value of a table.
    ///
    /// - Throws: `.damagedFile`.
    static func value<Value: Decodable>(
        _ bytes: UnsafeRawBufferPointer, _ table: String, _ place: String
    ) throws(StoreError) -> Value {
        guard let value = value(Value.self, of: bytes) else {
            throw StoreError(
                .damagedFile,
                "A value in table '\(table)' of '\(place)' is damaged; restore a copy.")
        }
        return value
    }
}

extension ResultSet {
    /// A text as the library wrote it; nil for null.
    func storedText(_ row: Int, _ column: Int) -> String? {
        if isNull(row, column) { return nil }
        let bytes = bytes(row, column)
        if let text = TextEscaping.unescape(bytes), TextEscaping.isEscaped(bytes) {
            return String(decoding: text, as: UTF8.self)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Parameter {
    /// A text of the application, or null.
    static func stored(_ text: String?) -> Parameter {
        guard let text else { return .null(.text) }
        return StoredText(text).withUTF8 { .text(TextEscaping.escape($0)) }
    }
}
