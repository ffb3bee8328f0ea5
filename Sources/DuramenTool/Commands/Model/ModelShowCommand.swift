import ArgumentParser
import DuramenModel
import DuramenModelFile

/// `duramen model show`
struct ModelShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Prints the entities of a model with their properties.")

    @Argument(help: "A bundle, a folder of one version, or a contents file.")
    var path: String

    @OptionGroup var choice: VersionChoice

    func run() throws {
        do throws(ModelFileError) {
            let bundle = try ModelBundle(path: path)
            let version = try choice.version(of: bundle)
            let model = try version.document.generatedModel()
            let count = bundle.versionCount
            Screen.print(
                "\(bundle.name), version \(version.name)"
                    + (count.all > 1 ? " of \(count.all)" : "")
                    + (count.inOldFormat > 0 ? " (\(count.remark))" : "")
                    + ", checksum \(model.versionChecksum)")
            for entity in model.descriptions { Screen.print([""] + EntityListing(entity).lines) }
        } catch {
            throw ModelFailure(error)
        }
    }
}

/// A readable description of an entity.
private struct EntityListing {
    let lines: [String]

    init(_ entity: EntityDescription) {
        let remarks = [
            entity.isAbstract ? "abstract" : nil, entity.superentity.map { "a \($0)" },
            entity.renamingIdentifier.map { "once \($0)" },
        ].compactMap(\.self)
        let title = entity.name + (remarks.isEmpty ? "" : " (\(remarks.joined(separator: ", ")))")
        let rows =
            entity.attributes.flatMap { Self.rows($0, inside: "") }
            + entity.relationships.map(Self.row)
        let table = TextColumn.lines([
            TextColumn("", rows.map(\.name), isNumber: false),
            TextColumn("", rows.map(\.type), isNumber: false),
            TextColumn("", rows.map(\.remarks), isNumber: false),
        ]).dropFirst().map { line in
            String(line.reversed().drop { $0 == " " }.reversed())
        }
        let constraints = entity.uniquenessConstraints.map {
            "  unique: \($0.joined(separator: ", "))"
        }
        let indexes = entity.indexes.map { index in
            "  index: "
                + index.elements.map { "\($0.property)\($0.isAscending ? "" : " descending")" }
                .joined(separator: ", ")
        }
        lines = [title] + table + constraints + indexes
    }

    private typealias Row = (name: String, type: String, remarks: String)

    private static func rows(_ attribute: AttributeDescription, inside path: String) -> [Row] {
        let name = path + attribute.name
        var remarks: [String] = []
        if attribute.isTransient { remarks.append("transient") }
        if !attribute.defaultValue.isNull { remarks.append("with a default") }
        if attribute.allowsExternalBinaryDataStorage { remarks.append("in files when large") }
        if !attribute.rules.isEmpty { remarks.append("with rules") }
        if let old = attribute.renamingIdentifier { remarks.append("once \(old)") }
        let row = (
            name: name, type: "\(attribute.type)\(attribute.isOptional ? "?" : "")",
            remarks: remarks.joined(separator: ", ")
        )
        return [row] + attribute.elements.flatMap { rows($0, inside: name + ".") }
    }

    private static func row(_ relationship: RelationshipDescription) -> Row {
        var remarks: [String] = []
        if let inverse = relationship.inverse { remarks.append("inverse \(inverse)") }
        if relationship.isOrdered { remarks.append("ordered") }
        if relationship.deleteRule != .nullify {
            remarks.append("\(relationship.deleteRule.rawValue) on deletion")
        }
        if relationship.minimumCount > 0 || relationship.maximumCount != nil {
            remarks.append(
                "\(relationship.minimumCount) to \(relationship.maximumCount.map(String.init) ?? "any")"
            )
        }
        if let old = relationship.renamingIdentifier { remarks.append("once \(old)") }
        let suffix = relationship.isToMany ? " *" : relationship.isOptional ? "?" : ""
        return (
            name: relationship.name, type: "-> \(relationship.destination)\(suffix)",
            remarks: remarks.joined(separator: ", ")
        )
    }
}
