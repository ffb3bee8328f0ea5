/// Pairs the things of an old version with the things of a new version.
///
/// Things with equal names are paired first. The rest are paired by canonical name: a renaming
/// identifier is the first name of a thing, and stays in all later versions. Last come identifiers
/// that are the name in the previous version.
package struct Pairing<Thing> {
    /// The old things without a new thing, in their order.
    package private(set) var removed: [Thing] = []
    /// New things whose identifier names an old thing that is paired with another new thing. Each
    /// was renamed or added.
    package private(set) var ambiguous: [(new: Thing, old: Thing)] = []
    private var olds: [StoredText: Thing] = [:]
    private var newNames: [StoredText: String] = [:]

    /// Pairs things by their names and renaming identifiers.
    package init(
        _ olds: [Thing], _ news: [Thing], name: (Thing) -> String,
        renamingIdentifier: (Thing) -> String?
    ) {
        let byName = Dictionary(
            olds.map { (StoredText(name($0)), $0) }, uniquingKeysWith: { first, _ in first })
        for new in news {
            if let old = byName[StoredText(name(new))] { pair(old, name(old), name(new)) }
        }
        func canonicalName(_ thing: Thing) -> StoredText {
            StoredText(renamingIdentifier(thing) ?? name(thing))
        }
        let byCanonicalName = Dictionary(
            olds.map { (canonicalName($0), $0) }, uniquingKeysWith: { first, _ in first })
        // An old thing that still exists under its name was not renamed.
        for isCanonical in [true, false] {
            for new in news where self.olds[StoredText(name(new))] == nil {
                let old =
                    isCanonical
                    ? byCanonicalName[canonicalName(new)]
                    : renamingIdentifier(new).flatMap { byName[StoredText($0)] }
                guard let old, newNames[StoredText(name(old))] == nil else { continue }
                pair(old, name(old), name(new))
            }
        }
        for new in news where self.olds[StoredText(name(new))] == nil {
            guard let identifier = renamingIdentifier(new).map({ StoredText($0) }),
                let old = byCanonicalName[identifier] ?? byName[identifier]
            else { continue }
            ambiguous.append((new, old))
        }
        removed = olds.filter { newNames[StoredText(name($0))] == nil }
    }

    private mutating func pair(_ old: Thing, _ oldName: String, _ newName: String) {
        olds[StoredText(newName)] = old
        newNames[StoredText(oldName)] = newName
    }

    /// Returns the old thing of a new name; nil if the new thing was added.
    package func old(of newName: String) -> Thing? { olds[StoredText(newName)] }

    /// Returns the new name of an old thing; nil if it was removed.
    package func newName(of oldName: String) -> String? { newNames[StoredText(oldName)] }
}
