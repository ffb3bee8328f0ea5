import DuramenModel
import DuramenSQL
import DuramenStore
import Foundation

/// The SQL expressions for the values of new slots.
struct SlotExpressions {
    let change: SchemaChange
    let old: AppleSchema
    let new: AppleSchema

    /// The value of a slot of the rows of an entity.
    ///
    /// - Parameters:
    ///   - slot: The slot in the new model.
    ///   - entity: The entity in the new model.
    ///   - rows: The change of its rows.
    ///   - source: The entity in the old model.
    func expression(
        _ slot: Int, of entity: Entity, _ rows: RowChange, _ source: Entity
    ) -> MigrationSQL {
        switch rows.sources[slot] {
        case .value(let value), .derived(.value(let value)): return literal(value, slot, entity)
        case .order(let old), .derived(.slot(let old)): return .column(column(old, source))
        case .slot(let old, let conversion, let ifNull):
            var sql = converted(.column(column(old, source)), conversion)
            let wasExternal = self.old.isExternal(slot: old, of: source.id)
            let isExternal = new.isExternal(slot: slot, of: entity.id)
            // Inline values have a tag; values in files were moved into rows before.
            if isExternal, !wasExternal { sql = sql.wrapped("CAST(x'01' || ", " AS BLOB)") }
            if wasExternal, !isExternal { sql = sql.wrapped("substr(", ", 2)") }
            if ifNull.isNull { return sql }
            let filling = literal(ifNull, slot, entity)
            var filled = sql.wrapped("coalesce(", "").joined(", ", filling.wrapped("", ")"))
            filled.digits = filling.digits
            filled.onlyFillsNulls = sql.plainColumn != nil
            return filled
        case .reference(let old, let entitySlot, let destination):
            let key = MigrationSQL.column(column(old, source))
            return existing(key, entitySlot, destination, source)
        case .referenceEntity(let old, let entitySlot, let destination):
            if let entitySlot {
                return existing(
                    .column(column(entitySlot, source)), entitySlot, destination, source)
            }
            guard let target = change.targetEntity(destination) else { return .null }
            return MigrationSQL.column(column(old, source))
                .wrapped("CASE WHEN ", " IS NULL THEN NULL ELSE \(new.number(of: target)) END")
        }
    }

    private func column(_ slot: Int, _ entity: Entity) -> String {
        let map = old.entities[entity.id.index]
        return old.tables[map.table].columns[map.columns[slot]].name
    }

    private func converted(
        _ sql: MigrationSQL, _ conversion: ValueConversion?
    ) -> MigrationSQL {
        guard let conversion else { return sql }
        let numbers: [AttributeType] = [.integer16, .integer32, .integer64, .boolean]
        let isInteger = numbers.contains(conversion.source)
        if numbers.contains(conversion.target), !isInteger {
            return sql.wrapped("CAST(", " AS INTEGER)")
        }
        if [.double, .float].contains(conversion.target),
            isInteger || conversion.source == .decimal
        {
            return sql.wrapped("CAST(", " AS REAL)")
        }
        return sql
    }

    /// The value of a to-one, null if the destination's entity is removed.
    private func existing(
        _ sql: MigrationSQL, _ entitySlot: Int?, _ destination: EntityID, _ source: Entity
    ) -> MigrationSQL {
        let gone = change.source[destination].family.filter { change.targetEntity($0) == nil }
        if gone.isEmpty { return sql }
        guard let entitySlot else { return .null }
        let numbers = gone.map { String(old.number(of: $0)) }.joined(separator: ", ")
        let entity = MigrationSQL.column(column(entitySlot, source))
        return sql.wrapped("nullif(", "").joined(
            ", ",
            entity.wrapped("CASE WHEN ", " IN (\(numbers)) THEN ").joined(
                "", sql.wrapped("", " END)")))
    }

    /// A value in the form of a slot's column.
    private func literal(_ value: StoredValue, _ slot: Int, _ entity: Entity) -> MigrationSQL {
        let isExternal = new.isExternal(slot: slot, of: entity.id)
        switch value {
        case .null, .objectID: return .null
        case .integer(let number): return .value(.integer(number))
        case .boolean(let flag): return .value(.integer(flag ? 1 : 0))
        case .double(let number): return .value(.double(number))
        case .date(let date): return .value(.double(date.timeIntervalSinceReferenceDate))
        case .text(let text), .uri(let text): return .value(.text(text))
        case .uuid(let identifier):
            return .value(.bytes(withUnsafeBytes(of: identifier.uuid) { Array($0) }))
        case .binary(let data):
            return .value(.bytes((isExternal ? [1] : []) + Array(data)))
        case .decimal(let number):
            let digits = DecimalDigits.digits(of: number)
            if let whole = Int64(digits) { return .value(.integer(whole)) }
            let real = Double(digits) ?? 0
            var sql = MigrationSQL.value(.double(real))
            if DecimalDigits.shortest(of: real) != digits { sql.digits = digits }
            return sql
        }
    }
}
