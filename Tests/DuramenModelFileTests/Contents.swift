import DuramenModel
import DuramenModelFile

/// Documents by the text of their elements.
enum Contents {
    /// The document of a model; what stands within begins in line 2.
    static func model(_ elements: String) throws(ModelFileError) -> ModelDocument {
        try ModelDocument(contents: Array("<model>\n\(elements)\n</model>".utf8))
    }

    /// The document of a model with the one entity `Thing`, whose properties begin in line 3.
    ///
    /// - Parameter others: What follows the entity, without a line break in front.
    static func thing(
        _ properties: String, others: String = ""
    ) throws(ModelFileError) -> ModelDocument {
        try model("<entity name=\"Thing\">\n\(properties)\n</entity>\(others)")
    }
}

extension ModelDocument {
    /// What the model says about one entity.
    func description(of entity: String) throws -> EntityDescription? {
        try model().descriptions.first { $0.name == entity }
    }

    /// What the model says about the first attribute of `Thing`.
    func attribute() throws -> AttributeDescription? {
        try description(of: "Thing")?.attributes.first
    }

    /// What the model says about the first relationship of `Thing`.
    func relationship() throws -> RelationshipDescription? {
        try description(of: "Thing")?.relationships.first
    }
}
