/// Finds the known name that was probably meant, for error messages.
package enum NearestName {
    // Longer names are not compared: the table of distances grows with the square of the length.
    private static let longest = 64

    /// Returns the known name with the fewest typing errors compared to the given name, ignoring
    /// case.
    ///
    /// - Parameters:
    ///   - name: The name that does not exist.
    ///   - known: The names that exist.
    /// - Returns: The first of the nearest names; nil if no name has at most one error for every
    ///   three characters.
    /// - Complexity: O(*n* · *m*²) for *n* names of *m* characters.
    package static func of(_ name: String, among known: some Sequence<String>) -> String? {
        let wanted = scalars(name)
        guard (1...longest).contains(wanted.count) else { return nil }
        let limit = max(1, wanted.count / 3)
        var best: (name: String, slips: Int)?
        for candidate in known {
            let other = scalars(candidate)
            guard (1...longest).contains(other.count), abs(other.count - wanted.count) <= limit
            else { continue }
            let slips = slips(between: wanted, and: other)
            if slips <= limit, slips < best?.slips ?? .max { best = (candidate, slips) }
        }
        return best?.name
    }

    /// Returns `Did you mean 'title'? ` for a near name; empty text if there is none.
    package static func question(_ name: String, among known: some Sequence<String>) -> String {
        of(name, among: known).map { "Did you mean '\($0)'? " } ?? ""
    }

    private static func scalars(_ name: String) -> [Unicode.Scalar] {
        Array(name.lowercased().unicodeScalars)
    }

    /// Returns how many insertions, deletions, replacements and swaps of neighbours turn one text
    /// into the other.
    private static func slips(between a: [Unicode.Scalar], and b: [Unicode.Scalar]) -> Int {
        var older: [Int] = []
        var last = Array(0...b.count)
        for row in 1...a.count {
            var next = [row]
            for column in 1...b.count {
                let isSame = a[row - 1] == b[column - 1]
                var fewest = min(
                    last[column] + 1, next[column - 1] + 1, last[column - 1] + (isSame ? 0 : 1))
                if row > 1, column > 1, a[row - 1] == b[column - 2], a[row - 2] == b[column - 1] {
                    fewest = min(fewest, older[column - 2] + 1)
                }
                next.append(fewest)
            }
            (older, last) = (last, next)
        }
        return last[b.count]
    }
}
