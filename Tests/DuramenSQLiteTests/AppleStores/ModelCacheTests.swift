import DuramenModel
import DuramenSQLite
import DuramenStore
import DuramenTestKit
import Foundation
import StoreTestSupport
import Testing

@Suite struct ModelCacheTests {
    let folder = TemporaryFolder()

    private func store(
        _ archive: [UInt8]?, _ entities: [(name: String, parent: Int)] = []
    ) throws -> AppleStore {
        try AppleStore(
            folder.file("apple.sqlite"), entities: entities,
            cache: archive.map(ArchiveWriter.packed))
    }

    @Test("What is left out, and what the next version has, is not lost before somebody allows it")
    func whatIsLeftOutIsALoss() throws {
        let writer = ArchiveWriter()
        let photo = writer.entity(
            "Photo", [writer.attribute("caption", 700), writer.attribute("owner", 2000)])
        let apple = try AppleStore(
            folder.file("apple.sqlite"), entities: [("Photo", 0)],
            cache: ArchiveWriter.packed(writer.model([photo])),
            [
                """
                CREATE TABLE ZPHOTO (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
                ZCAPTION VARCHAR, ZOWNER BLOB)
                """, "INSERT INTO ZPHOTO VALUES (1, 1, 1, 'a', x'01')",
            ])
        let description = PersistentStoreDescription.sqlite(apple.path)
        func photos(_ names: [String]) -> ManagedObjectModel {
            testModel([
                EntityDescription(
                    name: "Photo",
                    attributes: names.map { AttributeDescription($0, .string, isOptional: true) })
            ])
        }
        let error = #expect(throws: StoreError.self) {
            try description.open(model: photos(["caption", "owner", "note"]))
        }
        #expect(error?.code == .notInferable)
        #expect(error?.message.contains("Photo.owner: of type") == true)
        var policy = MigrationPolicy()
        policy.loss = .all
        let store = try description.migrating(policy)
            .open(model: photos(["caption", "owner", "note"]))
        #expect(try store.snapshot().count(store.query("Photo")) == 1)
        try store.close()
        #expect(description.migrationBackups.count == 1)
    }

    @Test("What a model here cannot say is simplified or left out, and listed")
    func decisionsAreListed() throws {
        let writer = ArchiveWriter()
        let photo = writer.entity(
            "Photo",
            [
                writer.attribute(
                    "caption", 700, [("NSDefaultValue", writer.text("Ohne Titel é"))]),
                writer.attribute("data", 1000, [("NSFlagsKey", .integer(4 | 16))]),
                writer.attribute("color", 1800),
                writer.attribute("place", 2100),
                writer.attribute("draft", 700, [("NSIsTransient", .boolean(true))]),
                writer.attribute("mood", 1800, [("NSIsTransient", .boolean(true))]),
                writer.attribute("size", 300, className: "NSDerivedAttributeDescription"),
                writer.attribute("rank", 100, [("NSDefaultValue", .integer(70_000))]),
                ("recent", writer.add("NSFetchedPropertyDescription", [])),
                writer.relationship("album", "Album", inverse: "photos"),
                writer.relationship("owner", "Album", inverse: nil),
                writer.relationship("second", "Album", inverse: "other"),
                writer.relationship("twin", "Photo", inverse: "twin"),
                writer.relationship("similar", "Photo", inverse: "similar", isToMany: true),
                writer.relationship("lost", "Nowhere", inverse: "photo"),
            ],
            [
                (
                    "NSUniqueTuples",
                    writer.array(["album", "similar"].map { writer.array([writer.text($0)]) })
                )
            ])
        let album = writer.entity(
            "Album",
            [
                writer.relationship(
                    "photos", "Photo", inverse: "album", isToMany: true,
                    [("NSIsOrdered", .boolean(true)), ("NSMaxCount", .integer(9))]),
                writer.relationship("covers", "Photo", inverse: nil, isToMany: true),
                writer.relationship(
                    "other", "Photo", inverse: "second", isToMany: true,
                    [("NSMinCount", .integer(3)), ("NSMaxCount", .integer(2))]),
            ])
        let stored = try store(
            writer.model([photo, album]), [("Album", 0), ("Photo", 0)]
        ).storedModel()
        #expect(
            stored.findings.map(\.description) == [
                "Album.other: its counts contradict each other; left out",
                "Photo.color: transformable; read as binary data as it is stored",
                "Photo.lost: has the destination 'Nowhere', which the model lacks; left out",
                "Photo.place: a composite without elements; left out",
                "Photo.rank: its default value does not fit Integer 16; left out",
                "Photo.recent: fetched property; left out",
                "Photo.similar: unique, but not over stored attributes and to-ones alone; the constraint is left out",
                "Photo.size: derived; read as it is stored",
            ])
        let entity = try #require(stored.model.entity(named: "Photo"))
        #expect(entity.uniquenessConstraints.map(\.properties) == [["album"]])
        #expect(
            Set(entity.attributes.map(\.name)) == ["caption", "color", "data", "rank", "size"])
        #expect(
            entity.attributes.filter(\.allowsExternalBinaryDataStorage).map(\.name) == ["data"])
        #expect(
            entity.attributes.filter(\.preservesValueInHistoryOnDeletion).map(\.name) == ["data"])
        #expect(entity.transientAttributes.map(\.name) == ["draft", "mood"])
        let caption = try #require(entity.attributes.first { $0.name == "caption" })
        #expect(caption.defaultValue == .text(StoredText("Ohne Titel é")))
        #expect(stored.model.versionIdentifiers == ["v1"])
        let photos = stored.model.descriptions[0].relationships.first { $0.name == "photos" }
        #expect(photos?.maximumCount == 9)
        #expect(photos?.isOrdered == true)
        let relationships = entity.relationships.filter { !$0.isHidden }
        #expect(
            relationships.filter(\.isSelfInverse).map(\.name).sorted() == ["similar", "twin"])
        #expect(
            relationships.filter { stored.model[$0.inverse].isHidden }.map(\.name) == ["owner"])
    }

    @Test("Defaults of every class arrive, and unknown classes are left out")
    func defaultsArrive() throws {
        let writer = ArchiveWriter()
        let identifier = UUID()
        let bytes = withUnsafeBytes(of: identifier.uuid) { Array($0) }
        func object(_ name: String, _ fields: [(String, TestList)]) -> [(String, TestList)] {
            [("NSDefaultValue", writer.add(name, fields))]
        }
        // 1 234 567 × 10^-3, in digits of 16 bits: 54919 + 18 × 65536.
        let digits: [UInt8] = [0x87, 0xD6, 0x12, 0x00]
        let entity = writer.entity(
            "Item",
            [
                writer.attribute("a", 900, object("NSDate", [("NS.time", .real(5))])),
                writer.attribute("b", 1100, object("NSUUID", [("NS.uuidbytes", .data(bytes))])),
                writer.attribute("c", 1200, object("NSURL", [("NS.relative", writer.text("x:y"))])),
                writer.attribute(
                    "d", 400,
                    object(
                        "NSDecimalNumber",
                        [
                            ("NS.mantissa", .data(digits)), ("NS.length", .integer(2)),
                            ("NS.exponent", .integer(-3)), ("NS.negative", .boolean(true)),
                            ("NS.mantissa.bo", .integer(1)),
                        ])),
                writer.attribute("e", 800, [("NSDefaultValue", .boolean(true))]),
                writer.attribute("f", 500, [("NSDefaultValue", .integer(2))]),
                writer.attribute("g", 700, object("App.Cover", [("text", writer.text("x"))])),
            ])
        let stored = try store(writer.model([entity]), [("Item", 0)]).storedModel()
        let values = try #require(stored.model.entity(named: "Item")).attributes.map(\.defaultValue)
        #expect(
            values == [
                .date(Date(timeIntervalSinceReferenceDate: 5)), .uuid(identifier),
                .uri(StoredText("x:y")), .decimal(Decimal(-1_234_567) / 1_000), .boolean(true),
                .double(2), .null,
            ])
        #expect(
            stored.findings.map(\.description) == [
                "Item.g: its default value does not fit String; left out"
            ])
    }

    @Test("Inherited properties, repeated or by proxy, are declared once")
    func inheritedPropertiesAreDeclaredOnce() throws {
        let writer = ArchiveWriter()
        let name = writer.attribute("name", 700)
        let animal = writer.entity("Animal", [name])
        let proxy = writer.add("_NSPropertyDescriptionProxy", [("NSUnderlyingProperty", name.1)])
        let dog = writer.entity(
            "Dog", parent: animal.1, [("name", proxy), writer.attribute("tricks", 100)])
        let cat = writer.entity(
            "Cat", parent: animal.1,
            [writer.attribute("name", 700), writer.attribute("lives", 100)])
        let stored = try store(
            writer.model([dog, cat, animal]), [("Animal", 0), ("Cat", 1), ("Dog", 1)]
        ).storedModel()
        #expect(stored.findings.isEmpty)
        let declared = stored.model.descriptions.map { $0.attributes.map(\.name) }
        #expect(declared == [["name"], ["lives"], ["tricks"]])
    }

    @Test("The names in Z_PRIMARYKEY are trusted")
    func listedNamesAreTrusted() throws {
        let writer = ArchiveWriter()
        let car = writer.entity("Car", [writer.attribute("maker", 700)])
        let fast = writer.entity("Fast", parent: car.1, [])
        let stored = try store(
            writer.model([car, fast]), [("Car", 0), ("Quick", 1), ("Boat", 0)]
        ).storedModel()
        #expect(stored.model.entities.map(\.name) == ["Car", "Quick"])
        #expect(
            stored.findings.map(\.description) == [
                "Boat: not in the store's own model; its rows are left out",
                "Quick: the store's own model says 'Fast'; the name in Z_PRIMARYKEY is used",
            ])
    }

    @Test("A store without a model says so")
    func missingModels() throws {
        let apple = try store(nil, [("Book", 0)])
        #expect(storeErrorCode { try apple.storedModel() } == .modelMissing)
    }

    @Test("Archives that would fill memory or time are refused")
    func bombsAreRefused() throws {
        let zeros = [UInt8](repeating: 0, count: 80 << 20)
        #expect(storeErrorCode { try store(zeros).storedModel() } == .damagedFile)
        // Few objects that refer to each other: two thousand fields with a long text each, in a
        // thousand objects.
        let writer = ArchiveWriter()
        let long = writer.text(String(repeating: "x", count: 500_000))
        let fields = (0..<2_000).map { ("\($0)", long) }
        let entity = writer.add(
            "NSEntityDescription",
            [("NSEntityName", writer.text("A")), ("NSProperties", writer.dictionary(fields))])
        let bomb = writer.model((0..<1_000).map { ("\($0)", entity) })
        let path = folder.file("bomb.sqlite")
        let apple = try AppleStore(
            path, entities: [("A", 0)], cache: ArchiveWriter.packed(bomb))
        #expect(storeErrorCode { try apple.storedModel() } == .damagedFile)
    }

    @Test("Archives that make no sense are refused by a typed error that names the file")
    func nonsenseIsRefused() throws {
        let circle = ArchiveWriter()
        // The second entity is its own ancestor: the UID after the next objects is its own.
        let parent = circle.add(
            .dictionary([
                ("NSEntityName", .text("Loop")), ("NSSuperentity", .uid(1)),
                ("NSProperties", .uid(0)),
            ]))
        let archives: [[UInt8]] = [
            [], Array("bplist00".utf8), TestList.array([]).bytes,
            ArchiveWriter().archive(root: .uid(9)), ArchiveWriter().archive(root: .uid(0)),
            circle.model([("Loop", parent)]),
            ArchiveWriter().model([("A", .uid(60_000))]),
        ]
        for (place, archive) in archives.enumerated() {
            let path = folder.file("\(place).sqlite")
            let apple = try AppleStore(
                path, entities: [("Loop", 0)], cache: ArchiveWriter.packed(archive))
            do {
                _ = try apple.storedModel()
                Issue.record("archive \(place) was read")
            } catch let error as StoreError {
                #expect([.damagedFile, .unsupported].contains(error.code), "\(place)")
                #expect(error.message.contains(path))
            }
        }
    }

    @Test("No damage of an archive traps", arguments: [true, false])
    func damageIsRefused(packsAfterwards: Bool) throws {
        let writer = ArchiveWriter()
        let book = writer.entity(
            "Book",
            [
                writer.attribute("title", 700, [("NSDefaultValue", writer.text("é"))]),
                writer.relationship("author", "Person", inverse: "books"),
            ])
        let person = writer.entity(
            "Person", [writer.relationship("books", "Book", inverse: "author", isToMany: true)])
        let archive = writer.model([book, person])
        let apple = try store(archive, [("Book", 0), ("Person", 0)])
        if !packsAfterwards {
            return try damageCache(
                of: apple.path, packed: ArchiveWriter.packed(archive), times: 150)
        }
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix64(seed: seed)
        for round in 0..<400 {
            var bytes = archive
            for _ in 0...Int.random(in: 0...4, using: &random) {
                let place = Int.random(in: bytes.indices, using: &random)
                bytes[place] = UInt8.random(in: 0...255, using: &random)
            }
            let packed = AppleStore.blob(ArchiveWriter.packed(bytes))
            try RawDatabase.run(apple.path, "UPDATE Z_MODELCACHE SET Z_CONTENT = \(packed)")
            let failure = storeErrorCode { try apple.storedModel() }
            #expect(
                [nil, .damagedFile, .unsupported].contains(failure), "seed \(seed), round \(round)")
        }
    }
}
