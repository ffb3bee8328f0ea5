import Observation

/// The observers of one object.
///
/// It is a class so that a read needs no reference counting.
final class ObjectObservers {
    private let registrar = ObservationRegistrar()

    /// Reports a read of a property.
    @inline(__always) func access(_ object: ManagedObject, _ property: Int) {
        PropertyPaths.with(property) { registrar.access(object, keyPath: $0) }
    }

    /// Reports that a property is about to be written.
    func willSet(_ object: ManagedObject, _ property: Int) {
        PropertyPaths.with(property) { registrar.willSet(object, keyPath: $0) }
    }

    /// Reports that a property was written.
    func didSet(_ object: ManagedObject, _ property: Int) {
        PropertyPaths.with(property) { registrar.didSet(object, keyPath: $0) }
    }
}
