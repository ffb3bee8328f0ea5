import Duramen
import DuramenMemory
import Testing

@testable import ModelFile

/// The program over lines of its own.
@MainActor
@Suite struct ModelFileTests {
    private let groups = [
        "wheel:x:10:ada,bob", "staff:x:20:", "broken line", "ada:x:1000:",
    ]
    private let users = [
        "ada:x:1000:1000:Ada Lovelace,Room 1,,:/srv/ada:/bin/bash",
        "bob:x:1001:20::/srv/bob:/bin/bash", "sync:x:4:20:sync:/bin:/usr/sbin/nologin",
        "nobody:x", "games:x:5:20:games:/usr/games:",
    ]

    private func filled() async throws -> ManagedObjectContext {
        let container = try await PersistentContainer(model: .accounts, stores: [.memory()])
        let context = container.viewContext
        let reader = AccountReader(context)
        try reader.readGroups(groups)
        try reader.readUsers(users)
        try context.save()
        return context
    }

    @Test func linesBecomeObjectsOfTheModel() async throws {
        let context = try await filled()
        let ada = try #require(try Account.find(login: "ada", in: context))
        #expect(ada.number == 1_000)
        #expect(ada.person?.fullName == "Ada Lovelace")
        #expect(ada.person?.room == "Room 1")
        #expect(ada.groups.map(\.name) == ["wheel"])
        #expect(ada.primaryGroup?.name == "ada")
        let bob = try #require(try Account.find(login: "bob", in: context))
        #expect(bob.person == nil)
    }

    @Test func readingTwiceChangesNothing() async throws {
        let context = try await filled()
        let reader = AccountReader(context)
        try reader.readGroups(groups)
        try reader.readUsers(users)
        try context.save()
        #expect(try context.count(for: FetchRequest<Account>()) == 4)
        #expect(try context.count(for: FetchRequest<Group>()) == 3)
    }

    @Test func theRequestsOfTheModelAreFunctions() async throws {
        let context = try await filled()
        #expect(
            Set(try context.fetch(Account.withoutShell()).map(\.login)) == ["sync", "games"])
        #expect(
            Set(try context.fetch(Account.numbered(range: 1_000...1_001)).map(\.login))
                == ["ada", "bob"])
    }

    @Test func theReportCountsAccountsByShell() async throws {
        let text = try AccountReport(try await filled()).text
        #expect(text.hasPrefix("4 accounts, 2 of them without a shell, 2 of people; 3 groups"))
        #expect(text.contains("/bin/bash                 2  ada, bob"))
    }
}
