import DuramenModel
import DuramenStore

/// Law 5 for uniqueness constraints with to-ones.
enum ReferenceUniquenessCases {
    static var all: [ConformanceCase] { [taken, alone, inherited, swap, nulls, freed, twins] }

    private static func hall(_ id: ManagedObjectID, row: Int64) -> PropertyValues {
        ["hall": .objectID(id), "row": .integer(row)]
    }

    private static var taken: ConformanceCase {
        ConformanceCase(.simultaneity, "A to-one and an attribute are unique together") { driver in
            let halls = [try driver.insert("Hall"), try driver.insert("Hall")]
            var seats: [ManagedObjectID] = []
            for (place, row) in [(0, 1), (0, 2), (1, 1)] as [(Int, Int64)] {
                seats.append(try driver.insert("Seat", hall(halls[place], row: row)))
            }
            for entity in ["Seat", "Box"] {
                let conflicts = try driver.conflicts {
                    try $0.insert(entity, hall(halls[0], row: 2))
                }
                try checkTaken(conflicts, ["hall", "row"], with: seats[1])
            }
            try checkTaken(
                try driver.conflicts { try $0.update(seats[2], ["hall": .objectID(halls[0])]) },
                ["hall", "row"], with: seats[0])
            try driver.commit { try $0.update(seats[2], hall(halls[0], row: 3)) }
            try checkEqual(
                try driver.destinations("Hall.seats", of: halls[0]), seats, "the first hall's seats"
            )
            try checkEqual(
                try driver.destinations("Hall.seats", of: halls[1]), [], "the second hall's seats")
        }
    }

    private static var alone: ConformanceCase {
        ConformanceCase(.simultaneity, "A to-one alone is unique, whatever entity it leads to") {
            driver in
            let guests = [try driver.insert("Disc"), try driver.insert("Novel")]
            let seats = try guests.map { try driver.insert("Seat", ["guest": .objectID($0)]) }
            for (guest, seat) in zip(guests, seats) {
                try checkTaken(
                    try driver.conflicts { try $0.insert("Box", ["guest": .objectID(guest)]) },
                    ["guest"], with: seat)
                try checkEqual(
                    try driver.destinations("Item.seats", of: guest), [seat], "a guest's seats")
            }
        }
    }

    private static var inherited: ConformanceCase {
        ConformanceCase(.simultaneity, "An inherited to-one and one of its own are unique together")
        { driver in
            let halls = [try driver.insert("Hall"), try driver.insert("Hall")]
            let box = try driver.insert(
                "Box", ["annex": .objectID(halls[0]), "hall": .objectID(halls[1])])
            _ = try driver.insert(
                "Box", ["annex": .objectID(halls[1]), "hall": .objectID(halls[0])])
            try checkTaken(
                try driver.conflicts {
                    try $0.insert(
                        "Box", ["annex": .objectID(halls[0]), "hall": .objectID(halls[1])])
                }, ["annex", "hall"], with: box)
        }
    }

    private static var swap: ConformanceCase {
        ConformanceCase(.simultaneity, "Rows pass their unique to-ones round") { driver in
            let halls = try (0..<3).map { _ in try driver.insert("Hall") }
            let guests = try (0..<3).map { _ in try driver.insert("Book") }
            var seats: [ManagedObjectID] = []
            for (hall, guest) in zip(halls, guests) {
                var values = Self.hall(hall, row: 1)
                values["guest"] = .objectID(guest)
                seats.append(try driver.insert("Seat", values))
            }
            try driver.commit { draft in
                for (place, seat) in seats.enumerated() {
                    let next = (place + 1) % 3
                    try draft.update(
                        seat,
                        ["hall": .objectID(halls[next]), "guest": .objectID(guests[next])])
                }
            }
            for (place, seat) in seats.enumerated() {
                let values = try driver.values(seat)
                try checkEqual(values?["hall"], .objectID(halls[(place + 1) % 3]), "the hall")
                try checkEqual(values?["guest"], .objectID(guests[(place + 1) % 3]), "the guest")
            }
        }
    }

    private static var nulls: ConformanceCase {
        ConformanceCase(.simultaneity, "A to-one that leads nowhere conflicts with nothing") {
            driver in
            let hall = try driver.insert("Hall")
            for _ in 0..<2 {
                _ = try driver.insert("Seat", ["row": .integer(1)])
                _ = try driver.insert("Box", ["hall": .objectID(hall)])
            }
        }
    }

    private static var freed: ConformanceCase {
        ConformanceCase(.simultaneity, "What a to-one gives up, another takes in the same save") {
            driver in
            let hall = try driver.insert("Hall")
            let guest = try driver.insert("Disc")
            var values = Self.hall(hall, row: 1)
            values["guest"] = .objectID(guest)
            let old = try driver.insert("Seat", values)
            var draft = driver.draft()
            let second = try draft.insert("Seat", Self.hall(hall, row: 1))
            let third = try draft.insert("Box", ["guest": .objectID(guest)])
            try draft.update(old, ["hall": .null, "guest": .null])
            try driver.commit(draft)
            try checkTaken(
                try driver.conflicts { try $0.update(old, ["hall": .objectID(hall)]) },
                ["hall", "row"], with: second)
            try driver.commit { try $0.delete(third) }
            try driver.commit { try $0.update(old, ["guest": .objectID(guest)]) }
        }
    }

    private static var twins: ConformanceCase {
        ConformanceCase(.simultaneity, "Two new rows of one unique to-one conflict with each other")
        { driver in
            var ids: Set<ManagedObjectID> = []
            let conflicts = try driver.conflicts { draft in
                let guest = try draft.insert("Disc")
                ids.insert(try draft.insert("Seat", ["guest": .objectID(guest)]))
                ids.insert(try draft.insert("Box", ["guest": .objectID(guest)]))
            }
            guard case .uniqueness(let conflict)? = conflicts.first else {
                throw Difference("expected a uniqueness conflict, found \(conflicts.count)")
            }
            try checkEqual(Set([conflict.id, conflict.otherID]), ids, "the two objects")
        }
    }

    private static func checkTaken(
        _ conflicts: [StoreConflict], _ properties: [String], with other: ManagedObjectID
    ) throws {
        guard conflicts.count == 1, case .uniqueness(let conflict)? = conflicts.first else {
            throw Difference("expected one uniqueness conflict, found \(conflicts.count)")
        }
        try checkEqual(conflict.constraint.properties, properties, "the constraint")
        try checkEqual(conflict.otherID, other, "the object that has the values")
        try check(conflict.storedRow != nil, "the stored row is missing")
    }
}
