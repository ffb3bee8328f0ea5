public import Duramen
public import DuramenMacros

/// A vehicle, in another file than its superclass.
@Managed
open class Car: Vehicle {
    public var doors: Int16 = 5
    @Attribute(.transient) public var driver: String?
    @Relationship(values: true) public var trips: ToMany<Trip>
}

/// A journey of cars.
@Managed
public final class Trip: ManagedObject {
    public var kilometres: Double
    @Relationship(inverse: \Car.trips) public var cars: ToMany<Car>
}
