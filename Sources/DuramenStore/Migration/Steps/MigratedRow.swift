public import DuramenModel
import DuramenQuery
import Foundation

/// The values that a step sets for an object, by the names of the next version.
public struct MigratedRow {
    private let row: Row
    private let names: WrittenNames
    /// The new values by slot; a step sets a few.
    private var values: [(slot: Int, value: StoredValue)] = []
    private(set) var problem: StoreError?

    init(_ row: Row, _ names: WrittenNames) {
        self.row = row
        self.names = names
    }

    /// Returns the value of an attribute, or of an element of a composite by its path.
    public func storedValue(forKey path: String) -> StoredValue {
        guard let attribute = names.attribute(path) else { return .null }
        return values.last { $0.slot == attribute.slot }?.value
            ?? row.value(attribute.slot, attribute.kind)
    }

    /// Sets an attribute, or an element of a composite by its path.
    ///
    /// The step fails if it does not declare that it writes the attribute, or if the value does not
    /// have the attribute's type.
    public mutating func setStoredValue(_ value: StoredValue, forKey path: String) {
        guard let attribute = names.attribute(path) else {
            return note("'\(names.next.name)' has no attribute '\(path)' that the step could set")
        }
        if !names.isWritable(path) {
            return note("the step does not say that it writes '\(names.next.name).\(path)'")
        }
        guard let fitting = value.fitting(attribute.type) else {
            return note(
                "the value of '\(names.next.name).\(path)' is not of type \(attribute.type)")
        }
        values.removeAll { $0.slot == attribute.slot }
        values.append((attribute.slot, fitting))
    }

    private mutating func note(_ message: String) {
        problem = problem ?? StoreError(.invalidRequest, message + ".")
    }

    /// The update of the row; nil if no value has changed.
    var update: RowUpdate? {
        if values.isEmpty { return nil }
        var slots = SlotSet()
        let layout = names.entity.layout
        let kinds = layout.kinds
        for (slot, value) in values where row.value(slot, kinds[slot]) != value {
            slots.insert(slot)
        }
        if slots.isEmpty { return nil }
        let new = row.replacing(slots, layout: layout) { builder in
            for (slot, value) in values where slots.contains(slot) {
                builder.set(value, at: slot, as: kinds[slot])
            }
        }
        return RowUpdate(row: new, baseVersion: row.version, changedSlots: slots)
    }
}

/// The attributes of one entity that a step writes, resolved once for all rows.
final class WrittenNames {
    /// The entity in the bridging model.
    let entity: Entity
    /// The entity in the next version.
    let next: Entity
    private let bridge: BridgingModel
    private let writable: [String]
    private var known: [(path: String, attribute: Attribute?, isWritable: Bool)] = []

    /// - Parameters:
    ///   - entity: The entity in the bridging model.
    ///   - next: The entity in the next version.
    ///   - bridge: The bridging model.
    ///   - names: The attributes that the step may set.
    init(_ entity: Entity, next: Entity, _ bridge: BridgingModel, writing names: [String]) {
        self.entity = entity
        self.next = next
        self.bridge = bridge
        writable = names
    }

    func attribute(_ path: String) -> Attribute? { place(of: path).attribute }

    func isWritable(_ path: String) -> Bool { place(of: path).isWritable }

    private func place(
        of path: String
    ) -> (path: String, attribute: Attribute?, isWritable: Bool) {
        // A step has few names, and comparing them is cheaper than hashing.
        if let found = known.first(where: { $0.path.utf8.elementsEqual(path.utf8) }) {
            return found
        }
        var attribute: Attribute?
        if let between = bridge.attribute(ofNext: path, in: next),
            case .attribute(let own)? = entity.property(named: between.name)
        {
            attribute = own
        }
        let isWritable = writable.contains { $0.utf8.elementsEqual(path.utf8) }
        known.append((path, attribute, isWritable))
        return known[known.count - 1]
    }
}

extension StoredValue {
    /// Returns the value in the form of an attribute type; nil if it does not have the type.
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
