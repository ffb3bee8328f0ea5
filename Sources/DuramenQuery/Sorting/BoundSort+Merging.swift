package import DuramenModel

/// The sort keys of one row, loaded from the row's own source.
///
/// Rows of different sources, such as two stores, cannot be sorted in one source. Their keys can
/// still be compared if both orders were bound from equal descriptors.
public struct BoundSortKeys: Sendable {
    /// The row itself, for key paths of one step.
    package let row: Row
    /// The row at the end of each sort key's path; nil if it is null or missing. Empty if all paths
    /// end in the row itself.
    let ends: [Row?]
    /// The number of objects of each sort key that is a count; empty if none is.
    let counts: [Int]
    /// The ID of the row's object.
    package let id: ManagedObjectID
}

extension BoundSort {
    /// Returns the sort keys of rows, in the same order. The source reads together what several
    /// rows refer to.
    package func keys<Source: EvaluationSource>(
        of items: [Item], in source: Source
    ) throws(Source.Failure) -> [BoundSortKeys] {
        source.expect { items.map(\.row) }
        var keys: [BoundSortKeys] = []
        for (index, item) in items.enumerated() {
            source.advance(to: index)
            keys.append(try self.keys(of: item, in: source))
        }
        return keys
    }

    /// Returns the sort keys of a row. Each key path is followed once.
    public func keys<Source: EvaluationSource>(
        of item: Item, in source: Source
    ) throws(Source.Failure) -> BoundSortKeys {
        // Apart from the rest, for which the runtime looks up the evaluator's type at each call.
        if isDirect { return BoundSortKeys(row: item.row, ends: [], counts: [], id: item.id) }
        return try followedKeys(of: item, in: source)
    }

    @inline(never)
    private func followedKeys<Source: EvaluationSource>(
        of item: Item, in source: Source
    ) throws(Source.Failure) -> BoundSortKeys {
        let evaluator = Evaluator(source)
        var ends: [Row?] = []
        var counts: [Int] = []
        for key in keys { ends.append(try evaluator.walk(key.steps, item.row, item.id)?.0) }
        if countsObjects {
            for key in keys {
                guard let counted = key.counted else {
                    counts.append(0)
                    continue
                }
                counts.append(try evaluator.count(counted, behind: key.steps, item.row, item.id))
            }
        }
        return BoundSortKeys(row: item.row, ends: ends, counts: counts, id: item.id)
    }

    /// Returns whether a row comes before another in the order of ``sort(_:in:)``.
    ///
    /// The keys must come from orders that were bound from equal descriptors, to entities with
    /// equal attributes.
    public func precedes(_ a: BoundSortKeys, _ b: BoundSortKeys) -> Bool {
        if isDirect {
            let order = order(a.row, b.row)
            return order == 0 ? precedes(a.id, b.id) : order < 0
        }
        for place in keys.indices {
            let end = keys[place].end
            let order =
                keys[place].counted == nil
                ? end.order(a.ends[place], b.ends[place]) : a.counts[place] - b.counts[place]
            if order != 0 { return (order < 0) == end.isAscending }
        }
        return precedes(a.id, b.id)
    }
}
