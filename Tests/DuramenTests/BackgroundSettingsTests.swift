import Duramen
import Testing

/// The settings of background contexts.
@Suite struct BackgroundSettingsTests {
    private func policyName(_ policy: MergePolicy) -> String { "\(policy)" }

    @Test func settingsAreReadAsTheyWereGiven() throws {
        let container = try makeContainer()
        let plain = container.newBackgroundContext()
        #expect(plain.name == nil && plain.transactionAuthor == nil)
        #expect(plain.automaticallyMergesChangesFromParent)
        let named = container.newBackgroundContext(
            ContextOptions(
                name: "bg", author: "import", automaticallyMergesChangesFromParent: false,
                mergePolicy: .overwrite))
        #expect(named.name == "bg" && named.transactionAuthor == "import")
        #expect(!named.automaticallyMergesChangesFromParent)
        #expect(policyName(named.mergePolicy) == policyName(.overwrite))
    }

    @Test(arguments: [false, true])
    func settingsAreThoseOfTheContext(isMadeBefore: Bool) async throws {
        let container = try makeContainer()
        let background = container.newBackgroundContext()
        if isMadeBefore { await background.perform { _ in } }
        await background.setName("bg")
        await background.setTransactionAuthor("import")
        await background.setAutomaticallyMergesChangesFromParent(false)
        await background.setMergePolicy(.overwrite)
        #expect(background.name == "bg" && background.transactionAuthor == "import")
        #expect(!background.automaticallyMergesChangesFromParent)
        let (name, author, merges, policy) = await background.perform { context in
            (
                context.name, context.transactionAuthor,
                context.automaticallyMergesChangesFromParent, "\(context.mergePolicy)"
            )
        }
        #expect(name == "bg" && author == "import" && !merges)
        #expect(policy == policyName(.overwrite))
        #expect(policyName(background.mergePolicy) == policy)
    }

    @Test func whatAClosureSetsIsReadAfterwards() async throws {
        let background = try makeContainer().newBackgroundContext(ContextOptions(name: "bg"))
        await background.perform { context in
            context.mergePolicy = .rollback
            context.transactionAuthor = "closure"
            context.automaticallyMergesChangesFromParent = false
            context.name = "renamed"
        }
        #expect(policyName(background.mergePolicy) == policyName(.rollback))
        #expect(background.transactionAuthor == "closure" && background.name == "renamed")
        #expect(!background.automaticallyMergesChangesFromParent)
        let child = await background.newChildContext()
        #expect(child.transactionAuthor == "closure")
    }

    @Test func aPolicyThatIsSetSettlesConflicts() async throws {
        let container = try makeContainer()
        let background = container.newBackgroundContext()
        try await background.perform { context in
            _ = context.insertQuake("a")
            try context.save()
        }
        await background.setAutomaticallyMergesChangesFromParent(false)
        try await background.perform { context in
            try context.quake("a")?.magnitude = 5
        }
        try container.saveElsewhere { context in try context.quake("a")?.magnitude = 6 }
        await #expect(throws: SaveConflictError.self) {
            try await background.perform { context in try context.save() }
        }
        await background.setMergePolicy(.overwrite)
        try await background.perform { context in try context.save() }
        let magnitude = try container.makeContext().quake("a")?.magnitude
        #expect(magnitude == 5)
    }
}
