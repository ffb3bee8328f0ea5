import DebianPackages
import Duramen
import PackageModel

/// Brings the stanzas of one chunk into a context.
///
/// The objects that the chunk is about are found with one fetch per entity before anything is
/// changed. Asking for each package on its own would take thousands of statements where three do.
struct ChunkImport {
    private let context: ManagedObjectContext
    private let stanzas: [PackageStanza]
    // Keyed as the store compares: by bytes. A `String` takes two spellings of an accented letter
    // for equal, and the store keeps them apart.
    private var packages: [StoredText: Package] = [:]
    private var sections: [StoredText: Section] = [:]
    private var maintainers: [StoredText: Maintainer] = [:]

    /// Finds what the store has of the chunk.
    init(_ stanzas: [PackageStanza], context: ManagedObjectContext) throws {
        self.context = context
        self.stanzas = stanzas
        let identifiers = distinct(stanzas.flatMap(\.allNames))
        for package in try context.fetch(
            FetchRequest<Package>().where { $0.identifier.isIn(identifiers) })
        {
            packages[StoredText(package.identifier)] = package
        }
        let names = distinct(stanzas.compactMap(\.section))
        for section in try context.fetch(FetchRequest<Section>().where { $0.name.isIn(names) }) {
            sections[StoredText(section.name)] = section
        }
        let contacts = distinct(stanzas.compactMap(\.maintainer?.description))
        for maintainer in try context.fetch(
            FetchRequest<Maintainer>().where { $0.contact.isIn(contacts) })
        {
            maintainers[StoredText(maintainer.contact)] = maintainer
        }
    }

    /// Applies the stanzas in the order of the file: of two for one package, the later one holds.
    mutating func run() -> ImportSummary {
        var summary = ImportSummary()
        for stanza in stanzas {
            let package = package(for: stanza)
            let isListed = package.state != .named
            let isChanged = apply(stanza, to: package)
            switch (isListed, isChanged) {
            case (false, _): summary.inserted += 1
            case (true, true): summary.updated += 1
            case (true, false): summary.unchanged += 1
            }
        }
        return summary
    }

    // MARK: - Values

    /// Gives a package what the stanza says.
    ///
    /// - Returns: Whether anything differed. An object that is given nothing is not written.
    private mutating func apply(_ stanza: PackageStanza, to package: Package) -> Bool {
        var update = PackageUpdate(package)
        update.set(\.state, to: state(of: package, after: stanza))
        update.set(\.version, to: stanza.version)
        update.set(\.architecture, to: stanza.architecture)
        update.set(\.synopsis, to: stanza.synopsis)
        update.set(\.homepage, to: stanza.homepage)
        update.set(\.installedSizeKiB, to: stanza.installedSizeKiB)
        update.set(\.section, to: stanza.section.map { section(named: $0) })
        update.set(\.maintainer, to: stanza.maintainer.map { maintainer($0) })

        let dependencies = Set(stanza.dependencyNames.map { self.package(named: $0) })
        let alternatives = Set(stanza.alternativeNames.map { self.package(named: $0) })
        update.set(\.dependencies, to: dependencies)
        update.set(\.alternatives, to: alternatives.subtracting(dependencies))
        update.set(\.provides, to: Set(stanza.providedNames.map { self.package(named: $0) }))
        return update.isChanged
    }

    /// An index does not say what is installed, so it leaves what the store knows of that.
    private func state(of package: Package, after stanza: PackageStanza) -> PackageState {
        let isInstalled = stanza.status?.isInstalled ?? (package.state == .installed)
        return isInstalled ? .installed : .listed
    }

    // MARK: - Finding or making

    /// The package that a stanza is about.
    ///
    /// The plain name belongs to the architecture that came first.
    private mutating func package(for stanza: PackageStanza) -> Package {
        let plain = package(named: stanza.name)
        guard let known = plain.architecture, let name = stanza.nameBeside(packageOf: known) else {
            return plain
        }
        return package(named: name)
    }

    private mutating func package(named name: String) -> Package {
        let key = StoredText(name)
        if let known = packages[key] { return known }
        let made = Package(context: context)
        made.identifier = name
        packages[key] = made
        return made
    }

    private mutating func section(named name: String) -> Section {
        let key = StoredText(name)
        if let known = sections[key] { return known }
        let made = Section(context: context)
        made.name = name
        sections[key] = made
        return made
    }

    private mutating func maintainer(_ contact: Contact) -> Maintainer {
        let key = StoredText(contact.description)
        if let known = maintainers[key] { return known }
        let made = Maintainer(context: context)
        made.contact = contact.description
        made.name = contact.name
        made.address = contact.address
        maintainers[key] = made
        return made
    }
}

/// The texts without repetitions, told apart as the store does.
private func distinct(_ texts: [String]) -> [String] {
    Set(texts.map { StoredText($0) }).map(\.string)
}
