import DuramenModel

/// A sequence of unique IDs for editing by index: a tree whose leaves hold some IDs each, built at
/// the first edit.
///
/// - Complexity: Look-ups by index or ID, insertions and removals are O(log *n*) each, except for
///   the first.
final class MemberSequence {
    private final class Node {
        unowned var parent: Node?
        /// The IDs of a leaf; empty for an inner node.
        var ids: [ManagedObjectID] = []
        var children: [Node] = []
        var count = 0

        var isLeaf: Bool { children.isEmpty }
    }

    // The most elements of a node: small enough that moving half of them is cheap.
    private static let most = 64
    /// The initial number of elements of a node, which leaves room.
    private static let usual = 48

    private var root = Node()
    private var leaves: [ManagedObjectID: Node] = [:]
    /// All IDs; nil after an edit.
    private var list: [ManagedObjectID]?
    private var isTree = false
    /// The number of IDs and nodes that edits have moved.
    private(set) var moveCount = 0

    /// Creates a sequence of unique IDs.
    init(_ ids: [ManagedObjectID]) { list = ids }

    var count: Int { list?.count ?? root.count }

    /// All IDs, in order.
    var ids: [ManagedObjectID] {
        if let list { return list }
        var all: [ManagedObjectID] = []
        all.reserveCapacity(count)
        func visit(_ node: Node) {
            all += node.ids
            for child in node.children { visit(child) }
        }
        visit(root)
        list = all
        return all
    }

    subscript(position: Int) -> ManagedObjectID {
        if let list { return list[position] }
        precondition(position >= 0 && position < count, "Index out of range")
        let (leaf, offset) = leaf(at: position)
        return leaf.ids[offset]
    }

    func contains(_ id: ManagedObjectID) -> Bool {
        makeTree()
        return leaves[id] != nil
    }

    /// Returns the index of an ID; nil if it is missing.
    func position(of id: ManagedObjectID) -> Int? {
        makeTree()
        guard let leaf = leaves[id], var position = leaf.ids.firstIndex(of: id) else { return nil }
        var node = leaf
        while let parent = node.parent {
            for sibling in parent.children {
                if sibling === node { break }
                position += sibling.count
            }
            node = parent
        }
        return position
    }

    /// Appends an ID, unless it exists already.
    func append(_ id: ManagedObjectID) { insert(id, at: count) }

    /// Inserts an ID before an index, or at the end, unless it exists already.
    func insert(_ id: ManagedObjectID, at position: Int) {
        if contains(id) { return }
        list = nil
        put(id, at: position)
    }

    /// Removes an ID, if it exists.
    func remove(_ id: ManagedObjectID) {
        makeTree()
        guard let leaf = leaves.removeValue(forKey: id), let offset = leaf.ids.firstIndex(of: id)
        else { return }
        list = nil
        moveCount += leaf.ids.count - offset
        leaf.ids.remove(at: offset)
        forEachNode(from: leaf) { $0.count -= 1 }
        if leaf.ids.isEmpty { drop(leaf) }
    }

    /// Replaces all IDs.
    func replaceIDs(_ replacement: (ManagedObjectID) -> ManagedObjectID) {
        var known: Set<ManagedObjectID> = []
        list = ids.map(replacement).filter { known.insert($0).inserted }
        root = Node()
        leaves = [:]
        isTree = false
    }

    // MARK: - The tree

    private func makeTree() {
        if isTree { return }
        isTree = true
        let ids = list ?? []
        leaves.reserveCapacity(ids.count)
        var nodes = ids.pieces(of: Self.usual).map { piece in
            let leaf = Node()
            leaf.ids = Array(piece)
            leaf.count = piece.count
            for id in piece { leaves[id] = leaf }
            return leaf
        }
        while nodes.count > 1 {
            nodes = nodes.pieces(of: Self.usual).map { piece in
                let parent = Node()
                parent.children = Array(piece)
                for child in piece {
                    child.parent = parent
                    parent.count += child.count
                }
                return parent
            }
        }
        root = nodes.first ?? Node()
    }

    private func put(_ id: ManagedObjectID, at position: Int) {
        let (leaf, offset) = leaf(at: position)
        moveCount += leaf.ids.count - offset + 1
        leaf.ids.insert(id, at: offset)
        leaves[id] = leaf
        forEachNode(from: leaf) { $0.count += 1 }
        if leaf.ids.count > Self.most { split(leaf) }
    }

    /// Returns the leaf of an index and the offset in it; the last leaf for the end.
    private func leaf(at position: Int) -> (Node, Int) {
        var node = root
        var rest = position
        while !node.isLeaf {
            var next = node.children[node.children.count - 1]
            for child in node.children.dropLast() {
                if rest < child.count {
                    next = child
                    break
                }
                rest -= child.count
            }
            node = next
        }
        return (node, rest)
    }

    private func forEachNode(from leaf: Node, _ body: (Node) -> Void) {
        var node: Node? = leaf
        while let current = node {
            body(current)
            node = current.parent
        }
    }

    /// Moves half of a node to a new one after it.
    private func split(_ node: Node) {
        let half = Node()
        if node.isLeaf {
            let middle = node.ids.count / 2
            half.ids = Array(node.ids[middle...])
            node.ids.removeSubrange(middle...)
            for id in half.ids { leaves[id] = half }
            half.count = half.ids.count
            moveCount += half.count
        } else {
            let middle = node.children.count / 2
            half.children = Array(node.children[middle...])
            node.children.removeSubrange(middle...)
            for child in half.children { child.parent = half }
            half.count = half.children.reduce(0) { $0 + $1.count }
            moveCount += half.children.count
        }
        node.count -= half.count
        guard let parent = node.parent else {
            let top = Node()
            top.children = [node, half]
            top.count = node.count + half.count
            for child in top.children { child.parent = top }
            root = top
            return
        }
        half.parent = parent
        let index = parent.children.firstIndex { $0 === node } ?? parent.children.count - 1
        moveCount += parent.children.count - index
        parent.children.insert(half, at: index + 1)
        if parent.children.count > Self.most { split(parent) }
    }

    /// Removes an empty node from the tree, with parents that become empty.
    private func drop(_ node: Node) {
        guard let parent = node.parent else {
            root = Node()
            return
        }
        let index = parent.children.firstIndex { $0 === node } ?? 0
        moveCount += parent.children.count - index
        parent.children.remove(at: index)
        if parent.children.isEmpty { drop(parent) }
    }
}

extension Array {
    /// Returns the elements in pieces of a given length; the last may be shorter.
    fileprivate func pieces(of length: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: count, by: length).map { self[$0..<Swift.min($0 + length, count)] }
    }
}
