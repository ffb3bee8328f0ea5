/// The variables of a predicate while it is bound, with their indices in a frame.
final class VariableScope {
    private var places: [String: (place: Int, type: ExpressionType)] = [:]
    /// The number of indices that a frame needs.
    private(set) var count: Int

    init(count: Int = 0) { self.count = count }

    subscript(name: String) -> (place: Int, type: ExpressionType)? { places[name] }

    /// Adds a variable for everything that follows, and returns its index.
    func add(_ name: String, _ type: ExpressionType) -> Int {
        let place = count
        count += 1
        places[name] = (place, type)
        return place
    }

    /// Adds a variable while `body` runs.
    func with<R, E: Error>(
        _ name: String, _ type: ExpressionType, _ body: (Int) throws(E) -> R
    ) throws(E) -> R {
        let outside = places
        defer { places = outside }
        return try body(add(name, type))
    }
}
