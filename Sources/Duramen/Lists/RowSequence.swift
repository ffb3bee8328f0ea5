import DuramenModel

/// Rows in an order, of which some are taken out and put in at a time.
///
/// They stand in chunks of up to 512, so that a change moves a few kilobytes however many rows
/// there are. A copy costs nothing until one of both changes, and then the chunks that change and a
/// list of the chunks.
struct RowSequence: Sendable {
    private static let chunkLimit = 512
    /// What a chunk gets that is split, so that it has room.
    private static let splitCount = 384

    private var chunks: ContiguousArray<ContiguousArray<Row>> = []
    /// Where the chunks begin, and where the last one ends.
    private var starts: ContiguousArray<Int> = [0]

    init(_ rows: some Collection<Row> = EmptyCollection()) {
        var rest = rows[...]
        while !rest.isEmpty {
            var chunk = ContiguousArray<Row>()
            chunk.reserveCapacity(Self.chunkLimit)
            chunk.append(contentsOf: rest.prefix(Self.chunkLimit))
            chunks.append(chunk)
            rest = rest.dropFirst(Self.chunkLimit)
        }
        countRows()
    }

    var count: Int { starts[chunks.count] }

    subscript(position: Int) -> Row {
        let chunk = chunk(of: position)
        return chunks[chunk][position - starts[chunk]]
    }

    /// The chunk that a position is in; the last one for the end.
    private func chunk(of position: Int) -> Int {
        var low = 0
        var high = chunks.count - 1
        while low < high {
            let middle = (low + high + 1) / 2
            if starts[middle] <= position { low = middle } else { high = middle - 1 }
        }
        return low
    }

    /// The first position whose row does not come before something, by binary search: log₂ *n*
    /// calls, each with an offset where a row stands.
    @inline(__always)
    func firstPosition(notBefore isBefore: (ContiguousArray<Row>, Int) -> Bool) -> Int {
        var low = 0
        var high = chunks.count
        // The chunks whose last row comes before.
        while low < high {
            let middle = (low + high) / 2
            if isBefore(chunks[middle], chunks[middle].count - 1) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        if low == chunks.count { return count }
        let chunk = low
        low = 0
        high = chunks[chunk].count - 1
        while low < high {
            let middle = (low + high) / 2
            if isBefore(chunks[chunk], middle) { low = middle + 1 } else { high = middle }
        }
        return starts[chunk] + low
    }

    /// The same for an offset that is likely to be near a position: twice log₂ of the distance.
    @inline(__always)
    func firstPosition(
        near start: Int, notBefore isBefore: (ContiguousArray<Row>, Int) -> Bool
    ) -> Int {
        func comesBefore(_ position: Int) -> Bool {
            let chunk = chunk(of: position)
            return isBefore(chunks[chunk], position - starts[chunk])
        }
        var (low, high) = (0, count)
        var step = 1
        if start < count, comesBefore(start) {
            low = start + 1
            while low + step <= count {
                let probe = low + step - 1
                if !comesBefore(probe) {
                    high = probe
                    break
                }
                low = probe + 1
                step *= 2
            }
        } else {
            high = start
            while high - step >= 0 {
                let probe = high - step
                if comesBefore(probe) {
                    low = probe + 1
                    break
                }
                high = probe
                step *= 2
            }
        }
        while low < high {
            let middle = (low + high) / 2
            if comesBefore(middle) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Calls `body` with each row, in order.
    func forEach(_ body: (Row) -> Void) {
        for chunk in chunks { for row in chunk { body(row) } }
    }

    /// Puts another row in the place of one.
    mutating func replace(at position: Int, with row: Row) {
        let chunk = chunk(of: position)
        chunks[chunk][position - starts[chunk]] = row
    }

    /// Takes rows out, and puts rows in.
    ///
    /// - Parameters:
    ///   - removed: The positions of what is taken out, ascending.
    ///   - inserted: What is put in, in order, each with the position of the row that it comes
    ///     before. All positions are those before the call.
    mutating func replace(removing removed: [Int], inserting inserted: [(offset: Int, row: Row)]) {
        if chunks.isEmpty {
            self = RowSequence(inserted.map(\.row))
            return
        }
        var needsShaping = false
        var (removed, inserted) = (removed[...], inserted[...])
        // What the chunks before a chunk have gained.
        var gains: [(chunk: Int, gain: Int)] = []
        // From the end, so that the positions of what comes before stay as they are.
        while !removed.isEmpty || !inserted.isEmpty {
            let number = chunk(of: max(removed.last ?? -1, inserted.last?.offset ?? -1))
            let start = starts[number]
            let leaving = removed.suffix(from: removed.partitionPoint { $0 < start })
            let coming = inserted.suffix(from: inserted.partitionPoint { $0.offset < start })
            removed = removed.dropLast(leaving.count)
            inserted = inserted.dropLast(coming.count)
            Self.replace(within: &chunks[number], leaving, coming, start)
            gains.append((number, coming.count - leaving.count))
            let count = chunks[number].count
            if count > Self.chunkLimit || count < Self.chunkLimit / 8 { needsShaping = true }
        }
        if needsShaping {
            shapeChunks()
            countRows()
        } else {
            shiftStarts(gains)
        }
    }

    // A method of the type, since one of the value would be called with a copy: a second owner of
    // the chunk.
    private static func replace(
        within chunk: inout ContiguousArray<Row>, _ leaving: ArraySlice<Int>,
        _ coming: ArraySlice<(offset: Int, row: Row)>, _ start: Int
    ) {
        if leaving.count == 1, coming.count == 1, let old = leaving.first, let new = coming.first {
            return move(&chunk, from: old - start, to: new.offset - start, new.row)
        }
        if leaving.count + coming.count > 16 { return merge(&chunk, leaving, coming, start) }
        var (leaving, coming) = (leaving, coming)
        while !leaving.isEmpty || !coming.isEmpty {
            let position = leaving.last ?? -1
            if let next = coming.last, next.offset > position {
                chunk.insert(next.row, at: next.offset - start)
                coming.removeLast()
            } else {
                chunk.remove(at: position - start)
                leaving.removeLast()
            }
        }
    }

    /// Many at once: each row moves once.
    private static func merge(
        _ chunk: inout ContiguousArray<Row>, _ leaving: ArraySlice<Int>,
        _ coming: ArraySlice<(offset: Int, row: Row)>, _ start: Int
    ) {
        var merged = ContiguousArray<Row>()
        merged.reserveCapacity(max(chunkLimit, chunk.count - leaving.count + coming.count))
        var (leaving, coming) = (leaving, coming)
        for offset in 0...chunk.count {
            while let next = coming.first, next.offset - start == offset {
                merged.append(next.row)
                coming.removeFirst()
            }
            if offset == chunk.count { break }
            if leaving.first == offset + start {
                leaving.removeFirst()
            } else {
                merged.append(chunk[offset])
            }
        }
        chunk = merged
    }

    /// The frequent case of a row that stays near: only those between its offsets move.
    private static func move(
        _ chunk: inout ContiguousArray<Row>, from old: Int, to offset: Int, _ row: Row
    ) {
        let new = offset > old ? offset - 1 : offset
        chunk[old] = row
        for index in stride(from: old, to: new, by: new > old ? 1 : -1) {
            chunk.swapAt(index, new > old ? index + 1 : index - 1)
        }
    }

    /// - Parameter gains: By chunk, the last first.
    private mutating func shiftStarts(_ gains: [(chunk: Int, gain: Int)]) {
        var next = gains[...]
        var shift = 0
        for number in chunks.indices {
            if next.last?.chunk == number { shift += next.removeLast().gain }
            starts[number + 1] += shift
        }
    }

    /// Splits chunks that are too large, and joins small ones with those before them.
    private mutating func shapeChunks() {
        var shaped = ContiguousArray<ContiguousArray<Row>>()
        shaped.reserveCapacity(chunks.count + 1)
        for chunk in chunks where !chunk.isEmpty {
            if let last = shaped.indices.last,
                min(chunk.count, shaped[last].count) < Self.chunkLimit / 8,
                chunk.count + shaped[last].count <= Self.chunkLimit
            {
                shaped[last].append(contentsOf: chunk)
            } else if chunk.count > Self.chunkLimit {
                let partCount = (chunk.count + Self.splitCount - 1) / Self.splitCount
                for part in 0..<partCount {
                    let bounds =
                        chunk.count * part / partCount..<chunk.count * (part + 1) / partCount
                    var piece = ContiguousArray<Row>()
                    piece.reserveCapacity(Self.chunkLimit)
                    piece.append(contentsOf: chunk[bounds])
                    shaped.append(piece)
                }
            } else {
                shaped.append(chunk)
            }
        }
        chunks = shaped
    }

    private mutating func countRows() {
        starts.removeAll(keepingCapacity: true)
        var count = 0
        starts.append(0)
        for chunk in chunks {
            count += chunk.count
            starts.append(count)
        }
    }
}
