// swift-format-ignore-file
// Generated from the model 'Trips'. Do not edit: changes are overwritten.

import Duramen

nonisolated extension ManagedObjectModel {
    /// The model 'Trips', made once.
    static var trips: ManagedObjectModel {
        get throws(ModelError) { try GeneratedModel_Trips.model.get() }
    }
}

nonisolated private enum GeneratedModel_Trips {
    static let model = Result<ManagedObjectModel, ModelError>(catching: make)

    static func make() throws(ModelError) -> ManagedObjectModel {
        try ManagedObjectModel(
            [
                EntityDescription.of(Stop.self),
                EntityDescription.of(Trip.self),
            ],
            configurations: [],
            versionIdentifiers: [])
    }
}

/// An object of the entity 'Stop'.
nonisolated final class Stop: ManagedObject, Identifiable {
    var place: String {
        get { attribute(at: 0) }
        set { setAttribute(newValue, at: 0) }
    }
    var trip: Trip? {
        get { toOne(at: 1) }
        set { setToOne(newValue, at: 1) }
    }

    static var managedLayout_Stop: ManagedLayout {
        ManagedLayout(slots: 2, toManys: 0, transients: 0)
    }

    static func managedPropertyNames_Stop<Root: Stop>(
        rootedAt root: Root.Type
    ) -> [AnyKeyPath: String] {
        [
            \Root.place: "place",
            \Root.trip: "trip",
        ]
    }

    private static let managedKeyPaths_Stop = ManagedKeyPaths(
        managedPropertyNames_Stop(rootedAt: Stop.self))

    override class func propertyName(for keyPath: AnyKeyPath) -> String? {
        managedKeyPaths_Stop[keyPath] ?? super.propertyName(for: keyPath)
    }

    override class var entityName: String {
        "Stop"
    }

    override class var entityDescription: EntityDescription {
        var description = EntityDescription(name: "Stop")
        description.attributes = [
            AttributeDescription("place", .string, default: .text("")),
        ]
        description.relationships = [
            RelationshipDescription.toOne("trip", destination: "Trip", inverse: "stops"),
        ]
        return description
    }

    override class func overriddenHooks(of type: ManagedObject.Type) -> LifecycleHooks {
        type == Stop.self ? [] : super.overriddenHooks(of: type)
    }

    /// The stored values of Stop objects, free to leave their context.
    nonisolated struct Values: ManagedValues {
        typealias Object = Stop
        var objectID: ManagedObjectID
        var place: String
        var trip: ManagedObjectID?

        init(objectID: ManagedObjectID = .temporary(entity: EntityHandle(name: "Stop")), place: String = "", trip: ManagedObjectID? = nil) {
            self.objectID = objectID
            self.place = place
            self.trip = trip
        }

        init(reading reader: ValuesReader) {
            self.objectID = reader.objectID
            self.place = reader.attribute(at: 0)
            self.trip = reader.toOne(at: 1)
        }

        func write(to writer: ValuesWriter) {
            writer.set(self.place, at: 0)
            writer.setToOne(self.trip, at: 1)
        }

        static func == (a: Self, b: Self) -> Bool {
            if a.objectID != b.objectID { return false }
            if !isSame(a.place, b.place) { return false }
            if a.trip != b.trip { return false }
            return true
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(self.objectID)
            Self.hash(self.place, into: &hasher)
            hasher.combine(self.trip)
        }

        private enum CodingKeys: String, CodingKey {
            case objectID, place, trip
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            self.objectID = try container.decodeIfPresent(ManagedObjectID.self, forKey: .objectID) ?? .temporary(entity: EntityHandle(name: "Stop"))
            self.place = try Self.decode(String.self, from: container, forKey: .place)
            self.trip = try container.decodeIfPresent(ManagedObjectID.self, forKey: .trip)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(self.objectID, forKey: .objectID)
            try Self.encode(self.place, to: &container, forKey: .place)
            try container.encodeIfPresent(self.trip, forKey: .trip)
        }
    }

    /// The stored values with unsaved changes, free to leave the object's context.
    var values: Values { Values(self) }
}

/// An object of the entity 'Trip'.
nonisolated final class Trip: ManagedObject, Identifiable {
    var stops: OrderedToMany<Stop> { orderedToMany(at: 0) }
    var title: String {
        get { attribute(at: 0) }
        set { setAttribute(newValue, at: 0) }
    }

    static var managedLayout_Trip: ManagedLayout {
        ManagedLayout(slots: 1, toManys: 1, transients: 0)
    }

    static func managedPropertyNames_Trip<Root: Trip>(
        rootedAt root: Root.Type
    ) -> [AnyKeyPath: String] {
        [
            \Root.stops: "stops",
            \Root.title: "title",
        ]
    }

    private static let managedKeyPaths_Trip = ManagedKeyPaths(
        managedPropertyNames_Trip(rootedAt: Trip.self))

    override class func propertyName(for keyPath: AnyKeyPath) -> String? {
        managedKeyPaths_Trip[keyPath] ?? super.propertyName(for: keyPath)
    }

    override class var entityName: String {
        "Trip"
    }

    override class var entityDescription: EntityDescription {
        var description = EntityDescription(name: "Trip")
        description.attributes = [
            AttributeDescription("title", .string, default: .text("")),
        ]
        description.relationships = [
            RelationshipDescription.toMany("stops", destination: "Stop", deleteRule: .cascade, inverse: "trip", isOrdered: true),
        ]
        description.uniquenessConstraints = [
            ["title"],
        ]
        return description
    }

    override class func overriddenHooks(of type: ManagedObject.Type) -> LifecycleHooks {
        type == Trip.self ? [] : super.overriddenHooks(of: type)
    }

    /// The object with title, of which there is one at most.
    static func find(title: String, in context: ManagedObjectContext) throws -> Trip? {
        try context.fetch(FetchRequest<Trip>().where { $0.title == title }.limit(1)).first
    }

    /// The stored values of Trip objects, free to leave their context.
    nonisolated struct Values: ManagedValues {
        typealias Object = Trip
        var objectID: ManagedObjectID
        var title: String

        init(objectID: ManagedObjectID = .temporary(entity: EntityHandle(name: "Trip")), title: String = "") {
            self.objectID = objectID
            self.title = title
        }

        init(reading reader: ValuesReader) {
            self.objectID = reader.objectID
            self.title = reader.attribute(at: 0)
        }

        func write(to writer: ValuesWriter) {
            writer.set(self.title, at: 0)
        }

        static func == (a: Self, b: Self) -> Bool {
            if a.objectID != b.objectID { return false }
            if !isSame(a.title, b.title) { return false }
            return true
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(self.objectID)
            Self.hash(self.title, into: &hasher)
        }

        private enum CodingKeys: String, CodingKey {
            case objectID, title
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            self.objectID = try container.decodeIfPresent(ManagedObjectID.self, forKey: .objectID) ?? .temporary(entity: EntityHandle(name: "Trip"))
            self.title = try Self.decode(String.self, from: container, forKey: .title)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(self.objectID, forKey: .objectID)
            try Self.encode(self.title, to: &container, forKey: .title)
        }
    }

    /// The stored values with unsaved changes, free to leave the object's context.
    var values: Values { Values(self) }
}
