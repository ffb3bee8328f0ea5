public import DuramenModel
import Foundation

/// The values of an object by property name; a to-one is an object ID. Null equals a missing entry.
///
/// `name.order` is the object's order number in the inverse of the to-one `name`.
public typealias PropertyValues = [String: StoredValue]

/// Converts rows to values and back, for tests that use property names.
public enum RowCoding {
    /// Returns a row. An unknown name is a mistake of the test and traps.
    public static func row(
        _ values: PropertyValues, of entity: Entity, key: Int64, version: RowVersion = .unsaved,
        in model: ManagedObjectModel
    ) -> Row {
        var builder = RowBatchBuilder(capacity: 256)
        builder.beginRow(
            entity: entity.id, slotCount: entity.layout.slotCount, key: key, version: version)
        for (name, value) in values.sorted(by: { StoredText($0.key) < StoredText($1.key) }) {
            switch Place(name, in: entity) {
            case .attribute(let attribute): set(value, at: attribute.slot, of: &builder)
            case .toOne(let relationship): set(value, of: relationship, in: model, &builder)
            case .order(let slot): set(value, at: slot, of: &builder)
            case nil: preconditionFailure("'\(entity.name)' has no property '\(name)'.")
            }
        }
        builder.endRow()
        return builder.finish()[0]
    }

    /// Returns the values of a row, without null values.
    public static func values(
        of row: Row, in model: ManagedObjectModel, store: StoreHandle
    ) -> PropertyValues {
        var values: PropertyValues = [:]
        let entity = model[row.entityID]
        for attribute in entity.attributes {
            let value = row.value(attribute.slot, attribute.kind)
            if !value.isNull { values[attribute.name] = value }
        }
        for relationship in entity.relationships where !relationship.isToMany {
            let destination = row.destination(of: relationship, in: model, store: store)
            if let destination { values[relationship.name] = .objectID(destination) }
            if let slot = relationship.orderSlot, !row.isNull(slot) {
                values[relationship.name + ".order"] = .integer(row.integer(slot))
            }
        }
        return values
    }

    /// Returns the slots of properties, including entity slots of to-ones.
    public static func slots(of names: some Sequence<String>, in entity: Entity) -> SlotSet {
        var slots = SlotSet()
        for name in names {
            switch Place(name, in: entity) {
            case .attribute(let attribute): slots.insert(attribute.slot)
            case .order(let slot): slots.insert(slot)
            case .toOne(let relationship):
                if case .toOne(let slot, let entitySlot) = relationship.storage {
                    slots.insert(slot)
                    if let entitySlot { slots.insert(entitySlot) }
                }
            case nil: continue
            }
        }
        return slots
    }

    /// The property of a name, which may be a hidden to-one.
    private enum Place {
        case attribute(Attribute)
        case toOne(Relationship)
        case order(slot: Int)

        init?(_ name: String, in entity: Entity) {
            let name = StoredText(name)
            let toOnes = entity.relationships.filter { !$0.isToMany }
            if let attribute = entity.attributes.first(where: { StoredText($0.name) == name }) {
                self = .attribute(attribute)
            } else if let toOne = toOnes.first(where: { StoredText($0.name) == name }) {
                self = .toOne(toOne)
            } else if let slot = toOnes.first(where: { StoredText($0.name + ".order") == name })?
                .orderSlot
            {
                self = .order(slot: slot)
            } else {
                return nil
            }
        }
    }

    private static func set(
        _ value: StoredValue, of relationship: Relationship, in model: ManagedObjectModel,
        _ builder: inout RowBatchBuilder
    ) {
        guard case .toOne(let slot, let entitySlot) = relationship.storage,
            case .objectID(let id) = value
        else { return }
        builder.set(integer: id.key, at: slot)
        if let entitySlot, let entity = model.entity(of: id) {
            builder.set(integer: Int64(entity.id.index), at: entitySlot)
        }
    }

    private static func set(_ value: StoredValue, at slot: Int, of builder: inout RowBatchBuilder) {
        switch value {
        case .null: break
        case .integer(let number): builder.set(integer: number, at: slot)
        // Rows contain no negative zero.
        case .double(let number): builder.set(double: number + 0.0, at: slot)
        case .boolean(let flag): builder.set(integer: flag ? 1 : 0, at: slot)
        case .date(let date):
            builder.set(double: date.timeIntervalSinceReferenceDate + 0.0, at: slot)
        case .text(let text), .uri(let text): text.withUTF8 { builder.set(bytes: $0, at: slot) }
        case .decimal(let number):
            StoredText(digits(of: number)).withUTF8 { builder.set(bytes: $0, at: slot) }
        case .binary(let data): data.withUnsafeBytes { builder.set(bytes: $0, at: slot) }
        case .uuid(let uuid):
            withUnsafeBytes(of: uuid.uuid) { builder.set(bytes: $0, at: slot) }
        case .objectID(let id): builder.set(integer: id.key, at: slot)
        }
    }

    /// The shortest digits of a decimal number, as rows contain them.
    private static func digits(of number: Decimal) -> String {
        var text = number.description
        if text.contains("."), !text.contains("e"), !text.contains("E") {
            while text.hasSuffix("0") { text.removeLast() }
            if text.hasSuffix(".") { text.removeLast() }
        }
        return text == "-0" ? "0" : text
    }
}
