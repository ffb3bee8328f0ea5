import CSQLite
import DuramenModel
import DuramenSQL
import DuramenStore
import Foundation

/// The exact digits of decimals that differ from their nearest REAL.
///
/// If the two disagree, the REAL is valid: a program that does not know the digits has changed the
/// row.
final class DecimalDigits {
    static let locale = Locale(identifier: "en_US_POSIX")

    private let statement: Statement
    private let connection: Connection
    private let schema: AppleSchema

    init(connection: Connection, schema: AppleSchema) throws(StoreError) {
        self.connection = connection
        self.schema = schema
        statement = try connection.prepare(
            "SELECT ZDIGITS FROM DURAMEN_DECIMAL WHERE ZENT = ? AND ZROW = ? AND ZCOLUMN = ?")
    }

    /// Returns the stored digits for a row's column, if they match the number `real`.
    func digits(key: Int64, entity: EntityID, slot: Int, near real: Double) -> String? {
        let table = schema.tableMap(of: entity)
        let column = table.columns[schema.entities[entity.index].columns[slot]].name
        statement.bind(Int64(table.rootNumber), at: 1)
        statement.bind(key, at: 2)
        statement.bind(.text(StoredText(column)), at: 3)
        connection.begin(statement)
        defer { connection.end(statement) }
        guard statement.step() == SQLITE_ROW, let text = sqlite3_column_text(statement.handle, 0)
        else { return nil }
        let digits = String(cString: text)
        return Double(digits) == real ? digits : nil
    }

    /// The digits of the shortest decimal number whose nearest REAL is `number`.
    static func shortest(of number: Double) -> String? {
        guard number.isFinite, let decimal = Decimal(string: "\(number)", locale: locale) else {
            return nil
        }
        return digits(of: decimal)
    }

    /// The shortest digits of a number, as rows contain them.
    static func digits(of decimal: Decimal) -> String {
        var text = decimal.description
        if text.contains("."), !text.contains("e"), !text.contains("E") {
            while text.hasSuffix("0") { text.removeLast() }
            if text.hasSuffix(".") { text.removeLast() }
        }
        return text == "-0" ? "0" : text
    }
}
