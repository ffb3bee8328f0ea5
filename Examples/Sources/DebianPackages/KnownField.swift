/// A field that has a property of its own in ``PackageStanza``.
enum KnownField: UInt8, CaseIterable {
    case package, version, architecture, status, priority, section, maintainer, installedSize
    case homepage, description, preDepends, depends, recommends, suggests, provides

    /// The name as Debian spells it.
    var name: String {
        switch self {
        case .package: "Package"
        case .version: "Version"
        case .architecture: "Architecture"
        case .status: "Status"
        case .priority: "Priority"
        case .section: "Section"
        case .maintainer: "Maintainer"
        case .installedSize: "Installed-Size"
        case .homepage: "Homepage"
        case .description: "Description"
        case .preDepends: "Pre-Depends"
        case .depends: "Depends"
        case .recommends: "Recommends"
        case .suggests: "Suggests"
        case .provides: "Provides"
        }
    }

    /// The bit that stands for the field in a set of fields.
    var bit: UInt32 { 1 << UInt32(rawValue) }
}

/// Finds known fields by their names, whatever the case.
struct KnownFieldIndex {
    private let byLength: [[(name: [UInt8], field: KnownField)]]

    init() {
        let longest = KnownField.allCases.map(\.name.utf8.count).max() ?? 0
        var table = [[(name: [UInt8], field: KnownField)]](repeating: [], count: longest + 1)
        for field in KnownField.allCases {
            table[field.name.utf8.count].append((Array(field.name.utf8), field))
        }
        byLength = table
    }

    /// The field of that name, or `nil` when it has no property of its own.
    func field(named name: ArraySlice<UInt8>) -> KnownField? {
        guard name.count < byLength.count else { return nil }
        return byLength[name.count].first {
            $0.name.elementsEqual(name, by: isSameIgnoringCase)
        }?.field
    }
}
