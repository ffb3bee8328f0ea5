public import DuramenModel
import DuramenQuery
import Foundation

/// An object as a step leaves it, written by the names of the next version.
public struct MigratedRow {
    private let row: Row
    private let entity: Entity
    private let next: Entity
    private let bridge: BridgingModel
    /// The attributes that the step names; nil for all.
    private let writable: Set<StoredText>?
    private var values: [Int: StoredValue] = [:]
    private(set) var problem: StoreError?

    init(_ row: Row, _ bridge: BridgingModel, next: Entity, writing names: [String]?) {
        self.row = row
        self.bridge = bridge
        self.next = next
        entity = bridge.model[row.entityID]
        writable = names.map { Set($0.map { StoredText($0) }) }
    }

    /// The value of an attribute, or of an element of a composite by its path.
    public func storedValue(forKey path: String) -> StoredValue {
        guard let attribute = attribute(path) else { return .null }
        return values[attribute.slot] ?? row.value(attribute.slot, attribute.kind)
    }

    /// Sets an attribute, or an element of a composite by its path.
    ///
    /// A name that the step does not write, or a value that is none of the attribute's type, ends
    /// the step with an error.
    public mutating func setStoredValue(_ value: StoredValue, forKey path: String) {
        guard let attribute = attribute(path) else {
            return note("'\(next.name)' has no attribute '\(path)' that the step could set")
        }
        if let writable, !writable.contains(StoredText(path)) {
            return note("the step does not say that it writes '\(next.name).\(path)'")
        }
        guard let fitting = value.fitting(attribute.type) else {
            return note("the value of '\(next.name).\(path)' is no \(attribute.type)")
        }
        values[attribute.slot] = fitting
    }

    /// Sets an attribute whose place is known.
    mutating func set(_ value: StoredValue, _ attribute: Attribute) {
        guard let fitting = value.fitting(attribute.type) else {
            return note("the value of '\(next.name).\(attribute.name)' is no \(attribute.type)")
        }
        values[attribute.slot] = fitting
    }

    private func attribute(_ path: String) -> Attribute? {
        guard let between = bridge.attribute(ofNext: path, in: next),
            case .attribute(let own)? = entity.property(named: between.name)
        else { return nil }
        return own
    }

    private mutating func note(_ message: String) {
        problem =
            problem
            ?? StoreError(
                .invalidRequest, message + ".",
                objectID: nil)
    }

    /// What is to be written; nil when nothing was set to another value.
    var update: RowUpdate? {
        var slots = SlotSet()
        let kinds = entity.layout.kinds
        for (slot, value) in values where row.value(slot, kinds[slot]) != value {
            slots.insert(slot)
        }
        if slots.isEmpty { return nil }
        let new = row.replacing(slots, layout: entity.layout) { builder in
            for slot in slots.slots {
                builder.set(values[slot] ?? .null, at: slot, as: kinds[slot])
            }
        }
        return RowUpdate(row: new, baseVersion: row.version, changedSlots: slots)
    }
}

extension StoredValue {
    /// The value as attributes of a type hold it; nil when it is none of theirs.
    func fitting(_ type: AttributeType) -> StoredValue? {
        guard let value = converted(to: type) else { return nil }
        switch (type, value) {
        case (_, .null), (.decimal, .decimal), (.string, .text), (.uri, .uri), (.boolean, .boolean),
            (.date, .date), (.binaryData, .binary), (.transformable, .binary), (.uuid, .uuid),
            (.double, .double), (.integer64, .integer):
            return value
        case (.float, .double(let number)):
            return Float(number).isFinite || !number.isFinite ? value : nil
        case (.integer16, .integer(let number)): return Int16(exactly: number).map { _ in value }
        case (.integer32, .integer(let number)): return Int32(exactly: number).map { _ in value }
        default: return nil
        }
    }
}
