import Duramen

// Contestants that fetch values without a context, and hold them all before they read them.
extension DuramenContestants {
    /// Fetches all as structs and reads every field.
    static func fetchStructs(_ dataset: Dataset) throws -> [Contestant] {
        let container = try dataset.sharedQuakeStore().container
        return [
            Contestant(.duramen) {
                var checksum = Checksum()
                for quake in try container.fetchAndWait(Quake.Values.self) {
                    checksum.add(
                        code: quake.code, place: quake.place, magnitude: quake.magnitude,
                        time: quake.time, depth: quake.depth, felt: quake.felt,
                        isReviewed: quake.isReviewed, regionID: quake.region?.key ?? 0)
                }
                return Outcome(checksum.value)
            }
        ]
    }

    /// Fetches all as tuples and reads every field.
    static func fetchTuples(_ dataset: Dataset) throws -> [Contestant] {
        let container = try dataset.sharedQuakeStore().container
        let selection = FetchRequest<Quake>().select(
            \.code, \.place, \.magnitude, \.time, \.depth, \.felt, \.isReviewed, \.region)
        return [
            Contestant(.duramen) {
                var checksum = Checksum()
                for quake in try container.fetchAndWait(selection) {
                    checksum.add(
                        code: quake.0, place: quake.1, magnitude: quake.2, time: quake.3,
                        depth: quake.4, felt: quake.5, isReviewed: quake.6,
                        regionID: quake.7?.key ?? 0)
                }
                return Outcome(checksum.value)
            }
        ]
    }
}
