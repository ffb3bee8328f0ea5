import DuramenArchives
import DuramenModel
import DuramenQuery
import DuramenSQLite
import DuramenStore
import Foundation
import StoreTestSupport
import Testing

extension CorpusStoreTests {
    /// Stores of Core Data with transformers that the application registers.
    @Suite(.enabled(if: Corpus.folder != nil, "\(Corpus.missing)"))
    struct CorpusTransformerTests {
        let folder = TemporaryFolder()

        struct Page: Codable, Sendable { var text: String }
        private struct UnknownPage: Error {}

        private let pages = ValueTransformer(
            "ContentTransformer", Page.self, allowing: ["Content"]
        ) { value in
            guard case .object(let page) = value, case .string(let text)? = page["text"] else {
                throw UnknownPage()
            }
            return Page(text: text)
        } encode: { page in
            .object(
                ArchivedObject(className: "Content", fields: [("text", .value(.string(page.text)))])
            )
        }

        private func open(
            _ name: String, _ codableTypes: [CodableType], _ transformers: [ValueTransformer] = []
        ) throws -> any PersistentStore {
            let path = try #require(Corpus.stores.first { $0.hasSuffix(name) })
            let description = PersistentStoreDescription.sqlite(
                try Corpus.copy(path, to: folder)
            ).readOnly()
            let stored = try SQLiteStoreType().storedModel(
                of: description, codableTypes: codableTypes,
                transformers: ValueTransformers(transformers))
            return try description.open(model: stored.model)
        }

        /// The values of an attribute in the rows of an entity.
        private func values(
            _ attribute: String, of entity: String, in store: any PersistentStore
        ) throws -> [any Codable & Sendable] {
            let entity = try store.entity(entity)
            guard case .attribute(let attribute)? = entity.property(named: attribute) else {
                return []
            }
            let cursor = try store.snapshot().cursor(StoreQuery(entity: entity.id))
            var values: [any Codable & Sendable] = []
            while let batch = try cursor.next(maximumRows: 500) {
                for row in batch {
                    guard case .binary(let data) = row.value(attribute.slot, attribute.kind) else {
                        continue
                    }
                    values.append(try #require(attribute.codableType).value(of: data))
                }
            }
            return values
        }

        @Test func objectsOfAnApplicationsClassAreRead() throws {
            let store = try open(
                "/SampleModel2_V2.sqlite", [CodableType("Content", Page.self)], [pages])
            let values = try values("content", of: "Page", in: store)
            #expect(values.count == 119)
            #expect(values.allSatisfy { ($0 as? Page)?.text.hasPrefix("content for page") == true })
            try store.close()
        }

        @Test func archivesOfBasicValuesAreReadUnderTheNameOfTheirTransformer() throws {
            let type = CodableType("NSSecureUnarchiveFromData", ArchivedValue.self)
            let store = try open("/SampleStore2.1.sqlite", [type])
            let values = try values(
                "phoneNumbersDictionary", of: "OCKCDContact", in: store)
            #expect(
                values.first as? ArchivedValue
                    == .sorted(["_$!<Work>!$_": .string("(324) 555-7415")]))
            try store.close()
        }

        @Test func theFormsOfValuesAreFindings() throws {
            let path = try #require(Corpus.stores.first { $0.hasSuffix("/SampleModel2_V2.sqlite") })
            let report = try SQLiteStoreType().report(
                on: .sqlite(try Corpus.copy(path, to: folder)).readOnly(), checks: true)
            #expect(
                report.findings.contains(
                    "Page.content: 119 values cannot be read without a transformer: the archive "
                        + "has an object of the class 'Content', which is not allowed"))
        }
    }
}
