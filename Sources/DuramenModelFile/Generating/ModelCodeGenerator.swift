import DuramenModel

/// Generates Swift source for a model: a class for each entity, structs for composites, requests,
/// and the model itself.
///
/// Equal documents and options always result in equal source.
public struct ModelCodeGenerator: Sendable {
    /// The options for generated source.
    public struct Options: Sendable, Hashable, Codable {
        /// The access level of generated code.
        public enum Access: String, Sendable, Hashable, Codable, CaseIterable {
            /// Code of the module can use it.
            case `internal`
            /// Code of the package can use it.
            case package
            /// All code can use it.
            case `public`
        }

        /// The access level of generated code.
        public var access: Access
        /// The author of all classes; nil for the author that the model states for each entity.
        public var codeGeneration: ModelDocument.Entity.CodeGeneration?

        /// Creates options.
        public init(
            access: Access = .internal, codeGeneration: ModelDocument.Entity.CodeGeneration? = nil
        ) {
            self.access = access
            self.codeGeneration = codeGeneration
        }

        /// Decodes options; missing ones have their defaults.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            access = try container.decodeIfPresent(Access.self, forKey: .access) ?? .internal
            codeGeneration = try container.decodeIfPresent(
                ModelDocument.Entity.CodeGeneration.self, forKey: .codeGeneration)
        }
    }

    /// The generated source, a Swift file.
    public let source: String
    /// The findings about the model and its code, none of which is an error.
    public let findings: [ModelFinding]

    /// Generates the source of a model.
    ///
    /// - Parameters:
    ///   - document: The version of the model.
    ///   - name: The model's name, after which the property with the model is named.
    ///   - options: The options for the source.
    /// - Throws: ``ModelFileError`` `.unusable` with every mistake of the model.
    /// - Complexity: O(*n*) in the number of properties, with inherited ones counted in each
    ///   entity.
    public init(
        _ document: ModelDocument, name: String, options: Options = Options()
    ) throws(ModelFileError) {
        let model = try document.generatedModel()
        let plan = CodePlan(document, model: model, options: options)
        let requests = RequestPlan(document, model: model, plan: plan)
        findings = document.findings() + requests.findings
        source =
            SourceWriter(
                document, name: name, model: model, plan: plan, requests: requests.requests,
                access: options.access
            ).source
    }
}
