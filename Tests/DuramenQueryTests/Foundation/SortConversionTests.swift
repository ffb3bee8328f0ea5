import DuramenQuery
import Foundation
import Testing

@Suite struct SortConversionTests {
    private typealias Quake = Sighting.Quake

    private func error(_ descriptor: SortDescriptor<Quake>) -> PredicateConversionError? {
        do throws(PredicateConversionError) {
            _ = try FetchSortDescriptor(descriptor)
            return nil
        } catch {
            return error
        }
    }

    @Test func orderAndPropertyAreKept() throws {
        #expect(try FetchSortDescriptor(SortDescriptor(\Quake.time)) == FetchSortDescriptor("time"))
        #expect(
            try FetchSortDescriptor(SortDescriptor(\Quake.note, order: .reverse))
                == FetchSortDescriptor("note", ascending: false))
        #expect(
            try FetchSortDescriptor(
                SortDescriptor(\Quake.code, comparator: .lexical, order: .reverse))
                == FetchSortDescriptor("code", ascending: false))
    }

    @Test func aKeyPathOfSeveralStepsIsRefusedWithTheRemedy() {
        let error = error(SortDescriptor(\Quake.region?.name))
        #expect(error?.code == .unsupportedKeyPath)
        #expect(
            error?.message.contains("FetchSortDescriptor(Quake.self) { $0.region.name }") == true)
        #expect(self.error(SortDescriptor(\Quake.unmanaged))?.code == .unsupportedKeyPath)
    }
}
