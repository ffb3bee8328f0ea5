import DuramenModel

extension CompositeValue {
    /// Reads the elements from a row.
    init(reading reader: ValuesReader, at slot: Int) {
        self.init()
        var next = slot
        for element in Self.elements.list {
            element.access.read(from: reader, at: next, into: &self)
            next += element.slotCount
        }
    }

    /// Returns the stored values of the elements, one per slot.
    func storedElements() throws(CodingFailure) -> [StoredValue] {
        var all: [StoredValue] = []
        for element in Self.elements.list { all += try element.access.stored(self) }
        return all
    }

    /// Returns the stored values of an optional composite; nil if an element cannot be encoded.
    static func storedElements(of composite: Self?) -> [StoredValue]? {
        guard let composite else { return Array(repeating: .null, count: elements.slotCount) }
        return try? composite.storedElements()
    }
}

extension CompositeValue {
    /// Encodes the elements under their names.
    func encodeElements<Key: CodingKey>(
        to container: inout KeyedEncodingContainer<Key>, forKey key: Key
    ) throws {
        var elements = container.nestedContainer(keyedBy: ElementKey.self, forKey: key)
        for element in Self.elements.list {
            try element.access.encode(
                self, to: &elements, forKey: ElementKey(stringValue: element.name))
        }
    }

    /// Decodes elements that ``encodeElements(to:forKey:)`` encoded.
    init<Key: CodingKey>(
        decodingElementsFrom container: KeyedDecodingContainer<Key>, forKey key: Key
    ) throws {
        self.init()
        let elements = try container.nestedContainer(keyedBy: ElementKey.self, forKey: key)
        for element in Self.elements.list {
            try element.access.decode(
                from: elements, forKey: ElementKey(stringValue: element.name), into: &self)
        }
    }
}
