import DuramenModel

/// A validation rule of the application for one property, in addition to the model's rules.
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
    /// The name of the property; nil if the key path is not a property of the class.
    let property: String?
    let check: (ManagedObject) throws -> Void

    /// Creates a rule from a closure that throws if a value must not be saved. The closure must not
    /// change anything.
    ///
    /// - Parameters:
    ///   - keyPath: A property of the class.
    ///   - check: A closure that gets the value and its object.
    public init<Object: ManagedObject, Value>(
        _ keyPath: KeyPath<Object, Value>, _ check: @escaping (Value, Object) throws -> Void
    ) {
        property = Object.propertyName(for: keyPath)
        self.check = { object in
            // Plans ask a class only for its own rules, so the cast succeeds.
            guard let object = object as? Object else { return }
            try check(object[keyPath: keyPath], object)
        }
    }
}
