import DuramenModel

/// A sequence of rows in which some can be removed and inserted at a time.
///
/// Rows are in chunks of up to 512, so that a change moves a few kilobytes in a sequence of any
/// length. A copy costs nothing until one of the two changes; then it costs the changed chunks and
/// the list of chunks.
struct RowSequence: Sendable {
    private static let chunkLimit = 512
    /// The size of the pieces of a split chunk, which leaves room for insertions.
    private static let splitCount = 384

    private var chunks: ContiguousArray<ContiguousArray<Row>> = []
    /// The start of each chunk, and the end of the last one.
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

    /// Returns the chunk of a position; the last one for the end.
    private func chunk(of position: Int) -> Int {
        var low = 0
        var high = chunks.count - 1
        while low < high {
            let middle = (low + high + 1) / 2
            if starts[middle] <= position { low = middle } else { high = middle - 1 }
        }
        return low
    }

    /// Returns the first position whose row is not before a target, by binary search.
    ///
    /// - Parameters:
    ///   - start: A position that is probably near.
    ///   - isBefore: Called with a chunk and an offset in it: log₂ *n* times, or from `start` twice
    ///     log₂ of the distance.
    @inline(__always)
    func firstPosition(
        near start: Int?, notBefore isBefore: (ContiguousArray<Row>, Int) -> Bool
    ) -> Int {
        if let start { return firstPosition(near: start, isBefore) }
        var low = 0
        var high = chunks.count
        // The first chunk whose last row is not before the target.
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

    @inline(__always)
    private func firstPosition(
        near start: Int, _ isBefore: (ContiguousArray<Row>, Int) -> Bool
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

    /// Replaces the row at a position.
    mutating func replace(at position: Int, with row: Row) {
        let chunk = chunk(of: position)
        chunks[chunk][position - starts[chunk]] = row
    }

    /// Removes and inserts rows.
    ///
    /// - Parameters:
    ///   - removed: The positions of removed rows, ascending.
    ///   - inserted: The inserted rows, in order, each with the position that it is inserted
    ///     before. All positions are those before the call.
    mutating func replace(removing removed: [Int], inserting inserted: [(offset: Int, row: Row)]) {
        if chunks.isEmpty {
            self = RowSequence(inserted.map(\.row))
            return
        }
        var needsShaping = false
        var (removed, inserted) = (removed[...], inserted[...])
        // The change in size of each changed chunk.
        var gains: [(chunk: Int, gain: Int)] = []
        // From the end, so that earlier positions stay valid.
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

    // A static method, because a method of the value would be called on a copy, a second owner of
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

    /// Merges many edits at once: each row moves once.
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

    /// Moves a row to a near offset, the frequent case: only rows between the offsets move.
    private static func move(
        _ chunk: inout ContiguousArray<Row>, from old: Int, to offset: Int, _ row: Row
    ) {
        let new = offset > old ? offset - 1 : offset
        chunk[old] = row
        for index in stride(from: old, to: new, by: new > old ? 1 : -1) {
            chunk.swapAt(index, new > old ? index + 1 : index - 1)
        }
    }

    /// Updates the starts of the chunks.
    ///
    /// - Parameter gains: The change in size by chunk, last chunk first.
    private mutating func shiftStarts(_ gains: [(chunk: Int, gain: Int)]) {
        var next = gains[...]
        var shift = 0
        for number in chunks.indices {
            if next.last?.chunk == number { shift += next.removeLast().gain }
            starts[number + 1] += shift
        }
    }

    /// Splits large chunks, and joins small ones with the chunks before them.
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
