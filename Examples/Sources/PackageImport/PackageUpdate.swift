import Duramen
import PackageModel

/// Changes a package where it differs, and remembers whether it did.
///
/// Assigning an equal value would do no harm, since a save leaves out what is as it was. But the
/// importer wants to say how many packages changed.
struct PackageUpdate {
    private let package: Package
    /// Whether anything differed.
    private(set) var isChanged = false

    init(_ package: Package) { self.package = package }

    mutating func set<Value: AttributeValue>(
        _ property: ReferenceWritableKeyPath<Package, Value>, to value: Value
    ) {
        // Compared as stored: `==` on `String` finds two spellings of one letter equal.
        guard package[keyPath: property].storedValue != value.storedValue else { return }
        package[keyPath: property] = value
        isChanged = true
    }

    mutating func set<Value: AttributeValue>(
        _ property: ReferenceWritableKeyPath<Package, Value?>, to value: Value?
    ) {
        guard package[keyPath: property]?.storedValue != value?.storedValue else { return }
        package[keyPath: property] = value
        isChanged = true
    }

    mutating func set<Destination: ManagedObject>(
        _ property: ReferenceWritableKeyPath<Package, Destination?>, to destination: Destination?
    ) {
        guard package[keyPath: property] !== destination else { return }
        package[keyPath: property] = destination
        isChanged = true
    }

    mutating func set(_ property: KeyPath<Package, ToMany<Package>>, to members: Set<Package>) {
        let toMany = package[keyPath: property]
        guard toMany.count != members.count || !members.allSatisfy(toMany.contains) else { return }
        toMany.replace(with: members)
        isChanged = true
    }
}
