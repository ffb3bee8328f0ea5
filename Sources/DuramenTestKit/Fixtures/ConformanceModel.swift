public import DuramenModel

/// The model of the conformance cases: every attribute type, every kind of relationship, and
/// inheritance three levels deep below an abstract root.
///
/// ```
///   Item (abstract) ── Book ── Novel        Item.shelf ↔ Shelf.items      many to one
///        └──────────── Disc                 Item.parent ↔ Item.parts      of itself, polymorphic
///                                           Shelf.favourite ↔ Item.favouredBy
///   Sample: all attribute types             Item.tags ↔ Tag.items         many to many
///   Strict: the same, with defaults         Tag.related ↔ Tag.relatedBy   many to many of itself
///   Entry: texts and bytes, unique,         Sample.next ↔ Sample.previous one to one
///          indexed, neither, compound
///   Album, Track:
///     Album.tracks ↔ Track.album            one to many, ordered
///     Album.picks ↔ Track.pickedBy          many to many, ordered from both sides
///     Track.similar, Track.partner          many to many and one to one, their own inverses
///     Track.chain                           many to many, its own inverse, ordered
///     Track.cover → Item                    to one, without inverse, polymorphic
///     Item.hints → Track                    to many, without inverse, from three entities, ordered
///     Album.extras → Item                   to many, without inverse, polymorphic
///   Attachment: bytes that may have files
///   Site: composites, within each other too, and encoded values   Site.next ↔ Site.previous
///   Seat ── Box: unique by to-ones          Seat.hall ↔ Hall.seats, Box.annex ↔ Hall.boxes
///                                           Seat.guest ↔ Item.seats       polymorphic
/// ```
public enum ConformanceModel {
    /// The model, created once.
    public static let shared: ManagedObjectModel = {
        do {
            return try ManagedObjectModel(descriptions)
        } catch {
            // The descriptions are constants, which the suite's own tests resolve.
            preconditionFailure("The conformance model does not resolve: \(error)")
        }
    }()

    /// The descriptions of ``shared``.
    public static var descriptions: [EntityDescription] {
        [
            item, book, novel, disc, shelf, tag, sample, strict, entry, attachment, album, track,
            site, hall, seat, box,
        ]
    }

    /// The attributes of `Sample`: one of each type.
    public static let sampleAttributes: [AttributeDescription] = [
        AttributeDescription("small", .integer16, isOptional: true),
        AttributeDescription("medium", .integer32, isOptional: true),
        AttributeDescription("large", .integer64, isOptional: true),
        AttributeDescription("exact", .decimal, isOptional: true),
        AttributeDescription("real", .double, isOptional: true),
        AttributeDescription("single", .float, isOptional: true),
        AttributeDescription("text", .string, isOptional: true),
        AttributeDescription("flag", .boolean, isOptional: true),
        AttributeDescription("moment", .date, isOptional: true),
        AttributeDescription("bytes", .binaryData, isOptional: true),
        AttributeDescription("token", .uuid, isOptional: true),
        AttributeDescription("link", .uri, isOptional: true),
    ].map { $0.preservedOnDeletion() }

    private static var item: EntityDescription {
        EntityDescription(
            name: "Item", isAbstract: true,
            attributes: [
                AttributeDescription("code", .string, isOptional: true),
                AttributeDescription("label", .string, isOptional: true),
                AttributeDescription("rank", .integer64, isOptional: true),
            ],
            relationships: [
                .toOne("shelf", destination: "Shelf", inverse: "items"),
                .toOne("parent", destination: "Item", inverse: "parts"),
                .toMany("parts", destination: "Item"),
                .toMany("favouredBy", destination: "Shelf"),
                .toMany("seats", destination: "Seat"),
                .toMany("tags", destination: "Tag", inverse: "items"),
                .toMany("hints", destination: "Track", isOrdered: true),
            ],
            uniquenessConstraints: [["code"]], indexes: [IndexDescription("rank")])
    }

    private static var book: EntityDescription {
        EntityDescription(
            name: "Book", superentity: "Item",
            attributes: [
                AttributeDescription("isbn", .string, isOptional: true).preservedOnDeletion(),
                AttributeDescription("edition", .integer32, isOptional: true),
            ],
            uniquenessConstraints: [["isbn", "edition"]])
    }

    private static var novel: EntityDescription {
        EntityDescription(
            name: "Novel", superentity: "Book",
            attributes: [AttributeDescription("genre", .string, isOptional: true)])
    }

    private static var disc: EntityDescription {
        EntityDescription(
            name: "Disc", superentity: "Item",
            attributes: [AttributeDescription("minutes", .double, isOptional: true)])
    }

    private static var shelf: EntityDescription {
        EntityDescription(
            name: "Shelf",
            attributes: [
                AttributeDescription("name", .string, isOptional: true),
                AttributeDescription("height", .double, isOptional: true),
            ],
            relationships: [
                .toMany("items", destination: "Item"),
                .toOne("favourite", destination: "Item", inverse: "favouredBy"),
            ])
    }

    private static var tag: EntityDescription {
        EntityDescription(
            name: "Tag",
            attributes: [AttributeDescription("name", .string, isOptional: true)],
            relationships: [
                .toMany("items", destination: "Item"),
                .toMany("related", destination: "Tag", inverse: "relatedBy"),
                .toMany("relatedBy", destination: "Tag"),
            ],
            uniquenessConstraints: [["name"]])
    }

    private static var album: EntityDescription {
        EntityDescription(
            name: "Album", attributes: [AttributeDescription("name", .string, isOptional: true)],
            relationships: [
                .toMany("tracks", destination: "Track", inverse: "album", isOrdered: true),
                .toMany("picks", destination: "Track", inverse: "pickedBy", isOrdered: true),
                .toMany("extras", destination: "Item"),
            ])
    }

    private static var track: EntityDescription {
        EntityDescription(
            name: "Track", attributes: [AttributeDescription("name", .string, isOptional: true)],
            relationships: [
                .toOne("album", destination: "Album"),
                .toMany("pickedBy", destination: "Album", isOrdered: true),
                .toMany("similar", destination: "Track", inverse: "similar"),
                .toOne("partner", destination: "Track", inverse: "partner"),
                .toMany("chain", destination: "Track", inverse: "chain", isOrdered: true),
                .toOne("cover", destination: "Item"),
            ])
    }

    private static var sample: EntityDescription {
        EntityDescription(
            name: "Sample", attributes: sampleAttributes,
            relationships: [
                .toOne("next", destination: "Sample", inverse: "previous"),
                .toOne("previous", destination: "Sample"),
            ])
    }

    private static var strict: EntityDescription {
        EntityDescription(
            name: "Strict",
            attributes: sampleAttributes.map { attribute in
                var attribute = attribute
                attribute.isOptional = false
                attribute.defaultValue = SampleValues.plain[attribute.name] ?? .null
                return attribute
            })
    }

    private static var attachment: EntityDescription {
        EntityDescription(
            name: "Attachment",
            attributes: [
                AttributeDescription("rank", .integer64, isOptional: true),
                AttributeDescription(
                    "content", .binaryData, isOptional: true,
                    allowsExternalBinaryDataStorage: true),
            ])
    }

    private static var entry: EntityDescription {
        let texts = ["uniqueText", "indexedText", "plainText", "first", "second", "lead", "tail"]
        let bytes = ["uniqueBytes", "indexedBytes", "plainBytes"]
        return EntityDescription(
            name: "Entry",
            attributes: texts.map { AttributeDescription($0, .string, isOptional: true) }
                + bytes.map { AttributeDescription($0, .binaryData, isOptional: true) },
            uniquenessConstraints: [["uniqueText"], ["uniqueBytes"], ["first", "second"]],
            indexes: [
                IndexDescription("indexedText"), IndexDescription("indexedBytes"),
                IndexDescription("lead", "tail"),
            ])
    }
}
