#if os(Linux)
import DuramenModel
import DuramenPostgres
import DuramenStore
import StoreTestSupport
import Testing

/// What a child made by `fork` does with the store of its parent.
@Suite(.enabled(if: TestServer.isThere)) struct ForkTests {
    // A child may open the store by itself, and read its metadata: nothing is shared then.
    @Test(arguments: ForkedUse.allCases.filter { $0 != .open && $0 != .metadata })
    func aChildIsRefusedAndItsParentGoesOn(_ use: ForkedUse) async throws {
        let schemas = try TestSchemas()
        defer { schemas.destroyAll() }
        let place = schemas.next()
        let schema = place.location
        await #expect(processExitsWith: .success) {
            [schema = schema as String, use = use as ForkedUse] in
            try use.check(
                .postgres(try TestServer.location(), schema: schema).allowingUnsafeServer(),
                model: FaultModel.model)
        }
        let rows = try RawServer().number("SELECT count(*) FROM \(place.quoted).tag")
        #expect(rows == 2)
    }
}
#endif
