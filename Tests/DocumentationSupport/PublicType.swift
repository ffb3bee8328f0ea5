/// A public type at the top level of a module that is a product.
public struct PublicType: Hashable, Comparable, CustomStringConvertible {
    /// The module.
    public let module: String
    /// The name.
    public let name: String

    /// The modules whose public types users meet.
    public static let modules = [
        "Duramen", "DuramenArchives", "DuramenFileStore", "DuramenLMDB", "DuramenMacros",
        "DuramenMemory", "DuramenModel", "DuramenModelFile", "DuramenPostgres", "DuramenQuery",
        "DuramenSQLite", "DuramenStore", "DuramenTestKit", "DuramenTestSupport",
    ]

    /// The types that the sources declare.
    public static func declared() throws -> Set<PublicType> {
        let declaration =
            #/(?m)^(?:@\w+(?:\([^)]*\))? )*(?:public|open) (?:final |indirect )?(?:class|struct|enum|protocol|actor|typealias|macro) (\w+)/#
        var types: Set<PublicType> = []
        for module in modules {
            for path in try Repository.files(in: "Sources/\(module)", withExtension: "swift") {
                for match in try Repository.text(path).matches(of: declaration) {
                    types.insert(PublicType(module: module, name: String(match.output.1)))
                }
            }
        }
        return types
    }

    /// The module and the name.
    public var description: String { "\(module).\(name)" }

    /// By module, then by name.
    public static func < (a: PublicType, b: PublicType) -> Bool {
        (a.module, a.name) < (b.module, b.name)
    }
}
