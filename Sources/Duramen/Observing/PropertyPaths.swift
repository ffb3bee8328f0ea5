import DuramenModel

/// The numbers of properties in the plan, of which the registrar's key paths are made.
enum PropertyNumbers {
    static let toManys = 1 << 20
    static let transients = 1 << 21
}

/// The key paths of the first numbers of each kind. Creating a key path costs more than the rest of
/// a read, and so does counting a reference to it.
// Sound: the key paths capture an immutable number.
struct PropertyPaths: @unchecked Sendable {
    private let paths: [KeyPath<ManagedObject, Int>]
    // Sound: `paths` keeps them.
    private let borrowed: [Borrowed<KeyPath<ManagedObject, Int>>]
    private let first: Int

    private static let slots = PropertyPaths(from: 0)
    private static let toManys = PropertyPaths(from: PropertyNumbers.toManys)

    private init(from first: Int) {
        self.first = first
        paths = (first..<first + 128).map { \ManagedObject[property: $0] }
        borrowed = paths.map { Borrowed($0) }
    }

    @inline(__always)
    private subscript(property: Int) -> Borrowed<KeyPath<ManagedObject, Int>>? {
        let index = property &- first
        return index >= 0 && index < borrowed.count ? borrowed[index] : nil
    }

    /// Runs a step with the key path of a property.
    @inline(__always)
    static func with(_ property: Int, _ body: (KeyPath<ManagedObject, Int>) -> Void) {
        if let path = slots[property] ?? toManys[property] {
            // Sound: the static property keeps it.
            path.with(body)
        } else {
            body(\ManagedObject[property: property])
        }
    }
}

extension ManagedObject {
    fileprivate final subscript(property property: Int) -> Int { property }
}
