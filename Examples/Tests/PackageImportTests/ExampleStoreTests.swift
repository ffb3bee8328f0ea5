import Duramen
import PackageImport
import Testing

@Suite struct ExampleStoreTests {
    private let environment = [ExampleStore.variable: "sqlite:from-the-environment.sqlite"]

    @Test func theEnvironmentChoosesTheStore() throws {
        let store = try ExampleStore.chosen(by: nil, environment: environment)
        #expect(store?.text == "sqlite:from-the-environment.sqlite")
    }

    @Test func theOptionWinsOverTheEnvironment() throws {
        #expect(try ExampleStore.chosen(by: "memory:", environment: environment)?.text == "memory:")
    }

    @Test func nobodyChoosesWhereNothingIsSaid() throws {
        #expect(try ExampleStore.chosen(by: nil, environment: [:])?.text == nil)
        let empty = [ExampleStore.variable: ""]
        #expect(try ExampleStore.chosen(by: nil, environment: empty)?.text == nil)
    }

    @Test func aKindThatNobodyOffersIsRefusedWithTheKindsThatThereAre() {
        #expect {
            try ExampleStore.chosen(by: nil, environment: [ExampleStore.variable: "ledger:x"])
        } throws: { error in
            let error = error as? StoreError
            return error?.code == .unsupported
                && ExampleStore.types.types.allSatisfy { error?.message.contains($0.name) == true }
        }
    }
}
