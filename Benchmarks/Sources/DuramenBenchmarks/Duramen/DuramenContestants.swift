/// The contestants that use Duramen: one function for each measurement, empty until the measurement
/// has its contestant; a report then says `absent`.
///
/// Rules for a fair turn: containers are opened and emptied in `prepare`; contexts are made
/// *and let go* in `body`, so that the release of objects is counted as it is for the peers;
/// `verify` reads back what a save wrote.
@MainActor
enum DuramenContestants {
    /// Makes an object for each of `dataset.quakes` in a container that holds the regions, and
    /// saves once. The checksum is the count; `verify` adds that of every field read back.
    static func insert(_ dataset: Dataset) async throws -> [Contestant] { [] }

    /// Fetches all in a new context and adds every field to a ``Checksum``.
    static func fetchAll(_ dataset: Dataset) async throws -> [Contestant] { [] }

    /// Fetches all in a new context and adds `magnitude` to a ``Checksum``.
    static func touchOneField(_ dataset: Dataset) async throws -> [Contestant] { [] }

    /// Finds objects by identifier in a context that holds them all, and reads every field.
    static func lookupRegistered(
        _ dataset: Dataset, _ identifiers: [Int64]
    ) async throws -> [Contestant] { [] }

    /// Finds objects by identifier in a new context, and reads every field.
    static func lookupFault(
        _ dataset: Dataset, _ identifiers: [Int64]
    ) async throws -> [Contestant] { [] }

    /// Sets `magnitude` to 10 less itself in the given objects, in a new context, and saves. Each
    /// round changes the same file again; the checksum is the count, `verify` adds every field's.
    static func update(
        _ dataset: Dataset, _ identifiers: [Int64]
    ) async throws -> [Contestant] { [] }

    /// Fetches all in a new context and adds `place` and the region's `name` to a ``Checksum``.
    static func regionNames(_ dataset: Dataset) async throws -> [Contestant] { [] }

    /// Reads `region` of every object of a list whose regions are registered; `keep` each.
    /// The checksum is the count.
    static func region(_ dataset: Dataset) async throws -> [Contestant] { [] }

    /// Fetches all in a new context, reads every field of each, and holds context and list. The
    /// checksum is the count.
    static func heldObjects(_ dataset: Dataset) async throws -> [Contestant] { [] }

    /// Holds context and list of all rows, none of them an object. The checksum is the count.
    static func heldRows(_ dataset: Dataset) async throws -> [Contestant] { [] }

    /// Reads `magnitude` of one object, or writes it while the object has changes, and `keep`s it.
    /// The checksum is the number of times.
    static func access(
        _ dataset: Dataset, _ access: PropertyAccess, _ times: Int
    ) async throws -> [Contestant] { [] }
}
