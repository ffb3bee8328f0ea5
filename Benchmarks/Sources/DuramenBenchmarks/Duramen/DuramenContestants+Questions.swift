import Duramen

/// Predicates over all rows and over an index, and single properties.
extension DuramenContestants {
    /// Fetches two or three properties of all as tuples, without a context.
    static func namedProperties(_ dataset: Dataset, withText: Bool) throws -> [Contestant] {
        let container = try dataset.sharedQuakeStore().container
        let numbers = FetchRequest<Quake>().select(\.magnitude, \.time)
        let all = FetchRequest<Quake>().select(\.magnitude, \.time, \.place)
        return [
            Contestant(.duramen) {
                var checksum = Checksum()
                if withText {
                    for (magnitude, time, place) in try container.fetchAndWait(all) {
                        checksum.add(magnitude: magnitude)
                        checksum.add(magnitude: time)
                        checksum.add(text: place)
                    }
                } else {
                    for (magnitude, time) in try container.fetchAndWait(numbers) {
                        checksum.add(magnitude: magnitude)
                        checksum.add(magnitude: time)
                    }
                }
                return Outcome(checksum.value)
            }
        ]
    }

    /// Fetches the same properties as dictionaries, and reads them by name.
    static func dictionaries(_ dataset: Dataset, withText: Bool) throws -> [Contestant] {
        let container = try dataset.sharedQuakeStore().container
        let request =
            withText
            ? FetchRequest<Quake>().dictionaries("magnitude", "time", "place")
            : FetchRequest<Quake>().dictionaries("magnitude", "time")
        return [
            Contestant(.duramenDictionaries) {
                var checksum = Checksum()
                for row in try container.fetchDictionariesAndWait(request) {
                    checksum.add(magnitude: row["magnitude", as: Double.self] ?? 0)
                    checksum.add(magnitude: row["time", as: Double.self] ?? 0)
                    if withText { checksum.add(text: row["place", as: String.self] ?? "") }
                }
                return Outcome(checksum.value)
            }
        ]
    }

    /// Fetches the objects of a range of magnitudes in a new context, by a scan, and reads every
    /// field.
    static func range(_ dataset: Dataset, _ range: Range<Double>) throws -> [Contestant] {
        let container = try dataset.sharedQuakeStore().container
        let request = FetchRequest<Quake>().where {
            $0.magnitude >= range.lowerBound && $0.magnitude < range.upperBound
        }
        return [Contestant(.duramen) { try checksum(of: request, in: container) }]
    }

    /// The same, near a town only.
    static func rangeNearTown(
        _ dataset: Dataset, _ range: Range<Double>, _ town: String
    ) throws -> [Contestant] {
        let container = try dataset.sharedQuakeStore().container
        let request = FetchRequest<Quake>().where {
            $0.magnitude >= range.lowerBound && $0.magnitude < range.upperBound
                && $0.place.contains(town)
        }
        return [Contestant(.duramen) { try checksum(of: request, in: container) }]
    }

    /// The same range by an index.
    static func indexedRange(_ dataset: Dataset, _ range: Range<Double>) throws -> [Contestant] {
        let container = try dataset.indexedContainer()
        let request = indexedRequest(range)
        return [
            Contestant(.duramen) {
                var checksum = Checksum()
                let context = container.makeContext()
                for quake in try context.fetch(request) { checksum.add(quake) }
                return Outcome(checksum.value)
            }
        ]
    }

    static func indexedRequest(_ range: Range<Double>) -> FetchRequest<IndexedQuake> {
        FetchRequest<IndexedQuake>().where {
            $0.magnitude >= range.lowerBound && $0.magnitude < range.upperBound
        }
    }

    private static func checksum(
        of request: FetchRequest<Quake>, in container: PersistentContainer
    ) throws -> Outcome {
        var checksum = Checksum()
        let context = container.makeContext()
        for quake in try context.fetch(request) { checksum.add(quake) }
        return Outcome(checksum.value)
    }
}
