/// An order of the nodes of a graph that depends on the graph alone, not on the numbers that its
/// nodes happen to have.
///
/// Two nodes with equal values are ordered by the nodes that they are linked with. This is repeated
/// in rounds, and is known as colour refinement.
/// ```
///   Tag, Tag          alike by their values
///   Tag <- Note "a"   the first round tells them apart
///   Tag <- Note "b"
/// ```
/// Where nodes stay alike, one of them is put last, and refinement goes on. Mostly such nodes are
/// interchangeable, so that it does not matter which one. Otherwise some are tried, and the one
/// whose refinement comes first is taken.
struct NodeOrder {
    /// A link between two nodes.
    struct Edge {
        let source: Int
        /// The kind of the link.
        let label: Int
        /// The place among the links of the kind and the source; 0 where these have no order.
        let place: Int
        let destination: Int
    }

    private struct Neighbour {
        let kind: Int
        let place: Int
        let node: Int
    }

    /// The nodes in their order. Nodes that look alike follow each other and form a cell.
    private(set) var nodes: [Int]
    /// The place of each node in ``nodes``.
    private var places: [Int]
    /// The place of the first node of the same cell, by nodes.
    private var colours: [Int]
    /// The number of nodes in the cell that begins at a place.
    private var sizes: [Int]
    private let neighbours: [[Neighbour]]
    /// The work that may still be done, so that a large graph of equal nodes has an end.
    private var budget = 500_000

    /// The most nodes that are tried in one place.
    private static let mostCandidates = 8

    /// Finds the order.
    ///
    /// - Parameters:
    ///   - edges: The links.
    ///   - initial: The nodes, sorted by their values.
    ///   - areAlike: Whether two nodes that follow each other have the same values.
    init(edges: [Edge], initial: [Int], areAlike: (Int, Int) -> Bool) {
        nodes = initial
        places = Array(repeating: 0, count: initial.count)
        colours = places
        sizes = places
        var neighbours: [[Neighbour]] = Array(repeating: [], count: initial.count)
        for edge in edges {
            neighbours[edge.source].append(
                Neighbour(kind: 2 * edge.label, place: edge.place, node: edge.destination))
            neighbours[edge.destination].append(
                Neighbour(kind: 2 * edge.label + 1, place: edge.place, node: edge.source))
        }
        self.neighbours = neighbours
        for (place, node) in initial.enumerated() {
            places[node] = place
            let isLikeBefore = place > 0 && areAlike(initial[place - 1], node)
            colours[node] = isLikeBefore ? colours[initial[place - 1]] : place
            sizes[colours[node]] += 1
        }
        _ = refine(after: nodes)
        tellApart()
    }

    /// Tells nodes apart that refinement leaves alike.
    private mutating func tellApart() {
        while budget > 0, let cell = firstOpenCell() {
            var best: (order: NodeOrder, trace: [Int])?
            for node in nodes[cell].prefix(Self.mostCandidates) {
                var order = self
                order.budget -= 1 + nodes.count / 64
                let trace = order.refine(after: [order.putLast(node)])
                budget = order.budget
                if best.map({ trace.lexicographicallyPrecedes($0.trace) }) ?? true {
                    best = (order, trace)
                }
            }
            guard let best else { return }
            (nodes, places) = (best.order.nodes, best.order.places)
            (colours, sizes) = (best.order.colours, best.order.sizes)
        }
    }

    /// The first cell whose nodes are linked with others that are not told apart. The nodes of
    /// other cells are interchangeable.
    private func firstOpenCell() -> Range<Int>? {
        var start = 0
        while start < nodes.count {
            let cell = start..<start + sizes[start]
            if cell.count > 1,
                neighbours[nodes[start]].contains(where: { sizes[colours[$0.node]] > 1 })
            {
                return cell
            }
            start = cell.upperBound
        }
        return nil
    }

    /// Makes a node a cell of its own, behind the rest of its cell.
    private mutating func putLast(_ node: Int) -> Int {
        let start = colours[node]
        split([[node]], from: start..<start + sizes[start])
        return node
    }

    // MARK: - Refinement

    /// Splits cells by the neighbours of their nodes until no cell is split any more.
    ///
    /// - Parameter changed: The nodes with new colours.
    /// - Returns: A record of all splits, which is equal for equal graphs.
    private mutating func refine(after changed: [Int]) -> [Int] {
        var changed = changed
        var trace: [Int] = []
        while !changed.isEmpty, budget > 0 {
            // A cell's other nodes keep their neighbours, so they stay alike.
            var touched: [Int: Set<Int>] = [:]
            for node in changed {
                for neighbour in neighbours[node] where sizes[colours[neighbour.node]] > 1 {
                    touched[colours[neighbour.node], default: []].insert(neighbour.node)
                }
            }
            let cells = touched.sorted { $0.key < $1.key }.map { start, nodes in
                (start: start, groups: groups(of: nodes), count: nodes.count)
            }
            changed = []
            for (start, groups, count) in cells {
                budget -= count
                for group in groups { trace += [start, group.nodes.count] + group.signature }
                // Either the nodes that are not touched stay in front, or the first group does.
                let hasRest = count < sizes[start]
                let moved = groups.dropFirst(hasRest ? 0 : 1).map(\.nodes)
                split(moved, from: start..<start + sizes[start])
                changed += moved.joined()
            }
        }
        return trace
    }

    /// Nodes by their signatures, the largest group first.
    private func groups(of nodes: Set<Int>) -> [(signature: [Int], nodes: [Int])] {
        Dictionary(grouping: nodes, by: signature).map { (signature: $0.key, nodes: $0.value) }
            .sorted { a, b in
                a.nodes.count != b.nodes.count
                    ? a.nodes.count > b.nodes.count
                    : a.signature.lexicographicallyPrecedes(b.signature)
            }
    }

    /// Moves groups of nodes to the end of their cell, each as a cell of its own.
    private mutating func split(_ groups: [[Int]], from cell: Range<Int>) {
        var place = cell.upperBound - groups.reduce(0) { $0 + $1.count }
        sizes[cell.lowerBound] = place - cell.lowerBound
        for group in groups {
            sizes[place] = group.count
            let start = place
            for node in group {
                let other = nodes[place]
                nodes.swapAt(place, places[node])
                places[other] = places[node]
                places[node] = place
                colours[node] = start
                place += 1
            }
        }
    }

    /// The links of a node, by the colours of the nodes at their ends.
    private func signature(of node: Int) -> [Int] {
        neighbours[node].map { [$0.kind, $0.place, colours[$0.node]] }
            .sorted { $0.lexicographicallyPrecedes($1) }.flatMap(\.self)
    }
}
