import DuramenModel
import DuramenStore

/// The values of some columns of many rows, each column as one array.
struct ColumnArrays {
    /// More rows or bytes are written by further statements.
    private static let mostRows = 2_000
    private static let mostBytes = 16 << 20
    /// The largest value.
    static let mostValueBytes = 256 << 20

    private let steps: [WritePlan.Step]
    private let core: StoreCore
    private var builders: [ArrayBuilder]
    private(set) var rowCount = 0
    private var byteCount = 0

    init(_ steps: [WritePlan.Step], _ core: StoreCore) {
        self.steps = steps
        self.core = core
        builders = steps.map { ArrayBuilder($0.type) }
    }

    /// Whether the rows should be written before more are added.
    var isFull: Bool { rowCount >= Self.mostRows || byteCount >= Self.mostBytes }

    /// Adds a row.
    mutating func add(_ row: Row) throws(StoreError) {
        rowCount += 1
        for place in steps.indices {
            let step = steps[place]
            let slot = step.slot
            if row.isNull(slot) {
                builders[place].appendNull()
                continue
            }
            switch step.kind {
            case .integer, .reference: builders[place].append(bigint: row.integer(slot))
            case .boolean: builders[place].append(boolean: row.integer(slot) != 0)
            case .double, .date: builders[place].append(double: row.double(slot))
            case .float: builders[place].append(real: Float(row.double(slot)))
            case .referenceEntity:
                let index = Int(row.integer(slot))
                if core.schema.entities.indices.contains(index) {
                    builders[place].append(integer: core.schema.entities[index].number)
                } else {
                    builders[place].appendNull()
                }
            case .decimal: builders[place].append(numeric: row.decimal(slot))
            case .uuid: builders[place].append(bytes: row.unsafeBytes(slot))
            case .text, .uri: try addText(row, step, place)
            case .binary, .transformable:
                let bytes = row.unsafeBytes(slot)
                try check(bytes.count, row, step)
                builders[place].append(bytes: bytes)
                byteCount += bytes.count
            }
        }
    }

    private mutating func addText(
        _ row: Row, _ step: WritePlan.Step, _ place: Int
    ) throws(StoreError) {
        let bytes = row.unsafeBytes(step.slot)
        try check(bytes.count, row, step)
        byteCount += bytes.count
        if TextEscaping.needsEscaping(bytes) {
            TextEscaping.escape(bytes).withUnsafeBytes { builders[place].append(bytes: $0) }
        } else {
            builders[place].append(bytes: bytes)
        }
    }

    private func check(_ count: Int, _ row: Row, _ step: WritePlan.Step) throws(StoreError) {
        if count <= Self.mostValueBytes { return }
        throw StoreError(
            .tooLarge,
            "A value for column \(step.column) has \(count) bytes; a PostgreSQL store takes "
                + "\(Self.mostValueBytes). Keep larger values in files of your own.",
            objectID: row.objectID(in: core.model, store: core.schema.store))
    }

    /// Returns the arrays, and starts again without rows.
    mutating func finish() -> [Parameter] {
        defer {
            builders = steps.map { ArrayBuilder($0.type) }
            rowCount = 0
            byteCount = 0
        }
        return builders.map { $0.finish() }
    }
}
