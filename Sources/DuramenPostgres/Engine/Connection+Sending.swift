import CPostgres
import DuramenModel

/// The parameters of a statement as libpq takes them. The arrays keep their memory between runs.
struct ParameterBuffers {
    private var bytes: [UInt8] = []
    private var offsets: [Int] = []
    private var types: [Oid] = []
    private var lengths: [Int32] = []
    private var formats: [Int32] = []
    private var values: [UnsafePointer<CChar>?] = []

    /// Calls `body` with the count, types, values, lengths and formats of parameters.
    mutating func withParameters<Result>(
        _ parameters: [Parameter],
        _ body: (
            Int32, UnsafePointer<Oid>?, UnsafePointer<UnsafePointer<CChar>?>?,
            UnsafePointer<Int32>?, UnsafePointer<Int32>?
        ) -> Result
    ) -> Result {
        if parameters.isEmpty { return body(0, nil, nil, nil, nil) }
        bytes.removeAll(keepingCapacity: bytes.capacity < 1 << 20)
        offsets.removeAll(keepingCapacity: true)
        types.removeAll(keepingCapacity: true)
        lengths.removeAll(keepingCapacity: true)
        formats.removeAll(keepingCapacity: true)
        values.removeAll(keepingCapacity: true)
        // An empty value is not NULL, so there is always something to point to.
        bytes.append(0)
        for parameter in parameters {
            types.append(parameter.type.rawValue)
            formats.append(1)
            offsets.append(parameter.bytes == nil ? -1 : bytes.count)
            lengths.append(Int32(clamping: parameter.bytes?.count ?? 0))
            if let value = parameter.bytes { bytes.append(contentsOf: value) }
        }
        // An empty value at the end points behind the others.
        bytes.append(0)
        return bytes.withUnsafeBufferPointer { all in
            all.withMemoryRebound(to: CChar.self) { all in
                for offset in offsets {
                    values.append(offset < 0 ? nil : all.baseAddress.map { $0 + offset })
                }
                return body(Int32(parameters.count), types, values, lengths, formats)
            }
        }
    }
}

extension Connection {
    /// Writes statements into libpq's buffer, with a sync at the end.
    ///
    /// - Parameters:
    ///   - pipeline: The statements.
    ///   - isAwaited: Whether somebody waits for the results.
    ///   - commits: Whether the outcome is unknown if the connection breaks from here.
    func enqueue(
        _ pipeline: Pipeline, isAwaited: Bool, commits: Bool
    ) throws(PostgresFailure) {
        // The protocol counts parameters in 16 bits.
        if let index = pipeline.items.firstIndex(where: { $0.parameters.count > 65_535 }) {
            throw PostgresFailure(sqlState: "54023", words: "", statement: index)
        }
        try removeExcess()
        // A statement may be prepared by a part that fails, so only this part counts on it.
        var earlier = unconfirmed
        for (index, item) in pipeline.items.enumerated() {
            if pipeline.syncs.contains(index) {
                try sync(commits)
                earlier = unconfirmed
            }
            let number = isAwaited ? index : nil
            let isSent =
                item.statement.isPrepared && !earlier.contains(item.statement)
                ? sendPrepared(item, number) : sendUnnamed(item)
            if isSent { steps.append(.statement(item: number)) }
            guard isSent else { throw lose(isOutcomeUnknown: commits) }
        }
        try sync(commits)
    }

    private func sendPrepared(_ item: Pipeline.Item, _ number: Int?) -> Bool {
        switch prepared.use(item.statement, item.parameters) {
        case .otherTypes: return sendUnnamed(item)
        case .prepared(let name): return sendExecution(item, name)
        case .new: break
        }
        let name = prepared.newName(for: item.statement.text)
        let isPreparing = scratch.withParameters(item.parameters) { count, types, _, _, _ in
            PQsendPrepare(handle, name, item.statement.text, count, types) == 1
        }
        guard isPreparing else { return false }
        steps.append(.prepare(item.statement, item: number))
        prepared.add(item.statement, name: name, item.parameters)
        unconfirmed.insert(item.statement)
        return sendExecution(item, name)
    }

    private func sendExecution(_ item: Pipeline.Item, _ name: String) -> Bool {
        scratch.withParameters(item.parameters) { count, _, values, lengths, formats in
            PQsendQueryPrepared(handle, name, count, values, lengths, formats, 1) == 1
        }
    }

    private func sendUnnamed(_ item: Pipeline.Item) -> Bool {
        scratch.withParameters(item.parameters) { count, types, values, lengths, formats in
            PQsendQueryParams(
                handle, item.statement.text, count, types, values, lengths, formats, 1) == 1
        }
    }

    /// Makes the server forget statements beyond the limit, in a part of their own, since it would
    /// take the snapshot of a transaction that begins behind it.
    private func removeExcess() throws(PostgresFailure) {
        guard steps.isEmpty, prepared.count > PreparedStatements.limit, !isInTransaction else {
            return
        }
        for name in prepared.removeExcess() {
            let item = Pipeline.Item(
                statement: Statement("DEALLOCATE \(name)", prepared: false), parameters: [])
            guard sendUnnamed(item) else { throw lose() }
            steps.append(.statement(item: nil))
        }
        try sync(false)
    }

    private func sync(_ commits: Bool) throws(PostgresFailure) {
        guard let handle, PQpipelineSync(handle) == 1 else {
            throw lose(isOutcomeUnknown: commits)
        }
        steps.append(.sync)
        needsFlush = true
    }
}
