/// The permanent keys that temporary ones were replaced by, kept until the context is reset.
///
/// Temporary keys are counted down, so neighbours share a page, and the last page is remembered.
struct PermanentKeys {
    private var places: [Int64: Int] = [:]
    private var pages: [[Int64]] = []
    private var lastNumber = Int64.min
    private var lastPlace = 0

    /// Whether no key was replaced yet.
    var isEmpty: Bool { pages.isEmpty }

    /// The permanent key of a temporary one; nil when there is none yet.
    subscript(temporary: Int64) -> Int64? {
        guard let place = places[temporary >> 6] else { return nil }
        let key = pages[place][Int(temporary & 63)]
        return key == 0 ? nil : key
    }

    mutating func set(_ permanent: Int64, for temporary: Int64) {
        let number = temporary >> 6
        if number != lastNumber {
            if let known = places[number] {
                lastPlace = known
            } else {
                lastPlace = pages.count
                places[number] = lastPlace
                pages.append(Array(repeating: 0, count: 64))
            }
            lastNumber = number
        }
        pages[lastPlace][Int(temporary & 63)] = permanent
    }

    mutating func removeAll() { self = PermanentKeys() }
}
