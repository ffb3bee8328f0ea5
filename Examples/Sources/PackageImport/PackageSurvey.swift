import DebianPackages
import Duramen
import PackageModel

/// What the packages of a file lead to, collected in one pass over it.
struct PackageSurvey {
    // By bytes, as the store compares.
    private var names: Set<StoredText> = []
    private var sections: Set<StoredText> = []
    private var maintainers: [StoredText: Contact] = [:]
    /// By identifier: the number of the last stanza.
    private var lastStanzas: [StoredText: Int] = [:]
    private var installed: Set<StoredText> = []
    /// What there is to import.
    private(set) var summary = ImportSummary()

    init(path: String) throws {
        let reader = try PackageReader(path: path)
        guard reader.progress.totalBytes != nil else {
            throw PackageBatches.Refusal.inputIsNoFile(path)
        }
        var stanzas = NumberedStanzas(reader)
        while let (number, identifier, stanza) = try stanzas.next() {
            let key = StoredText(identifier)
            if lastStanzas.updateValue(number, forKey: key) == nil {
                summary.inserted += 1
            } else {
                summary.updated += 1
            }
            names.insert(key)
            // A stanza of an index does not say.
            switch stanza.status?.isInstalled {
            case true?: installed.insert(key)
            case false?: installed.remove(key)
            case nil: break
            }
            let others = stanza.dependencyNames + stanza.alternativeNames + stanza.providedNames
            for name in others { names.insert(StoredText(name)) }
            if let section = stanza.section { sections.insert(StoredText(section)) }
            if let contact = stanza.maintainer {
                maintainers[StoredText(contact.description)] = contact
            }
        }
        summary.malformed = stanzas.malformedCount
    }

    /// Whether no later stanza is about the same package.
    func isLast(_ number: Int, of identifier: String) -> Bool {
        lastStanzas[StoredText(identifier)] == number
    }

    /// What is known of a package.
    func state(of identifier: String) -> PackageState {
        installed.contains(StoredText(identifier)) ? .installed : .listed
    }

    /// Inserts what rows of packages will lead to. What is there stays.
    func insertNames(into context: ManagedObjectContext) throws {
        try context.execute(
            BatchInsertRequest(
                Package.self, objects: names.lazy.map { ["identifier": $0.string] }))
        try context.execute(
            BatchInsertRequest(Section.self, objects: sections.lazy.map { ["name": $0.string] }))
        var contacts = maintainers.values.makeIterator()
        try context.execute(
            BatchInsertRequest(Maintainer.self) { row in
                guard let contact = contacts.next() else { return true }
                row[\.contact] = contact.description
                row[\.name] = contact.name
                row[\.address] = contact.address
                return false
            })
    }
}

/// The stanzas of a file with their numbers, and with the identifiers of the packages that they are
/// about.
struct NumberedStanzas {
    private let reader: PackageReader
    private var number = 0
    private var architectures: [StoredText: String] = [:]
    /// How many stanzas were skipped.
    private(set) var malformedCount = 0

    init(_ reader: PackageReader) { self.reader = reader }

    /// The next stanza; nil at the end of the file.
    mutating func next() throws -> (number: Int, identifier: String, stanza: PackageStanza)? {
        while let entry = reader.next() {
            switch entry {
            case .package(let stanza):
                number += 1
                return (number, identifier(of: stanza), stanza)
            case .malformed: malformedCount += 1
            case .unreadable(let error): throw error
            }
        }
        return nil
    }

    /// The plain name, or the one with the architecture; see ``Package/identifier``.
    private mutating func identifier(of stanza: PackageStanza) -> String {
        let plain = StoredText(stanza.name)
        if let known = architectures[plain],
            let name = stanza.nameBeside(packageOf: known)
        {
            return name
        }
        architectures[plain] = stanza.architecture
        return stanza.name
    }
}
