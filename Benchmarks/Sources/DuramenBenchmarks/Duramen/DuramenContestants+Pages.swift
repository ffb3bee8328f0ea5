import Duramen

/// Pages by an index. What is found is let go before the next page is read.
extension DuramenContestants {
    private static let page = FetchRequest<IndexedQuake>().sorted(by: \.time)
        .limit(Questions.pageSize)

    /// Fetches a page at an offset again and again.
    ///
    /// - Parameter operations: The number of pages where its objects are not those of the other
    ///   contestants.
    static func page(
        _ dataset: Dataset, offset: Int, times: Int, _ role: Role = .duramen,
        operations: Int? = nil
    ) throws -> Contestant {
        let container = try dataset.indexedContainer()
        return Contestant(role, operations: operations) {
            let context = container.makeContext()
            return try checksum(times, context) { page.offset(offset) }
        }
    }

    /// Fetches the page behind an object again and again. The request is made anew for each page.
    static func pageAfter(_ dataset: Dataset, offset: Int, times: Int) throws -> Contestant {
        let container = try dataset.indexedContainer()
        let holder = container.makeContext()
        let last = try holder.fetch(page.limit(1).offset(offset - 1))
        return Contestant(.duramen) {
            let context = container.makeContext()
            guard let last = last.first else { return Outcome(0) }
            return try withExtendedLifetime(holder) {
                try checksum(times, context) { try page.after(last) }
            }
        }
    }

    private static func checksum(
        _ times: Int, _ context: ManagedObjectContext,
        _ request: () throws -> FetchRequest<IndexedQuake>
    ) throws -> Outcome {
        var checksum = Checksum()
        for _ in 0..<times {
            for quake in try context.fetch(request()) { checksum.add(quake) }
        }
        return Outcome(checksum.value)
    }
}
