import DuramenModel

/// A rule of the application over one property, beside those that the model has.
///
/// ```swift
/// override class var propertyRules: [PropertyRule] {
///     [
///         PropertyRule(\Quake.magnitude) { magnitude, quake in
///             if magnitude > 9.9, quake.status == .reviewed { throw Implausible() }
///         }
///     ]
/// }
/// ```
public struct PropertyRule {
    /// The name of the property; nil for a key path that is none of its class.
    let property: String?
    let check: (ManagedObject) throws -> Void

    /// Makes a rule of a closure that throws when a value must not be saved. It must change
    /// nothing.
    ///
    /// - Parameters:
    ///   - keyPath: A property of the class.
    ///   - check: Is given the value and its object.
    public init<Object: ManagedObject, Value>(
        _ keyPath: KeyPath<Object, Value>, _ check: @escaping (Value, Object) throws -> Void
    ) {
        property = Object.propertyName(for: keyPath)
        self.check = { object in
            // Plans ask a class for its own rules, so that this holds.
            guard let object = object as? Object else { return }
            try check(object[keyPath: keyPath], object)
        }
    }
}
