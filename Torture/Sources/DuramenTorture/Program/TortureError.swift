/// Why a trial could not be held. What a trial finds is a ``Violation``.
struct TortureError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
