/// Questions answered by closures over objects in memory.
extension PlainObjectContestants {
    /// Finds the objects of a range of magnitudes by looking at all, and reads every field of them.
    static func range(_ dataset: Dataset, _ range: Range<Double>) -> Contestant {
        let objects = objects(dataset)
        return Contestant(.memory) {
            var checksum = Checksum()
            let found = objects.filter {
                $0.magnitude >= range.lowerBound && $0.magnitude < range.upperBound
            }
            for quake in found { checksum.add(quake) }
            return Outcome(checksum.value)
        }
    }

    /// Sorts all objects by a number, and reads it.
    static func sort(_ dataset: Dataset) -> Contestant {
        let objects = objects(dataset)
        return Contestant(.memory) {
            var checksum = Checksum()
            for quake in objects.sorted(by: { $0.magnitude < $1.magnitude }) {
                checksum.add(magnitude: quake.magnitude)
            }
            return Outcome(checksum.value)
        }
    }
}
