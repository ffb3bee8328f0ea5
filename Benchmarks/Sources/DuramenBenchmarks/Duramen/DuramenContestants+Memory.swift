import Duramen

/// The store in memory.
extension DuramenContestants {
    /// Fetches the objects of a range of magnitudes, and reads every field.
    ///
    /// - Parameter registered: Whether the context has all objects, as who works in memory only
    ///   has; else it is new, and makes those that are found.
    static func memoryRange(
        _ dataset: Dataset, _ range: Range<Double>, registered: Bool
    ) throws -> [Contestant] {
        let container = try dataset.memoryContainer()
        let request = indexedRequest(range)
        let context = container.makeContext()
        let all = registered ? try context.fetch(FetchRequest<IndexedQuake>()) : []
        return [
            Contestant(.duramen) {
                var checksum = Checksum()
                let context = registered ? context : container.makeContext()
                for quake in try context.fetch(request) { checksum.add(quake) }
                withExtendedLifetime(all) {}
                return Outcome(checksum.value)
            }
        ]
    }

    /// Fetches all sorted by a number, and reads it.
    static func memorySort(_ dataset: Dataset, registered: Bool) throws -> [Contestant] {
        let container = try dataset.memoryContainer()
        let request = FetchRequest<IndexedQuake>().sorted(by: \.magnitude)
        let context = container.makeContext()
        let all = registered ? try context.fetch(FetchRequest<IndexedQuake>()) : []
        return [
            Contestant(.duramen) {
                var checksum = Checksum()
                let context = registered ? context : container.makeContext()
                for quake in try context.fetch(request) { checksum.add(magnitude: quake.magnitude) }
                withExtendedLifetime(all) {}
                return Outcome(checksum.value)
            }
        ]
    }
}
