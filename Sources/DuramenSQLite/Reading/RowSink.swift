import CSQLite
import DuramenModel
import DuramenStore

/// An SQL function that receives whole rows within one step of the engine.
///
/// `SELECT 1 FROM t WHERE duramen_row(…)`: the function copies the row and returns 0, so that the
/// scan continues. It returns 1 when the batch is full, which ends the step. For every row of a
/// table scan, this saves a return from the engine, a copy of each text and a check per column. It
/// is only used for scans in key order: with a sorter the function would get the rows before they
/// are sorted.
final class RowSink {
    static let functionName = "duramen_row"
    /// The engine's default limit of arguments is 127.
    static let mostColumns = 120

    struct State {
        // Sound: whoever steps the statement holds the plan meanwhile, and clears this afterwards.
        var plan: Unmanaged<ReadPlan>?
        var builder: UnsafeMutablePointer<RowBatchBuilder>?
        var maximum = 0
    }

    // Lives as long as the connection's owner, and is used only during steps of that connection.
    private let state: UnsafeMutablePointer<State>

    init(connection: Connection) throws(StoreError) {
        state = .allocate(capacity: 1)
        state.initialize(to: State())
        // Only Duramen's statements may call it, never a schema of the file.
        let flags = SQLITE_UTF8 | SQLITE_DIRECTONLY
        let result = sqlite3_create_function_v2(
            connection.handle, Self.functionName, -1, flags, state,
            { context, _, arguments in
                // Sound: the state was registered with this function.
                guard let context, let arguments,
                    let state = sqlite3_user_data(context)?.assumingMemoryBound(to: State.self),
                    let builder = state.pointee.builder, let plan = state.pointee.plan
                else { return }
                // Sound: whoever steps the statement holds the plan meanwhile.
                _ = plan._withUnsafeGuaranteedRef {
                    $0.addRow(
                        of: ArgumentColumns(arguments: arguments), to: &builder.pointee,
                        other: { _, _, _ in })
                }
                sqlite3_result_int(
                    context,
                    builder.pointee.count >= state.pointee.maximum || builder.pointee.isFull ? 1 : 0
                )
            }, nil, nil, nil)
        if result != SQLITE_OK { throw connection.error(result, "open") }
    }

    deinit { state.deallocate() }

    /// Returns whether a plan's rows can be read with this function.
    static func takes(_ plan: ReadPlan) -> Bool {
        !plan.hasDecimals && !plan.hasExternals && plan.columnCount <= mostColumns
    }

    /// Steps a statement once and copies up to `maximum` rows, fewer when they are large.
    ///
    /// - Returns: Whether the statement may have more rows.
    func copyRows(
        of statement: Statement, plan: ReadPlan, into builder: inout RowBatchBuilder, maximum: Int,
        connection: Connection
    ) throws(StoreError) -> Bool {
        let result = withUnsafeMutablePointer(to: &builder) { pointer in
            state.pointee = State(
                plan: .passUnretained(plan), builder: pointer, maximum: maximum)
            defer { state.pointee = State() }
            return withExtendedLifetime(plan) { statement.step() }
        }
        if result == SQLITE_ROW { return true }
        if result == SQLITE_DONE { return false }
        throw connection.error(result, "read")
    }
}
