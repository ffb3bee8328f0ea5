import Duramen
import DuramenMacros
import DuramenMemory

@Managed
final class Train: ManagedObject {
    @Attribute(.unique) var number: String
    var destination: String
    var time: String
    var platform: Int = 1
    var hasLeft: Bool = false
}

let container = try await PersistentContainer(
    model: ManagedObjectModel(Train.self), stores: [.memory()])
let context = container.viewContext

/// Inserts a train.
func add(
    _ number: String, to destination: String, at time: String, from platform: Int,
    in context: ManagedObjectContext
) {
    let train = Train(context: context)
    train.number = number
    train.destination = destination
    train.time = time
    train.platform = platform
}

add("IC 12", to: "Zürich", at: "10:12", from: 1, in: context)
add("RE 7", to: "Bern", at: "10:05", from: 1, in: context)
add("S 3", to: "Olten", at: "10:20", from: 2, in: context)
try context.save()

/// Finds a train by its number.
func train(_ number: String, in context: ManagedObjectContext) throws -> Train? {
    try context.fetch(FetchRequest<Train>().where { $0.number == number }).first
}

/// The trains that have not left, by platform.
@MainActor
final class Board: @MainActor FetchedResultsControllerDelegate {
    let controller: FetchedResultsController<Train>

    init(_ context: ManagedObjectContext) throws {
        controller = FetchedResultsController(
            fetchRequest: FetchRequest<Train>().where { $0.hasLeft == false }
                .sorted(by: \.platform).sorted(by: \.time),
            managedObjectContext: context, sectionedBy: { $0.platform })
        controller.delegate = self
        try controller.performFetch()
    }

    /// Prints the list as it is now.
    func show() {
        for section in controller.sections ?? [] {
            print("Platform \(section.name)")
            for train in section.objects {
                print(" ", train.time, train.number, train.destination)
            }
        }
    }

    // Called once for each row that changed.
    func controller(
        _ controller: FetchedResultsController<Train>, didChange train: Train,
        at indexPath: FetchedResultsIndexPath?, for kind: FetchedResultsChangeKind,
        newIndexPath: FetchedResultsIndexPath?
    ) {
        let old = indexPath?.description ?? "nowhere"
        let new = newIndexPath?.description ?? "nowhere"
        print("\(kind) \(train.number) from \(old) to \(new)")
    }

    // Called after all changes of a save.
    func controllerDidChangeContent(_ controller: FetchedResultsController<Train>) { show() }
}

let board = try Board(context)
board.show()

let traffic = container.newBackgroundContext(ContextOptions(name: "traffic"))
try await traffic.perform { context in
    add("EC 8", to: "Milano", at: "10:15", from: 1, in: context)
    try train("RE 7", in: context)?.hasLeft = true
    try context.save()
}
try await traffic.perform { context in
    try train("S 3", in: context)?.platform = 1
    try context.save()
}
