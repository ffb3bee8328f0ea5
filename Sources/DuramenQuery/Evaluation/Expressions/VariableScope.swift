/// The variables that a predicate calls values by while it is bound, by their places in a frame.
final class VariableScope {
    private var places: [String: (place: Int, type: ExpressionType)] = [:]
    /// How many places a frame needs.
    private(set) var count: Int

    init(count: Int = 0) { self.count = count }

    subscript(name: String) -> (place: Int, type: ExpressionType)? { places[name] }

    /// Gives a variable a place for all that follows.
    func add(_ name: String, _ type: ExpressionType) -> Int {
        let place = count
        count += 1
        places[name] = (place, type)
        return place
    }

    /// Gives a variable a place while `body` runs.
    func with<R, E: Error>(
        _ name: String, _ type: ExpressionType, _ body: (Int) throws(E) -> R
    ) throws(E) -> R {
        let outside = places
        defer { places = outside }
        return try body(add(name, type))
    }
}
