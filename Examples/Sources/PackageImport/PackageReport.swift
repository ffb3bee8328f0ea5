public import Duramen
import ExampleSupport
import PackageModel

/// Two tables worth reading: the largest sections, and the packages that most others need.
public struct PackageReport: Sendable, CustomStringConvertible {
    /// The tables, ready to print.
    public let description: String

    /// Asks the context.
    ///
    /// - Parameter limit: How many rows each table has at most.
    public init(_ context: ManagedObjectContext, limit: Int = 10) throws {
        let tables = [
            try Self.sections(context, limit), try Self.mostNeeded(context, limit),
        ]
        description = tables.joined(separator: "\n\n")
    }

    private static func sections(_ context: ManagedObjectContext, _ limit: Int) throws -> String {
        var table = Table([
            Table.Column("Section", maximumWidth: 30), Table.Column("Packages", .trailing),
        ])
        let counts = try context.packageCountsBySection()
        for (section, packages) in counts.prefix(limit) { table.append([section, "\(packages)"]) }
        let rest = counts.dropFirst(limit)
        if !rest.isEmpty {
            table.append(["\(rest.count) more", "\(rest.map(\.packages).reduce(0, +))"])
        }
        return "\(table)"
    }

    private static func mostNeeded(
        _ context: ManagedObjectContext, _ limit: Int
    ) throws -> String {
        var table = Table([
            Table.Column("Most needed", maximumWidth: 30), Table.Column("Needed by", .trailing),
            Table.Column("Which is", maximumWidth: 60),
        ])
        for package in try context.mostNeededPackages(limit) {
            table.append([
                package.identifier, "\(package.dependents.count)", package.explanation,
            ])
        }
        return "\(table)"
    }
}

extension Package {
    /// What the package is, in a few words.
    fileprivate var explanation: String {
        if state != .named { return synopsis ?? "" }
        // Providers are objects too; two of them show what is meant.
        let names = providers.map(\.identifier).sorted()
        guard let first = names.first else { return "(not listed)" }
        return "(provided by \(first)\(names.count > 1 ? " and \(names.count - 1) more" : ""))"
    }
}
