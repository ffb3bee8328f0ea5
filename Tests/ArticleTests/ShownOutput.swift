import DocumentationSupport

extension Article {
    /// The article of a name, whose blocks of output tests compare with what they printed.
    static func named(_ name: String) throws -> Article {
        guard let article = try all().first(where: { $0.name == name }) else {
            throw NoArticle(name: name)
        }
        return article
    }

    private struct NoArticle: Error {
        let name: String
    }
}
