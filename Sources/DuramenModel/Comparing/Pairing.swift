/// Which things of an old version are those of a new one.
///
/// Those of one name are the same. Of the others, those of one canonical name are: a renaming
/// identifier is the name that a thing had first, and stays in all later versions. Last comes an
/// identifier that is the name in the version before.
package struct Pairing<Thing> {
    /// The old ones that have no new one, in their order.
    package private(set) var removed: [Thing] = []
    /// New ones that call an old one by their identifier, which another new one is: each was
    /// renamed or added.
    package private(set) var ambiguous: [(new: Thing, old: Thing)] = []
    private var olds: [StoredText: Thing] = [:]
    private var newNames: [StoredText: String] = [:]

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
        // What is still there under its name was not renamed.
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

    /// What a new thing was; nil when it was added.
    package func old(of newName: String) -> Thing? { olds[StoredText(newName)] }

    /// What an old thing is called now; nil when it is gone.
    package func newName(of oldName: String) -> String? { newNames[StoredText(oldName)] }
}
