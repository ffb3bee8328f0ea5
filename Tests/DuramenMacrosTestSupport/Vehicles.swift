public import Duramen
public import DuramenMacros

// Managed classes that the tests inherit from in another module.

/// What moves.
@Managed(abstract: true)
open class Vehicle: ManagedObject {
    @Attribute(.unique, maximumLength: 8) public var plate: String
    @Attribute(minimum: 0) public var wheels: Int = 4
    @Relationship public var garage: Garage?
}

/// Where vehicles stand.
@Managed
public final class Garage: ManagedObject {
    public var street: String
    @Relationship(inverse: \Vehicle.garage, values: true) public var vehicles: ToMany<Vehicle>
}
