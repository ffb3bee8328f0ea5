import Duramen
import DuramenMemory
import Testing

/// Enumerations and raw values that list no cases.
@MainActor
struct EnumerationTests {
    private let context: ManagedObjectContext
    private let container: PersistentContainer

    init() throws {
        container = try StoreKind.memory.container(ManagedObjectModel(Shirt.self))
        context = container.viewContext
    }

    @Test func aRawValueIsAllThatAnEnumerationNeeds() throws {
        let shirt = Shirt(context: context)
        #expect(shirt.size == .medium)
        shirt.size = .large
        shirt.color = .blue
        try context.save()
        let found = try container.makeContext().fetch(
            FetchRequest<Shirt>().where { $0.size == .large && $0.color == .blue })
        #expect(found.map(\.size) == [.large] && found.map(\.color) == [.blue])
        #expect(try shirt.value(forKey: "size") as? String == "L")
    }

    @Test func anUnknownRawValueReadsAsTheFirstCaseAndIsReported() throws {
        let shirt = Shirt(context: context)
        try shirt.setValue("XXL", forKey: "size")
        try shirt.setValue(Int16(9), forKey: "color")
        #expect(shirt.size == .small && shirt.color == .red)
        let error = #expect(throws: FaultFailures.self) { try context.save() }
        #expect(error?.errors.count == 2)
    }

    @Test func aSingleCaseIsTheFirstOne() throws {
        let shirt = Shirt(context: context)
        try shirt.setValue("linen", forKey: "fabric")
        #expect(shirt.fabric == .cotton)
    }

    @Test func aStructOfARawValueIsMadeOfIt() throws {
        let shirt = Shirt(context: context)
        #expect(shirt.label.rawValue == "")
        shirt.label = Label(rawValue: "a")
        #expect(try shirt.storedValue(forKey: "label") == .text("a"))
    }
}

private enum Size: String, AttributeValue {
    case small = "S", medium = "M", large = "L"
}

private enum Color: Int16, AttributeValue {
    case red = 3, blue = 1
}

private enum Fabric: String, AttributeValue {
    case cotton
}

private struct Label: RawRepresentable, AttributeValue {
    var rawValue: String
}

private final class Shirt: ManagedObject {
    var color: Color? {
        get { attribute(at: 0) }
        set { setAttribute(newValue, at: 0) }
    }
    var fabric: Fabric {
        get { attribute(at: 1) }
        set { setAttribute(newValue, at: 1) }
    }
    var label: Label {
        get { attribute(at: 2) }
        set { setAttribute(newValue, at: 2) }
    }
    var size: Size {
        get { attribute(at: 3) }
        set { setAttribute(newValue, at: 3) }
    }

    override class var entityDescription: EntityDescription {
        EntityDescription(
            name: "Shirt",
            attributes: [
                .of(Color?.self, name: "color"), .of(Fabric.self, name: "fabric", default: .cotton),
                .of(Label.self, name: "label", default: Label(rawValue: "")),
                .of(Size.self, name: "size", default: .medium),
            ])
    }

    override class var entityName: String { "Shirt" }

    override class func propertyName(for keyPath: AnyKeyPath) -> String? { names[keyPath] }

    private static let names = ManagedKeyPaths([
        \Shirt.color: "color", \Shirt.fabric: "fabric", \Shirt.label: "label",
        \Shirt.size: "size",
    ])
}
