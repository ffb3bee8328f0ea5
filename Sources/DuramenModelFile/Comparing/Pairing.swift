import DuramenModel

/// Which things of an old version are those of a new one.
struct Pairing<Thing> {
    /// The old ones that have no new one, in their order.
    private(set) var removed: [Thing] = []
    private var olds: [StoredText: Thing] = [:]
    private var newNames: [StoredText: String] = [:]

    init(
        _ olds: [Thing], _ news: [Thing], name: (Thing) -> String,
        renamingIdentifier: (Thing) -> String?
    ) {
        let byName = Dictionary(
            olds.map { (StoredText(name($0)), $0) }, uniquingKeysWith: { first, _ in first })
        for new in news {
            let newName = name(new)
            // An identifier stays in all later versions, so it is a renaming only where the new name is new.
            let found =
                byName[StoredText(newName)]
                ?? renamingIdentifier(new).flatMap { byName[StoredText($0)] }
            guard let found, newNames[StoredText(name(found))] == nil else { continue }
            self.olds[StoredText(newName)] = found
            newNames[StoredText(name(found))] = newName
        }
        removed = olds.filter { newNames[StoredText(name($0))] == nil }
    }

    /// What a new thing was; nil when it was added.
    func old(of newName: String) -> Thing? { olds[StoredText(newName)] }

    /// What an old thing is called now; nil when it is gone.
    func newName(of oldName: String) -> String? { newNames[StoredText(oldName)] }
}
