public import Foundation

extension Row {
    /// Returns a slot's value, decoded by its kind. A ``SlotKind/reference`` becomes an integer
    /// key.
    public func value(_ slot: Int, _ kind: SlotKind) -> StoredValue {
        if isNull(slot) { return .null }
        switch kind {
        case .integer, .reference, .referenceEntity: return .integer(integer(slot))
        case .double, .float: return .double(double(slot))
        case .boolean: return .boolean(integer(slot) != 0)
        case .date: return .date(Date(timeIntervalSinceReferenceDate: double(slot)))
        case .text: return .text(StoredText(utf8: unsafeBytes(slot)))
        case .uri: return .uri(StoredText(utf8: unsafeBytes(slot)))
        case .decimal: return .decimal(decimal(slot))
        case .binary, .transformable: return .binary(Data(unsafeBytes(slot)))
        case .uuid: return .uuid(uuid(slot))
        }
    }

    /// Returns the number of a decimal slot; 0 if the bytes are not a number.
    public func decimal(_ slot: Int) -> Decimal { Decimal(storedDigits: unsafeBytes(slot)) }

    /// Returns the UUID of a slot; zeros if the slot does not have 16 bytes.
    public func uuid(_ slot: Int) -> UUID {
        let bytes = unsafeBytes(slot)
        guard bytes.count == 16 else {
            return UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        }
        return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }

    /// Returns the destination of a to-one, or nil if it is null or its entity is not in the model.
    public func destination(
        of relationship: Relationship, in model: ManagedObjectModel, store: StoreHandle
    ) -> ManagedObjectID? {
        guard case .toOne(let slot, let entitySlot) = relationship.storage, !isNull(slot) else {
            return nil
        }
        var entity = relationship.destination
        if let entitySlot, !isNull(entitySlot) {
            let index = Int(integer(entitySlot))
            guard model.entities.indices.contains(index) else { return nil }
            entity = EntityID(index: index)
        }
        let key = integer(slot)
        return ManagedObjectID(
            store: key < 0 ? .none : store, entity: model[entity].handle, key: key)
    }

    /// Returns whether two rows of one layout have equal bytes in a slot.
    public func hasSameValue(_ slot: Int, _ kind: SlotKind, as other: Row) -> Bool {
        let null = isNull(slot)
        if null || other.isNull(slot) { return null == other.isNull(slot) }
        if kind.isTail {
            return StoredText.compare(unsafeBytes(slot), other.unsafeBytes(slot)) == 0
        }
        return integer(slot) == other.integer(slot)
    }

    /// Returns the slots in which two rows of one layout have different values.
    public func differingSlots(from other: Row, _ layout: RowLayout) -> SlotSet {
        var slots = SlotSet()
        let kinds = layout.kinds
        for slot in kinds.indices where !hasSameValue(slot, kinds[slot], as: other) {
            slots.insert(slot)
        }
        return slots
    }
}

extension Decimal {
    /// Parses the digits of ``storedDigits``; 0 if they are not a number.
    public init(storedDigits bytes: UnsafeRawBufferPointer) {
        let text = String(decoding: bytes, as: UTF8.self)
        self = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")) ?? 0
    }

    /// The shortest digits of the number, so that equal numbers have equal bytes.
    public var storedDigits: String {
        var text = description
        if text.contains("."), !text.contains("e"), !text.contains("E") {
            while text.hasSuffix("0") { text.removeLast() }
            if text.hasSuffix(".") { text.removeLast() }
        }
        return text == "-0" ? "0" : text
    }
}
