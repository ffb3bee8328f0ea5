import Duramen

// Managed classes as @Managed writes them, by hand, so that this package needs no macro.

/// What all rows work with.
final class Item: ManagedObject {
    var group: Group? {
        get { toOne(at: 0) }
        set { setToOne(newValue, at: 0) }
    }
    var list: List? {
        get { toOne(at: 1) }
        set { setToOne(newValue, at: 1) }
    }
    var name: String {
        get { attribute(at: 2) }
        set { setAttribute(newValue, at: 2) }
    }
    var number: Int64 {
        get { attribute(at: 3) }
        set { setAttribute(newValue, at: 3) }
    }
    var text: String {
        get { attribute(at: 4) }
        set { setAttribute(newValue, at: 4) }
    }
    var tags: ToMany<Tag> { toMany(at: 0) }

    override class func overriddenHooks(of type: ManagedObject.Type) -> LifecycleHooks { [] }

    override class var entityDescription: EntityDescription {
        EntityDescription(
            name: "Item",
            attributes: [
                .of(String.self, name: "name"), .of(Int64.self, name: "number", default: 0),
                .of(String.self, name: "text", default: ""),
            ],
            relationships: [
                .toOne("group", destination: Group.self),
                .toOne("list", destination: List.self),
                .toMany("tags", destination: Tag.self, inverse: \Tag.items),
            ],
            uniquenessConstraints: [["name"]], indexes: [IndexDescription("number")])
    }

    override class func propertyName(for keyPath: AnyKeyPath) -> String? { names[keyPath] }

    private static let names = ManagedKeyPaths([
        \Item.group: "group", \Item.list: "list", \Item.name: "name", \Item.number: "number",
        \Item.text: "text", \Item.tags: "tags",
    ])
}

/// An owner of items in no order.
final class Group: ManagedObject {
    var number: Int64 {
        get { attribute(at: 0) }
        set { setAttribute(newValue, at: 0) }
    }
    var items: ToMany<Item> { toMany(at: 0) }

    override class func overriddenHooks(of type: ManagedObject.Type) -> LifecycleHooks { [] }

    override class var entityDescription: EntityDescription {
        EntityDescription(
            name: "Group", attributes: [.of(Int64.self, name: "number", default: 0)],
            relationships: [.toMany("items", destination: Item.self, inverse: \Item.group)])
    }

    override class func propertyName(for keyPath: AnyKeyPath) -> String? { names[keyPath] }

    private static let names = ManagedKeyPaths([\Group.number: "number", \Group.items: "items"])
}

/// An owner of items in an order.
final class List: ManagedObject {
    var items: OrderedToMany<Item> { orderedToMany(at: 0) }

    override class func overriddenHooks(of type: ManagedObject.Type) -> LifecycleHooks { [] }

    override class var entityDescription: EntityDescription {
        EntityDescription(
            name: "List",
            relationships: [
                .toMany("items", destination: Item.self, inverse: \Item.list, isOrdered: true)
            ])
    }

    override class func propertyName(for keyPath: AnyKeyPath) -> String? { names[keyPath] }

    private static let names = ManagedKeyPaths([\List.items: "items"])
}

/// What items have many of, and has many items.
final class Tag: ManagedObject {
    var number: Int64 {
        get { attribute(at: 0) }
        set { setAttribute(newValue, at: 0) }
    }
    var items: ToMany<Item> { toMany(at: 0) }

    override class func overriddenHooks(of type: ManagedObject.Type) -> LifecycleHooks { [] }

    override class var entityDescription: EntityDescription {
        EntityDescription(
            name: "Tag", attributes: [.of(Int64.self, name: "number", default: 0)],
            relationships: [.toMany("items", destination: Item.self)])
    }

    override class func propertyName(for keyPath: AnyKeyPath) -> String? { names[keyPath] }

    private static let names = ManagedKeyPaths([\Tag.number: "number", \Tag.items: "items"])
}

/// Somebody in a list that is sorted as names are.
final class Person: ManagedObject {
    var name: String {
        get { attribute(at: 0) }
        set { setAttribute(newValue, at: 0) }
    }

    override class func overriddenHooks(of type: ManagedObject.Type) -> LifecycleHooks { [] }

    override class var entityDescription: EntityDescription {
        EntityDescription(
            name: "Person",
            attributes: [
                .of(String.self, name: "name"),
                .of(String?.self, name: "sortName").derived(from: "localized:(name)"),
            ], indexes: [IndexDescription("sortName")])
    }

    override class func propertyName(for keyPath: AnyKeyPath) -> String? { names[keyPath] }

    private static let names = ManagedKeyPaths([\Person.name: "name"])
}
