import Duramen
import Foundation
import Testing

/// `#Predicate` over managed classes.
@Suite struct FoundationPredicateTests {
    private let id = ManagedObjectID.temporary(entity: EntityHandle(name: "Region"))

    @Test func propertiesAndToOnesAreFoundByTheirKeyPaths() throws {
        let predicate = #Predicate<Quake> {
            $0.magnitude >= 6 && $0.region?.name == "Honshu"
                && $0.tags.contains { $0.name == "felt" }
        }
        #expect(
            try FetchPredicate(predicate)
                == FetchPredicate(
                    "magnitude >= 6.0 AND region.name == 'Honshu' AND ANY tags (name == 'felt')"))
    }

    @Test func everyKeyPathToTheIDMeansTheObject() throws {
        let id = id
        let expected = try FetchPredicate("region == %@", id)
        #expect(try FetchPredicate(#Predicate<Quake> { $0.region?.objectID == id }) == expected)
        #expect(
            try FetchPredicate(#Predicate<Quake> { $0.region?.queryObjectID == id }) == expected)
        #expect(
            try FetchPredicate(#Predicate<Quake> { $0.objectID == id })
                == FetchPredicate("SELF == %@", id))
    }

    @Test func toManysOfBothKindsAreCounted() throws {
        #expect(
            try FetchPredicate(#Predicate<Quake> { $0.tags.count > 2 || $0.tags.isEmpty })
                == FetchPredicate("tags.@count > 2 OR tags.@count == 0"))
        #expect(
            try FetchPredicate(#Predicate<Playlist> { $0.songs.count > 2 || $0.songs.isEmpty })
                == FetchPredicate("songs.@count > 2 OR songs.@count == 0"))
    }

    @Test func sortDescriptorsAreConverted() throws {
        #expect(
            try FetchSortDescriptor(SortDescriptor(\Quake.magnitude, order: .reverse))
                == FetchSortDescriptor("magnitude", ascending: false))
    }
}
