import CBenchmarkPostgres
import Foundation

/// A failure of the raw contestants.
struct RawFailure: Error {
    let words: String
}

/// A connection of libpq, called as a program in C would call it.
@MainActor
final class RawConnection {
    let handle: OpaquePointer
    private let none = RawParameters(0)

    init(_ server: String) throws {
        guard let handle = PQconnectdb(server) else { throw RawFailure(words: "no memory") }
        self.handle = handle
        guard PQstatus(handle) == CONNECTION_OK else { throw failure }
        try run("SET jit = off")
    }

    func close() { PQfinish(handle) }

    private var failure: RawFailure { RawFailure(words: String(cString: PQerrorMessage(handle))) }

    /// Runs statements as text.
    func run(_ sql: String) throws {
        let result = PQexec(handle, sql)
        defer { PQclear(result) }
        try check(result)
    }

    /// Runs a statement as text and returns the first column.
    func texts(_ sql: String) throws -> [String] {
        let result = PQexec(handle, sql)
        defer { PQclear(result) }
        try check(result)
        return (0..<PQntuples(result)).map { String(cString: PQgetvalue(result, $0, 0)) }
    }

    /// Prepares a statement.
    func prepare(_ name: String, _ sql: String) throws {
        let result = PQprepare(handle, name, sql, 0, nil)
        defer { PQclear(result) }
        try check(result)
    }

    /// Runs a prepared statement; the caller clears the result.
    func execute(_ name: String, _ parameters: RawParameters) throws -> OpaquePointer {
        let result = PQexecPrepared(
            handle, name, parameters.count, parameters.values, parameters.lengths,
            parameters.formats, 1)
        guard let result else { throw failure }
        switch PQresultStatus(result) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK: return result
        default:
            PQclear(result)
            throw failure
        }
    }

    /// Runs a prepared statement without a result.
    func execute(_ name: String) throws { PQclear(try execute(name, none)) }

    /// Runs prepared statements in one round trip.
    func pipeline(_ statements: [(name: String, parameters: RawParameters)]) throws {
        PQenterPipelineMode(handle)
        for (name, parameters) in statements {
            PQsendQueryPrepared(
                handle, name, parameters.count, parameters.values, parameters.lengths,
                parameters.formats, 1)
        }
        PQpipelineSync(handle)
        var words: String?
        while true {
            guard let result = PQgetResult(handle) else { continue }
            let status = PQresultStatus(result)
            if status == PGRES_FATAL_ERROR, words == nil {
                words = String(cString: PQresultErrorMessage(result))
            }
            PQclear(result)
            if status == PGRES_PIPELINE_SYNC { break }
        }
        PQexitPipelineMode(handle)
        if let words { throw RawFailure(words: words) }
    }

    /// Copies rows into a table. The closure appends rows, and returns false behind the last.
    func copy(_ sql: String, _ fill: (inout RawCopyBuffer) -> Bool) throws {
        let begun = PQexec(handle, sql)
        defer { PQclear(begun) }
        guard PQresultStatus(begun) == PGRES_COPY_IN else { throw failure }
        var buffer = RawCopyBuffer()
        while fill(&buffer) { if buffer.isFull { send(&buffer) } }
        buffer.end()
        send(&buffer)
        PQputCopyEnd(handle, nil)
        while let result = PQgetResult(handle) {
            defer { PQclear(result) }
            try check(result)
        }
    }

    private func send(_ buffer: inout RawCopyBuffer) {
        buffer.bytes.withUnsafeBytes {
            _ = PQputCopyData(
                handle, $0.bindMemory(to: CChar.self).baseAddress, Int32($0.count))
        }
        buffer.bytes.removeAll(keepingCapacity: true)
    }

    private func check(_ result: OpaquePointer?) throws {
        switch PQresultStatus(result) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK: return
        default: throw failure
        }
    }
}

/// The parameters of a statement in binary form, whose memory is reused.
@MainActor
final class RawParameters {
    let count: Int32
    let values: UnsafeMutablePointer<UnsafePointer<CChar>?>
    let lengths: UnsafeMutablePointer<Int32>
    let formats: UnsafeMutablePointer<Int32>
    private let memory: UnsafeMutablePointer<CChar>
    private static let mostBytes = 256

    /// Parameters that are NULL at first. They live as long as the process.
    init(_ count: Int) {
        self.count = Int32(count)
        values = .allocate(capacity: count + 1)
        values.initialize(repeating: nil, count: count + 1)
        lengths = .allocate(capacity: count + 1)
        lengths.initialize(repeating: 0, count: count + 1)
        formats = .allocate(capacity: count + 1)
        formats.initialize(repeating: 1, count: count + 1)
        memory = .allocate(capacity: (count + 1) * Self.mostBytes)
    }

    func set(_ index: Int, _ bytes: [UInt8]) {
        let place = memory + index * Self.mostBytes
        for (offset, byte) in bytes.enumerated() { place[offset] = CChar(bitPattern: byte) }
        values[index] = UnsafePointer(place)
        lengths[index] = Int32(bytes.count)
    }

    @inline(__always) func set(_ index: Int, _ number: some FixedWidthInteger) {
        let place = memory + index * Self.mostBytes
        UnsafeMutableRawPointer(place).storeBytes(of: number.bigEndian, as: type(of: number))
        values[index] = UnsafePointer(place)
        lengths[index] = Int32(number.bitWidth / 8)
    }

    func set(_ index: Int, _ number: Double) { set(index, number.bitPattern) }

    /// Sets an array of numbers or doubles by its bits.
    func set(_ index: Int, array numbers: [Int64], element: Int32 = RawType.bigint) {
        var bytes: [UInt8] = []
        for field in [1, 0, element, Int32(numbers.count), 1] { bytes.append(number: field) }
        for number in numbers {
            bytes.append(number: Int32(8))
            bytes.append(number: number)
        }
        set(index, bytes)
    }
}

/// The numbers of the server's types.
enum RawType {
    static let bigint: Int32 = 20
    static let double: Int32 = 701
}

/// Rows of a COPY in binary form.
struct RawCopyBuffer {
    fileprivate var bytes: [UInt8] =
        Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0] + [0, 0, 0, 0, 0, 0, 0, 0]

    fileprivate var isFull: Bool { bytes.count >= 64 << 10 }

    mutating func begin(columns: Int16) { bytes.append(number: columns) }

    mutating func addNull() { bytes.append(number: Int32(-1)) }

    mutating func add(_ number: some FixedWidthInteger) {
        bytes.append(number: Int32(number.bitWidth / 8))
        bytes.append(number: number)
    }

    mutating func add(_ number: Double) { add(number.bitPattern) }

    mutating func add(_ flag: Bool) { add(flag ? 1 : 0 as UInt8) }

    mutating func add(_ text: String) {
        bytes.append(number: Int32(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    fileprivate mutating func end() { bytes.append(number: Int16(-1)) }
}

extension [UInt8] {
    fileprivate mutating func append(number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }
}
