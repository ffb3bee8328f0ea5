import DuramenModel
import DuramenQuery

/// The related objects that a list's rows depend on, through the relationships that its condition,
/// order and sections follow.
struct ListDependencies: Sendable {
    /// The objects at the end of a path of relationships.
    struct Node: Sendable {
        /// The index of the node before the last step; nil for the listed objects.
        let parent: Int?
        /// The last step; nil for the listed objects.
        let step: Relationship?
        let entity: EntityID
        /// The slots of the objects that matter.
        var slots: Set<Int> = []
    }

    /// The nodes: first the listed objects, and each node after its parent.
    private(set) var nodes: [Node]
    /// Whether the condition uses something that cannot be tracked, so that any change may matter.
    private(set) var isOpaque = false
    /// Whether the condition follows a to-many, so that the store must be queried.
    private(set) var conditionNeedsStore = false
    private let model: ManagedObjectModel
    private var variables: [StoredText: Int?] = [:]

    init(_ query: StoreQuery, sectionedBy path: [String]?, in model: ManagedObjectModel) {
        self.model = model
        nodes = [Node(parent: nil, step: nil, entity: query.entity)]
        if let predicate = query.predicate { read(predicate, from: 0) }
        conditionNeedsStore = nodes.contains { $0.step?.isToMany == true }
        for descriptor in query.sortDescriptors.beforeSelf { read(descriptor.keyPath, from: 0) }
        if let path { read(path, from: 0) }
    }

    /// Whether only the listed objects matter.
    var isLocal: Bool { nodes.count == 1 && !isOpaque }

    /// Whether a node is reached only over to-ones.
    func isReachedOverToOnes(_ node: Int) -> Bool {
        var next = node
        while let parent = nodes[next].parent {
            if nodes[next].step?.isToMany == true { return false }
            next = parent
        }
        return true
    }

    /// Whether a node contains objects of an entity.
    func concerns(_ node: Int, _ entity: EntityID) -> Bool {
        model[nodes[node].entity].family.contains(entity)
    }

    // MARK: - Reading a request

    private mutating func child(of parent: Int, over step: Relationship) -> Int {
        let known = nodes.firstIndex { $0.parent == parent && $0.step?.id == step.id }
        if let known { return known }
        nodes.append(Node(parent: parent, step: step, entity: step.destination))
        return nodes.count - 1
    }

    /// Follows a path.
    ///
    /// - Returns: The node at its end; nil if it ends in a value.
    @discardableResult
    private mutating func read(_ path: [String], from node: Int) -> Int? {
        var node = node
        for (position, name) in path.enumerated() {
            let entity = model[nodes[node].entity]
            switch entity.property(named: name)
                ?? entity.property(named: path[position...].joined(separator: "."))
            {
            case .relationship(let step)?:
                if let slot = step.slot { nodes[node].slots.insert(slot) }
                node = child(of: node, over: step)
            case .attribute(let attribute)?:
                nodes[node].slots.insert(attribute.slot)
                return nil
            case nil:
                isOpaque = true
                return nil
            }
        }
        return node
    }

    private mutating func read(_ predicate: FetchPredicate, from node: Int) {
        switch predicate.form {
        case .constant: break
        case .comparison(let comparison):
            read(comparison.left, from: node)
            read(comparison.right, from: node)
        case .quantified(_, let keyPath, let part):
            if let end = read(keyPath, from: node) { read(part, from: end) }
        case .not(let part): read(part, from: node)
        case .and(let parts), .or(let parts): for part in parts { read(part, from: node) }
        }
    }

    /// Records the dependencies of an expression.
    ///
    /// - Returns: The node of the expression's objects; nil for a value.
    @discardableResult
    private mutating func read(_ expression: FetchExpression, from node: Int) -> Int? {
        switch expression.form {
        case .constant, .list: return nil
        case .selfObject: return node
        case .keyPath(let path), .count(let path): return read(path, from: node)
        case .variable(let name):
            if let known = variables[StoredText(name)] { return known }
            isOpaque = true
            return nil
        case .property(let base, let path):
            if let end = read(base, from: node) { return read(path, from: end) }
            isOpaque = true
            return nil
        case .subquery(let collection, let variable, let predicate):
            guard let end = read(collection, from: node) else {
                isOpaque = true
                return nil
            }
            variables[StoredText(variable)] = .some(end)
            read(predicate, from: node)
            return end
        case .conditional(let predicate, let first, let second):
            read(predicate, from: node)
            let end = read(first, from: node)
            return read(second, from: node) ?? end
        case .assignment(let name, let value):
            let end = read(value, from: node)
            variables[StoredText(name)] = .some(end)
            return end
        case .anyKey:
            for attribute in model[nodes[node].entity].attributes {
                nodes[node].slots.insert(attribute.slot)
            }
            return nil
        case .aggregate(let parts):
            for part in parts { read(part, from: node) }
            return nil
        case .function(let function, let arguments):
            // Values of the clock or random values change without a change of an object.
            var end: Int?
            for argument in arguments { end = read(argument, from: node) ?? end }
            return function.isOfCollection ? end : nil
        case .cast(let value, _): return read(value, from: node)
        }
    }
}
