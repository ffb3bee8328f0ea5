import DuramenModel

/// Writes Swift source for a model: a class for each entity, structs for composites, requests, and
/// the model itself.
///
/// The same document and options always give the same source.
public struct ModelCodeGenerator: Sendable {
    /// How source is written.
    public struct Options: Sendable, Hashable, Codable {
        /// The access level of generated code.
        public enum Access: String, Sendable, Hashable, Codable, CaseIterable {
            /// The module.
            case `internal`
            /// The package.
            case package
            /// Everybody.
            case `public`
        }

        /// The access level of generated code.
        public var access: Access
        /// The author of all classes, regardless of what the model says for each entity; nil to
        /// follow the model.
        public var codeGeneration: ModelDocument.Entity.CodeGeneration?

        /// Chooses how source is written.
        public init(
            access: Access = .internal, codeGeneration: ModelDocument.Entity.CodeGeneration? = nil
        ) {
            self.access = access
            self.codeGeneration = codeGeneration
        }

        /// Reads what is said, and chooses the standard for all else.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            access = try container.decodeIfPresent(Access.self, forKey: .access) ?? .internal
            codeGeneration = try container.decodeIfPresent(
                ModelDocument.Entity.CodeGeneration.self, forKey: .codeGeneration)
        }
    }

    /// The source, a Swift file.
    public let source: String
    /// The findings about the model and its code; none of them is an error.
    public let findings: [ModelFinding]

    /// Writes the source of a model.
    ///
    /// - Parameters:
    ///   - document: The version of the model.
    ///   - name: The model's name, after which the property that gives the model is called.
    /// - Throws: ``ModelFileError`` `.unusable` with every mistake of the model.
    /// - Complexity: O(*n*) in the number of properties, inherited ones counted again.
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
