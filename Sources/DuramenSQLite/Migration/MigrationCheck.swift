import DuramenModel
import DuramenStore
import Foundation

/// Checks the values for changes that are possible only if the values fit.
struct MigrationCheck {
    let connection: Connection
    let change: SchemaChange
    let old: AppleSchema

    /// - Throws: `.valuesDoNotFit`.
    func run() throws(StoreError) {
        for (place, rows) in change.rows.enumerated() {
            guard let rows else { continue }
            let entity = change.source[EntityID(index: place)]
            if change.target[rows.entity].isAbstract, !entity.isAbstract {
                try checkAbsence(of: entity)
            }
            for (slot, source) in rows.sources.enumerated() {
                if case .slot(let before, let conversion?, _) = source, !conversion.isLossless {
                    try check(
                        before, of: entity, conversion, change.target[rows.entity].name(of: slot))
                }
            }
        }
    }

    private func checkAbsence(of entity: Entity) throws(StoreError) {
        let count = try connection.integer(
            "SELECT count(*) FROM \(old.table(of: entity.id)) "
                + "WHERE Z_ENT = \(old.number(of: entity.id))")
        if let count, count > 0 {
            throw MigrationProblem(change: change, path: connection.path)
                .hasObjects(entity, count: Int(count))
        }
    }

    private func check(
        _ slot: Int, of entity: Entity, _ conversion: ValueConversion, _ name: String
    ) throws(StoreError) {
        let column = old.column(slot: slot, of: entity.id)
        // A decimal with stored digits does not fit another type exactly.
        let digits =
            entity.layout.kinds[slot] == .decimal
            ? old.decimalDigits(slot: slot, of: entity.id, alias: "t") : nil
        let statement = try connection.prepare(
            "SELECT t.\(column)\(digits.map { ", \($0)" } ?? "") FROM \(old.table(of: entity.id)) AS t "
                + "WHERE t.Z_ENT = \(old.number(of: entity.id)) AND t.\(column) IS NOT NULL")
        var count = 0
        let isFraction = [.double, .float].contains(conversion.source)
        try connection.forEachRow(of: statement) { row in
            let value: StoredValue =
                if conversion.source == .decimal {
                    Self.decimal(row, hasDigits: digits != nil && !row.isNull(1))
                } else if isFraction {
                    .double(row.double(0))
                } else {
                    .integer(row.integer(0))
                }
            if conversion.converted(value) == nil { count += 1 }
        }
        if count > 0 {
            throw MigrationProblem(change: change, path: connection.path)
                .doNotFit(entity, name, conversion, count: count)
        }
    }

    private static func decimal(_ row: StatementColumns, hasDigits: Bool) -> StoredValue {
        if hasDigits {
            let digits = String(decoding: row.bytes(1), as: UTF8.self)
            return Decimal(string: digits, locale: DecimalDigits.locale).map { .decimal($0) }
                ?? .null
        }
        let number = row.double(0)
        if let whole = Int64(exactly: number), abs(number) < 9e15 {
            return .decimal(Decimal(whole))
        }
        return Decimal(string: "\(number)", locale: DecimalDigits.locale).map { .decimal($0) }
            ?? .null
    }
}

extension Entity {
    /// The name of the attribute with a slot.
    fileprivate func name(of slot: Int) -> String {
        attributes.first { $0.slot == slot }?.name ?? ""
    }
}
