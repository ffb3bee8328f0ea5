import CSQLite
import DuramenModel
import Foundation

/// The source of the columns of a row.
protocol RowColumns {
    func integer(_ column: Int32) -> Int64
    func double(_ column: Int32) -> Double
    func bytes(_ column: Int32) -> UnsafeRawBufferPointer
    func isNull(_ column: Int32) -> Bool
}

/// The columns of the current row of a statement.
struct StatementColumns: RowColumns {
    let statement: OpaquePointer

    @inline(__always) func integer(_ column: Int32) -> Int64 {
        sqlite3_column_int64(statement, column)
    }
    @inline(__always) func double(_ column: Int32) -> Double {
        sqlite3_column_double(statement, column)
    }
    // `column_text` would copy a text to end it with a NUL.
    @inline(__always) func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        guard let start = sqlite3_column_blob(statement, column) else {
            return .init(start: nil, count: 0)
        }
        return UnsafeRawBufferPointer(
            start: start, count: Int(sqlite3_column_bytes(statement, column)))
    }
    @inline(__always) func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(statement, column) == SQLITE_NULL
    }
}

/// The arguments of an SQL function, which cost fewer checks and no copies of texts.
struct ArgumentColumns: RowColumns {
    let arguments: UnsafeMutablePointer<OpaquePointer?>

    @inline(__always) func integer(_ column: Int32) -> Int64 {
        sqlite3_value_int64(arguments[Int(column)])
    }
    @inline(__always) func double(_ column: Int32) -> Double {
        sqlite3_value_double(arguments[Int(column)])
    }
    @inline(__always) func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        let value = arguments[Int(column)]
        guard let start = sqlite3_value_blob(value) else { return .init(start: nil, count: 0) }
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
    }
    @inline(__always) func isNull(_ column: Int32) -> Bool {
        sqlite3_value_type(arguments[Int(column)]) == SQLITE_NULL
    }
}

extension ReadPlan {
    /// Adds a row, if its entity was requested.
    ///
    /// A column's type costs one more call, so only zeros and empty bytes are checked for NULL.
    ///
    /// - Parameters:
    ///   - columns: The columns of the row.
    ///   - builder: Receives the row.
    ///   - other: Fills a slot that needs more than its column.
    @inline(__always) func addRow<Columns: RowColumns>(
        of columns: Columns, to builder: inout RowBatchBuilder,
        other: (ColumnStep, EntityReadPlan, inout RowBatchBuilder) -> Void
    ) -> Bool {
        let number = columns.integer(1)
        guard number > 0, number < plans.count else { return false }
        let own = plans[Int(number)]
        guard own.slotCount >= 0, let first = steps.baseAddress else { return false }
        if own.isPlain {
            let nulls = addWords(
                of: columns, own, first + own.firstStep, key: columns.integer(0), to: &builder)
            builder.endWords(nulls: nulls)
            return true
        }
        builder.beginRow(
            entity: own.entity, slotCount: own.slotCount, key: columns.integer(0),
            version: RowVersion(rawValue: columns.integer(2)))
        var step = first + own.firstStep
        let end = step + own.stepCount
        while step < end {
            let column = step.pointee.column
            let slot = Int(step.pointee.slot)
            switch step.pointee.action {
            case .integer:
                let value = columns.integer(column)
                if value != 0 || !columns.isNull(column) { builder.set(integer: value, at: slot) }
            case .double:
                let value = columns.double(column)
                if value != 0 || !columns.isNull(column) { builder.set(double: value, at: slot) }
            case .text, .bytes:
                let bytes = columns.bytes(column)
                if bytes.count > 0 || !columns.isNull(column) {
                    builder.set(bytes: bytes, at: slot)
                }
            case .boolean:
                let value = columns.integer(column)
                if value != 0 || !columns.isNull(column) {
                    builder.set(integer: value == 0 ? 0 : 1, at: slot)
                }
            case .uuid: Self.setIdentifier(columns.bytes(column), at: slot, in: &builder)
            case .decimal, .external: other(step.pointee, own, &builder)
            case .entity:
                let number = columns.integer(column)
                if number > 0, number < entityIndexes.count, entityIndexes[Int(number)] >= 0 {
                    builder.set(integer: Int64(entityIndexes[Int(number)]), at: slot)
                }
            }
            step += 1
        }
        builder.endRow()
        return true
    }

    /// Adds a plain row without its end; each column costs a switch, a call or two, and a store.
    ///
    /// - Returns: The bits of the slots without a value.
    @inline(__always) func addWords<Columns: RowColumns>(
        of columns: Columns, _ own: EntityReadPlan, _ first: UnsafeMutablePointer<ColumnStep>,
        key: Int64, to builder: inout RowBatchBuilder
    ) -> UInt64 {
        var words = builder.beginWords(
            entity: own.entity, slotCount: own.slotCount, key: key,
            version: RowVersion(rawValue: columns.integer(2)))
        if own.hasGaps {
            words.initializeMemory(as: UInt64.self, repeating: 0, count: own.slotCount)
        }
        var nulls = ~UInt64(0)
        var step = first
        let end = first + own.stepCount
        while step < end {
            let column = step.pointee.column
            let offset = Int(step.pointee.slot) &* 8
            // Any word 0 may mean NULL, and NULL is 0 in a row.
            var word: Int64
            switch step.pointee.action {
            case .integer, .decimal: word = columns.integer(column)
            case .double: word = Int64(bitPattern: columns.double(column).bitPattern)
            case .boolean: word = columns.integer(column) == 0 ? 0 : 1
            case .entity:
                let number = columns.integer(column)
                guard number > 0, number < entityIndexes.count, entityIndexes[Int(number)] >= 0
                else {
                    words.storeBytes(of: 0, toByteOffset: offset, as: Int64.self)
                    step += 1
                    continue
                }
                nulls &= ~step.pointee.bit
                word = Int64(entityIndexes[Int(number)])
            case .text, .bytes, .external:
                let bytes = columns.bytes(column)
                if let source = bytes.baseAddress, bytes.count > 0 {
                    words = builder.addBytes(source, count: bytes.count, atOffset: offset)
                    nulls &= ~step.pointee.bit
                    step += 1
                    continue
                }
                word = 0
                if !columns.isNull(column) {
                    // Empty bytes also have a position.
                    words = builder.addBytes(words, count: 0, atOffset: offset)
                    nulls &= ~step.pointee.bit
                    step += 1
                    continue
                }
            case .uuid:
                word = 0
                if let identifier = Self.identifier(columns.bytes(column)) {
                    words = withUnsafeBytes(of: identifier.uuid) {
                        // The buffer of a UUID has an address.
                        $0.baseAddress.map {
                            builder.addBytes($0, count: 16, atOffset: offset)
                        } ?? words
                    }
                    nulls &= ~step.pointee.bit
                } else {
                    words.storeBytes(of: 0, toByteOffset: offset, as: Int64.self)
                }
                step += 1
                continue
            }
            words.storeBytes(of: word, toByteOffset: offset, as: Int64.self)
            if word != 0 || !columns.isNull(column) { nulls &= ~step.pointee.bit }
            step += 1
        }
        return nulls
    }

    @inline(never)
    private static func identifier(_ bytes: UnsafeRawBufferPointer) -> UUID? {
        if bytes.count == 16 { return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)) }
        return UUID(uuidString: String(decoding: bytes, as: UTF8.self))
    }

    private static func setIdentifier(
        _ bytes: UnsafeRawBufferPointer, at slot: Int, in builder: inout RowBatchBuilder
    ) {
        if bytes.count == 16 {
            builder.set(bytes: bytes, at: slot)
        } else if let parsed = UUID(uuidString: String(decoding: bytes, as: UTF8.self)) {
            withUnsafeBytes(of: parsed.uuid) { builder.set(bytes: $0, at: slot) }
        }
    }
}
