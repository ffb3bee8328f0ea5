import Duramen

/// A change of the workload's model, and what it takes in statements.
struct ModelHop: Sendable {
    let word: String
    let title: String
    /// Makes the next version of the entity of quakes, and of regions.
    let edit: @Sendable (inout EntityDescription, inout EntityDescription) -> Void
    /// What somebody writes who knows the tables; see ``RawSchema/storeLayout``.
    let statements: [String]

    /// Values of all rows are looked at or written, or tables are.
    static let all = [
        ModelHop(
            word: "fill", title: "give all rows a value",
            edit: { quake, _ in
                quake.attributes.append(
                    AttributeDescription("rating", .integer64, default: .integer(3)))
            },
            statements: [
                "ALTER TABLE ZQUAKE ADD COLUMN ZRATING INTEGER", "UPDATE ZQUAKE SET ZRATING = 3",
            ]),
        ModelHop(
            word: "nulls", title: "give the rows without a value one",
            edit: { quake, _ in
                quake.change("felt") {
                    $0.isOptional = false
                    $0.defaultValue = .integer(0)
                }
            },
            statements: ["UPDATE ZQUAKE SET ZFELT = 0 WHERE ZFELT IS NULL"]),
        ModelHop(
            word: "drop", title: "drop a column",
            edit: { quake, _ in quake.attributes.removeAll { $0.name == "place" } },
            statements: ["ALTER TABLE ZQUAKE DROP COLUMN ZPLACE"]),
        ModelHop(
            word: "convert", title: "convert a column that fits",
            edit: { quake, _ in quake.change("felt") { $0.type = .double } },
            statements: [
                "SELECT COUNT(*) FROM ZQUAKE WHERE CAST(CAST(ZFELT AS REAL) AS INTEGER) <> ZFELT",
                "ALTER TABLE ZQUAKE ADD COLUMN ZNEW FLOAT",
                "UPDATE ZQUAKE SET ZNEW = CAST(ZFELT AS REAL)",
                "ALTER TABLE ZQUAKE DROP COLUMN ZFELT",
                "ALTER TABLE ZQUAKE RENAME COLUMN ZNEW TO ZFELT",
            ]),
        ModelHop(
            word: "unique", title: "make a column unique",
            edit: { quake, _ in quake.uniquenessConstraints = [["code"]] },
            statements: [
                "SELECT 1 FROM ZQUAKE WHERE ZCODE IS NOT NULL GROUP BY ZCODE HAVING COUNT(*) > 1",
                "CREATE UNIQUE INDEX ZNEW ON ZQUAKE (ZCODE)",
            ]),
        ModelHop(
            word: "join", title: "make a to-one a many-to-many",
            edit: { quake, _ in
                for place in quake.relationships.indices
                where quake.relationships[place].name == "region" {
                    quake.relationships[place].isToMany = true
                }
            },
            statements: [
                """
                CREATE TABLE Z_1REGION(
                    Z_1QUAKES INTEGER, Z_2REGION INTEGER, PRIMARY KEY(Z_1QUAKES, Z_2REGION))
                """,
                """
                INSERT INTO Z_1REGION(Z_1QUAKES, Z_2REGION)
                SELECT Z_PK, ZREGION FROM ZQUAKE WHERE ZREGION IS NOT NULL
                """,
                "CREATE INDEX Z_1REGION_INDEX ON Z_1REGION (Z_2REGION, Z_1QUAKES)",
                "DROP INDEX IF EXISTS ZQUAKE_ZREGION_INDEX",
                "ALTER TABLE ZQUAKE DROP COLUMN ZREGION",
            ]),
        ModelHop(
            word: "many", title: "give all rows five values and convert two columns",
            edit: { quake, _ in
                for number in 1...5 {
                    quake.attributes.append(
                        AttributeDescription("rating\(number)", .integer64, default: .integer(3)))
                }
                quake.change("felt") { $0.type = .double }
                quake.change("isReviewed") { $0.type = .integer16 }
            },
            // One of them: what seven cost is a multiple of it.
            statements: [
                "ALTER TABLE ZQUAKE ADD COLUMN ZRATING INTEGER", "UPDATE ZQUAKE SET ZRATING = 3",
            ]),
    ]

    /// No value is looked at.
    static let rename = ModelHop(
        word: "rename", title: "rename an attribute",
        edit: { quake, _ in
            quake.change("place") {
                $0.name = "location"
                $0.renamingIdentifier = "place"
            }
        }, statements: [])

    /// The model of the next version.
    func model() throws -> ManagedObjectModel { try Self.model(after: [self]) }

    /// The model after some changes.
    static func model(after hops: [ModelHop]) throws -> ManagedObjectModel {
        var quake = EntityDescription.of(Quake.self)
        var region = EntityDescription.of(Region.self)
        // The classes have the properties of the first version.
        quake.managedObjectClass = nil
        region.managedObjectClass = nil
        for hop in hops { hop.edit(&quake, &region) }
        return try ManagedObjectModel([quake, region])
    }
}

extension EntityDescription {
    fileprivate mutating func change(
        _ name: String, _ edit: (inout AttributeDescription) -> Void
    ) {
        for place in attributes.indices where attributes[place].name == name {
            edit(&attributes[place])
        }
    }
}
