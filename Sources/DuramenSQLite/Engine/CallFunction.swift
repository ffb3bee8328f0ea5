import CSQLite
import DuramenModel
import DuramenQuery
import DuramenSQL
import DuramenStore
import Foundation

/// The evaluator's functions and comparisons as SQL functions, so that the engine computes equal
/// results. A call is `duramen_call('f sqrt|d|d', x)`, and over the rows of a group
/// `duramen_collect('d', x)` and `duramen_aggregate('sum:|d', x)`.
enum CallFunction {
    static func register(on connection: Connection) throws(StoreError) {
        // Indexes must not use these functions, or Core Data could not write the file. A schema
        // from elsewhere must not call them.
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
        var result = sqlite3_create_function_v2(
            connection.handle, SQLiteDialect.callFunction, -1, flags, nil,
            { CallFunction.call($0, $1, $2) }, nil, nil, nil)
        if result == SQLITE_OK {
            result = sqlite3_create_function_v2(
                connection.handle, SQLiteDialect.collectFunction, -1, flags, nil, nil,
                { CallFunction.collect($0, $1, $2) }, { CallFunction.finish($0) }, nil)
        }
        if result == SQLITE_OK {
            result = sqlite3_create_function_v2(
                connection.handle, SQLiteDialect.aggregateFunction, -1, flags, nil, nil,
                { CallFunction.aggregate($0, $1, $2) }, { CallFunction.finish($0) }, nil)
        }
        if result != SQLITE_OK { throw connection.error(result, "open") }
    }

    /// A call that the engine keeps while a statement runs.
    private final class Kept {
        let call: SQLCall
        init(_ call: SQLCall) { self.call = call }
    }

    private static func call(
        _ context: OpaquePointer?, _ count: Int32,
        _ arguments: UnsafeMutablePointer<OpaquePointer?>?
    ) {
        guard let arguments, count > 0, let call = kept(context, arguments[0]) else {
            sqlite3_result_error(context, "duramen_call: unknown call", -1)
            return
        }
        var values: [QueryValue] = []
        var place = 1
        for kind in call.kinds where place < count {
            values.append(value(arguments, &place, count, kind))
        }
        hand(call.run(values), as: call.result, to: context)
    }

    private static func kept(_ context: OpaquePointer?, _ text: OpaquePointer?) -> SQLCall? {
        // Sound: what is kept here was put in by the lines below, and lives until the engine drops
        // it.
        if let known = sqlite3_get_auxdata(context, 0) {
            return Unmanaged<Kept>.fromOpaque(known).takeUnretainedValue().call
        }
        guard let text = sqlite3_value_text(text), let call = SQLCall(String(cString: text)) else {
            return nil
        }
        sqlite3_set_auxdata(context, 0, Unmanaged.passRetained(Kept(call)).toOpaque()) {
            // Sound: the pointer is the retained one above, given back once.
            if let kept = $0 { Unmanaged<Kept>.fromOpaque(kept).release() }
        }
        return call
    }

    // MARK: - Groups

    /// The state of a group.
    private final class Group {
        var values: [QueryValue] = []
        /// For an aggregate: its state, and the kind of its argument.
        var state: (aggregate: AggregateState, kind: SQLKind)?

        var result: QueryValue { state?.aggregate.result ?? .collection(values) }
    }

    private static func group(_ context: OpaquePointer?, create: Bool) -> Group? {
        // Sound: the engine gives zeroed memory of this size for each group.
        guard
            let memory = sqlite3_aggregate_context(
                context, create ? Int32(MemoryLayout<UnsafeRawPointer?>.size) : 0)
        else { return nil }
        // Sound: as above.
        let place = memory.assumingMemoryBound(to: UnsafeRawPointer?.self)
        if let known = place.pointee {
            // Sound: only a retained group is ever put there.
            return Unmanaged<Group>.fromOpaque(known).takeUnretainedValue()
        }
        guard create else { return nil }
        let group = Group()
        place.pointee = UnsafeRawPointer(Unmanaged.passRetained(group).toOpaque())
        return group
    }

    private static func collect(
        _ context: OpaquePointer?, _ count: Int32,
        _ arguments: UnsafeMutablePointer<OpaquePointer?>?
    ) {
        guard let arguments, count > 1, let letter = sqlite3_value_text(arguments[0]),
            let kind = SQLKind(rawValue: letter.pointee), let group = group(context, create: true)
        else {
            sqlite3_result_error(context, "duramen_collect: unknown kind", -1)
            return
        }
        var place = 1
        let value = value(arguments, &place, count, kind)
        if case .value(.null) = value { return }
        group.values.append(value)
    }

    private static func aggregate(
        _ context: OpaquePointer?, _ count: Int32,
        _ arguments: UnsafeMutablePointer<OpaquePointer?>?
    ) {
        guard let arguments, count > 1, let group = group(context, create: true) else {
            return sqlite3_result_error(context, "duramen_aggregate: unknown aggregate", -1)
        }
        if group.state == nil {
            guard let text = sqlite3_value_text(arguments[0]) else { return }
            let parts = String(cString: text).split(separator: "|")
            guard parts.count == 2, let function = FetchFunction(rawValue: String(parts[0])),
                let kind = parts[1].utf8.first.flatMap({ SQLKind(rawValue: $0) })
            else {
                return sqlite3_result_error(context, "duramen_aggregate: unknown aggregate", -1)
            }
            group.state = (AggregateState(function), kind)
        }
        guard let kind = group.state?.kind else { return }
        var place = 1
        group.state?.aggregate.add(value(arguments, &place, count, kind))
    }

    private static func finish(_ context: OpaquePointer?) {
        let found = group(context, create: false)
        hand(found?.result ?? .collection([]), as: .boxed, to: context)
        // Sound: balances `passRetained`; the engine ends each group once and does not touch it
        // again.
        if let found { Unmanaged.passUnretained(found).release() }
    }

    // MARK: - Values

    private static func value(
        _ arguments: UnsafeMutablePointer<OpaquePointer?>, _ place: inout Int, _ count: Int32,
        _ kind: SQLKind
    ) -> QueryValue {
        let argument = arguments[place]
        place += 1
        var digits: OpaquePointer?
        if kind == .decimal, place < count {
            digits = arguments[place]
            place += 1
        }
        if sqlite3_value_type(argument) == SQLITE_NULL { return .value(.null) }
        switch kind {
        case .boxed: return BoxedValue.decode(bytes(argument)) ?? .value(.null)
        case .decimal: return .value(decimal(argument, digits))
        case .integer: return .value(.integer(sqlite3_value_int64(argument)))
        case .boolean: return .value(.boolean(sqlite3_value_int64(argument) != 0))
        case .double: return .value(double(argument))
        case .number:
            return sqlite3_value_type(argument) == SQLITE_INTEGER
                ? .value(.integer(sqlite3_value_int64(argument))) : .value(double(argument))
        case .date:
            return .value(
                .date(Date(timeIntervalSinceReferenceDate: sqlite3_value_double(argument))))
        case .text: return .value(.text(StoredText(utf8: bytes(argument))))
        case .uri: return .value(.uri(StoredText(utf8: bytes(argument))))
        case .binary: return .value(.binary(Data(bytes(argument))))
        case .uuid:
            let bytes = bytes(argument)
            guard bytes.count == 16 else { return .value(.null) }
            return .value(.uuid(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))))
        }
    }

    private static func double(_ argument: OpaquePointer?) -> StoredValue {
        let number = sqlite3_value_double(argument)
        return .double(number == 0 ? 0 : number)
    }

    /// A decimal as rows read it: the stored digits if they match the number, otherwise the
    /// shortest digits.
    private static func decimal(
        _ argument: OpaquePointer?, _ digits: OpaquePointer?
    ) -> StoredValue {
        let real = sqlite3_value_double(argument)
        if let digits, let text = sqlite3_value_text(digits) {
            let text = String(cString: text)
            if Double(text) == real,
                let number = Decimal(string: text, locale: DecimalDigits.locale)
            {
                return .decimal(number)
            }
        }
        switch sqlite3_value_type(argument) {
        case SQLITE_INTEGER: return .decimal(Decimal(sqlite3_value_int64(argument)))
        case SQLITE_FLOAT:
            return DecimalDigits.shortest(of: real)
                .flatMap { Decimal(string: $0, locale: DecimalDigits.locale) }
                .map { .decimal($0) } ?? .null
        default:
            let text = String(decoding: bytes(argument), as: UTF8.self)
            return Decimal(string: text, locale: DecimalDigits.locale).map { .decimal($0) } ?? .null
        }
    }

    private static func bytes(_ argument: OpaquePointer?) -> UnsafeRawBufferPointer {
        let start = sqlite3_value_blob(argument)
        // Sound: the bytes are the engine's until the function returns, and are copied before.
        return UnsafeRawBufferPointer(
            start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(argument)))
    }

    private static func hand(
        _ value: QueryValue, as kind: SQLKind?, to context: OpaquePointer?
    ) {
        if kind == .boxed { return hand(BoxedValue.encode(value), to: context) }
        switch value.scalar {
        case .integer(let number): sqlite3_result_int64(context, number)
        case .boolean(let flag): sqlite3_result_int64(context, flag ? 1 : 0)
        case .double(let number): sqlite3_result_double(context, number)
        case .date(let date):
            sqlite3_result_double(context, date.timeIntervalSinceReferenceDate)
        case .text(let text), .uri(let text):
            FoldingFunction.hand(text, to: context)
        case .binary(let data): hand(Array(data), to: context)
        case .uuid(let uuid): hand(withUnsafeBytes(of: uuid.uuid) { Array($0) }, to: context)
        case .null, .decimal, .objectID: sqlite3_result_null(context)
        }
    }

    private static func hand(_ bytes: [UInt8], to context: OpaquePointer?) {
        bytes.withUnsafeBytes { bytes in
            if bytes.isEmpty { return sqlite3_result_zeroblob(context, 0) }
            // Sound: SQLITE_TRANSIENT has the engine copy the bytes, and is never called.
            sqlite3_result_blob64(
                context, bytes.baseAddress, UInt64(bytes.count),
                unsafeBitCast(-1, to: sqlite3_destructor_type.self))
        }
    }
}
