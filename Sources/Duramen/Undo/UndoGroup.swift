/// A group of registered actions and nested groups that are undone together.
final class UndoGroup {
    private enum Item {
        case action(UndoAction)
        case group(UndoGroup)
    }

    var name: String
    private var items: [Item] = []

    init(name: String = "") { self.name = name }

    var isEmpty: Bool { items.isEmpty }

    func append(_ action: UndoAction) { items.append(.action(action)) }

    func append(_ group: UndoGroup) { items.append(.group(group)) }

    /// Removes and returns the last item if it is a group.
    func popGroup() -> UndoGroup? {
        guard case .group(let group)? = items.last else { return nil }
        items.removeLast()
        return group
    }

    /// Runs all actions, the last first.
    ///
    /// - Parameter afterEach: Called after each action.
    func run(afterEach: () -> Void) throws {
        for item in items.reversed() {
            switch item {
            case .action(let action):
                try action.run()
                afterEach()
            case .group(let group): try group.run(afterEach: afterEach)
            }
        }
    }

    func removeAll() { items = [] }

    /// Removes actions of a target, and actions whose target was released.
    func remove(target: AnyObject) {
        items.removeAll { item in
            switch item {
            case .action(let action): return action.target == nil || action.target === target
            case .group(let group):
                group.remove(target: target)
                return group.isEmpty
            }
        }
    }
}

/// One registered action.
struct UndoAction {
    private(set) weak var target: AnyObject?
    private let handler: (AnyObject) throws -> Void

    init<Target: AnyObject>(_ target: Target, _ handler: @escaping (Target) throws -> Void) {
        self.target = target
        // Sound: it is called with the target only.
        self.handler = { try handler(unsafeDowncast($0, to: Target.self)) }
    }

    func run() throws { if let target { try handler(target) } }
}
