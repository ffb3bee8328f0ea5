import Duramen

// Managed classes as @Managed writes them, by hand, so that this package needs no macro.

/// A row of the workload as a managed object. Slots are in the order of the names.
final class Quake: ManagedObject {
    var code: String {
        get { attribute(at: 0) }
        set { setAttribute(newValue, at: 0) }
    }
    var depth: Double {
        get { attribute(at: 1) }
        set { setAttribute(newValue, at: 1) }
    }
    var felt: Int64? {
        get { attribute(at: 2) }
        set { setAttribute(newValue, at: 2) }
    }
    var isReviewed: Bool {
        get { attribute(at: 3) }
        set { setAttribute(newValue, at: 3) }
    }
    var magnitude: Double {
        get { attribute(at: 4) }
        set { setAttribute(newValue, at: 4) }
    }
    var place: String {
        get { attribute(at: 5) }
        set { setAttribute(newValue, at: 5) }
    }
    var region: Region? {
        get { toOne(at: 6) }
        set { setToOne(newValue, at: 6) }
    }
    var time: Double {
        get { attribute(at: 7) }
        set { setAttribute(newValue, at: 7) }
    }

    override class func overriddenHooks(of type: ManagedObject.Type) -> LifecycleHooks { [] }

    override class var entityDescription: EntityDescription {
        EntityDescription(
            name: "Quake",
            attributes: [
                .of(String.self, name: "code"), .of(Double.self, name: "depth"),
                .of(Int64?.self, name: "felt"), .of(Bool.self, name: "isReviewed"),
                .of(Double.self, name: "magnitude"), .of(String.self, name: "place"),
                .of(Double.self, name: "time"),
            ],
            relationships: [.toOne("region", destination: Region.self)])
    }

    override class func propertyName(for keyPath: AnyKeyPath) -> String? { names[keyPath] }

    private static let names = ManagedKeyPaths([
        \Quake.code: "code", \Quake.depth: "depth", \Quake.felt: "felt",
        \Quake.isReviewed: "isReviewed", \Quake.magnitude: "magnitude", \Quake.place: "place",
        \Quake.region: "region", \Quake.time: "time",
    ])
}

/// A region of the workload as a managed object.
final class Region: ManagedObject {
    var name: String {
        get { attribute(at: 0) }
        set { setAttribute(newValue, at: 0) }
    }
    var quakes: ToMany<Quake> { toMany(at: 0) }

    override class func overriddenHooks(of type: ManagedObject.Type) -> LifecycleHooks { [] }

    override class var entityDescription: EntityDescription {
        EntityDescription(
            name: "Region", attributes: [.of(String.self, name: "name")],
            relationships: [.toMany("quakes", destination: Quake.self, inverse: \Quake.region)])
    }

    override class func propertyName(for keyPath: AnyKeyPath) -> String? { names[keyPath] }

    private static let names = ManagedKeyPaths([\Region.name: "name", \Region.quakes: "quakes"])
}
