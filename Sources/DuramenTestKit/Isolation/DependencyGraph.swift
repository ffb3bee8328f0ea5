/// A graph of transactions by index, with edges from earlier to later ones.
struct DependencyGraph {
    /// The reason why a transaction precedes another.
    enum Kind: String, CaseIterable {
        case writeWrite = "ww"
        case writeRead = "wr"
        case readWrite = "rw"
    }

    private struct Edge: Hashable {
        var to: Int
        var kind: Kind
    }

    private var edges: [[Edge]]

    init(_ count: Int) { edges = Array(repeating: [], count: count) }

    mutating func add(_ kind: Kind, from: Int, to: Int) {
        let edge = Edge(to: to, kind: kind)
        if !edges[from].contains(edge) { edges[from].append(edge) }
    }

    /// The reasons why a transaction directly precedes another.
    func kinds(from: Int, to: Int) -> [Kind] {
        Kind.allCases.filter { edges[from].contains(Edge(to: to, kind: $0)) }
    }

    /// The strongly connected components with at least two members (Tarjan, 1972).
    func knots(of kinds: [Kind]) -> [[Int]] {
        var numbers = Array(repeating: -1, count: edges.count)
        var lowest = numbers
        var isOpen = Array(repeating: false, count: edges.count)
        var open: [Int] = []
        var knots: [[Int]] = []
        var count = 0
        for root in edges.indices where numbers[root] < 0 {
            // Iterative instead of recursive: a cycle may be as long as the history.
            var path: [(node: Int, next: Int)] = [(root, 0)]
            while let (node, next) = path.last {
                if next == 0 {
                    numbers[node] = count
                    lowest[node] = count
                    count += 1
                    open.append(node)
                    isOpen[node] = true
                }
                if next < edges[node].count {
                    path[path.count - 1].next += 1
                    let edge = edges[node][next]
                    guard kinds.contains(edge.kind) else { continue }
                    if numbers[edge.to] < 0 {
                        path.append((edge.to, 0))
                    } else if isOpen[edge.to] {
                        lowest[node] = min(lowest[node], numbers[edge.to])
                    }
                    continue
                }
                path.removeLast()
                if let parent = path.last?.node {
                    lowest[parent] = min(lowest[parent], lowest[node])
                }
                guard lowest[node] == numbers[node] else { continue }
                var knot: [Int] = []
                while let member = open.popLast() {
                    isOpen[member] = false
                    knot.append(member)
                    if member == node { break }
                }
                if knot.count > 1 { knots.append(knot.sorted()) }
            }
        }
        return knots
    }

    /// A short cycle of edges of some kinds within a set; nil for none.
    ///
    /// - Parameters:
    ///   - members: The set.
    ///   - closing: The kind of exactly one edge; nil for no restriction.
    ///   - kinds: The kinds of the other edges.
    func circle(in members: Set<Int>, closing: Kind? = nil, of kinds: [Kind]) -> [Int]? {
        for node in members.sorted() {
            for edge in edges[node] where members.contains(edge.to) {
                guard closing.map({ $0 == edge.kind }) ?? kinds.contains(edge.kind) else {
                    continue
                }
                if let path = path(from: edge.to, to: node, in: members, of: kinds) {
                    // The path ends where the edge starts.
                    return [node] + path.dropLast()
                }
            }
        }
        return nil
    }

    /// A shortest path from one transaction to another, including both.
    private func path(
        from start: Int, to end: Int, in members: Set<Int>, of kinds: [Kind]
    ) -> [Int]? {
        var previous: [Int: Int] = [start: start]
        var queue = [start]
        var place = 0
        while place < queue.count {
            let node = queue[place]
            place += 1
            if node == end {
                var path = [end]
                while let last = path.last, last != start, let before = previous[last] {
                    path.append(before)
                }
                return path.reversed()
            }
            for edge in edges[node]
            where kinds.contains(edge.kind) && members.contains(edge.to) && previous[edge.to] == nil
            {
                previous[edge.to] = node
                queue.append(edge.to)
            }
        }
        return nil
    }
}
