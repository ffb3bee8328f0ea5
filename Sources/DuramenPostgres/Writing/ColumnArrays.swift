import DuramenModel
import DuramenStore

/// The values of some columns of many rows, each column as one array.
struct ColumnArrays {
    /// More rows or bytes are written by further statements.
    private static let mostRows = 2_000
    private static let mostBytes = 16 << 20

    private let steps: [WritePlan.Step]
    private let values: RowValues
    private var builders: [ArrayBuilder]
    private(set) var rowCount = 0
    private var byteCount = 0

    init(_ steps: [WritePlan.Step], _ core: StoreCore) {
        self.steps = steps
        values = RowValues(core: core)
        builders = steps.map { ArrayBuilder($0.type) }
    }

    /// Whether the rows should be written before more are added.
    var isFull: Bool { rowCount >= Self.mostRows || byteCount >= Self.mostBytes }

    /// Adds a row.
    mutating func add(_ row: Row) throws(StoreError) {
        rowCount += 1
        for place in steps.indices {
            byteCount += try values.append(steps[place], of: row, to: &builders[place])
        }
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
