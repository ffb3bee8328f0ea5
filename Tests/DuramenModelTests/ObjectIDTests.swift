import DuramenModel
import Foundation
import Testing

struct ObjectIDTests {
    private let store = StoreHandle(uuid: UUID())

    private func permanent(_ entity: String, _ key: Int64) -> ManagedObjectID {
        ManagedObjectID(store: store, entity: EntityHandle(name: entity), key: key)
    }

    @Test func anIDHasSixteenBytes() {
        #expect(MemoryLayout<ManagedObjectID>.size == 16)
    }

    @Test func temporaryIDsAreUniqueAcrossThreads() async {
        let entity = EntityHandle(name: "Quake")
        let ids = await withTaskGroup(of: [ManagedObjectID].self) { group in
            for _ in 0..<8 {
                group.addTask { (0..<2_000).map { _ in ManagedObjectID.temporary(entity: entity) } }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(Set(ids).count == 16_000)
        #expect(ids.allSatisfy { $0.isTemporaryID && $0.key < 0 && $0.store == .none })
    }

    @Test func anIDCarriesStoreEntityAndKey() {
        let id = permanent("Quake", 7)
        #expect(id.store == store && id.entityName == "Quake" && id.key == 7)
        #expect(!id.isTemporaryID)
        #expect(id.description == "Quake/p7")
        let other = id.withKey(.max)
        #expect(other.store == store && other.entityName == "Quake" && other.key == .max)
    }

    @Test func idsDifferByKeyEntityAndStore() {
        let id = permanent("Quake", 7)
        #expect(id == permanent("Quake", 7))
        #expect(id != permanent("Quake", 8))
        #expect(id != permanent("Region", 7))
        #expect(
            id
                != ManagedObjectID(
                    store: StoreHandle(uuid: UUID()), entity: EntityHandle(name: "Quake"), key: 7))
        #expect(id != ManagedObjectID.temporary(entity: EntityHandle(name: "Quake")))
    }

    @Test func idsOrderByKeyThenEntityNameThenStore() {
        // Interned in the other order, so that handles would give the wrong one.
        let later = permanent("Order B", 1)
        let earlier = permanent("Order A", 1)
        #expect(earlier < later && !(later < earlier) && !(later < later))
        #expect(permanent("Order B", -1) < earlier)
        let stores = [UUID(), UUID()].map(StoreHandle.init(uuid:)).sorted {
            ($0.uuid?.uuidString ?? "") < ($1.uuid?.uuidString ?? "")
        }
        let ids = stores.map {
            ManagedObjectID(store: $0, entity: EntityHandle(name: "Quake"), key: 1)
        }
        #expect(ids[0] < ids[1] && !(ids[1] < ids[0]))
    }

    @Test(arguments: NameTests.allowed)
    func urisRoundTripForEveryName(name: String) throws {
        for id in [
            permanent(name, 1), permanent(name, .max), .temporary(entity: .init(name: name)),
        ] {
            let uri = id.uriRepresentation
            #expect(ManagedObjectID(uri: uri) == id)
            #expect(ManagedObjectID(uri: try #require(URL(string: uri.absoluteString))) == id)
            #expect(uri.absoluteString.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
        }
    }

    @Test func urisLookLikeThoseOfCoreData() throws {
        let uuid = try #require(UUID(uuidString: "6A8F3C00-0000-4000-8000-0123456789AB"))
        let id = ManagedObjectID(
            store: StoreHandle(uuid: uuid), entity: EntityHandle(name: "Quake"), key: 12)
        #expect(id.uriRepresentation.absoluteString == "x-coredata://\(uuid.uuidString)/Quake/p12")
        let temporary = ManagedObjectID.temporary(entity: EntityHandle(name: "Quake"))
        #expect(
            temporary.uriRepresentation.absoluteString
                == "x-coredata:///Quake/t\(temporary.key.magnitude)")
    }

    @Test(arguments: [
        "", "x", "x-coredata:", "x-coredata://", "x-coredata:///", "x-coredata:////",
        "x-coredata:///Quake", "x-coredata:///Quake/", "x-coredata:///Quake/p1",
        "x-coredata:///Quake/t", "x-coredata:///Quake/t0", "x-coredata:///Quake/t-1",
        "x-coredata:///Quake/t+1", "x-coredata:///Quake/t1/", "x-coredata:///Quake/t1/t1",
        "x-coredata:///Quake/t9223372036854775808", "x-coredata:///Quake/q1",
        "x-coredata:///Quake/T1", "x-coredata:////t1", "x-coredata:///%FF/t1",
        "x-coredata:///Quake/t%31", "x-coredata:///Quake/%74x", "x-coredata:///Quake/t1?x=1",
        "x-coredata:///Quake/t1#x", "x-coredata:///Quake/t1e3", "x-coredata:///Quake/t0x10",
        "x-coredata://STORE/Quake/p1", "x-coredata://6A8F3C00-0000-4000-8000-0123456789AB/Quake/t1",
        "x-coredata://6A8F3C00-0000-4000-8000-0123456789AB/Quake/p0",
        "x-coredata://6A8F3C00-0000-4000-8000-0123456789AB/Quake/p-1",
        "x-coredata://6A8F3C00-0000-4000-8000-0123456789A/Quake/p1",
        "http://6A8F3C00-0000-4000-8000-0123456789AB/Quake/p1", "/Quake/p1", "é:///Quake/t1",
        "x-coredata:///Quake/t\u{661}",
    ])
    func hostileURIsAreRefused(text: String) {
        if let uri = URL(string: text) { #expect(ManagedObjectID(uri: uri) == nil) }
        let json = Data("[\(String(reflecting: text))]".utf8)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([ManagedObjectID].self, from: json)
        }
    }

    @Test func urisOfEntitiesThatNoModelNamedAreRefusedAndNotKept() throws {
        let name = "Never named \(UUID())"
        let place = "x-coredata://6A8F3C00-0000-4000-8000-0123456789AB"
        let path = try #require(
            name.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let uri = try #require(URL(string: "\(place)/\(path)/p1"))
        #expect(ManagedObjectID(uri: uri) == nil)
        #expect(EntityHandle(knownName: name) == nil)
        _ = try ManagedObjectModel([EntityDescription(name: "Named")])
        let known = try #require(URL(string: "\(place)/Named/p1"))
        #expect(ManagedObjectID(uri: known)?.uriRepresentation == known)
    }

    @Test func randomURIsAreRefusedOrRoundTrip() {
        var random = SeededRandom()
        let pieces = [
            "x-coredata:", "/", "//", "Quake", "p", "t", "1", "-", "%", "%41", "?", "#", "😀", "é",
            "6A8F3C00-0000-4000-8000-0123456789AB", "99999999999999999999", "\0", " ",
        ]
        for _ in 0..<5_000 {
            let count = Int.random(in: 0...8, using: &random)
            let text = (0..<count).map { _ in pieces.randomElement(using: &random)! }.joined()
            guard let uri = URL(string: text), let id = ManagedObjectID(uri: uri) else { continue }
            #expect(
                ManagedObjectID(uri: id.uriRepresentation) == id, "seed \(random.seed): \(text)")
        }
    }

    @Test func theCodableFormIsTheURI() throws {
        let ids = [permanent("Quäke", 7), .temporary(entity: EntityHandle(name: "Quake"))]
        let data = try JSONEncoder().encode(ids)
        #expect(try JSONDecoder().decode([ManagedObjectID].self, from: data) == ids)
        let texts = try JSONDecoder().decode([String].self, from: data)
        #expect(texts == ids.map(\.uriRepresentation.absoluteString))
    }
}
