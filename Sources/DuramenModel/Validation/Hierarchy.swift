/// A tree of parents, numbered so that two comparisons show whether a place is an ancestor.
///
/// ```
///   Animal 0..<4          Each place is numbered after its parent, and everything below a place
///     Cat  1..<3          has the numbers that follow its own.
///       Lion 2..<3
///     Dog  3..<4
/// ```
/// Nothing here recurses, because the depth of models depends on the files that they come from.
public struct Hierarchy: Sendable {
    /// The parents of all places; nil for a root, and for any place in a circle or below one.
    public private(set) var parents: [Int?]
    /// All places except those in circles and below them, each after its parent.
    public private(set) var order: [Int] = []
    /// The places that are their own ancestors, ascending.
    public private(set) var circular: [Int] = []
    /// The places in circles and below them, ascending.
    public private(set) var outside: [Int] = []
    /// The topmost ancestor of each place, or the place itself.
    public private(set) var roots: [Int]
    /// The numbers of each place and of everything below it.
    private var numbers: [Range<Int>]

    /// Numbers places from their parents.
    ///
    /// - Parameter parents: The parent of each place; nil for a root.
    /// - Complexity: O(*n*).
    public init(parents: [Int?]) {
        self.parents = parents
        roots = Array(parents.indices)
        numbers = Array(repeating: 0..<0, count: parents.count)
        var children = [[Int]](repeating: [], count: parents.count)
        for (place, parent) in parents.enumerated() {
            if let parent { children[parent].append(place) }
        }
        number(from: children)
        endBranches()
        numberCircles()
    }

    private mutating func number(from children: [[Int]]) {
        var waiting = Array(parents.indices.filter { parents[$0] == nil }.reversed())
        while let place = waiting.popLast() {
            numbers[place] = order.count..<(order.count + 1)
            if let parent = parents[place] { roots[place] = roots[parent] }
            order.append(place)
            waiting.append(contentsOf: children[place].reversed())
        }
    }

    private mutating func endBranches() {
        for place in order.reversed() {
            guard let parent = parents[place] else { continue }
            let end = max(numbers[parent].upperBound, numbers[place].upperBound)
            numbers[parent] = numbers[parent].lowerBound..<end
        }
    }

    /// Finds the circles among the places without a root.
    private mutating func numberCircles() {
        enum State { case new, onWalk, done }
        var states = [State](repeating: .new, count: parents.count)
        for place in order { states[place] = .done }
        outside = parents.indices.filter { states[$0] == .new }
        for start in outside {
            var walk: [Int] = []
            var next: Int? = start
            while let place = next, states[place] == .new {
                states[place] = .onWalk
                walk.append(place)
                next = parents[place]
            }
            if let next, states[next] == .onWalk {
                circular += walk[(walk.firstIndex(of: next) ?? 0)...]
            }
            for place in walk { states[place] = .done }
        }
        circular.sort()
        for (offset, place) in outside.enumerated() {
            numbers[place] = (order.count + offset)..<(order.count + offset + 1)
        }
        for place in outside { parents[place] = nil }
    }

    /// Returns the number of a place. Ancestors have smaller numbers.
    public func number(of place: Int) -> Int { numbers[place].lowerBound }

    /// Returns the numbers of a place and of everything below it.
    public func branch(of place: Int) -> Range<Int> { numbers[place] }

    /// Returns whether a place is the other place or one of its ancestors.
    public func isAncestor(_ ancestor: Int, orSameAs place: Int) -> Bool {
        numbers[ancestor].contains(numbers[place].lowerBound)
    }
}
